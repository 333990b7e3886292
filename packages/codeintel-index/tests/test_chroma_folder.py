"""`.code-intel/chroma/` follows the rows, whatever happens to it or to the process that writes it."""

import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from codeintel_index import Index, IndexConfig, MapEntry
from codeintel_index.store import locks
from codeintel_index.testing import make_repo, write_files
from codeintel_index.vectors.folder import Folder
from codeintel_index.vectors.local import unpacked

pytest.importorskip("chromadb")
pytestmark = [pytest.mark.draws(6), pytest.mark.turns(4), pytest.mark.xdist_group("chroma")]

Held = dict[str, np.ndarray]  # type: ignore[type-arg]
WORDS = ("alpha", "beta", "gamma", "delta", "kappa", "lambda", "omega", "sigma")
NEW = "def something_new():\n    return 1\n"


def function(number: int) -> str:
    name = "_".join(WORDS[int(digit)] for digit in f"{number:04o}")
    body = "\n".join(f"    total_{line} = first_{number} * {line} + second_{line}" for line in range(7))
    return f"def {name}(first_{number}, second):\n{body}\n    return total_0\n"


# Enough for Chroma to write its graph to disk, which it does for every thousand vectors, and for two batches.
MANY = {f"part_{m}.py": "\n\n".join(function(m * 100 + n) for n in range(100)) for m in range(21)}


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with its index and the folder, to be copied."""
    root = make_repo(tmp_path_factory.mktemp("folder") / "many", MANY)
    with Index.open(root, IndexConfig()) as index:
        assert index.sync().chunks > 2000
        assert index.fill_folder() == ""
    assert list(root.glob(".code-intel/chroma/*/link_lists.bin"))
    return root


@pytest.fixture
def many(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(original, tmp_path / "many"))


@pytest.fixture
def following(shop: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    """The shop's index, followed by the folder at once."""
    monkeypatch.setattr("codeintel_index.vectors.folder.DELAY_S", 0.0)
    with Index.open(shop, IndexConfig()) as opened:
        yield opened


def folder_of(index: Index) -> Folder:
    assert index._dense.folder is not None
    return index._dense.folder


def followed(index: Index) -> None:
    """Wait until the folder has followed."""
    index._updater.wait()
    if (thread := folder_of(index)._thread) is not None:
        thread.join()


def in_folder(root: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Held]:
    """What Chroma reads in a copy of the folder: a store that this process has open shows no later changes."""
    import chromadb

    place = tmp_path_factory.mktemp("read") / "chroma"
    shutil.copytree(root / ".code-intel/chroma", place)
    found = {}
    for each in chromadb.PersistentClient(str(place)).list_collections():
        rows = each.get(include=["embeddings"])
        found[each.name.partition("__")[0]] = dict(zip(rows["ids"], rows["embeddings"], strict=True))
    return found


def in_rows(index: Index) -> dict[str, Held]:
    found = {}
    for kind in ("forest", "map"):
        rows = index._reader.kept(kind, index._dense.model, 0, -1)
        vectors = unpacked([packed for *_, packed in rows]) if rows else []
        found[kind] = {key: vector for (_, key, _), vector in zip(rows, vectors, strict=True)}
    return found


@pytest.fixture
def same(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Index], None]:
    """Asserts that the folder holds what the rows do, and that this is what is said of it."""

    def check(index: Index) -> None:
        folder, rows = in_folder(index.root, tmp_path_factory), in_rows(index)
        for kind in ("forest", "map"):
            assert folder[kind].keys() == rows[kind].keys()
            assert all(np.allclose(folder[kind][key], vector) for key, vector in rows[kind].items())
        chunks = index.stats().chunks
        assert index.stats().vectors == f"index.db, {chunks:,} of {chunks:,}; chroma, {chunks:,} of {chunks:,}"

    return check


def test_the_folder_follows_a_sync_edits_and_what_was_learned(following: Index, same: Callable[[Index], None]) -> None:
    following.sync()
    followed(following)
    same(following)
    write_files(following.root, {"new.py": NEW, "shop/mail.py": f'"""Letters."""\n\n{NEW}'})
    (following.root / "shop/money.py").unlink()
    following.learn([MapEntry("receipts", "something_new", "new.py", 1.0, "s1", "feature", "2026-01-01T00:00:00Z")])
    following.sync()
    followed(following)
    following.search("how are receipts made", "map")
    following.sync()
    followed(following)
    assert len(in_rows(following)["map"]) == 1
    same(following)


