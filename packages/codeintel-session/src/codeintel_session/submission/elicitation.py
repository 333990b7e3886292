"""Elicitation: decisions that belong to the user, asked before the submission is judged where the client can ask.

A question is derived from the session and the payload alone, so that asking again asks the same. Where the client
cannot ask, the instruction tells the agent to do so.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from codeintel_contract import ContractViolation, Key, Payload, PreCommit, QualityReview
from codeintel_session.machine.decide import current
from codeintel_session.machine.judges.ready import escalation_due, needs_user
from codeintel_session.machine.state import SessionState
from codeintel_session.machine.verdict import MessageRef

YES_NO = ("yes", "no")
BRANCH_CHOICES = ("delete", "merge", "continue")
ACCEPT = "accept"
"""The answer after failures by which the user takes the tree as it is."""


@dataclass(frozen=True, slots=True)
class Question:
    """What to ask. Without `options` the answer is free text."""

    say: MessageRef
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UserAnswer:
    """What the user did; `text` is one of the options or free text, "" unless accepted."""

    action: Literal["accept", "decline", "cancel"]
    text: str = ""


def question_for(state: SessionState, payload: Payload, stake: str = "") -> Question | None:
    """The question this submission raises, if it raises one; `stake` shows what stale branches hold."""
    key, counters, limits = current(state).key, state.counters, state.limits
    if key is Key.BRANCH_INTERVENTION:
        return Question(
            _ask("stale_branches", branches=", ".join(state.stale_branches), stake=f"{stake}\n" if stake else ""),
            BRANCH_CHOICES,
        )
    if key is Key.VERIFY_INTERVENTION and needs_user(state):
        failures = counters.intervention_count * limits.verification_failures + counters.verification_failure_count
        return Question(_ask("escalation", count=failures, why=state.revert_reason))
    if key is Key.READY_PLAN and escalation_due(state):
        return Question(_ask("escalation", count=counters.verification_failure_count, why=state.revert_reason))
    decisions = payload.decisions() if isinstance(payload, PreCommit) else ()
    if files := [entry.path for entry in decisions if entry.decision == "discard"]:
        return Question(_ask("discard", files=", ".join(files)), YES_NO)
    if (
        isinstance(payload, QualityReview)
        and payload.issues
        and counters.quality_revert_count >= limits.quality_reverts
    ):
        return Question(_ask("forced_completion", issues="; ".join(payload.issues)), YES_NO)
    return None


def question_about_flags(names: Sequence[str]) -> Question | None:
    """The question whether steps may be left out for which the user's prompt does not ask, None without such flags."""
    return Question(_ask("flags", flags=", ".join(names)), YES_NO) if names else None


def _ask(name: str, **values: object) -> MessageRef:
    return MessageRef(f"session_messages.ask_{name}", values)


def apply_answer(state: SessionState, payload: Payload, answer: UserAnswer) -> Payload:
    """The payload with the user's word in it; the user's word overrides the agent's.

    Raises ContractViolation: `user_declined`, or `discard_declined` where the user wants to keep the files.
    """
    if answer.action != "accept":
        raise ContractViolation("session_messages.user_declined", action=answer.action)
    key = current(state).key
    if key is Key.PRE_COMMIT and answer.text == "no":
        raise ContractViolation("failures.PRE_COMMIT.discard_declined")
    fields = {Key.BRANCH_INTERVENTION: "choice", Key.READY_PLAN: "user_decision"}
    update = {fields[key]: answer.text} if key in fields else {}
    if payload.summary.strip():  # which is what is kept, and what comes back after a context loss
        update["summary"] = f"User: {answer.text}\n{payload.summary}"
    return payload.model_copy(update=update)


def accepts(text: str) -> bool:
    """Return True if the user's answer after failures is to take the tree as it is: this word and no other."""
    return text.strip(" .!\"'`\n").lower() == ACCEPT


def wants_rework(state: SessionState, answer: UserAnswer) -> bool:
    """True if the user was asked whether to merge with open issues and declined: no field of the payload says so."""
    return current(state).key is Key.QUALITY_REVIEW and answer.text == "no"
