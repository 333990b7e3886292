"""What a client submitted: a payload, or a row of payloads for consecutive phases, each decoded once with its digest.

Everything after this module works on the decoded fields. A `Submission` is made before anything is known of the
session, so it holds what was wrong with the data instead of raising it: the session refuses it and records the refusal.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from codeintel_contract import PAYLOADS, Contract, ContractViolation, Key, Payload, Phase, decode_row, read_payload
from codeintel_session.git import GitFault
from codeintel_session.machine.decide import Decision, current, decide
from codeintel_session.machine.facts import Facts
from codeintel_session.machine.state import SessionState
from codeintel_session.machine.steps import Step
from codeintel_session.submission.elicitation import UserAnswer, apply_answer

MAX_ECHO = 100_000
"""A larger `compaction_count` is ignored."""


class WorldFailure(ContractViolation):
    """A submission that failed because of git, a file or a hook of the repository, and not by a judge's verdict."""

    @classmethod
    def of(cls, violation: ContractViolation) -> "WorldFailure":
        """Return the failure with the words of a violation."""
        return cls(violation.key, problems=violation.problems, **violation.values)


def git_failed(fault: GitFault) -> WorldFailure:
    """Put a fault of git that nobody foresaw into the contract's words."""
    return WorldFailure("common_failures.git_failed", why=str(fault))


@dataclass(frozen=True, slots=True)
class Submission:
    """A decoded payload.

    Args:
        fields: the submitted data without nulls; None if it was not a JSON object, and `fault` says why.
        digest: the same for an object and its JSON text, whatever `compaction_count` it echoes; "" if there is none.
        meant_for: the phases it can be for, as it names one or, in a row, as its fields show; empty if that is open.
    """

    fields: dict[str, Any] | None
    digest: str = ""
    fault: ContractViolation | None = None
    meant_for: frozenset[Key] = frozenset()

    @property
    def echo(self) -> int | None:
        """The `compaction_count` as submitted, None if there is none that could be one."""
        given = (self.fields or {}).get("compaction_count")
        return given if type(given) is int and 0 <= given <= MAX_ECHO else None


Row = tuple[Submission, ...]
"""What one call submits, in order; a single payload is a row of one."""


def parse_row(data: object) -> Row:
    """Decode what a client sent. A `Row` is returned as it is.

    Never raises: data that cannot be submitted makes a row of one submission, which will be refused with all problems.
    """
    if isinstance(data, tuple):
        return data
    try:
        rows = decode_row(data)
        _check_phases(rows)
    except ContractViolation as fault:
        return (Submission(None, fault=fault),)
    # One call is one moment: an echo in one of its payloads holds for those that leave it out.
    echoes = [fields["compaction_count"] for fields in rows if "compaction_count" in fields]
    told = {"compaction_count": echoes[0]} if echoes else {}
    return tuple(_submission({**told, **fields}, in_row=len(rows) > 1) for fields in rows)


def _check_phases(rows: Sequence[Mapping[str, Any]]) -> None:
    known = [*(key.value for key in Key), Phase.READY.value]
    problems = [
        f"data[{number}].phase: {str(fields['phase'])[:40]!r} is none of {', '.join(known)}"
        for number, fields in enumerate(rows)
        if fields.get("phase", known[0]) not in known
    ]
    if problems:
        why = "; ".join(problems)
        raise ContractViolation("session_messages.invalid_data", problems=tuple(problems), error=why)


def _submission(given: Mapping[str, Any], *, in_row: bool) -> Submission:
    fields = {name: value for name, value in given.items() if name != "phase"}
    named = _named(given["phase"], _shown_by(fields)) if "phase" in given else frozenset[Key]()
    return Submission(fields, _digest(fields), meant_for=named or (_shown_by(fields) if in_row else frozenset()))


def _named(phase: str, shown: frozenset[Key]) -> frozenset[Key]:
    """Return the phases that a payload names; READY, as replies call it, stands for each of its steps."""
    return (shown & READY_KEYS or READY_KEYS) if phase == Phase.READY else frozenset({Key(phase)})


READY_KEYS = frozenset({Key.READY_PLAN, Key.READY_IMPL, Key.READY_COMPLETE})


def _shown_by(fields: Mapping[str, Any]) -> frozenset[Key]:
    """Return the phases whose required fields are all given, of those the ones that require most."""
    own = {name for name in fields if name not in Payload.model_fields}
    fitting = {key: needed for key, needed in REQUIRED.items() if needed <= fields.keys() and bool(needed) == bool(own)}
    most = max((len(needed) for needed in fitting.values()), default=0)
    return frozenset(key for key, needed in fitting.items() if len(needed) == most)


REQUIRED: dict[Key, frozenset[str]] = {
    key: frozenset(name for name, field in model.model_fields.items() if field.is_required() and name != "summary")
    for key, model in PAYLOADS.items()
}


def _digest(fields: Mapping[str, Any]) -> str:
    told = {name: value for name, value in fields.items() if name != "compaction_count"}
    text = json.dumps(told, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def payload_of(contract: Contract, row: Step, submission: Submission) -> Payload:
    """Read the fields as the payload of a row, checked against the contract.

    Raises ContractViolation: not an object, a task list or report at the wrong time, or fields that do not fit.
    """
    if submission.fields is None:
        raise submission.fault or ContractViolation("session_messages.invalid_data", error="it is empty")
    where: dict[str, Any] = {"phase": row.phase.value, "step": row.number}
    is_report = row.key is Key.READY_IMPL and "task_id" in submission.fields  # which may revise the plan
    if "tasks" in submission.fields and row.key is not Key.READY_PLAN and not is_report:
        raise ContractViolation("failures.READY.phase_mismatch_register", **where)
    if "task_id" in submission.fields and row.key is not Key.READY_IMPL:
        raise ContractViolation("failures.READY.phase_mismatch_complete", **where)
    return read_payload(contract, row.key, submission.fields)


def read(contract: Contract, state: SessionState, submission: Submission, answer: UserAnswer | None) -> Payload:
    """Read the payload of the session's phase, with the user's answer in it.

    Raises ContractViolation: the payload does not fit the phase, or the user declined.
    """
    payload = payload_of(contract, current(state), submission)
    return payload if answer is None else apply_answer(state, payload, answer)


def judge(contract: Contract, state: SessionState, payload: Payload, facts: Facts) -> Decision:
    """Decide on a payload. Service and replay share this and `read`: both are pure, the facts come from outside.

    Raises ContractViolation: the judge of the phase refuses it.
    """
    return decide(state, payload, facts, contract.phases[current(state).key])
