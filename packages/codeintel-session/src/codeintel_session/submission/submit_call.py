"""One call of submit_phase: what of its row is accepted, and what its reply carries from earlier payloads."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from codeintel_session.machine.decide import current
from codeintel_session.machine.state import LastReply, SessionState
from codeintel_session.machine.verdict import MessageRef
from codeintel_session.submission.submission import Row, Submission


@dataclass
class SubmitCall:
    """One call of submit_phase: the row, what of it is accepted, and what its reply carries from earlier payloads."""

    row: Row
    digests: list[str]
    keys: list[str]
    fresh: int = 0  # payloads that this call itself accepted
    warnings: list[str] = field(default_factory=list)
    kept: dict[str, Any] = field(default_factory=dict)

    @property
    def is_over(self) -> bool:
        """True once the last payload of the row is accepted."""
        return len(self.digests) == len(self.row)

    def accept(self, key: str, digest: str) -> None:
        """Note that a payload was accepted."""
        self.keys.append(key)
        self.digests.append(digest)
        self.fresh += 1

    def carry(self, reply: dict[str, Any], warnings: Sequence[str]) -> None:
        """Keep what a reply says once: its warnings, and what belongs to the payload and not to the next phase."""
        self.warnings += warnings
        names = ("assessment", "investigation_hints", "phase_summaries")
        self.kept |= {name: reply[name] for name in names if name in reply}

    def carried(self) -> dict[str, Any]:
        """Return what the reply to this call holds beside the position."""
        found = dict(self.kept)
        if self.warnings:
            found["warning"] = " ".join(self.warnings)
        if len(self.row) > 1:
            found["accepted"] = self.accepted
        return found

    @property
    def accepted(self) -> list[str]:
        """The contract keys of what this call accepted."""
        return [key for key in self.keys if key]

    def last(self, reply: dict[str, Any]) -> LastReply:
        """Return what has to be remembered to answer this call again."""
        return LastReply(digest=self.digests[-1], reply=reply, row=tuple(self.digests))


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


def other_phase(state: SessionState, submission: Submission, number: int) -> MessageRef | None:
    """Return why a row ends before a payload that is meant for another phase, None for one that fits."""
    key = current(state).key
    if not submission.meant_for or key in submission.meant_for:
        return None
    meant = " or ".join(sorted(one.value for one in submission.meant_for))
    values = {"number": number + 1, "meant": meant, "phase": key.value}
    return MessageRef("session_messages.row_other_phase", values)
