"""Every limit of a session, in one place. All are counted by the server and survive a resume.

A project may set the limits of the loops (`Limits`), within bounds that still end every loop. The others are fixed.
"""

from pydantic import BaseModel, ConfigDict, Field

from codeintel_contract import MIN_REASON as MIN_REASON

VERIFICATION_FAILURES = 3
"""Failures of one task, or of the session in a row, that lead to VERIFY_INTERVENTION."""

ESCALATION_FAILURES = 6
"""Consecutive failures after which a plan must state the user's decision, where no intervention exists."""

INTERVENTIONS = 2
"""Interventions after which the next one must hand the decision to the user."""

QUALITY_REVERTS = 3
"""Reverts by QUALITY_REVIEW; the next report of issues forces completion."""

REFUSALS = 8
"""Consecutive refusals in one phase after which the reply asks for the user."""

SEND_BACKS = 8
"""Submissions of a session that are sent back because the tree changed; the next one asks for the user."""

SUMMARY_CHARS = 1200
"""Characters of a summary that are kept."""

DETAIL_CHARS = 1200
"""Characters kept of the details of a failure, for the plan that corrects it."""

VERDICT_CHARS = 160
"""Characters kept of the judgment of a file in IMPACT_ANALYSIS, for an agent that has lost its context."""

REFUSALS_KEPT = 50
"""Refusals of a phase that are kept; a client that never gives up must not make the checkpoint grow."""

CHECKPOINT_BYTES = 256 * 1024
"""Size limit of a checkpoint; older summaries are shortened to fit, the state never is."""

REPLY_BYTES = 6 * 1024
STATUS_BYTES = 12 * 1024
SAVE_EVERY_S = 1.0
"""Observations are checkpointed at most this often; submissions always are."""

RUNS_KEPT = 100
"""Runs of verifiers that a session remembers; the receipts hold what counts."""

FILES_PER_CALL = 20
"""Paths kept per observed call; the explored and seen sets are complete."""


class Limits(BaseModel):
    """The limits of one session: those its project had when the session began."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    verification_failures: int = Field(VERIFICATION_FAILURES, ge=1, le=10)
    escalation_failures: int = Field(ESCALATION_FAILURES, ge=1, le=20)
    interventions: int = Field(INTERVENTIONS, ge=1, le=10)
    quality_reverts: int = Field(QUALITY_REVERTS, ge=1, le=10)
    refusals: int = Field(REFUSALS, ge=2, le=REFUSALS_KEPT)
