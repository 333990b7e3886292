"""What a tool call adds to a session: an entry in the log of the phase, and files that count as seen.

`seen` are files shown with content, as a definition, a reference or an outline; `listed` are folders whose files were
named. The log is cleared when the next phase is entered; `seen` and `listed` last for the session.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from codeintel_contract import folder_of
from codeintel_session.machine.limits import FILES_PER_CALL
from codeintel_session.machine.state import ObservedCall, SessionState, Spent


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A finished call of one of our tools. `shown` are paths returned with content, `listed` by name only.

    `lines` are the ranges whose text was returned: path, first and last line.
    """

    tool: str
    digest: str = ""
    ok: bool = True
    shown: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()
    subject: str = ""
    count: int = 0
    must_verify: tuple[str, ...] | None = None
    recalled: bool | None = None  # whether the Map answered, if the search asked it
    lines: tuple[tuple[str, int, int], ...] = ()
    sizes: Mapping[str, int] = field(default_factory=dict)  # bytes of the shown files, of a lookup


@dataclass(frozen=True, slots=True)
class Cost:
    """What a call cost, in bytes of JSON: its arguments and its reply."""

    given: int
    returned: int
    is_lookup: bool = False


def spend(state: SessionState, cost: Cost) -> SessionState:
    """Return the state with the cost of a call added to it."""
    before = state.spent
    update = {
        "calls": before.calls + 1,
        "given": before.given + cost.given,
        "returned": before.returned + cost.returned,
        "lookups": before.lookups + cost.is_lookup,
        "lookup_bytes": before.lookup_bytes + cost.is_lookup * cost.returned,
    }
    return state.model_copy(update={"spent": before.model_copy(update=update)})


def _spend_on_files(state: SessionState, call: ToolCall) -> Spent:
    """Count the files that are shown for the first time, and what reading them whole would have returned."""
    new = [size for path, size in call.sizes.items() if path not in state.seen]
    files, size = state.spent.files + len(new), state.spent.file_bytes + sum(new)
    return state.spent.model_copy(update={"files": files, "file_bytes": size})


def observe(state: SessionState, call: ToolCall | Cost) -> SessionState:
    """Return the state with the call recorded in it. A failed call is logged and proves nothing."""
    if isinstance(call, Cost):
        return spend(state, call)
    observed = ObservedCall(
        tool=call.tool,
        digest=call.digest,
        ok=call.ok,
        files=(call.shown or call.listed)[:FILES_PER_CALL],
        subject=call.subject[:200],
        count=call.count,
    )
    if not call.ok:
        return state.model_copy(update={"observed": (*state.observed, observed)})
    folders = {folder_of(path) for path in (*call.shown, *call.listed)}
    update: dict[str, object] = {
        "observed": (*state.observed, observed),
        "called": union(state.called, (call.tool,)),
        "seen": union(state.seen, call.shown),
        "listed": union(state.listed, tuple(sorted(folders))),
        "spent": _spend_on_files(state, call),
    }
    if call.shown:
        update["refuted"] = ()
    if call.lines:
        update["lines_shown"] = _add_lines(state.lines_shown, call.lines)
    if call.must_verify is not None:
        update["must_verify"] = call.must_verify
    if call.recalled is not None:
        counts = {"asked": 1, "answered": int(call.recalled)}
        update["recall"] = {name: state.recall.get(name, 0) + count for name, count in counts.items()}
    return state.model_copy(update=update)


def _add_lines(
    known: Mapping[str, tuple[tuple[int, int], ...]], more: Iterable[tuple[str, int, int]]
) -> dict[str, tuple[tuple[int, int], ...]]:
    found = dict(known)
    for path, first, last in more:
        found[path] = tuple(_joined(sorted((*found.get(path, ()), (first, last)))))
    return found


def _joined(ranges: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Join sorted ranges that overlap or adjoin."""
    start, end = 1, 0
    for first, last in ranges:
        if first <= end + 1:
            end = max(end, last)
            continue
        if end:
            yield start, end
        start, end = first, last
    yield start, end


def union(known: Iterable[str], more: Iterable[str]) -> tuple[str, ...]:
    """Return what is known with what is new behind it, each once."""
    return tuple(dict.fromkeys((*known, *more)))
