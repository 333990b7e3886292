"""What a session leaves behind in git, and neither a diff nor the work tree shows.

A version that is staged and in no file: the user's next commit would contain it. A branch, tag or stash of the user
that is gone, or no longer holds its commit, a branch or tag that moved on, a commit of the session that is on a
remote. A file that git ignores, and that is gone or empty now. A comparison with the start shows them; they are named
beside the outcome.
"""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress

from codeintel_session.git import GitFault, GitRepository
from codeintel_session.git.names import HEADS
from codeintel_session.git.user_refs import REMOTES
from codeintel_session.machine.naming import names_of
from codeintel_session.machine.state import SessionState
from codeintel_session.storage.home import is_server_state

MOST_IGNORED = 500
_MADE = re.compile(
    r"(?i)(?:^|/)(?:\.?(?:cache|tmp|temp|tox|nox|eggs|gradle|next|turbo|parcel-cache|nyc_output|venv|idea|vs|coverage[^/]*)"
    r"|[^/]*[_-](?:cache|venv|env)|__pycache__|node_modules|vendor|target|dist|build|out|bin|obj|logs?|htmlcov|test-results"
    r"|[^/]*\.egg-info|[^/]*\.(?:py[co]|so|o|a|obj|class|log|tmp|pid|lock|swp|orig|rej|prof|out|lcov|d)|\.DS_Store)(?:/|$)"
)
"""What builds and tests make, and may take away."""


def found_at_start(git: GitRepository) -> dict[str, object]:
    """Return the fields of the state that the end of the session is compared with."""
    ignored = [path for path in git.ignored() if not _MADE.search(path) and not is_server_state(path)]
    return {"staged": git.staged(), "refs": git.user_refs(), "ignored": tuple(git.filled(ignored[:MOST_IGNORED]))}


def notes_at_end(git: GitRepository | None, state: SessionState) -> dict[str, str]:
    """Return by code what the outcome does not say; nothing for a session that changes no files."""
    if git is None or state.staged is None:
        return {}
    notes: dict[str, str] = {}
    for find in (_staged_unseen, _refs, _remotes, _ignored_gone):
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


def _ignored_gone(git: GitRepository, state: SessionState) -> Found:
    kept = git.filled(state.ignored)
    return {"ignored_gone": [path for path in state.ignored if path not in kept]}
