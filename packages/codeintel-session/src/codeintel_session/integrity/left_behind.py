"""What a session leaves behind in git, and neither a diff nor the work tree shows.

A version that is staged and in no file: the user's next commit would contain it. A branch, tag or stash of the user
that is gone, or no longer holds its commit. A file that git ignores, and that is gone or empty now. A comparison with
the start shows them; they are named beside the outcome.
"""

import re
from collections.abc import Iterable
from contextlib import suppress

from codeintel_session.git import GitFault, GitRepository
from codeintel_session.git.names import HEADS
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
    notes = {}
    for code, find in _FOUND.items():
        with suppress(GitFault):
            if names := names_of(find(git, state)):
                notes[code] = names
    return notes


def _staged_unseen(git: GitRepository, state: SessionState) -> Iterable[str]:
    was = state.staged or {}
    now = {path: text for path, text in git.staged().items() if was.get(path) != text and not is_server_state(path)}
    return git.hidden(now)


def _refs_lost(git: GitRepository, state: SessionState) -> Iterable[str]:
    return (f"{ref.removeprefix(HEADS)} at {commit[:12]}" for ref, commit in git.lost_refs(state.refs))


def _ignored_gone(git: GitRepository, state: SessionState) -> Iterable[str]:
    kept = git.filled(state.ignored)
    return (path for path in state.ignored if path not in kept)


_FOUND = {"staged_unseen": _staged_unseen, "refs_lost": _refs_lost, "ignored_gone": _ignored_gone}
