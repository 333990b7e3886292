"""What each phase must hand in: one model per contract key, by the names of the contract file.

These models carry types only. Words, patterns and enumerations a user may edit are checked by the
contract's own pseudo-schema before; what a value means is the machine's business after.
"""

from typing import Any, Literal

from pydantic import Field

from .names import Key
from .tasks import PlannedTask, ReportedItem, Shape


class Payload(Shape):
    """Fields of every submission. `tools_used` is absent from READY_COMPLETE and MERGE."""

    summary: str
    compaction_count: int | None = None


class WithTools(Payload):
    """A submission that also names the tools it rests on."""

    tools_used: list[str] = Field(default_factory=list)


class BranchIntervention(WithTools):
    """Step 2."""

    choice: Literal["delete", "merge", "continue"]


class MandatoryRule(Shape):
    """A rule found in a document, with its `file:line`."""

    rule: str
    source: str


class DocumentResearch(WithTools):
    """Step 3."""

    documents_reviewed: list[str]
    mandatory_rules: list[MandatoryRule] = Field(default_factory=list)


class Slot(Shape):
    """What was understood, and the words of the request it rests on."""

    value: str = ""
    quote: str = ""


class Slots(Shape):
    """The four slots of a request; a missing one stays None."""

    target_feature: Slot | None = None
    trigger_condition: Slot | None = None
    observed_issue: Slot | None = None
    desired_action: Slot | None = None


class QueryFrame(WithTools):
    """Step 4."""

    action_type: str
    target_symbols: list[str]
    scope: str
    constraints: str
    slots: Slots | None = None


class Exploration(WithTools):
    """Step 5."""

    explored_files: list[str]
    findings: list[str]


class Q1(WithTools):
    """Step 6."""

    needs_more_information: bool
    reason: str


class Semantic(WithTools):
    """Step 7."""

    search_query: str
    search_results: list[str]


class Q2(WithTools):
    """Step 8."""

    has_unverified_hypotheses: bool
    reason: str


class Hypothesis(Shape):
    """A hypothesis with its verdict and what shows it."""

    hypothesis: str
    result: bool
    evidence: str = ""


class Verification(WithTools):
    """Step 9."""

    hypotheses_verified: list[Hypothesis]


class Q3(WithTools):
    """Step 10."""

    needs_impact_analysis: bool
    reason: str


class ImpactAnalysis(WithTools):
    """Step 11. Keys of `impact_summary` are files; values say what becomes of them."""

    impact_summary: dict[str, Any]


class ReadyPlan(WithTools):
    """Step 12."""

    tasks: list[PlannedTask]
    user_decision: str | None = None


class ReadyImpl(WithTools):
    """Step 13."""

    task_id: str
    checklist: list[ReportedItem]


class ReadyComplete(Payload):
    """Step 14."""


class PostImplVerify(WithTools):
    """Step 15."""

    verifier_used: str
    passed: bool
    details: str
    failed_tasks: list[str] | None = None


class VerifyIntervention(WithTools):
    """Step 16."""

    prompt_used: str
    action_taken: str


class ReviewedFile(Shape):
    """A decision on one changed file."""

    path: str
    decision: Literal["keep", "discard"] = "keep"
    reason: str = ""


class PreCommit(WithTools):
    """Step 17. A bare path in `reviewed_files` means keep."""

    review_prompt_used: str
    reviewed_files: list[str | ReviewedFile]
    commit_message: str

    def decisions(self) -> list[ReviewedFile]:
        """Every entry in the long form."""
        return [ReviewedFile(path=entry) if isinstance(entry, str) else entry for entry in self.reviewed_files]


class QualityReview(WithTools):
    """Step 18."""

    quality_prompt_used: str
    quality_score: str
    issues: list[str]


class Merge(Payload):
    """Step 19."""


PAYLOADS: dict[Key, type[Payload]] = {
    Key.BRANCH_INTERVENTION: BranchIntervention,
    Key.DOCUMENT_RESEARCH: DocumentResearch,
    Key.QUERY_FRAME: QueryFrame,
    Key.EXPLORATION: Exploration,
    Key.Q1: Q1,
    Key.SEMANTIC: Semantic,
    Key.Q2: Q2,
    Key.VERIFICATION: Verification,
    Key.Q3: Q3,
    Key.IMPACT_ANALYSIS: ImpactAnalysis,
    Key.READY_PLAN: ReadyPlan,
    Key.READY_IMPL: ReadyImpl,
    Key.READY_COMPLETE: ReadyComplete,
    Key.POST_IMPL_VERIFY: PostImplVerify,
    Key.VERIFY_INTERVENTION: VerifyIntervention,
    Key.PRE_COMMIT: PreCommit,
    Key.QUALITY_REVIEW: QualityReview,
    Key.MERGE: Merge,
}