def test_a_burst_of_edits_waits_for_one_process(shop: Path) -> None:
    with Index.open(shop, IndexConfig()) as index:
        waiting = set()
        for number in range(3):
            write_files(shop, {"new.py": f"def number_{number}():\n    return {number}\n"})
            index.sync()
            index._updater.wait()
            waiting.add(folder_of(index)._thread)
        assert len(waiting) == 1
        assert folder_of(index)._process is None


def test_a_process_that_changes_nothing_goes_on_where_another_ended(
    shop: Path, monkeypatch: pytest.MonkeyPatch, same: Callable[[Index], None]
) -> None:
    with Index.open(shop, IndexConfig()) as index:
        index.sync()
    monkeypatch.setattr("codeintel_index.vectors.folder.DELAY_S", 0.0)
    with Index.open(shop, IndexConfig()) as index:
        assert "; chroma, 0 of " in index.stats().vectors
        index.search("receipt", "forest")
        followed(index)
        same(index)


def test_a_folder_that_is_complete_starts_no_process(many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Folder, "_run_child", lambda *_: pytest.fail("a process was started"))
    with Index.open(many, IndexConfig()) as index:
        assert index.fill_folder() == ""


@pytest.mark.slow
@pytest.mark.turns
def test_whenever_its_writer_is_killed_the_next_goes_on(many: Path, same: Callable[[Index], None]) -> None:
    chance = random.Random(7)
    for _ in range(6):
        shutil.rmtree(many / ".code-intel/chroma")
        with Index.open(many, IndexConfig()) as index:
            killer = threading.Thread(target=kill_soon, args=(index, chance.uniform(0.5, 3)))
            killer.start()
            index.fill_folder()
            killer.join()
        with Index.open(many, IndexConfig()) as index:
            assert index.fill_folder() == ""
            same(index)


def kill_soon(index: Index, seconds: float) -> None:
    """Kill the process that fills the folder, some time after it has begun."""
    pid = started(index)
    time.sleep(seconds)
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)


def test_after_a_batch_that_was_written_only_the_rest_is(
    many: Path, monkeypatch: pytest.MonkeyPatch, same: Callable[[Index], None]
) -> None:
    shutil.rmtree(many / ".code-intel/chroma")
    state = many / ".code-intel/chroma/state.json"
    with Index.open(many, IndexConfig()) as index:
        killer = threading.Thread(target=lambda: wait_until(state.exists) or folder_of(index).close())
        killer.start()
        index.fill_folder()
        killer.join()
        assert "chroma, 0 of" not in index.stats().vectors
    made = next((many / ".code-intel/chroma").glob("*/link_lists.bin")).stat().st_ino
    with Index.open(many, IndexConfig()) as index:
        assert index.fill_folder() == ""
        same(index)
    assert next((many / ".code-intel/chroma").glob("*/link_lists.bin")).stat().st_ino == made


def part(root: Path, name: str) -> Path:
    return next((root / ".code-intel/chroma").rglob(name))


def database_is_garbage(root: Path) -> None:
    part(root, "chroma.sqlite3").write_bytes(b"not a database" * 1000)


def database_is_cut(root: Path) -> None:
    os.truncate(part(root, "chroma.sqlite3"), 20_000)


def database_is_gone(root: Path) -> None:
    part(root, "chroma.sqlite3").unlink()


def graph_is_garbage(root: Path) -> None:
    part(root, "header.bin").write_bytes(b"\xff" * 100)


def links_are_zeros(root: Path) -> None:
    links = part(root, "link_lists.bin")
    links.write_bytes(bytes(links.stat().st_size))


def names_are_cut(root: Path) -> None:
    os.truncate(part(root, "index_metadata.pickle"), 1000)


def graph_is_gone(root: Path) -> None:
    shutil.rmtree(part(root, "header.bin").parent)


def state_is_garbage(root: Path) -> None:
    part(root, "state.json").write_text('{"of": 3, "forest": []}')


def an_older_version_made_it(root: Path) -> None:
    part(root, "state.json").unlink()


def a_file_leads_out_of_it(root: Path) -> None:
    database = part(root, "chroma.sqlite3")
    database.rename(root / "elsewhere")
    database.symlink_to(root / "elsewhere")


def a_file_in_its_place(root: Path) -> None:
    shutil.rmtree(root / ".code-intel/chroma")
    (root / ".code-intel/chroma").write_text("what is this?")


