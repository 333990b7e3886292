"""The environment of a run in a clean checkout: dependency folders that git ignores, as links into the project.

A tool finds its dependencies beside the code, so the checkout gets them at the same places, those of nested packages
included. A link would lead back to the project's code where dependencies refer to it: a workspace's own packages in
`node_modules` and Composer's autoloader are therefore built again, pointing into the checkout, and Python is redirected
by `redirect/sitecustomize.py`. What a build writes (`target`, `dist`) is not a dependency and is not shared.
"""

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from codeintel_contract import read_file
from codeintel_session import is_outside

FOLDERS = frozenset(
    {
        ".venv", "venv", "node_modules", "vendor", ".tox", ".nox", ".bundle", ".yarn", ".eggs", "bower_components",
        "__pypackages__", "Pods", "deps",
    }
)  # fmt: skip
"""Names of folders with dependencies."""
FILES = frozenset((".pnp.cjs", ".pnp.loader.mjs", ".pdm-python", "_version.py", "_version.pyi"))
"""Ignored files that an installation leaves beside the code, and that its imports need."""
LOCKS = (
    "uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "requirements.txt", "package-lock.json", "pnpm-lock.yaml",
    "yarn.lock", "bun.lock", "bun.lockb", "composer.lock", "Gemfile.lock", "Cargo.lock", "go.sum", "mix.lock",
)  # fmt: skip
USERS = (
    ".config/go/env", "Library/Application Support/go/env", ".npmrc", ".yarnrc", ".yarnrc.yml", ".cargo/config.toml",
    ".cargo/config", ".config/pip/pip.conf", ".pip/pip.conf", ".gemrc", ".bundle/config", ".m2/settings.xml",
    ".mavenrc", ".gradle/gradle.properties", ".composer/config.json", ".config/uv/uv.toml", ".gitconfig",
    ".config/git/config", ".config/git/attributes", ".config/git/ignore", ".config/git/hooks",
)  # fmt: skip
"""Settings of tool chains in the user's home folder: Go's can have it build another file than the tree holds."""
ABOVE = (
    "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "pyproject.toml", "tox.ini", "setup.cfg", "setup.py",
    "conftest.py", "node_modules", "package.json", ".npmrc", ".babelrc", "babel.config.js", "jest.config.js",
    "vitest.config.js", ".mocharc.js", ".mocharc.json", "tsconfig.json", "go.work", "go.mod", "Cargo.toml", ".cargo",
    "rust-toolchain.toml", "Gemfile", ".bundle", ".rspec", "Rakefile", "composer.json", "pom.xml", "settings.gradle",
    ".editorconfig", ".git",
)  # fmt: skip
"""What tools look for in the folders above the one they run in."""
LOOKED, GO_SETTINGS, GIT_SETTINGS = "~/", "~/.config/go/env", ("~/.gitconfig", "~/.config/git/config")
_NAMES = re.compile(r"""(?im)^\s*(?:excludesfile|attributesfile|hookspath|template|path)\s*=\s*"?([^"#;\n]+)""")
"""Of git's settings those that name another file: what is in it counts as well."""
WRITTEN = frozenset((".cache", ".vite", ".vite-temp", ".vitest", "__pycache__"))
"""Folders inside dependencies that runs write to."""
MOST_BYTES = 100_000
"""Settings above this are not read."""
DEEPEST = 6
"""Levels of a dependency folder that are looked at."""
MOST = 40_000
"""A level that makes them more entries than this is left out, with all below."""
COPIED = frozenset(("composer", "bin"))
"""Folders of Composer's `vendor` whose files refer to the project by their own place."""
REDIRECT = Path(__file__).parent / "redirect"


def find_dependencies(ignored: Iterable[str]) -> tuple[str, ...]:
    """Pick the dependency folders and files among what git ignores; the outermost of nested ones."""
    found: dict[str, None] = {}
    for path in ignored:
        parts = PurePosixPath(path).parts
        at = next((at for at, part in enumerate(parts) if part in FOLDERS), None)
        if at is not None:
            found["/".join(parts[: at + 1])] = None
        elif parts and (parts[-1] in FILES or parts[-1].endswith(".egg-info")):
            found["/".join(parts)] = None
    return tuple(found)


