"""Files that git ignores: no diff shows what becomes of them, and git cannot give them back.

What they were when a session began is known by time, and of small ones by a copy in the server's folder. At the end the
copies of files that are as they were are removed; the others stay until five more sessions have ended.
"""

import hashlib
import os
import re
import shutil
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from codeintel_contract import read_file
from codeintel_session.git import GitRepository
from codeintel_session.machine.state import SessionState
from codeintel_session.storage.home import HOME

MOST_IGNORED = 500
COPIES = f"{HOME}/sessions/before"
COPY_BYTES, COPIES_BYTES = 1_000_000, 16_000_000
"""Size of a file that is copied, and of all copies of a session."""
_KEPT = 5
"""Sessions that leave copies behind."""
_MADE = re.compile(
    r"(?i)(?:^|/)(?:\.?(?:cache|tmp|temp|tox|nox|eggs|gradle|next|turbo|parcel-cache|nyc_output|venv|idea|vs|coverage[^/]*)"
    r"|\.(?:svelte-kit|nuxt|output|angular|expo|dart_tool|terraform|stack-work|metals|bloop|direnv|docusaurus|hypothesis)"
    r"|[^/]*[_-](?:cache|venv|env)(?=/)|__pycache__|node_modules|vendor|deps|target|bin|obj|_build|cmake-build-[^/]*|CMakeFiles"
    r"|htmlcov|test-results|playwright-report|storybook-static|Pods|DerivedData"
    r"|[^/]*\.(?:egg-info|py[co]|so|o|a|obj|class|log|tmp|pid|lock|swp|orig|rej|prof|out|lcov|d|tsbuildinfo)"
    r"|[^/]*\.(?:db|sqlite3?)-(?:wal|shm|journal)|\.[a-z]+cache|\.DS_Store)(?:/|$)"
)
"""What builds, tests and the client make, and may take away."""
_WRITTEN = re.compile(r"(?i)(?:^|/)(?:dist|build|out|logs?)/")
"""Folders of results: what is in them changes with each run, but not all of it goes."""


def _is_of_user(path: str) -> bool:
    return not _MADE.search(path) and not path.startswith(f"{HOME}/")


def _result_of(path: str) -> str:
    """Return the folder of results that a path is in, "" for none."""
    found = _WRITTEN.search(path)
    return path[: found.end()] if found else ""


def is_told(path: str) -> bool:
    """Return True for a file whose change is worth a word: what runs and builds make is not, nor is a folder."""
    return not (path.endswith("/") or _result_of(path))


def ignored_at(git: GitRepository) -> dict[str, int]:
    """Return the files that git ignores and no build, test or client makes, with when they changed (ns)."""
    listed = [path for path in git.ignored() if _is_of_user(path)]
    others = git.files_below([path for path in listed if not _result_of(path)], MOST_IGNORED)[:MOST_IGNORED]
    results = git.files_below([path for path in listed if _result_of(path)], MOST_IGNORED - len(others))
    return git.changed_at([path for path in (*others, *results) if _is_of_user(path)])


class Ignored(NamedTuple):
    """Files that git ignores: those that changed since the session began, of these `results` in folders of results
    (not in `changed`), those that are gone or empty, and new ones, which are not known where there were too many."""

    changed: list[str]
    results: list[str]
    gone: list[str]
    new: list[str]


def ignored_since(git: GitRepository, state: SessionState) -> Ignored:
    """Compare the files that git ignores with what they were when the session began."""
    now = git.changed_at(list(state.ignored))
    touched = [path for path in now if not path.endswith("/") and now[path] != state.ignored[path]]
    changed = [path for path in touched if not _holds(git.root, path, state.copied.get(path, ""))]
    left = {_result_of(path) for path in now} - {""}
    gone = (path for path in state.ignored if path not in now and _result_of(path) not in left)
    names = dict.fromkeys(_result_of(path) or _topmost(git, path) for path in gone)
    told = [path for path in changed if is_told(path)]
    found = ignored_at(git) if len(state.ignored) < MOST_IGNORED else ()
    new = [path for path in found if path not in state.ignored and is_told(path)]
    return Ignored(told, [path for path in changed if not is_told(path)], list(names), new)


def _topmost(git: GitRepository, path: str) -> str:
    """Return the largest folder with which a path has gone."""
    folders = [f"{each}/" for each in reversed(PurePosixPath(path).parents[:-1])]
    there = git.changed_at(folders)
    return next((folder for folder in folders if folder not in there), path)


def copies_of(root: Path, state: SessionState) -> Path:
    """Return the folder with the copies of a session, which need not be there."""
    return root / COPIES / state.session_id


def keep_copies(root: Path, state: SessionState) -> dict[str, str]:
    """Copy the small ones of the ignored files of a session that begins, for its user alone to read.

    Returns their digests by path: a run that writes a file again with what it held has not changed it.
    """
    copied = dict[str, str]()
    left, folder = COPIES_BYTES, copies_of(root, state)
    for path in (path for path in state.ignored if not path.endswith("/")):
        with suppress(OSError):  # it is large, a link or gone
            data = read_file(root, path, min(left, COPY_BYTES))
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(data)
            left -= len(data)
            copied[path] = _digest(root / path, data)
    return copied


def _digest(place: Path, data: bytes) -> str:
    return f"{place.stat().st_mode:o}:{hashlib.sha256(data).hexdigest()}"


def _holds(root: Path, path: str, digest: str) -> bool:
    """Whether a file has the content and the permissions that a digest was made of."""
    with suppress(OSError):  # it is large by now, a link or gone
        return bool(digest) and _digest(root / path, read_file(root, path, COPY_BYTES)) == digest
    return False


def settle_copies(root: Path, state: SessionState) -> None:
    """Remove the copies of files that are as they were, and those of old sessions."""
    folder = copies_of(root, state)
    for place, _, names in os.walk(folder, topdown=False):
        for copy in (Path(place, name) for name in names):
            if _is_same(root, folder, copy.relative_to(folder).as_posix()):
                copy.unlink()
        with suppress(OSError):  # it holds more
            os.rmdir(place)
    with suppress(OSError):
        for old in sorted(folder.parent.iterdir())[:-_KEPT]:
            shutil.rmtree(old, ignore_errors=True)


def _is_same(root: Path, folder: Path, path: str) -> bool:
    try:
        return read_file(root, path, COPY_BYTES) == read_file(folder, path, COPY_BYTES)
    except OSError:
        return False
