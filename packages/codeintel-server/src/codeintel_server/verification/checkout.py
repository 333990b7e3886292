"""Make the clean checkout in which a verifier runs, and say what is run there.

The checkout lies outside the project, shares the dependency folders that git ignores, and turns imports of the
project's own folder to itself.
"""

import hashlib
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Collection, Container, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from codeintel_contract import read_file
from codeintel_server.guard.gate import RUNS
from codeintel_server.verification import environment
from codeintel_server.verification.runner import Progress, Ran, run_command
from codeintel_server.verification.trust import state_folder
from codeintel_session import (
    AskedWords,
    GitFault,
    GitRepository,
    Receipt,
    Verifier,
    Versions,
    goes_with_tests,
    is_collected,
    is_expected_data,
    is_script,
    steers,
)

MOST_BYTES = 1_000_000
"""A file above this is not read again."""
KINDS = frozenset(("now", "base", "read", "target"))
"""What goes into the folder of a project's checkouts: one of each kind, and the builds of cargo."""
_OF_PROJECT = re.compile(r"[0-9a-f]{8}[\w.-]*")
BESIDE = frozenset(("", "before", "named", "start", "bytecode", "imported"))
"""Names that a checkout cannot have: those of what lies beside it."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of run_verifier: what is run on which tree, for which request of the user, and who waits for it."""

    verifier: Verifier
    versions: Versions
    dependencies: tuple[str, ...] = ()
    digests: dict[str, str] = field(default_factory=dict)
    request: AskedWords = field(default_factory=lambda: AskedWords(()))
    progress: Progress | None = None
    stopped: Callable[[], bool] = lambda: False


class NoCheckout(Exception):
    """A clean checkout is not possible; the message says why. `compared` is what a run in one showed nevertheless."""

    def __init__(self, why: str, compared: "tuple[Receipt, str] | None" = None) -> None:
        super().__init__(why)
        self.compared = compared


def _impossible(fault: Exception) -> NoCheckout:
    return NoCheckout(f"a clean checkout cannot be made: {' '.join(str(fault).split())[:300]}")


