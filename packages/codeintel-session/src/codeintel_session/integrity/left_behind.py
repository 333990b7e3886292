"""What a session leaves behind in git, and neither a diff nor the work tree shows.

A version that is staged and in no file: the user's next commit would contain it. A branch, tag or stash of the user
that is gone, or no longer holds its commit, a branch or tag that moved on, a commit of the session that is on a
remote. A file that git ignores, and that is changed, gone or empty now. A comparison with the start shows them, for
stashes with the time of the request; they are named beside the outcome.
"""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import NamedTuple

from codeintel_session.git import GitFault, GitRepository
from codeintel_session.git.names import HEADS
from codeintel_session.git.user_refs import REMOTES, STASH
from codeintel_session.machine.naming import names_of
from codeintel_session.machine.state import SessionState
from codeintel_session.machine.user_words import Typed
from codeintel_session.storage.home import HOME, is_server_state

MOST_IGNORED = 500
_MADE = re.compile(
    r"(?i)(?:^|/)(?:\.?(?:cache|tmp|temp|tox|nox|eggs|gradle|next|turbo|parcel-cache|nyc_output|venv|idea|vs|coverage[^/]*)"
    r"|\.(?:svelte-kit|nuxt|output|angular|expo|dart_tool|terraform|stack-work|metals|bloop|direnv|docusaurus|hypothesis)"
    r"|[^/]*[_-](?:cache|venv|env)|__pycache__|node_modules|vendor|deps|target|bin|obj|_build|cmake-build-[^/]*|CMakeFiles"
    r"|htmlcov|test-results|playwright-report|storybook-static|Pods|DerivedData"
    r"|[^/]*\.(?:egg-info|py[co]|so|o|a|obj|class|log|tmp|pid|lock|swp|orig|rej|prof|out|lcov|d|tsbuildinfo)"
    r"|[^/]*\.(?:db|sqlite3?)-(?:wal|shm|journal)|\.[a-z]+cache|\.DS_Store|\.claude/settings\.local\.json)(?:/|$)"
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


def found_at_start(git: GitRepository, typed: Typed, dirty: Iterable[str]) -> dict[str, object]:
    """Return the fields of the state that the end of the session is compared with, and what changed since a request.

    Args:
        git: the repository.
        typed: what it was when the user typed the request.
        dirty: the files that are not committed now.
    """
    refs = dict(git.user_refs())
    if typed.stashes:
        refs[STASH] = tuple(dict.fromkeys((*refs.get(STASH, ()), *typed.stashes)))
    listed = [path for path in git.ignored() if _is_of_user(path)]
    others = git.files_below([path for path in listed if not _result_of(path)], MOST_IGNORED)[:MOST_IGNORED]
    results = git.files_below([path for path in listed if _result_of(path)], MOST_IGNORED - len(others))
    ignored = git.changed_at([path for path in (*others, *results) if _is_of_user(path)])
    files = [path for path in ignored if not (path.endswith("/") or _result_of(path))]
    before = changed_since(git, (*dirty, *files), typed.at) if typed.at else ()
    return {"staged": git.staged(), "refs": refs, "ignored": ignored, "changes_before": before}


def changed_since(git: GitRepository, paths: Iterable[str], at: str) -> tuple[str, ...]:
    """Return those of the files that changed after a time (ISO 8601, UTC), by the time that no program can set."""
    found = git.changed_at(list(paths)).items()
    return tuple(path for path, when in found if datetime.fromtimestamp(when / 1e9, UTC).isoformat() > at)


class Ignored(NamedTuple):
    """Files that git ignores: those that changed since the session began, and those that are gone or empty."""

    changed: list[str]
    gone: list[str]


def ignored_since(git: GitRepository, state: SessionState) -> Ignored:
    """Compare the files that git ignores with what they were when the session began."""
    now = git.changed_at(list(state.ignored))
    files = [path for path in now if not (path.endswith("/") or _result_of(path))]
    left = {_result_of(path) for path in now} - {""}
    gone = (path for path in state.ignored if path not in now and _result_of(path) not in left)
    names = dict.fromkeys(_result_of(path) or _topmost(git, path) for path in gone)
    return Ignored([path for path in files if now[path] != state.ignored[path]], list(names))


def _topmost(git: GitRepository, path: str) -> str:
    """Return the largest folder with which a path has gone."""
    folders = [f"{each}/" for each in reversed(PurePosixPath(path).parents[:-1])]
    there = git.changed_at(folders)
    return next((folder for folder in folders if folder not in there), path)


def notes_at_end(git: GitRepository | None, state: SessionState) -> dict[str, str]:
    """Return by code what the outcome does not say; nothing for a session that changes no files."""
    if git is None or state.staged is None:
        return {}
    notes: dict[str, str] = {}
    for find in (_staged_unseen, _refs, _remotes, _ignored, _read_before):
        with suppress(GitFault):
            notes |= {code: names for code, found in find(git, state).items() if (names := names_of(found))}
    return notes


Found = Mapping[str, Iterable[str]]


def _staged_unseen(git: GitRepository, state: SessionState) -> Found:
    was = state.staged or {}
    now = {path: text for path, text in git.staged().items() if was.get(path) != text and not is_server_state(path)}
    return {"staged_unseen": git.hidden(now)}


def _refs(git: GitRepository, state: SessionState) -> Found:
    found, own = git.moved_refs(state.refs), (HEADS + state.branch, HEADS + state.base)
    return {"refs_lost": _at(found.lost), "refs_grown": _at(one for one in found.grown if one[0] not in own)}


def _remotes(git: GitRepository, state: SessionState) -> Found:
    return {"pushed": _at(git.remote_refs(state.commits))}


def _at(refs: Iterable[tuple[str, str]]) -> list[str]:
    return [f"{ref.removeprefix(HEADS).removeprefix(REMOTES)} at {commit[:12]}" for ref, commit in refs]


def _ignored(git: GitRepository, state: SessionState) -> Found:
    found = ignored_since(git, state)
    return {"ignored_gone": found.gone, "ignored_changed": found.changed}


def _read_before(git: GitRepository, state: SessionState) -> Found:
    """Name what a reader looked at, outside of the change, and what changed since."""
    seen = {path: when for one in state.receipts.values() if one.is_reading for path, when in one.seen.items()}
    now = git.changed_at(list(seen))
    return {"read_before": [path for path, when in seen.items() if now.get(path) != when]}
