"""What a session leaves behind in git, and neither a diff nor the work tree shows.

A version that is staged and in no file: the user's next commit would contain it. A branch, tag or stash of the user
that is gone, or no longer holds its commit, a branch or tag that moved on or is new, a commit of the session that is on
a remote. A file that git ignores, and that is changed, new, gone or empty now. A file whose changes git was asked to
hide, or does not see. A version that was staged, is in no file, and is not staged any more. A setting of a tool outside
the project. A comparison with the start shows them, for stashes with the time of the request; they are named beside the
outcome.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime

from codeintel_session.git import GitFault, GitRepository
from codeintel_session.git.names import HEADS
from codeintel_session.git.user_refs import REMOTES, STASH
from codeintel_session.machine.facts import STAGED
from codeintel_session.machine.naming import names_of
from codeintel_session.machine.observations import union
from codeintel_session.machine.state import SessionState
from codeintel_session.machine.user_words import Typed
from codeintel_session.ports import Ports
from codeintel_session.storage.home import is_server_state
from codeintel_session.storage.ignored_files import ignored_at, ignored_since, is_told

MOST_FLAGGED = 1000
"""A sparse checkout flags all that it leaves out; with more files than this none is compared."""


def is_outside(name: str) -> bool:
    """Whether a name among the dependencies of runs is a setting of the user's or of the machine, not the project's."""
    return name.startswith(("~/", "/")) or name[1:2] == ":"


def found_at_start(
    git: GitRepository, typed: Typed, dirty: Iterable[str], settings: Mapping[str, str]
) -> dict[str, object]:
    """Return the fields of the state that the end of the session is compared with, and what changed since a request.

    Args:
        git: the repository.
        typed: what it was when the user typed the request.
        dirty: the files that are not committed now.
        settings: digests of git's settings now, as `typed` holds them.
    """
    refs = dict(git.user_refs())
    if typed.stashes:
        refs[STASH] = union(refs.get(STASH, ()), typed.stashes)
    for branch, head in typed.heads:
        refs[HEADS + branch] = union(refs.get(HEADS + branch, ()), [head])
    ignored = ignored_at(git)
    before = changed_since(git, (*dirty, *filter(is_told, ignored)), typed.at) if typed.at else ()
    names = sorted({*typed.settings, *settings}) if typed.settings else ()
    before += tuple(name for name in names if typed.settings.get(name) != settings.get(name))
    flagged = tuple(git.flagged())
    return {
        "staged": git.staged(),
        "flagged": flagged if len(flagged) <= MOST_FLAGGED else None,
        "refs": refs,
        "ignored": ignored,
        "changes_before": before,
    }


def changed_since(git: GitRepository, paths: Iterable[str], at: str) -> tuple[str, ...]:
    """Return those of the files that changed after a time (ISO 8601, UTC), by the time that no program can set."""
    found = git.changed_at(list(paths)).items()
    return tuple(path for path, when in found if datetime.fromtimestamp(when / 1e9, UTC).isoformat() > at)


def notes_at_end(ports: Ports, state: SessionState) -> dict[str, str]:
    """Return by code what the outcome does not say; nothing for a session that changes no files."""
    git = ports.git
    if git is None or state.staged is None:
        return {}
    tools = {*_tools_of_runs(state)}
    with suppress(GitFault):
        tools.update(_tools_now(state, ports.dependencies()))
    notes = {"tools_changed": names_of(sorted(tools))} if tools else dict[str, str]()
    for find in (_staged_unseen, _flagged, _concealed, _misnamed, _refs, _remotes, _ignored, _read_before):
        with suppress(GitFault):
            notes |= {code: names for code, found in find(git, state).items() if (names := names_of(found))}
    return notes


def _tools_of_runs(state: SessionState) -> Iterable[str]:
    return (name for one in state.receipts.values() for name in one.environment_changed if is_outside(name))


def _tools_now(state: SessionState, now: Mapping[str, str]) -> Iterable[str]:
    """Name the settings that differ from the start: they can have changed after the last run as well."""
    was = state.dependencies or {}
    known = filter(is_outside, {*was, *now} if any(map(is_outside, was)) else ())
    return (name for name in known if was.get(name) != now.get(name))


Found = Mapping[str, Iterable[str]]


def _staged_unseen(git: GitRepository, state: SessionState) -> Found:
    was, staged = state.staged or {}, git.staged()
    now = {path: text for path, text in staged.items() if was.get(path) != text and not is_server_state(path)}
    alone = (path for path, how in state.dirty_at_start.items() if how == STAGED)  # the work tree had it as committed
    lost = {path: was[path] for path in alone if path in was and staged.get(path) != was[path]}
    return {"staged_unseen": git.hidden(now), "staged_lost": git.hidden(lost)}


def _misnamed(git: GitRepository, state: SessionState) -> Found:
    return {"misnamed": [name[:12] for name in git.misnamed(state.base_commit)] if state.commits else []}


def _flagged(git: GitRepository, state: SessionState) -> Found:
    return {"flagged": [] if state.flagged is None else [path for path in git.flagged() if path not in state.flagged]}


def _concealed(git: GitRepository, state: SessionState) -> Found:
    return {"concealed": git.concealed(int(datetime.fromisoformat(state.started_at).timestamp() * 1e9))}


def _refs(git: GitRepository, state: SessionState) -> Found:
    found, own = git.moved_refs(state.refs), (HEADS + state.branch, HEADS + state.base)
    grown = (one for one in found.grown if one[0] not in own)
    return {"refs_lost": _at(found.lost), "refs_grown": _at(grown), "refs_new": _at(found.new)}


def _remotes(git: GitRepository, state: SessionState) -> Found:
    return {"pushed": _at(git.remote_refs(state.commits))}


def _at(refs: Iterable[tuple[str, str]]) -> list[str]:
    return [f"{ref.removeprefix(HEADS).removeprefix(REMOTES)} at {commit[:12]}" for ref, commit in refs]


def _ignored(git: GitRepository, state: SessionState) -> Found:
    found = ignored_since(git, state)
    return {"ignored_gone": found.gone, "ignored_changed": found.changed, "ignored_new": found.new}


def _read_before(git: GitRepository, state: SessionState) -> Found:
    """Name what a reader looked at, outside of the change, and what changed since."""
    seen = {path: when for one in state.receipts.values() if one.is_reading for path, when in one.seen.items()}
    now = git.changed_at(list(seen))
    return {"read_before": [path for path, when in seen.items() if now.get(path) != when]}