@dataclass(frozen=True, slots=True)
class Checkout:
    """A clean checkout, and how commands run in it: `root` is the project's folder of the whole tree in `top`.

    `made` is when the folder that holds it was complete, in ns.
    """

    git: GitRepository
    top: Path
    root: Path
    turned: environment.Redirection
    call: Call
    made: int = 0

    def run(self, verifier: Verifier, more: Mapping[str, str] | None = None) -> Ran:
        """Run a command; the verifier's `setup` first, in the same shell, if it has one. `more` are variables."""
        line = f"( {verifier.setup}\n) && ( {verifier.command}\n)" if verifier.setup else verifier.command
        # Byte code beside the dependencies may have been put there by anybody, and says of itself what it was made of.
        # It is made once for all runs of a checkout, whatever the machine says: it goes with the checkout.
        bytecode = {"PYTHONPYCACHEPREFIX": str(self.bytecode), "PYTHONDONTWRITEBYTECODE": ""}
        variables = {**self.turned.variables(os.environ), **bytecode, **(more or {})}
        return run_command(self.root, replace(verifier, command=line), self.call.progress, self.call.stopped, variables)

    @property
    def bytecode(self) -> Path:
        """The folder of the byte code of these runs alone."""
        return self.top.parent / "bytecode"

    def check(self) -> None:
        """Make sure that the runs so far tested the checkout.

        Raises:
            NoCheckout: they imported code of the project folder, or may have found settings above the checkout.
        """
        if foreign := self.turned.imported():
            raise NoCheckout(f"the run imports the project's own folder: {', '.join(foreign[:3])}")
        if above := self.take_strays():
            raise NoCheckout(f"something was put above the checkout while it ran: {', '.join(above[:3])}")
        if self.top.parent.stat().st_mtime_ns != self.made:
            raise NoCheckout("something was put beside the checkout while it ran, and taken away again")

    def take_strays(self) -> tuple[str, ...]:
        """Remove from the folders above the checkout what no server puts there, and return it."""
        return clear_above(self.top.parent, BESIDE | {self.top.name})

    def find_unlike(self, project: Path) -> tuple[str, ...]:
        """Return the code that is not what the tree holds, or what the project does: a filter or an attribute had git
        write it otherwise, or it is a link that leads out."""
        top, versions = self.top.resolve(), self.call.versions
        out = [path for path in versions.code if not (self.root / path).resolve().is_relative_to(top)]
        here, there = digests_in(self.root, versions.code), digests_in(project, versions.code)
        found = (
            *self.git.list_changed(self.root, versions.code),
            *self.other_modules(),
            *out,
            *(path for path in versions.code if here[path] != there[path]),  # `ident`
            *(path for path in versions.converted if _size(self.root / path) != _size(project / path)),
        )
        return tuple(dict.fromkeys(found))

    def other_modules(self) -> list[str]:
        """Return the submodules of code that the checkout lacks, or holds otherwise than the tree says."""
        return self.git.list_other_modules(self.root, self.call.versions.code)

    def digests(self) -> dict[str, str]:
        """Return the digest of each changed file of code; "" for one that is missing, or too large."""
        return digests_in(self.root, self.call.versions.code)

    def stamps(self) -> dict[str, tuple[int, int]]:
        """Return which file each tracked one of code is, and when it was written."""
        tracked = self.git.list_tracked(self.root)
        return {path: _stamp(self.root / path) for path in tracked if is_script(path) and not goes_with_tests(path)}

    def take_created(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Remove what the runs made of the data that tests compare with, and return its paths; then those of new files
        that a runner takes for tests or settings."""
        found = self.git.list_created(self.root)
        made = [path for path in found if is_expected_data(path)]
        for path in made:
            (self.root / path).unlink()
        named = self.call.verifier.tests or is_collected
        return tuple(made), tuple(path for path in found if named(path) or steers(path))

    def overlay(self, version: str, paths: Collection[str]) -> None:
        """Turn the checkout into another version; `paths` are those that may differ."""
        self.git.overlay(version, self.top, paths)
        self.forget_bytecode()

    def lay_version(self, version: str, name: str) -> Path:
        """Check another version out into a folder beside this one, with the same dependencies; return its folder that
        holds the project.

        Raises:
            NoCheckout: it cannot be made.
        """
        top = self.top.parent / name
        place = top / self.root.relative_to(self.top)
        try:
            self.git.check_out(version, top, ())
            place.mkdir(parents=True, exist_ok=True)
            environment.share(self.turned.root, top, self.turned.shared)
        except (OSError, GitFault) as fault:
            raise _impossible(fault) from fault
        return place

    def forget_bytecode(self) -> None:
        """Remove the byte code of the checkout: it is taken for that of a changed file of the same size and second."""
        for place in (str(self.top), os.path.realpath(self.top)):
            shutil.rmtree(self.bytecode / place.lstrip(os.sep).replace(":", ""), ignore_errors=True)


def places() -> Path:
    """Return the folder of all checkouts: the user's own part of the folder for temporary files.

    Not the state folder, whose names begin with a dot: programs treat what lies below `.local` as hidden, and a web
    server answers "not found". Where someone else made that folder, the state folder has to do.
    """
    folder = Path(tempfile.gettempdir(), f"{RUNS}{os.getuid() if hasattr(os, 'getuid') else 'runs'}")
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return state_folder() / "runs"
    is_own = not hasattr(os, "getuid") or (found.st_uid == os.getuid() and not found.st_mode & 0o022)
    return folder if is_own and stat.S_ISDIR(found.st_mode) else state_folder() / "runs"


def clear_above(home: Path, beside: Container[str] = ()) -> tuple[str, ...]:
    """Remove from the folders above a checkout what no server puts there, and return it.

    Runners look for settings upward: a file there would steer a run, and the run of the base as well. `beside` are the
    names that the folder of the checkout itself may hold.
    """
    if home.parent.parent != places():
        return ()
    mine = [path for path in _in(home) if path.name not in beside]
    mine += [path for path in _in(home.parent) if path.name not in KINDS]
    found = mine + [path for path in _in(places()) if not (_OF_PROJECT.fullmatch(path.name) and path.is_dir())]
    for path in found:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with suppress(OSError):  # what stays is found again after the run
                path.unlink()
    return tuple(map(str, found))


def _in(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


@contextmanager
def make_checkout(git: GitRepository, root: Path, home: Path, version: str, call: Call) -> Iterator[Checkout]:
    """Check a version out below `home`, which is removed at the end; what a server that was killed left behind is
    removed first.

    Raises:
        NoCheckout: it cannot be made.
    """
    shutil.rmtree(home, ignore_errors=True)
    clear_above(home)
    within = root.resolve().relative_to(git.top.resolve())
    source = root.parents[len(within.parts) - 1] if within.parts else root
    top = home / (source.name if source.name not in BESIDE else "project")
    place = top / within
    try:
        git.check_out(version, top, call.versions.changed)
        place.mkdir(parents=True, exist_ok=True)
        wanted = (os.path.normpath(within / path) for path in call.dependencies)
        shared = environment.share(source, top, wanted)
    except (OSError, GitFault) as fault:
        shutil.rmtree(home, ignore_errors=True)
        raise _impossible(fault) from fault
    turned = environment.Redirection(source, top, place, home / "imported", shared, home.parent)
    turned.notes.touch()  # and the byte code's folder: a run changes nothing of the folder that holds its checkout
    (home / "bytecode").mkdir()
    try:
        yield Checkout(git, top, place, turned, call, home.stat().st_mtime_ns)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _size(path: Path) -> int:
    """Return the size of a file, which every conversion changes; 0 if there is none."""
    return path.lstat().st_size if os.path.lexists(path) else 0


def _stamp(path: Path) -> tuple[int, int]:
    """Return which file it is and when it was written, but not when it was linked: builds of archives link."""
    found = path.lstat() if os.path.lexists(path) else None
    return (found.st_ino, found.st_mtime_ns) if found else (0, 0)


def digests_in(root: Path, paths: Collection[str]) -> dict[str, str]:
    """Return the digest of each of these files of a folder, whatever ends its lines: git may write other ends.

    It is "" for one that is missing, or too large.
    """

    def digest(path: str) -> str:
        try:
            return hashlib.sha256(read_file(root, path, MOST_BYTES).replace(b"\r\n", b"\n")).hexdigest()
        except OSError:
            return ""

    return {path: digest(path) for path in paths}
