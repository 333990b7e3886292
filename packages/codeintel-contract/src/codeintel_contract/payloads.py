"""Define what each phase must submit: one model per contract key, with the names of the contract file.

These models carry only types. The contract's own pseudo-schema first checks the fields, patterns and enumerations
that a user may edit; afterwards the machine checks what a value means.
"""

from typing import Any, ClassVar, Literal

from pydantic import Field

from .names import Key
from .tasks import PlannedTask, ReportedItem, Shape


class Payload(Shape):
    """Hold the fields of every submission.

    `summary` is what is kept for after a context loss; left out, it is what `told` returns. `tools_used` left out means
    what the server saw; READY_COMPLETE and MERGE have none.
    """

    summary: str = ""
    compaction_count: int | None = None

    tells: ClassVar[str] = ""
    """The field, a text or a list of texts, that says what a summary says."""

    def told(self) -> str:
        """Return what the payload says beside a summary; "" if there is nothing."""
        said = getattr(self, self.tells, "")
        return said if isinstance(said, str) else "\n".join(said)


class WithTools(Payload):
    """Hold a submission that may also name the tools it relies on."""

    tools_used: list[str] | None = None


class BranchIntervention(WithTools):
    """Submit the user's decision about stale task branches."""

    choice: Literal["delete", "merge", "continue"]
    tells = "choice"


class MandatoryRule(Shape):
    """Hold a rule found in a document, with its `file:line`."""

    rule: str
    source: str


class DocumentResearch(WithTools):
    """Submit the documents read and the rules found in them."""

    documents_reviewed: list[str]
    mandatory_rules: list[MandatoryRule] = Field(default_factory=list)

    def told(self) -> str:
        """Return what was read and found, in numbers."""
        return f"{len(self.documents_reviewed)} documents reviewed, {len(self.mandatory_rules)} rules found"


class Slot(Shape):
    """Hold one part of the request as understood, and the words that support it."""

    value: str = ""
    quote: str | list[str] = ""

    def quotes(self) -> dict[str, str]:
        """Return the quotes that are not blank, each by its place in the slot."""
        places = (
            {"quote": self.quote}
            if isinstance(self.quote, str)
            else {f"quote[{number}]": text for number, text in enumerate(self.quote)}
        )
        return {place: text for place, text in places.items() if text.strip()}


class Slots(Shape):
    """Hold the four slots of a request; a missing one stays None."""

    target_feature: Slot | None = None
    trigger_condition: Slot | None = None
    observed_issue: Slot | None = None
    desired_action: Slot | None = None


class QueryFrame(WithTools):
    """Submit the request broken down into its slots."""

    target_symbols: list[str]
    action_type: str = ""
    scope: str = ""
    constraints: str = ""
    slots: Slots | None = None

    def told(self) -> str:
        """Return the slots, or what is known without them."""
        given = [(name, slot) for name, slot in self.slots or () if slot is not None and slot.value.strip()]
        lines = [f"{name}: {slot.value}" for name, slot in given]
        return "\n".join([*lines, f"symbols: {', '.join(self.target_symbols)}"] if self.target_symbols else lines)


class Exploration(WithTools):
    """Submit the explored files and what they mean for the request."""

    explored_files: list[str]
    findings: list[str]
    tells = "findings"


class Q1(WithTools):
    """Answer whether something is still unknown."""

    needs_more_information: bool
    reason: str
    tells = "reason"


class Semantic(WithTools):
    """Submit what the semantic search found."""

    search_query: str
    search_results: list[str]
    tells = "search_results"


class Q2(WithTools):
    """Answer whether the plan rests on unverified hypotheses."""

    has_unverified_hypotheses: bool
    reason: str
    tells = "reason"


class Hypothesis(Shape):
    """Hold a hypothesis with its verdict and evidence."""

    hypothesis: str
    result: bool
    evidence: str = ""


class Verification(WithTools):
    """Submit the verified or refuted hypotheses."""

    hypotheses_verified: list[Hypothesis]

    def told(self) -> str:
        """Return each hypothesis with its verdict."""
        return "\n".join(f"{each.hypothesis}: {str(each.result).lower()}" for each in self.hypotheses_verified)


class Q3(WithTools):
    """Answer whether the change could affect other files."""

    needs_impact_analysis: bool
    reason: str
    tells = "reason"


class ImpactAnalysis(WithTools):
    """Submit the impact on each file: keys of `impact_summary` are files, values say how they are affected."""

    impact_summary: dict[str, Any]

    def told(self) -> str:
        """Return each file with its judgment."""
        return "\n".join(f"{path}: {judgment}" for path, judgment in self.impact_summary.items())


class ReadyPlan(WithTools):
    """Submit the complete task list."""

    tasks: list[PlannedTask]
    user_decision: str | None = None

    def told(self) -> str:
        """Return the tasks."""
        return "\n".join(f"{task.id}: {task.description}" for task in self.tasks)


class ReadyImpl(WithTools):
    """Report one task with its checklist; `tasks` is the complete list, as in a plan, if the work changed it."""

    task_id: str
    checklist: list[ReportedItem]
    tasks: list[PlannedTask] | None = None

    def told(self) -> str:
        """Return where the items are seen, and why some were skipped."""
        return "; ".join(dict.fromkeys(item.told() for item in self.checklist))


class ReadyComplete(Payload):
    """Submit a summary of the completed tasks."""


class PostImplVerify(WithTools):
    """Report the result of a verifier."""

    verifier_used: str
    passed: bool
    details: str
    failed_tasks: list[str] | None = None
    tells = "details"


class VerifyIntervention(WithTools):
    """Report what an intervention led to."""

    prompt_used: str
    action_taken: str
    tells = "action_taken"


class ReviewedFile(Shape):
    """Hold the decision on one changed file."""

    path: str
    decision: Literal["keep", "discard"] = "keep"
    reason: str = ""


class PreCommit(WithTools):
    """Submit the review of every changed file. A bare path in `reviewed_files` means keep."""

    review_prompt_used: str
    reviewed_files: list[str | ReviewedFile]
    commit_message: str
    tells = "commit_message"

    def decisions(self) -> list[ReviewedFile]:
        """Return every entry in the long form."""
        return [ReviewedFile(path=entry) if isinstance(entry, str) else entry for entry in self.reviewed_files]


class QualityReview(WithTools):
    """Submit the result of the quality review."""

    quality_prompt_used: str
    quality_score: str = ""
    issues: list[str]

    def told(self) -> str:
        """Return the issues, or their number."""
        return "; ".join(self.issues) or "no issues"


class Merge(Payload):
    """Submit the final summary before the merge."""


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
