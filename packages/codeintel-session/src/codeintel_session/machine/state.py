"""The whole state of a session: one frozen model. A checkpoint is its dump, a resume is its load.

Nothing here decides anything. New states are made by `model_copy(update=...)` in `decide` and the
effects' results, nowhere else.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PlainValidator

from codeintel_contract.flags import Flags
from codeintel_contract.names import Intent
from codeintel_contract.tasks import Task

from .limits import Limits


class Frozen(BaseModel):
    """Base of every part of the state."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class PhaseState(Frozen):
    """Where the session stands. `ready_substep` is plan, implement or complete, else ""."""

    current_phase: str
    step: int
    ready_substep: str = ""


class Counters(Frozen):
    """The safety valves of `limits`. `refusals` holds what was wrong, this phase, in order."""

    verification_failure_count: int = 0
    quality_revert_count: int = 0
    intervention_count: int = 0
    refusals: tuple[str, ...] = ()


class ObservedCall(Frozen):
    """A call of one of our tools. `subject` is what was asked for, `count` how much was found."""

    tool: str
    digest: str
    ok: bool = True
    files: tuple[str, ...] = ()
    subject: str = ""
    count: int = 0


class Receipt(Frozen):
    """A verifier run by the server. `tree` is the digest of the working tree it ran on.

    `counts` are tests, failures, errors and skipped, where its report tells; `before` those it is compared with.
    """

    verifier: str
    command: str
    exit: int
    tree: str
    at: str
    counts: dict[str, int] = Field(default_factory=dict)
    before: dict[str, int] = Field(default_factory=dict)


class MandatoryRule(Frozen):
    """A rule found in DOCUMENT_RESEARCH."""

    rule: str
    source: str


class LastReply(Frozen):
    """The last accepted payload, by digest, and the answer it got: a lost reply can be asked for again."""

    digest: str
    reply: dict[str, Any]


BranchPolicy = Literal["task", "adopted", "in_place", "none"]
"""task: own branch on READY; adopted: a stale one continued; in_place: commit here; none: no commit."""


def _file_name(value: object) -> str:
    if isinstance(value, str):
        return value
    raise ValueError("a file name is text")


FileName = Annotated[str, PlainValidator(_file_name)]
"""A path as git gives it. Bytes that are no UTF-8 are lone surrogates (PEP 383), which pydantic's own text refuses."""


class SessionState(Frozen):
    """A session. Paths are relative to the project root with `/`."""

    session_id: str
    intent: Intent
    query: str
    flags: Flags = Field(default_factory=Flags)
    limits: Limits = Field(default_factory=Limits)
    started_at: str
    phase_state: PhaseState
    completed_steps: tuple[int, ...] = ()
    summaries: dict[str, str] = Field(default_factory=dict)
    # git
    branch: str = ""
    branch_policy: BranchPolicy = "none"
    base: str = ""
    base_commit: str = ""
    dirty_at_start: dict[FileName, str] = Field(default_factory=dict)
    stale_branches: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    trash: tuple[str, ...] = ()
    # counters
    counters: Counters = Field(default_factory=Counters)
    compaction_count: int = 0
    told_summaries_for: str = ""
    # what was handed in
    tasks: tuple[Task, ...] = ()
    plan_round: int = 0
    query_frame: dict[str, Any] = Field(default_factory=dict)
    answers: dict[str, bool] = Field(default_factory=dict)
    overruled: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    research_prompts: tuple[str, ...] = ()
    verifiers: dict[str, str] | None = None  # command ("" for none) by name, as the session began
    protected: dict[FileName, str] | None = None  # digests of what the write rule protects and no diff shows
    mandatory_rules: tuple[MandatoryRule, ...] = ()
    revert_reason: str = ""
    forced_completion: bool = False
    # what the server saw
    seen: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()
    explored: tuple[str, ...] = ()
    planned_files: tuple[str, ...] = ()
    observed: tuple[ObservedCall, ...] = ()
    referenced: tuple[str, ...] = ()
    must_verify: tuple[str, ...] = ()
    receipts: dict[str, Receipt] = Field(default_factory=dict)
    recall: dict[str, int] = Field(default_factory=dict)
    assessment: dict[str, Any] = Field(default_factory=dict)
    # protocol
    contract_digest: str = ""
    contract_source: str | None = None  # digest of the project's own file, "" for none
    last_reply: LastReply | None = None
    outcome: str = ""

    def pending_tasks(self) -> tuple[Task, ...]:
        """Tasks still to be reported, in the order registered."""
        return tuple(task for task in self.tasks if task.status == "pending")

    def task(self, task_id: str) -> Task | None:
        """The task of that id."""
        return next((task for task in self.tasks if task.id == task_id), None)
