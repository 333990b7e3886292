"""The vectors' folder may be damaged in any way: their copies answer, and what is damaged is made again."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from codeintel_index import Index
from codeintel_index.errors import DenseUnavailable
from codeintel_index.store import locks
from codeintel_index.testing import make_repo, write_files
from codeintel_index.vectors.chroma import translate_errors
from codeintel_index.vectors.folder import CHILD

pytestmark = pytest.mark.draws(8)

WORDS = ("alpha", "beta", "gamma", "delta", "kappa", "lambda", "omega", "sigma")


def function(number: int) -> str:
    name = "_".join(WORDS[int(digit)] for digit in f"{number:04o}")
    body = "\n".join(f"    total_{line} = first_{number} * {line} + second_{line}" for line in range(7))
    return f"def {name}(first_{number}, second):\n{body}\n    return total_0\n"


# Enough for Chroma to write its graph to disk, which it does for every thousand vectors.
MANY = {f"part_{m}.py": "\n\n".join(function(m * 100 + n) for n in range(100)) for m in range(11)}


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with its index, vectors included, to be copied."""
    root = make_repo(tmp_path_factory.mktemp("vectors") / "many", MANY)
    with Index.open(root) as index:
        assert index.sync().chunks >= 1100
        assert index.wait_dense() == 0
    assert list(root.glob(".code-intel/chroma/*/link_lists.bin"))
    return root


@pytest.fixture
def many(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(original, tmp_path / "many"))


def use_vectors(root: Path) -> "subprocess.CompletedProcess[str]":
    """What comes of asking Chroma for neighbors in a process of its own."""
    code = (
        "import sys; from codeintel_index import Index; dense = Index.open(sys.argv[1])._dense;"
        "dense.store.nearest('forest', dense.embed_queries(['omega'])[0], 10)"
    )
    return subprocess.run([sys.executable, "-c", code, str(root)], capture_output=True, text=True, check=False)


def part(root: Path, name: str) -> Path:
    return next((root / ".code-intel/chroma").rglob(name))


def database_is_garbage(root: Path) -> None:
    part(root, "chroma.sqlite3").write_bytes(b"not a database" * 1000)


def database_is_cut(root: Path) -> None:
    os.truncate(part(root, "chroma.sqlite3"), 20_000)


def graph_is_garbage(root: Path) -> None:
    part(root, "header.bin").write_bytes(b"\xff" * 100)


def names_are_cut(root: Path) -> None:
    os.truncate(part(root, "index_metadata.pickle"), 1000)


def a_file_in_its_place(root: Path) -> None:
    shutil.rmtree(root / ".code-intel/chroma")
    (root / ".code-intel/chroma").write_text("what is this?")


@pytest.mark.sample
@pytest.mark.parametrize(
    "damage", [database_is_garbage, database_is_cut, graph_is_garbage, names_are_cut, a_file_in_its_place]
)
def test_damaged_vectors_cost_no_answer_and_are_made_again_with_the_next_change(
    many: Path, damage: Callable[[Path], None]
) -> None:
    damage(many)
    with Index.open(many) as index:
        assert index.search("omega_sigma_alpha", "forest").dense == ""
        write_files(many, {"more.py": "def one_more(first):\n    return first\n"})
        index.sync()
        assert index.wait_dense() == 0
        assert index.search("omega_sigma_alpha", "forest").dense == ""
        assert [note for note in index.stats().notices if "made again" in note]
        assert index._dense.store.count("forest") == index.stats().chunks


def test_a_store_that_is_deleted_is_made_again(many: Path) -> None:
    shutil.rmtree(many / ".code-intel/chroma")
    with Index.open(many) as index:
        index.sync()
        assert index.wait_dense() == 0
        assert index._dense.store.count("forest") == index.stats().chunks


def test_the_copies_find_what_chroma_finds(many: Path) -> None:
    with Index.open(many) as index:
        dense = index._dense
        vector = dense.embed_queries(["omega sigma alpha"])[0]
        exact = dict(dense.store.nearest("forest", vector, 30))
        copied = dense.nearest("omega sigma alpha", 10)
        assert [score for _, score in copied] == sorted((score for _, score in copied), reverse=True)
        ids = {row: chunk.id for row, chunk in index._reader.chunks([row for row, _ in copied]).items()}
        assert all(abs(exact[ids[row]] - score) < 0.005 for row, score in copied)


