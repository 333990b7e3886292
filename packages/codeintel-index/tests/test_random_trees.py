"""Whatever happens to the files in whatever order, the index answers what the files answer: no ghost, no miss.

Real files, real git, real ripgrep. The number of examples is small by default; CODEINTEL_SYNC_EXAMPLES raises it.
"""

import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, event, given, settings, strategies as st

from codeintel_index import Index, IndexConfig
from codeintel_index.testing import full_text, git, wanted_full_text

EXAMPLES = int(os.environ.get("CODEINTEL_SYNC_EXAMPLES", settings.default.max_examples // 5))
PLACES = ("a.py", "A.py", "pkg/b c.py", "pkg/deep/d.py", "pkg", "notes.md", "é\n.py", "lib/e.ts", "lib")
DEFINED = re.compile(rb"\b(?:def|function) (made_\d+)")


class World:
    """A repository whose files are changed at random. Every content defines names that no other one ever had."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.made = 0
        git(root, "init", "--quiet", "--initial-branch=main")
        self.write(root / "pkg/b c.py")
        self.commit(root)

    def content(self, name: str) -> bytes:
        """Two functions and some words, always of the same length."""
        self.made += 1
        word = "function" if name.endswith(".ts") else "def"
        end = "{ return 1 }" if name.endswith(".ts") else ": return 1"
        return "".join(f"{word} made_{self.made:05}{n}(){end}\n" for n in range(2)).encode()

    def write(self, place: Path) -> None:
        """Write a new file, or other content of the same size; what is in the way goes."""
        for above in reversed(place.relative_to(self.root).parents):
            if (self.root / above).is_symlink() or (self.root / above).is_file():
                (self.root / above).unlink()
        place.parent.mkdir(parents=True, exist_ok=True)
        remove(place)
        place.write_bytes(self.content(place.name))

    def edit_unseen(self, place: Path) -> None:
        """Other content of the same size, with the old time."""
        if place.is_file() and not place.is_symlink():
            before = place.stat()
            place.chmod(0o644)
            place.write_bytes(self.content(place.name))
            os.utime(place, ns=(before.st_atime_ns, before.st_mtime_ns))

    def append(self, place: Path) -> None:
        if place.is_file():
            place.chmod(0o644)
            with place.open("ab") as file:
                file.write(self.content(place.name))

    def binary(self, place: Path) -> None:
        if place.is_file():
            place.write_bytes(b"\0" + place.read_bytes())

    def large(self, place: Path) -> None:
        if place.is_file():
            place.write_bytes(place.read_bytes() + b"#" * 1_000_001)

    def delete(self, place: Path) -> None:
        remove(place)

    def rename(self, place: Path) -> None:
        """To the other case of its name where the system tells them apart, else to another name."""
        if place.is_symlink() or place.exists():
            other = place.with_name(place.name.swapcase())
            if not other.exists():
                place.rename(other)

    def link(self, place: Path) -> None:
        """A link in place of the file: to a folder of the project, of which git may go on listing what was there."""
        remove(place)
        if place.parent.is_dir() and not place.parent.is_symlink():
            place.symlink_to(self.root / "pkg")

    def link_out(self, place: Path) -> None:
        outside = self.root.parent / "outside"
        outside.mkdir(exist_ok=True)
        (outside / "b c.py").write_bytes(self.content("b.py"))
        remove(place)
        if place.parent.is_dir() and not place.parent.is_symlink():
            place.symlink_to(outside)

    def lock(self, place: Path) -> None:
        if place.is_file() and not place.is_symlink():
            place.chmod(0)

    def ignore(self, place: Path) -> None:
        with (self.root / ".gitignore").open("ab") as file:
            file.write(b"/" + place.name.replace("\n", "?").encode() + b"\n")

    def ignore_nothing(self, place: Path) -> None:
        remove(self.root / ".gitignore")

    def commit(self, place: Path) -> None:
        for each in self.root.rglob("*"):
            if each.is_file() and not each.is_symlink():
                each.chmod(0o644)  # git cannot add what it cannot read
        git(self.root, "add", "--all")
        git(self.root, "commit", "--quiet", "--allow-empty", "--message", "work")

    def branch(self, place: Path) -> None:
        git(self.root, "checkout", "--quiet", "--force", "-B", f"side{self.made % 3}")

    def back(self, place: Path) -> None:
        git(self.root, "checkout", "--quiet", "--force", "main")

    def earlier(self, place: Path) -> None:
        git(self.root, "reset", "--quiet", "--hard", "HEAD")

    def touch(self, place: Path) -> None:
        if place.exists():
            os.utime(place, ns=(1, 1))


def remove(place: Path) -> None:
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    elif place.is_symlink() or place.exists():
        place.unlink()


DEEDS: list[Callable[[World, Path], None]] = [
    World.write,
    World.write,
    World.edit_unseen,
    World.append,
    World.binary,
    World.large,
    World.delete,
    World.rename,
    World.link,
    World.link_out,
    World.lock,
    World.ignore,
    World.ignore_nothing,
    World.commit,
    World.branch,
    World.back,
    World.earlier,
    World.touch,
]


def listed(root: Path, which: str) -> set[str]:
    """Paths of which git says that they are tracked (c), others (o)."""
    command = ["git", "-C", str(root), "ls-files", "-z", which, "--exclude-standard"]
    output = subprocess.run(command, capture_output=True, check=True).stdout
    return {each.decode() for each in output.split(b"\0") if each}


def texts(root: Path) -> dict[str, bytes]:
    """The contents of the project's text files, found without the index's own code."""
    found: dict[str, bytes] = {}
    for name in listed(root, "-co"):
        place = root / name
        linked = any((root / above).is_symlink() for above in [Path(name), *Path(name).parents])
        if linked or not place.is_file() or not os.access(place, os.R_OK):
            continue
        data = place.read_bytes()
        if b"\0" not in data[:8192]:
            found[name] = data
    return found


def agrees(index: Index, world: World) -> None:
    """Every answer of the index is that of the files."""
    every = texts(world.root)
    files = {path: data for path, data in every.items() if len(data) <= 1_000_000}
    names = {path: [name.decode() for name in DEFINED.findall(data)] for path, data in every.items()}
    defined = {(name, path) for path in files if path.lower().endswith((".py", ".ts")) for name in names[path]}
    assert {(symbol.name, symbol.path) for symbol in index.definitions("made_", exact=False)} == defined
    matches = index.grep(r"\bmade_\d+", limit=2000)[0].matches
    assert {(match.text.split("(")[0].split()[-1], match.path) for match in matches} == {
        (name, path) for path, found in names.items() for name in found
    }
    assert index._reader.counts()[0] == len(files)
    assert set(every) <= set(index.files("**"))
    for path in files:
        assert {(symbol.name, path) for symbol in index.symbols(path)} == {each for each in defined if each[1] == path}
    searched(index, {path: data for path, data in files.items() if names[path]})
    rows_are_whole(world.root)


def searched(index: Index, files: dict[str, bytes]) -> None:
    """Search finds each name where it is, and only chunks that are what stands in the file."""
    for path, data in files.items():
        name = DEFINED.findall(data)[-1].decode()
        assert path in {hit.path for hit in index.search(name, "forest").hits}
    for hit in index.search("made return", "forest", limit=100).hits:
        lines = files[hit.path].decode().split("\n")
        assert index.chunk(hit.chunk_id).text == "\n".join(lines[hit.start_line - 1 : hit.end_line])


def rows_are_whole(root: Path) -> None:
    """No row without its file, no full text without its chunk."""
    connection = sqlite3.connect(root / ".code-intel/index.db")
    try:
        for table in ("symbols", "names", "imports", "chunks"):
            orphans = f"SELECT count(*) FROM {table} WHERE file_id NOT IN (SELECT id FROM files)"
            assert connection.execute(orphans).fetchone() == (0,)
        assert full_text(connection) == wanted_full_text(connection)
    finally:
        connection.close()


@pytest.fixture
def rows_alone() -> Iterator[None]:
    """No vectors: they have tests of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("codeintel_index.vectors.dense.Dense.catch_up", lambda *_: None)
        patch.setattr(IndexConfig, "embeds_while_parsing", False)
        yield


steps = st.lists(st.tuples(st.integers(0, len(DEEDS) - 1), st.sampled_from(PLACES)), min_size=1, max_size=4)


@pytest.mark.usefixtures("rows_alone")
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.generate],  # shrinking takes many times as long as what is printed is worth
)
@given(st.lists(st.tuples(steps, st.booleans()), min_size=2, max_size=6))
def test_no_ghost_and_no_miss(walk: list[tuple[list[tuple[int, str]], bool]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "the project"
        root.mkdir()
        world = World(root)
        with Index.open(root) as index:
            for several, asked in walk:
                for number, place in several:
                    event(DEEDS[number].__name__)
                    DEEDS[number](world, root / place)
                if asked:
                    index.sync()
                else:
                    index._updater._looked = float("-inf")
                agrees(index, world)


def test_the_test_would_see_a_ghost(tmp_path: Path) -> None:
    world = World(tmp_path)
    with Index.open(tmp_path) as index:
        index.sync()
        (tmp_path / "pkg/b c.py").unlink()
        with pytest.raises(AssertionError):
            agrees(index, world)
