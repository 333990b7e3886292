"""Encode everything a verdict depends on into a line of the decision log, and decode it again.

The first line of a session in a process holds the whole record, every later one only the difference, so that the log
grows with the number of submissions and not with its square. Parts of the state that no judge reads are left out, and
a record that is too long is not logged.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from pydantic import TypeAdapter

from codeintel_contract import ContractViolation
from codeintel_session.machine.facts import Facts
from codeintel_session.machine.state import SessionState
from codeintel_session.submission.elicitation import UserAnswer
from codeintel_session.submission.submission import Submission

Json = dict[str, Any]


def difference(before: Json, after: Json) -> Json:
    """Return the change from which `applied` derives `after`, given `before`."""
    change: Json = {}
    for name, value in after.items():
        old = before.get(name)
        if name in before and old == value:
            continue
        if isinstance(old, dict) and isinstance(value, dict):
            change.setdefault("inside", {})[name] = difference(old, value)
        elif isinstance(old, list) and isinstance(value, list):
            change.setdefault("lists", {})[name] = _between(old, value)
        else:
            change.setdefault("set", {})[name] = value
    if gone := sorted(before.keys() - after.keys()):
        change["gone"] = gone
    return change


def _between(old: list[Any], new: list[Any]) -> list[Any]:
    start = _common_length(old, new)
    end = _common_length(old[start:][::-1], new[start:][::-1])
    return [start, end, new[start : len(new) - end]]


def _common_length(old: list[Any], new: list[Any]) -> int:
    """Count the members that two lists share before the first difference."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))


def applied(before: Json, change: Mapping[str, Any]) -> Json:
    """Return the object that results from a change.

    Raises KeyError, TypeError, ValueError: the change does not belong to this object, or is malformed.
    """
    after = {name: value for name, value in before.items() if name not in change.get("gone", ())}
    for name, inner in change.get("inside", {}).items():
        after[name] = applied(after[name], inner)
    for name, (start, end, middle) in change.get("lists", {}).items():
        old = after[name]
        after[name] = [*old[:start], *middle, *old[len(old) - end :]]
    after.update(change.get("set", {}))
    return after


RECORD_BYTES = 256 * 1024
"""Size limit of a record, the same as that of a checkpoint."""
UNREAD: dict[str, Any] = {
    "summaries": True,
    "last_reply": True,
    "dirty_at_start": True,
    "staged": True,
    "flagged": True,
    "refs": True,
    "ignored": True,
    "protected": True,
    "dependencies": True,
    "runs": True,
    "spent": True,
    "counters": {"refusals"},
}
"""Parts of the state that no judge reads."""

_FACTS = TypeAdapter(Facts)
_ANSWER = TypeAdapter(UserAnswer)


class Unrecorded(Exception):
    """A line without a readable record; the message is the reason."""


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """Everything a verdict depends on.

    Args:
        state: the session before the submission.
        facts: None if the submission was refused before they were collected.
        by_world: git, a file or a hook refused it, not a judge.
    """

    state: SessionState
    submission: Submission
    answer: UserAnswer | None = None
    facts: Facts | None = None
    by_world: bool = False


class AuditWriter:
    """Encode the records of one process, the first one of each session in full."""

    def __init__(self) -> None:
        self._known: Json = {}

    def write(self, record: AuditRecord) -> Json:
        """Return the record as JSON data, or the reason why it is not logged (`left_out`) if it is too long."""
        basis = _basis(record)
        encoded = _encode_submission(record.submission)
        is_known = self._known.get("state", {}).get("session_id") == record.state.session_id
        encoded |= {"since": difference(self._known, basis)} if is_known else {"whole": basis}
        if record.answer:
            encoded["answer"] = _ANSWER.dump_python(record.answer)
        if record.by_world:
            encoded["by_world"] = True
        length = len(_text(encoded).encode("utf-8", "surrogatepass"))
        if length > RECORD_BYTES:
            self._known = {}  # the next line holds the whole record again
            return {"left_out": f"its {length} bytes were too many to keep"}
        self._known = basis
        return encoded


class AuditReader:
    """Decode the records of one session, in the order of the log."""

    def __init__(self) -> None:
        self._known: Json = {}

    def read(self, encoded: object) -> AuditRecord:
        """Return the record.

        Raises Unrecorded: the line has none, or has it in a form that this version does not know.
        """
        if not isinstance(encoded, Mapping):
            raise Unrecorded("it was written before records were kept")
        if "left_out" in encoded:
            self._known = {}
            raise Unrecorded(str(encoded["left_out"]))
        try:
            return self._record(encoded)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise Unrecorded(f"it is in a form that this version cannot read ({type(error).__name__})") from error

    def _record(self, encoded: Mapping[str, Any]) -> AuditRecord:
        if "whole" not in encoded and not self._known:
            raise Unrecorded("the line with the state that it is a difference to is missing")
        self._known = encoded["whole"] if "whole" in encoded else applied(self._known, encoded["since"])
        return AuditRecord(
            state=SessionState.model_validate(self._known["state"]),
            submission=_decode_submission(encoded),
            answer=_ANSWER.validate_python(encoded["answer"]) if "answer" in encoded else None,
            facts=_FACTS.validate_python(self._known["facts"]) if "facts" in self._known else None,
            by_world=bool(encoded.get("by_world", False)),
        )


def _basis(record: AuditRecord) -> Json:
    """Return state and facts as JSON data, without fields at their defaults."""
    basis: Json = {"state": record.state.model_dump(mode="json", exclude=UNREAD, exclude_defaults=True)}
    if record.facts is not None:
        # Not mode="json": file names that are not UTF-8 must survive byte for byte.
        basis["facts"] = json.loads(_text(_FACTS.dump_python(record.facts, exclude_defaults=True)))
    return basis


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=sorted)  # sets are the only values that JSON lacks


def _encode_submission(submission: Submission) -> Json:
    if submission.fault is None:
        return {"payload": submission.fields}
    fault = submission.fault
    return {"fault": {"key": fault.key, "problems": list(fault.problems), "values": fault.values}}


def _decode_submission(encoded: Mapping[str, Any]) -> Submission:
    if "payload" in encoded:
        return Submission(dict(encoded["payload"]))
    fault = encoded["fault"]
    return Submission(None, fault=ContractViolation(fault["key"], problems=tuple(fault["problems"]), **fault["values"]))