def test_the_copies_follow_edits_and_deletions_without_reading_all_again(many: Path) -> None:
    with Index.open(many) as index:
        index.search("omega", "forest")
        read = len(index._dense._local._rows)
        (many / "part_4.py").unlink()
        write_files(many, {"zeta.py": "def a_singular_zeta(first):\n    return first\n"})
        index.sync()
        assert index.wait_dense() == 0
        near = [row for row, _ in index._dense.nearest("a singular zeta", 2000)]
        paths = {row: chunk.path for row, chunk in index._reader.chunks(near).items()}
        assert paths[near[0]] == "zeta.py"
        assert len(near) == len(paths) == index.stats().chunks
        assert "part_4.py" not in paths.values()
        assert len(index._dense._local._rows) == read + 1


@pytest.mark.slow
def test_damaged_vectors_end_the_process_that_holds_them_and_are_made_again(many: Path) -> None:
    links = part(many, "link_lists.bin")
    links.write_bytes(bytes(links.stat().st_size))
    assert f"ended with {-signal.SIGSEGV}" in use_vectors(many).stderr
    with Index.open(many) as index:
        assert index.search("omega", "forest").hits
        assert index.wait_dense() == 0
        assert index.search("omega", "forest").dense == ""
        assert [note for note in index.stats().notices if "ends the process" in note]


def test_vectors_that_somebody_is_trying_are_left_alone(many: Path) -> None:
    links = part(many, "link_lists.bin")
    links.write_bytes(bytes(links.stat().st_size))
    part(many, "chroma.sqlite3").with_name("busy").touch()
    with locks.hold(many / ".code-intel", locks.VECTORS, 10):
        done = use_vectors(many)
    assert done.returncode == 1
    assert "are being checked" in done.stderr


@pytest.mark.slow
def test_whole_vectors_over_which_somebody_died_are_kept(many: Path) -> None:
    (many / ".code-intel/chroma/busy").touch()
    made = part(many, "link_lists.bin").stat().st_ino
    with Index.open(many) as index:
        assert index.search("omega", "forest").hits
        assert index.wait_dense() == 0
        assert index.search("omega", "forest").dense == ""
        assert index.stats().notices == ()
    assert part(many, "link_lists.bin").stat().st_ino == made


def test_a_panic_of_the_native_part_is_an_error_like_others() -> None:
    class PanicException(BaseException):
        """As pyo3 names and derives it."""

    with pytest.raises(DenseUnavailable, match="index out of bounds"), translate_errors():
        raise PanicException("index out of bounds")
    with pytest.raises(KeyboardInterrupt), translate_errors():
        raise KeyboardInterrupt


def test_without_the_extra_the_words_answer_and_say_what_to_install(
    dense: Index, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(shop, {"new.py": "def something_new():\n    return 1\n"})
    monkeypatch.setitem(sys.modules, "chromadb", None)
    with Index.open(shop) as index:
        index.sync()
        assert index.wait_dense() == 1
        assert index.search("something new", "forest").hits[0].path == "new.py"
        assert index.stats().dense.endswith("pip install 'codeintel-index[vectors]'")


def test_the_process_that_holds_the_vectors_ends_when_nobody_uses_it(
    many: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("codeintel_index.vectors.folder.IDLE_S", 0.2)
    monkeypatch.delitem(sys.modules, "chromadb", raising=False)
    with Index.open(many) as index:
        for number in range(2):  # and it is started again
            write_files(many, {"new.py": f"def number_{number}():\n    return {number}\n"})
            index.sync()
            assert index.wait_dense() == 0
            process = CHILD._process
            assert process is None or process.wait(10) == 0
            assert index.search(f"number_{number}", "forest").dense == ""
    assert "chromadb" not in sys.modules


def test_an_edit_makes_vectors_only_for_what_it_changed(many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Index.open(many) as index:
        embedded: list[str] = []
        embed = index._dense.embed
        monkeypatch.setattr(index._dense, "embed", lambda texts: embedded.extend(texts) or embed(texts))
        text = (many / "part_3.py").read_text()
        write_files(many, {"part_3.py": f"{text}\n\ndef the_last_one(first, second):\n    return first + second\n"})
        index.sync()
        assert index.wait_dense() == 0
        assert len(embedded) <= 2
        assert index._dense.store.count("forest") == index.stats().chunks


def test_rows_that_are_made_again_find_their_vectors(many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in (many / ".code-intel").glob("index.db*"):
        place.unlink()
    with Index.open(many) as index:
        embedded: list[str] = []
        monkeypatch.setattr(index._dense, "embed", lambda texts: embedded.extend(texts))
        index.sync()
        assert index.wait_dense() == 0
        assert embedded == []