def digest_dependencies(root: Path, paths: Iterable[str]) -> dict[str, str]:
    """Digest each dependency folder by names, sizes and times of what lies near its top, the lock files, the user's
    settings of tool chains, and settings in the folders above the one for temporary files, where checkouts lie.
    """
    found = {path: _digest(_marks(root / path)) for path in paths}
    settings = {f"~/{name}": Path(os.path.expanduser("~"), name) for name in USERS}  # `Path.home` raises without one
    settings[GO_SETTINGS] = Path(os.environ.get("GOENV") or settings[GO_SETTINGS])
    settings |= {str(path): path for name in GIT_SETTINGS for path in _named_by(settings[name])}
    temporary = Path(tempfile.gettempdir())
    above = (folder / name for folder in (temporary, *temporary.parents) for name in ABOVE)
    settings |= {path.as_posix(): path for path in above}
    found |= {LOOKED: ""} | {name: _digest(_near(path)) for name, path in settings.items() if path.exists()}
    return found | {name: _digest([(name, *_stat(root / name))]) for name in LOCKS if (root / name).is_file()}


def changed_since(
    before: Mapping[str, str] | None, now: Mapping[str, str], *, is_made: bool = False
) -> tuple[str, ...]:
    """List the dependencies that differ from those of the session's start; none if nobody looked then.

    Where a run makes its dependencies itself (`is_made`), only settings outside the project count. A lock file that was
    not there is none of them: a build writes one that git ignores, and the diff shows any other.
    """
    if before is None:
        return ()
    known = {*before, *now} - (set(LOCKS) - set(before))
    if LOOKED not in before:  # an earlier version began the session
        known -= {name for name in now if is_outside(name)}
    known = {path for path in known if not is_made or is_outside(path)}
    return tuple(sorted(path for path in known if before.get(path) != now.get(path)))


