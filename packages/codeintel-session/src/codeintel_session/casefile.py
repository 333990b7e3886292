"""A case as the log holds it, and back: what was handed in, the facts, and what changed of the session since the last.

The first line of a session in a process holds the whole of it, every later one what changed since, so that a log grows
with what happens and not with its square. What no judge reads is left out, and a case that is too long is not kept.
"""

import json
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_args, get_origin, get_type_hints

from codeintel_contract.validate import decode
from codeintel_contract.violations import ContractViolation

from .differences import applied, difference
from .judging import Case
from .machine.facts import Facts
from .machine.state import SessionState
from .questions import Answer

CASE_BYTES = 256 * 1024
"""Length of a case that is kept, as long as a checkpoint may be."""
UNREAD: dict[str, Any] = {
    "summaries": True,
    "last_reply": True,
    "dirty_at_start": True,
    "protected": True,
    "counters": {"refusals"},
}
"""Parts of the state that are not judged by."""

Json = dict[str, Any]


class Unkept(Exception):
    """A line that does not hold what it was judged by; says why."""


class CaseWriter:
    """Writes the cases of one process, each session's first one whole."""

    def __init__(self) -> None:
        self._known: Json = {}

    def write(self, case: Case) -> Json:
        """The case as JSON data; of one that cannot be kept, why (`left_out`)."""
        kept = self._kept(case)
        if kept is None:
            return self._left_out("what was handed in is no object, or nested too deep")
        text = json.dumps(kept, ensure_ascii=False).encode("utf-8", "surrogatepass")
        if len(text) > CASE_BYTES:
            return self._left_out(f"its {len(text)} bytes were too many to keep")
        self._known = basis(case)
        found: Json = json.loads(text.decode("utf-8", "surrogatepass"))
        return found

    def _left_out(self, why: str) -> Json:
        self._known = {}  # the next line is whole again
        return {"left_out": why}

    def _kept(self, case: Case) -> Json | None:
        if not _is_json(case.data):
            return None
        same = self._known.get("state", {}).get("session_id") == case.state.session_id
        kept: Json = {"payload": case.data}
        kept |= {"since": difference(self._known, basis(case))} if same else {"whole": basis(case)}
        kept |= {"answer": plain(case.answer)} if case.answer else {}
        return kept | ({"by_world": True} if case.by_world else {})


def _is_json(data: object) -> bool:
    """A text can always be kept; an object if the contract could read it."""
    if isinstance(data, str):
        return True
    try:
        decode(data)
    except ContractViolation:
        return False
    return True


class CaseReader:
    """Reads the cases of one session, in the order of the log."""

    def __init__(self) -> None:
        self._known: Json = {}

    def read(self, kept: object) -> Case:
        """The case.

        Raises:
            Unkept: the line does not hold it, or holds it in a form that this version does not know.
        """
        if not isinstance(kept, Mapping):
            raise Unkept("it was written before cases were kept")
        if "left_out" in kept:
            self._known = {}
            raise Unkept(str(kept["left_out"]))
        try:
            return self._case(kept)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise Unkept(f"it is in a form that this version cannot read ({type(error).__name__})") from error

    def _case(self, kept: Mapping[str, Any]) -> Case:
        if "whole" not in kept and not self._known:
            raise Unkept("the line that holds the state it starts from is missing")
        self._known = kept["whole"] if "whole" in kept else applied(self._known, kept["since"])
        facts = build(Facts, self._known["facts"]) if "facts" in self._known else None
        answer = build(Answer, kept["answer"]) if "answer" in kept else None
        state = SessionState.model_validate(self._known["state"])
        return Case(state, kept["payload"], answer, facts, bool(kept.get("by_world", False)))


def basis(case: Case) -> Json:
    """What it is judged by beside the payload, without what is as in every new session."""
    state: Json = case.state.model_dump(mode="json", exclude=UNREAD, exclude_defaults=True)
    return {"state": state} | ({"facts": plain(case.facts)} if case.facts is not None else {})


def plain(value: Any) -> Any:
    """Frozen dataclasses as JSON data; a field that has its default is left out."""
    if is_dataclass(value) and not isinstance(value, type):
        given = ((each.name, getattr(value, each.name), _default(each)) for each in fields(value))
        return {name: plain(inner) for name, inner, default in given if inner != default}
    if isinstance(value, Mapping):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, AbstractSet):
        return sorted(value)
    return [plain(inner) for inner in value] if isinstance(value, tuple) else value


def _default(field: Any) -> object:
    return field.default_factory() if field.default_factory is not MISSING else field.default


def build(kind: Any, value: Any) -> Any:
    """What `plain` made, as `kind` again.

    Raises:
        TypeError: it has a field that `kind` has not, or lacks one.
    """
    if is_dataclass(kind) and isinstance(kind, type):
        hints = get_type_hints(kind)
        return kind(**{name: build(hints.get(name), inner) for name, inner in value.items()})
    origin, inside = get_origin(kind), get_args(kind)
    if origin is tuple and inside[1:] == (Ellipsis,):
        return tuple(build(inside[0], inner) for inner in value)
    if origin in (tuple, frozenset):
        return origin(value)
    if origin is Mapping:
        return {name: build(inside[1], inner) for name, inner in value.items()}
    return value
