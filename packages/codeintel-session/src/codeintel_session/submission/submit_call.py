"""One call of submit_phase: what of its row is accepted, and what its reply carries from earlier payloads."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from codeintel_contract import Contract, ContractViolation, Key, PostImplVerify
from codeintel_session.machine.decide import current
from codeintel_session.machine.judges.chain import SENT_BACK
from codeintel_session.machine.judges.explore import ANSWERS
from codeintel_session.machine.judges.verify import missing_runs
from codeintel_session.machine.state import LastReply, SessionState
from codeintel_session.machine.steps import number_of
from codeintel_session.machine.verdict import MessageRef
from codeintel_session.ports import Ports
from codeintel_session.submission.collect_facts import collect_facts
from codeintel_session.submission.submission import Row, Submission, WorldFailure, read
from codeintel_session.submission.user_decisions import question_of


@dataclass
class SubmitCall:
    """One call of submit_phase: the row, what of it is accepted, and what its reply carries from earlier payloads."""

    row: Row
    digests: list[str]  # of all that is accepted, what an earlier call accepted included
    first: int = 0  # the payload that an earlier call did not accept
    can_ask: bool = False  # the user can be asked
    is_stopped: bool = False
    accepted: list[str] = field(default_factory=list)  # contract keys of what this call itself accepted
    warnings: list[str] = field(default_factory=list)
    kept: dict[str, Any] = field(default_factory=dict)
    runs: dict[str, Any] = field(default_factory=dict)  # what the call says of verifiers that it had run
    fault: ContractViolation | None = None  # of a run that could not be made

    @property
    def is_over(self) -> bool:
        """True once the last payload of the row is accepted."""
        return len(self.digests) == len(self.row)

    def have_run(self, names: Iterable[str], run: Callable[[str], dict[str, Any]]) -> None:
        """Run the verifiers; a fault refuses the next submission."""
        try:
            for name in names:
                self.runs[name] = run(name)
        except ContractViolation as fault:
            self.fault = WorldFailure.of(fault)

    def accept(self, key: str, digest: str) -> None:
        """Note that a payload was accepted."""
        self.accepted.append(key)
        self.digests += [digest] if digest else []

    def carry(self, reply: dict[str, Any], warnings: Mapping[str, str], said: set[str]) -> None:
        """Keep what a reply says once: new warnings, and what belongs to the payload and not to the next phase.

        Args:
            warnings: the texts, each with its key.
            said: what the agent has had; only why a submission is sent back is repeated.
        """
        self.warnings += [text for text, key in warnings.items() if key in SENT_BACK or text not in said]
        said.update(warnings)
        names = ("assessment", "investigation_hints", "phase_summaries")
        self.kept |= {name: reply[name] for name in names if name in reply}

    def carried(self) -> dict[str, Any]:
        """Return what the reply to this call holds beside the position."""
        found = dict(self.kept)
        if Key.EXPLORATION in self.accepted:  # they say what to look for
            found.pop("investigation_hints", None)
        if self.warnings:
            found["warning"] = " ".join(self.warnings)
        if self.runs:
            found["runs"] = self.runs
        if len(self.row) > 1:
            found["accepted"] = self.accepted
        return found

    def last(self, reply: dict[str, Any]) -> LastReply:
        """Return what has to be remembered to answer this call again."""
        return LastReply(digest="".join(self.digests[-1:]), reply=reply, row=tuple(self.digests))


def accepted_before(row: Row, last: LastReply | None, *, has_ended: bool) -> int:
    """Return how many payloads of a row the call that `last` answers accepted; all, if that call ended the session."""
    digests = tuple(part.digest for part in row)
    if last is None or not all(digests):
        return 0
    known = last.row or (last.digest,)
    if digests == known[-1:] or digests == known[: len(digests)]:
        return len(row)
    if digests[: len(known)] != known:
        return 0
    return len(row) if has_ended else len(known)


def passed_over(contract: Contract, state: SessionState, submission: Submission) -> Submission | None:
    """Return the answer no to the present question if the submission is for a later phase, None if it is not.

    Whoever continues has no question. The server still overrules the answer by the facts it holds.
    """
    row = current(state)
    later = {number_of(key) > row.number for key in submission.meant_for}
    if row.key not in ANSWERS or later != {True}:
        return None
    why = contract.message("hints.question_passed_over", {"phase": _meant(submission)}).message
    told = {} if submission.echo is None else {"compaction_count": submission.echo}
    return Submission({ANSWERS[row.key]: False, "reason": why, **told})


def _meant(submission: Submission) -> str:
    return " or ".join(sorted(key.value for key in submission.meant_for))


def reason_to_stop(
    ports: Ports, contract: Contract, state: SessionState | None, submission: Submission, number: int, *, may_ask: bool
) -> MessageRef | None:
    """Return why a row ends before one of its payloads, None if it continues.

    Args:
        may_ask: the user can be asked, and was not asked about this payload.
    """
    if state is None:
        return MessageRef("session_messages.row_after_end", {"number": number + 1})
    key = current(state).key
    if submission.meant_for and key not in submission.meant_for:
        values = {"number": number + 1, "meant": _meant(submission), "phase": key.value}
        return MessageRef("session_messages.row_other_phase", values)
    if may_ask and question_of(ports, contract, state, submission):
        return MessageRef("session_messages.row_asks_user", {"number": number + 1})
    return None


def verifiers_to_run(ports: Ports, contract: Contract, state: SessionState | None, submission: Submission) -> list[str]:
    """Return the verifiers whose receipts a pass needs and that have not run on this tree: the server runs them."""
    if state is None or current(state).key is not Key.POST_IMPL_VERIFY:
        return []
    if submission.meant_for and Key.POST_IMPL_VERIFY not in submission.meant_for:
        return []
    try:
        payload = read(contract, state, submission, None)
        if not isinstance(payload, PostImplVerify) or not payload.passed:
            return []
        return missing_runs(state, payload, collect_facts(ports, state, payload, None))
    except ContractViolation:  # the submission meets the same fault, and is refused for it
        return []
