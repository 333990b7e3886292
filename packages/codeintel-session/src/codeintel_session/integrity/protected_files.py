"""Files that the write policy protects and no diff shows: the project's settings in `.code-intel`, and git's own.

What the server writes itself (sessions, logs, index, context, agreements) is not among them, nor the settings that git
writes while it is used (those of new branches and of submodules).
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from codeintel_contract import read_file
from codeintel_session.git import GitRepository
from codeintel_session.git.snapshot import BRANCH
from codeintel_session.machine.state import SessionState
from codeintel_session.storage.home import HOME

SETTINGS = (
    "config.json", "phase_contract.yml", "*.md", "verifiers/*", "*prompts/*", "doc_research/*", "interventions/*",
)  # fmt: skip
GIT_FILES = (
    "hooks/*", "info/exclude", "info/attributes", "info/sparse-checkout",
    "info/grafts", "shallow", "objects/info/alternates", "remotes/*", "branches/*", "rr-cache/*/*",
)  # fmt: skip
ENDS = ".git/config (ends of lines)"
NEW_BRANCH = f".git/config ({BRANCH}"
ATTRIBUTES = ".git/info/attributes"
MAX_BYTES = 8 * 1024 * 1024
MOST = 200
"""Files looked at; a project with more prompts than that has the first of them watched."""


def protected(root: Path, git: GitRepository | None) -> dict[str, str]:
    """Digests by name, as a person would look for the file."""
    found = {f"{HOME}/{path.relative_to(root / HOME).as_posix()}": path for path in _files(root / HOME, SETTINGS)}
    if git is None:
        return _digests(root, found)
    common, settings = git.common_dir, git.settings()
    found |= {f".git/{path.relative_to(common).as_posix()}": path for path in _files(common, GIT_FILES)}
    found |= {path.relative_to(root).as_posix(): path for path in _ignored_hooks(root, git, settings.hooks)}
    sections = {f".git/config ({section})": digest for section, digest in settings.sections.items()}
    replaced = {f".git/{ref}": to for ref, to in git.replaced().items()}
    return {**_digests(root, found), **sections, ENDS: settings.ends, **replaced}


def _digests(root: Path, found: Mapping[str, Path]) -> dict[str, str]:
    return {name: _digest(root, path) for name, path in list(found.items())[:MOST]}


def _ignored_hooks(root: Path, git: GitRepository, folder: str) -> Iterator[Path]:
    """Yield git's hooks in a folder of the project that git ignores, as husky's `.husky/_`: no diff shows these."""
    place = root / folder
    if folder and place.is_relative_to(root) and place.is_dir() and git.ignores(f"{folder}/pre-commit"):
        yield from _files(place, ("*",))


def changed(
    was: Mapping[str, str], now: Mapping[str, str], is_new_branch: Callable[[str], bool] = lambda name: False
) -> list[str]:
    """Return the names of the files that differ; what an earlier version did not look at does not.

    New settings of a branch do not count where `is_new_branch` says of its name that the branch is new as well.
    """
    was = {ENDS: now.get(ENDS, ""), **was}
    found = (name for name in now.keys() | was.keys() if now.get(name) != was.get(name))
    new = (name for name in now.keys() - was.keys() if name.startswith(NEW_BRANCH))
    return sorted({*found} - {name for name in new if is_new_branch(name[len(NEW_BRANCH) : -1])})


def has_other_attributes(state: SessionState, git: GitRepository) -> bool:
    """Return True if git's own rules and settings convert other files than when the session began."""
    was, now = state.protected, protected(git.root, git)
    return was is not None and not {ENDS, ATTRIBUTES}.isdisjoint(changed(was, now))


def _files(folder: Path, patterns: tuple[str, ...]) -> Iterator[Path]:
    for pattern in patterns:
        yield from (path for path in sorted(folder.glob(pattern)) if path.suffix != ".sample")


def _digest(root: Path, path: Path) -> str:
    # A hook of git's may be a link to anywhere, and git's folder lies outside of a linked work tree.
    inside = root if path.is_relative_to(root / HOME) else None
    try:
        data = read_file(inside, path, MAX_BYTES)
        return hashlib.sha256(data + bytes([path.stat().st_mode & 0o111 != 0])).hexdigest()[:16]
    except OSError as error:  # a folder, no permission, gone in between
        return f"unreadable: {error.strerror}"
