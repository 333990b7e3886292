"""What a tool call adds to a session: the log of the phase, and what has been seen for good.

`seen` are files shown with content, as a definition, a reference or an outline; `listed` are folders
whose files were named. The log belongs to the phase and is cleared on entering the next one; what was
seen stays.
"""

from dataclasses import dataclass

from .gate import folder_of
from .limits import FILES_PER_CALL
from .state import ObservedCall, SessionState


@dataclass(frozen=True, slots=True)
class Seen:
    """A finished call of one of our tools. `shown` are paths returned with content, `listed` by name only."""

    tool: str
    digest: str = ""
    ok: bool = True
    shown: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()
    subject: str = ""
    count: int = 0
    must_verify: tuple[str, ...] | None = None
    recalled: bool | None = None  # of a search that asked the Map: whether the Map answered


def observe(state: SessionState, seen: Seen) -> SessionState:
    """The state with the call in it. A failed call is logged and proves nothing."""
    call = ObservedCall(
        tool=seen.tool,
        digest=seen.digest,
        ok=seen.ok,
        files=(seen.shown or seen.listed)[:FILES_PER_CALL],
        subject=seen.subject[:200],
        count=seen.count,
    )
    if not seen.ok:
        return state.model_copy(update={"observed": (*state.observed, call)})
    folders = {folder_of(path) for path in (*seen.shown, *seen.listed)}
    update: dict[str, object] = {
        "observed": (*state.observed, call),
        "seen": _add(state.seen, seen.shown),
        "listed": _add(state.listed, tuple(sorted(folders))),
    }
    if seen.tool == "find_references" and seen.subject:
        update["referenced"] = _add(state.referenced, (seen.subject,))
    if seen.must_verify is not None:
        update["must_verify"] = seen.must_verify
    if seen.recalled is not None:
        counts = {"asked": 1, "answered": int(seen.recalled)}
        update["recall"] = {name: state.recall.get(name, 0) + count for name, count in counts.items()}
    return state.model_copy(update=update)


def _add(known: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*known, *more)))
