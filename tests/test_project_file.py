"""No file of a project keeps anybody waiting, costs memory or shows what stands elsewhere, whatever it really is.

The function that opens them is given twice, because the index and the contract must not know each other, and so is the
one that looks before git is started, whose table stands in the contract's tests: the two texts are one.
"""

import os
import re
import socket
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from codeintel_contract import git_traps as contract_traps, project_file as contract_copy
from codeintel_index import git_traps as index_traps, project_file as index_copy
from codeintel_index.testing import bounded
from codeintel_session.testing import make_repo

pytestmark = pytest.mark.skipif(os.name == "nt", reason="makes links and pipes")
LIMIT = 1000


def sparse(place: Path) -> None:
    place.touch()
    os.truncate(place, 20_000_000_000)


def bound(place: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(place))


def grown(place: Path) -> None:
    place.write_bytes(b"x" * (LIMIT + 1))


HOSTILE: dict[str, tuple[Callable[[Path], object], str]] = {
    "a link to a device": (lambda place: place.symlink_to("/dev/zero"), "leads out of the project"),
    "a link to /proc": (lambda place: place.symlink_to("/proc/self/mem"), "leads out of the project"),
    "a link to a file elsewhere": (lambda place: place.symlink_to("/etc/passwd"), "leads out of the project"),
    "a link to the folder above": (lambda place: place.symlink_to("../.."), "leads out of the project"),
    "a link to nothing elsewhere": (lambda place: place.symlink_to("/nowhere/at/all"), "leads out of the project"),
    "a link to itself": (lambda place: place.symlink_to(place.name), "cannot be read: Too many levels"),
    "a pipe": (os.mkfifo, "is not a regular file"),
    "a socket": (bound, "is not a regular file"),
    "a folder": (Path.mkdir, "is not a regular file"),
    "a file of 20 GB": (sparse, "is larger than 1000 bytes"),
    "a file one byte too long": (grown, "is larger than 1000 bytes"),
}
COPIES = pytest.mark.parametrize("copy", [contract_copy, index_copy], ids=["contract", "index"])


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    (tmp_path / "project/real.txt").write_bytes(b"0123456789")
    return tmp_path / "project"


@pytest.fixture
def in_root(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in the project: the name of a socket may not be long."""
    monkeypatch.chdir(root)


@COPIES
@pytest.mark.parametrize("case", HOSTILE)
def test_is_refused_at_once_with_the_reason(
    copy: ModuleType, case: str, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, why = HOSTILE[case]
    monkeypatch.chdir(root)  # the name of a socket may not be long
    make(Path("x"))
    with bounded(), pytest.raises(copy.FileRefused) as caught:
        copy.read_file(root, "x", LIMIT)
    assert why in str(caught.value.strerror)


@COPIES
@pytest.mark.parametrize("path", ["a\0b", "\ud800", "../project2/x", "x" * 5000])
def test_a_name_that_no_file_of_the_project_has_is_refused(copy: ModuleType, path: str, root: Path) -> None:
    with pytest.raises(copy.FileRefused):
        copy.read_file(root, path, LIMIT)


@COPIES
def test_what_is_not_there_is_told_from_what_is_refused(copy: ModuleType, root: Path) -> None:
    (root / "dangling").symlink_to("gone")
    for path in ("gone", "gone/x", "real.txt/x", "dangling"):
        with pytest.raises(FileNotFoundError, match="no such file"):
            copy.read_file(root, path, LIMIT)


@COPIES
def test_a_file_inside_is_read_by_any_way_that_leads_there(copy: ModuleType, root: Path, tmp_path: Path) -> None:
    (root / "link").symlink_to("real.txt")
    (tmp_path / "other").symlink_to("project")
    ways = [(root, "real.txt"), (root, root / "link"), (tmp_path / "other", "link"), (None, root / "real.txt")]
    assert {copy.read_file(*way, 10) for way in ways} == {b"0123456789"}


@COPIES
def test_the_beginning_of_a_long_file_is_read_where_that_is_enough(copy: ModuleType, root: Path) -> None:
    sparse(root / "x")
    with bounded():
        assert copy.read_file(root, "x", 5, whole=False) == b"\0" * 5
    assert copy.read_file(root, "real.txt", 5, whole=False) == b"01234"


def piped(place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    os.mkfifo(place)


TRAP_COPIES = pytest.mark.parametrize("copy", [contract_traps, index_traps], ids=["contract", "index"])


@TRAP_COPIES
def test_a_pipe_that_comes_later_among_gits_own_files_is_found_until_it_is_gone(
    copy: ModuleType, tmp_path: Path
) -> None:
    root = make_repo(tmp_path / "clone").root
    assert copy.find_trap(str(root)) == ""
    piped(root / ".git/info/exclude")
    assert copy.find_trap(str(root)) == ".git/info/exclude"
    (root / ".git/info/exclude").unlink()
    assert copy.find_trap(str(root)) == ""


def test_both_copies_are_one_text() -> None:
    for copies in ((contract_copy, index_copy), (contract_traps, index_traps)):
        texts = [Path(str(copy.__file__)).read_text(encoding="utf-8") for copy in copies]
        assert len({re.sub("codeintel_(contract|index)", "", text) for text in texts}) == 1
