"""Every limit of a session, in one place. All are counted by the server and survive a resume.

A project may set those of the loops, within bounds that still end every loop: `Limits`. The rest is fixed.
"""

from pydantic import BaseModel, ConfigDict, Field

from codeintel_contract.tasks import MIN_REASON as MIN_REASON

VERIFICATION_FAILURES = 3
"""Failures of one task, or of the session in a row, that lead to VERIFY_INTERVENTION."""

ESCALATION_FAILURES = 6
"""Failures in a row after which a plan must name the user's decision, where no intervention exists."""

INTERVENTIONS = 2
"""Interventions after which the next one is the user's escalation."""

QUALITY_REVERTS = 3
"""Reverts by QUALITY_REVIEW; the report after them forces completion."""

REFUSALS = 8
"""Refused submissions in a row in one phase that call for the user."""

SUMMARY_CHARS = 1200
"""Characters of a summary that are kept."""

DETAIL_CHARS = 1200
"""Characters that are kept of what failed, for the plan that mends it."""

REFUSALS_KEPT = 50
"""Refusals of a phase that are remembered; a client that never gives up must not grow the checkpoint."""

CHECKPOINT_BYTES = 256 * 1024
"""Size of a checkpoint; older summaries are shortened first, never the state."""

REPLY_BYTES = 6 * 1024
STATUS_BYTES = 12 * 1024
SAVE_EVERY_S = 1.0
"""Observations are checkpointed at most this often; submissions always."""

FILES_PER_CALL = 20
"""Paths kept per observed call; the explored and seen sets are complete."""


class Limits(BaseModel):
    """The limits of one session: those of its project when it began."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    verification_failures: int = Field(VERIFICATION_FAILURES, ge=1, le=10)
    escalation_failures: int = Field(ESCALATION_FAILURES, ge=1, le=20)
    interventions: int = Field(INTERVENTIONS, ge=1, le=10)
    quality_reverts: int = Field(QUALITY_REVERTS, ge=1, le=10)
    refusals: int = Field(REFUSALS, ge=2, le=REFUSALS_KEPT)