@pytest.mark.sample
@pytest.mark.parametrize(
    "damage",
    [
        database_is_garbage,
        database_is_cut,
        database_is_gone,
        graph_is_garbage,
        links_are_zeros,
        names_are_cut,
        graph_is_gone,
        state_is_garbage,
        an_older_version_made_it,
        a_file_in_its_place,
    ],
)
def test_a_damaged_folder_costs_no_answer_and_is_filled_again(
    many: Path, damage: Callable[[Path], None], same: Callable[[Index], None]
) -> None:
    damage(many)
    with Index.open(many, IndexConfig()) as index:
        assert index.search("omega_sigma_alpha", "forest").dense == ""
        write_files(many, {"more.py": "def one_more(first):\n    return first\n"})
        index.sync()
        assert index.fill_folder() == ""
        assert index.stats().notices == ()
        same(index)


def test_nothing_is_written_through_a_link_in_the_folder(many: Path) -> None:
    a_file_leads_out_of_it(many)
    before = (many / "elsewhere").read_bytes()
    with Index.open(many, IndexConfig()) as index:
        write_files(many, {"more.py": NEW})
        index.sync()
        assert index.fill_folder() == ""
    assert (many / "elsewhere").read_bytes() == before


def test_rows_that_are_made_again_fill_the_folder_again(many: Path, same: Callable[[Index], None]) -> None:
    for place in (many / ".code-intel").glob("index.db*"):
        place.unlink()
    (many / "part_3.py").unlink()
    with Index.open(many, IndexConfig()) as index:
        index.sync()
        assert "chroma, 0 of" in index.stats().vectors
        assert index.fill_folder() == ""
        same(index)


def test_why_it_cannot_be_filled_is_said_and_nothing_else_fails(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = [sys.executable, "-c", "import sys; sys.exit('the disk is full')"]
    monkeypatch.setattr("codeintel_index.vectors.folder.python_module", lambda _: (broken, {**os.environ}))
    with Index.open(shop, IndexConfig()) as index:
        index.sync()
        assert index.fill_folder() == "the disk is full"
        assert index.stats().vectors.endswith(f"chroma, 0 of {index.stats().chunks} (the disk is full)")
        assert index.search("receipt", "forest").dense == ""


def test_one_process_fills_it_at_a_time(shop: Path) -> None:
    with Index.open(shop, IndexConfig()) as index:
        index.sync()
        with locks.hold(index.data_dir, locks.FOLDER, 0):
            assert index.fill_folder() == "another process is filling it"
        assert index.fill_folder() == ""


def started(index: Index) -> int:
    """The number of the process that fills the folder, when there is one."""
    wait_until(lambda: folder_of(index)._process is not None)
    process = folder_of(index)._process
    assert process is not None
    return process.pid


def wait_until(is_so: Callable[[], bool]) -> None:
    while not is_so():
        time.sleep(0.01)


def test_closing_waits_for_no_batch(many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codeintel_index.vectors.folder.DELAY_S", 0.0)
    shutil.rmtree(many / ".code-intel/chroma")
    index = Index.open(many, IndexConfig())
    index.search("omega", "forest")
    started(index)
    process = folder_of(index)._process
    index.close()
    assert process is not None
    assert process.returncode == (1 if sys.platform == "win32" else -signal.SIGKILL)


HOST = """
import os, sys, time
from codeintel_index import Index, IndexConfig
from codeintel_index.vectors import folder
folder.DELAY_S = 0.0
index = Index.open(sys.argv[1], IndexConfig())
index.search("omega", "forest")
while (process := index._dense.folder._process) is None:
    time.sleep(0.01)
while process.poll() is None and os.getpriority(os.PRIO_PROCESS, process.pid) < 19:
    time.sleep(0.01)
print(process.pid, flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="looks at processes as POSIX has them")
def test_the_process_that_fills_it_has_the_lowest_priority_and_ends_with_its_parent(many: Path) -> None:
    shutil.rmtree(many / ".code-intel/chroma")
    host = subprocess.Popen([sys.executable, "-c", HOST, str(many)], stdout=subprocess.PIPE, text=True)
    with host:
        assert host.stdout is not None
        child = int(host.stdout.readline())
        host.kill()
    wait_until(lambda: not is_running(child))


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("mode", ["off", "http"])
def test_there_is_no_folder_where_none_is_wanted(shop: Path, mode: str) -> None:
    config = IndexConfig(chroma_mode=mode, chroma_port=1)
    with Index.open(shop, config) as index:
        index.sync()
        index._updater.wait()
        assert index.fill_folder() == ""
        assert "; chroma" not in index.stats().vectors
    assert not (shop / ".code-intel/chroma").exists()


def test_without_the_extra_there_is_none(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codeintel_index.vectors.chroma.is_installed", lambda: False)
    with Index.open(shop, IndexConfig()) as index:
        index.sync()
        assert index.fill_folder() == ""
        assert "; chroma" not in index.stats().vectors
