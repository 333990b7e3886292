"""A disk that refuses: full, read-only, with files that may not be read. It is said, and what can be answered is.

The refusals are real ones, met by a child process that has no more rights than its user (root may read everything).
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from codeintel_index import Index
from codeintel_index.testing import write_files

pytestmark = [pytest.mark.draws(18), pytest.mark.skipif(os.name == "nt", reason="rights and limits of POSIX")]
HEAD = """
import json, resource, sys
from codeintel_index import Index
from codeintel_index.errors import IndexFault
index = Index.open(sys.argv[1])
"""


def run(root: Path, code: str) -> dict[str, object]:
    """What a child without root's privileges prints about the project."""
    plain = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all"]
    command = [*(plain if os.geteuid() == 0 else []), sys.executable, "-c", HEAD + code, str(root)]
    if shutil.which(command[0]) is None:
        pytest.skip("root may read everything, and setpriv is not installed")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answered: dict[str, object] = json.loads(done.stdout)
    return answered


def test_files_that_may_not_be_read_are_told_once_and_found_when_they_may(shop: Path) -> None:
    hidden = {f"hidden/h{n}.py": f"def hidden_{n}(): ...\n" for n in range(60)}
    write_files(shop, hidden)
    for path in hidden:
        (shop / path).chmod(0)
    told = run(
        shop,
        "first, second = index.sync(), index.sync()\n"
        "index._updater._looked = float('-inf')\n"
        "print(json.dumps([len(first.errors), first.files, second.errors, index.refresh().stale_files]))",
    )
    assert told == [60, 7, [], 0]
    for path in hidden:
        (shop / path).chmod(0o644)
    with Index.open(shop) as index:
        assert index.sync().errors == ()
        assert len(index.definitions("hidden_", exact=False)) == 60


def test_a_folder_that_may_not_be_read_is_left_out(shop: Path) -> None:
    write_files(shop, {"closed/a.py": "def closed(): ...\n"})
    (shop / "closed").chmod(0)
    try:
        told = run(
            shop, "print(json.dumps([index.sync().files, index.grep('closed')[0].total, index.files('*').total]))"
        )
    finally:
        (shop / "closed").chmod(0o755)
    assert told == [7, 0, 7]


def test_a_folder_that_may_not_be_written_is_said_and_what_needs_no_index_is_answered(shop: Path) -> None:
    shop.chmod(0o555)
    try:
        told = run(
            shop,
            "try:\n    index.sync()\nexcept IndexFault as error:\n    said = str(error)\n"
            "names = [s.path for s in index.definitions('send_receipt')]\n"
            "print(json.dumps([said, names, index.grep('send_receipt')[0].total, list(index.stats().notices)]))",
        )
    finally:
        shop.chmod(0o755)
    said, names, total, notices = told
    assert "cannot be written" in said
    assert (names, total) == (["shop/mail.py"], 1)
    assert any("cannot be written" in notice for notice in notices)


@pytest.mark.sample
@pytest.mark.parametrize("limit", [0, 20_000, 300_000])
def test_a_full_disk_is_said_and_costs_nothing_that_was_there(shop: Path, limit: int) -> None:
    with Index.open(shop) as index:
        index.sync()
        assert index.wait_dense() == 0
    write_files(shop, {f"more/m{n}.py": f"def made_{n}():\n    return {'1 + ' * 200}1\n" for n in range(200)})
    told = run(
        shop,
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n"
        "try:\n    index.sync()\n    said = ''\nexcept IndexFault as error:\n    said = str(error)\n"
        "index.wait_dense()\n"
        "hits = index.search('mail a receipt', 'forest').hits\n"
        "print(json.dumps([said, hits[0].symbol, index.definitions('send_receipt')[0].path]))",
    )
    said, symbol, path = told
    assert "cannot be written" in said
    assert (symbol, path) == ("send_receipt", "shop/mail.py")
    with Index.open(shop) as index:
        assert index.sync().files == 207
        assert index.wait_dense() == 0
        assert index.definitions("made_199")
        assert index.search("mail a receipt", "forest").dense == ""