def _named_by(settings: Path) -> list[Path]:
    """Return the files and folders that settings of git name."""
    try:
        text = read_file(None, settings, MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return []
    return [settings.parent / os.path.expanduser(name.strip()) for name in _NAMES.findall(text)]


def _near(path: Path) -> Iterator[tuple[str | int, ...]]:
    """Size and times of a file, or of what lies in a folder."""
    yield from ((entry.name, *_stat(Path(entry.path))) for entry in _entries(path)) if path.is_dir() else [_stat(path)]


def _digest(marks: Iterable[tuple[str | int, ...]]) -> str:
    return hashlib.sha256(repr(sorted(map(repr, marks))).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _marks(path: Path) -> Iterator[tuple[str | int, ...]]:
    """Name, size and time of the files near the top; of folders the name alone, for running writes into them."""
    if not path.is_dir():
        yield (path.name, *_stat(path))
        return
    for folder in (path, *_packages(path)):
        for entry, below in _near_top(folder):
            name = f"{folder.name}/{below}{entry.name}"
            is_plain = not entry.is_dir(follow_symlinks=False)
            yield (name, *_stat(Path(entry.path))) if is_plain else (name,)


def _packages(path: Path) -> Iterator[Path]:
    """Where an environment of Python keeps its packages: deeper than others do."""
    yield from path.glob("lib/python*/site-packages")
    yield from path.glob("Lib/site-packages")


def _near_top(folder: Path) -> Iterator[tuple["os.DirEntry[str]", str]]:
    """Yield entries level by level, with the path of the folder they lie in: two levels, then deeper up to `MOST`."""
    level = [("", folder)]
    count = 0
    for depth in range(DEEPEST):
        found = [(entry, below) for below, place in level for entry in _entries(place)]
        count += len(found)
        if depth > 1 and count > MOST:
            return
        yield from found
        level = [
            (f"{below}{entry.name}/", Path(entry.path)) for entry, below in found if entry.is_dir(follow_symlinks=False)
        ]


def _entries(folder: Path) -> "list[os.DirEntry[str]]":
    try:
        with os.scandir(folder) as found:
            return [entry for entry in found if entry.name not in WRITTEN]
    except OSError:
        return []


def _stat(path: Path) -> tuple[int, int, int]:
    """Return size and times: of a file with one name the one that no program can set, for any other name changes it."""
    try:
        found = path.lstat()
    except OSError:
        return 0, 0, 0
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns if found.st_nlink == 1 else 0


def share(root: Path, checkout: Path, paths: Iterable[str]) -> tuple[str, ...]:
    """Put the project's dependencies at their places in the checkout; return those that were.

    Raises:
        OSError: a link cannot be made.
    """
    return tuple(path for path in paths if _share(root, checkout, path))


def _share(root: Path, checkout: Path, path: str) -> bool:
    source, target = root / path, checkout / path
    if not source.exists() or os.path.lexists(target) or not target.parent.is_dir():
        return False
    mirror = _Mirror(root, checkout)
    if source.is_file():
        shutil.copy2(source, target)
    elif source.name == "node_modules":
        mirror.folder(source, target)
    elif (source / "autoload.php").is_file():
        mirror.composer(source, target)
    elif source.name.endswith(".egg-info"):
        shutil.copytree(source, target, symlinks=True)
    else:
        target.symlink_to(source, target_is_directory=True)
    return True


@dataclass(frozen=True, slots=True)
class _Mirror:
    """A dependency folder of the project built again in a checkout, entry by entry."""

    root: Path
    checkout: Path

    def folder(self, source: Path, target: Path) -> None:
        """Mirror a `node_modules`: scopes and `.bin` one level deeper, links to the project's packages turned."""
        target.mkdir()
        for entry in _entries(source):
            place = target / entry.name
            if not entry.is_symlink() and entry.is_dir() and (entry.name.startswith("@") or entry.name == ".bin"):
                self.folder(Path(entry.path), place)
            else:
                self.entry(Path(entry.path), place)

    def entry(self, source: Path, target: Path) -> None:
        """Link one entry, or copy it if it is a plain file."""
        if not source.is_symlink() and source.is_file():
            shutil.copy2(source, target)
            return
        target.symlink_to(self.turned(source), target_is_directory=source.is_dir())

    def turned(self, source: Path) -> Path:
        """Return where a link of the checkout leads: into the checkout, if the entry is the project's own code."""
        real = Path(os.path.realpath(source))
        root = Path(os.path.realpath(self.root))
        if source.is_symlink() and real.is_relative_to(root):
            inside = real.relative_to(root)
            if not FOLDERS & set(inside.parts):
                return self.checkout / inside
        return source

    def composer(self, source: Path, target: Path) -> None:
        """Mirror a `vendor` of PHP: its autoloader and programs look from their own place, so they are copied."""
        target.mkdir()
        for entry in _entries(source):
            if entry.is_dir(follow_symlinks=False) and entry.name in COPIED:
                shutil.copytree(entry.path, target / entry.name, symlinks=True)
            elif entry.is_dir(follow_symlinks=False):
                self.folder(Path(entry.path), target / entry.name)
            else:
                self.entry(Path(entry.path), target / entry.name)


@dataclass(frozen=True, slots=True)
class Redirection:
    """The variables of a run in a checkout, and what it still imported from the repository of the project.

    Args:
        root: the top of the repository.
        checkout: the copy of it.
        place: the folder of the copy that commands run in.
        notes: where what is imported from the repository is noted.
        shared: the dependencies that the copy has from the repository.
        cache: where builds keep what they can use again.
    """

    root: Path
    checkout: Path
    place: Path
    notes: Path
    shared: tuple[str, ...] = ()
    cache: Path = field(default_factory=Path)

    def variables(self, environment: Mapping[str, str]) -> dict[str, str]:
        """Return what is set beside the environment of the server."""
        root = os.path.realpath(self.root)
        python = [REDIRECT.as_posix(), *self._python_path(environment.get("PYTHONPATH", ""))]
        found = {
            "CODEINTEL_PROJECT": root,
            "CODEINTEL_TURNED": os.pathsep.join(dict.fromkeys((root, str(self.root)))),
            "CODEINTEL_CHECKOUT": str(self.checkout),
            "CODEINTEL_SHARED": os.pathsep.join(os.path.join(root, path) for path in self.shared),
            "CODEINTEL_IMPORTED": str(self.notes),
            "PYTHONPATH": os.pathsep.join(python),
            "PWD": str(self.place),
        }
        if any(PurePosixPath(path).name == ".venv" for path in self.shared):
            found |= {"UV_NO_SYNC": "1", "POETRY_VIRTUALENVS_IN_PROJECT": "true"}
        if (
            any((folder / "Cargo.toml").is_file() for folder in (self.checkout, self.place))
            and "CARGO_TARGET_DIR" not in environment
        ):
            # One for each kind of checkout: cargo tells builds apart by the times of files alone, and would run the
            # programs of another checkout whose build is younger than these files.
            found["CARGO_TARGET_DIR"] = str(self.cache / "target" / self.checkout.parent.name)
        return found

    def _python_path(self, given: str) -> list[str]:
        root = os.path.realpath(self.root)
        return [
            str(self.checkout / os.path.relpath(entry, root)) if _is_inside(entry, root) else entry
            for entry in given.split(os.pathsep)
            if entry
        ]

    def imported(self) -> tuple[str, ...]:
        """Return the code that a run took from the project folder, relative to it."""
        if not self.notes.is_file():
            return ()
        root = os.path.realpath(self.root)
        lines = self.notes.read_bytes().splitlines()
        return tuple(dict.fromkeys(os.path.relpath(os.fsdecode(line), root) for line in lines))


def _is_inside(path: str, root: str) -> bool:
    return path == root or path.startswith(root + os.sep)
