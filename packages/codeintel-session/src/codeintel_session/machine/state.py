"""The whole state of a session: one frozen model. A checkpoint is its dump, a resume is its load.

This module decides nothing. New states are made with `model_copy(update=...)`, in `decide` and from the results of
effects and observations.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PlainValidator

from codeintel_contract import Flags, Intent, Task
from codeintel_session.machine.limits import Limits


class Frozen(BaseModel):
    """Base of every part of the state."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class PhaseState(Frozen):
    """The position in the flow. `ready_substep` is plan, implement or complete in READY, else ""."""

    current_phase: str
    step: int
    ready_substep: str = ""

    @property
    def name(self) -> str:
        """The phase with its substep, such as `READY implement`."""
        return f"{self.current_phase} {self.ready_substep}".rstrip()


class Counters(Frozen):
    """The counts that `limits` bounds. `refusals` holds the problems refused in this phase, in order."""

    verification_failure_count: int = 0
    quality_revert_count: int = 0
    intervention_count: int = 0
    send_backs: int = 0
    refusals: tuple[str, ...] = ()


class ObservedCall(Frozen):
    """A call of one of our tools. `subject` is the thing searched for, `count` the number of results."""

    tool: str
    digest: str
    ok: bool = True
    files: tuple[str, ...] = ()
    subject: str = ""
    count: int = 0


def _file_name(value: object) -> str:
    if isinstance(value, str):
        return value
    raise ValueError("a file name is text")


FileName = Annotated[str, PlainValidator(_file_name)]
"""A path as git prints it. Bytes that are not UTF-8 are lone surrogates (PEP 383), which pydantic's `str` refuses."""


class Named(Frozen):
    """A list of which the first members are kept, and how many there are."""

    names: tuple[str, ...] = ()
    count: int = 0


class BaseRun(Frozen):
    """The run of the same command on the session's base; `state` is ran, timed_out or not_comparable."""

    state: Literal["ran", "timed_out", "not_comparable"] = "not_comparable"
    why: str = ""  # of not_comparable
    tree: str = ""
    exit: int = 0
    counts: dict[str, int] = Field(default_factory=dict)


class BaseTests(Frozen):
    """The base's versions of the test files that the session changed, run on the new code."""

    passed: int = 0
    failed: Named = Named()
    gone: Named = Named()


class Receipt(Frozen):
    """A verifier run by the server. `tree` is the git tree of the content it ran on.

    `counts` are tests, failures, errors, skipped and xfailed, if its report has them; `before` are those of the run it
    is compared with. `broken` are tests that fail and do not fail on the base, as far as the base could be run, `red`
    those that fail on both. `is_reading` if the command read the change, and ran nothing of it.
    """

    verifier: str
    command: str
    exit: int
    tree: str
    at: str
    counts: dict[str, int] = Field(default_factory=dict)
    before: dict[str, int] = Field(default_factory=dict)
    seconds: float = 0.0
    timed_out: bool = False
    reported: bool = False  # the verifier promises a report
    is_reading: bool = False
    seen: dict[FileName, int] = Field(default_factory=dict)  # files it was given of the user's folder: when changed
    ids: str = ""  # digest of the ids of its tests
    in_place: str = ""  # why it ran in the project folder and not in a clean checkout
    base: BaseRun = BaseRun()
    broken: Named = Named()
    red: Named = Named()
    gone: Named = Named()
    flaky: Named = Named()
    skipped: Named = Named()  # tests that ran on the base and are skipped now
    base_tests: BaseTests | None = None
    unnoticed: Named = Named()  # changed definitions that could do nothing without a test that fails
    any_value: Named = Named()  # those that could give any other value of the same type
    equal: Named = Named()  # those that gave what is equal to values of which it differs
    borders: Named = Named()  # their comparisons whose border, where both sides are equal, no test meets
    as_before: Named = Named()  # changed definitions that could do what they did on the base
    unexamined: Named = Named()  # those for which there was no time to find out
    unparsed: tuple[str, ...] = ()  # changed code that cannot be parsed for that
    unrun: Named | None = None  # changed test files that no run reads, and tests that it does not list; None: unknown
    unheard: Named = Named()  # assertions of new tests that may fail, and the run still passes
    indifferent: Named = Named()  # comparisons of new tests that hold with other values of changed code, too
    runner_dependent: tuple[str, ...] = ()  # new tests that fail where their runner does not run them
    unread: tuple[str, ...] = ()  # new parameters and private collections that changed code never reads
    unfailing: tuple[str, ...] = ()  # places of assertions that cannot fail, or whose failure goes unseen
    replaced: tuple[str, ...] = ()  # places of tests that replace what changed code defines
    lenient: tuple[str, ...] = ()  # tests that must fail, and passed beside the others
    red_before: bool | None = None
    red_before_why: str = ""  # what was compared, or why nothing could be
    steering: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    pinned: tuple[str, ...] = ()  # changed code of which an empty line more makes a test fail
    created: tuple[str, ...] = ()  # data that tests compare with, made by the run itself
    repeated: tuple[str, ...] = ()  # places of changed code that hold a value of the changed tests
    rewritten: tuple[str, ...] = ()  # changed code that the run did not see as it is committed
    touched: tuple[str, ...] = ()  # code that the run wrote to
    asking: tuple[str, ...] = ()  # changed code that asks what called it, or where and when it runs
    commented: tuple[str, ...] = ()  # all changed code, if nothing but comments and tests beside it differ
    disguised: tuple[str, ...] = ()  # changed files that do not run as they read
    shared: tuple[str, ...] = ()
    environment_changed: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()  # what a reader of the change says is missing or wrong
    again: tuple[str, ...] = ()  # those of them that an earlier reading said, too
    said: tuple[str, ...] = ()  # what all its readings of the session found
    suggestions: tuple[str, ...] = ()  # what that reader would still ask for; no doubt about the change
    remark: str = ""  # what that reader says beside its findings
    unanswered: str = ""  # why the answer of a reader counts for nothing
    commands_changed: bool = False  # since the session began, so that the user's trust was in other commands


class VerifierRun(Frozen):
    """One run of a verifier, and how it ended; the receipt of a verifier is that of its last run."""

    verifier: str
    at: str
    standing: str  # passed, failed or unproved
    exit: int
    tree: str = ""
    counts: dict[str, int] = Field(default_factory=dict)
    seconds: float = 0.0


class Spent(Frozen):
    """What the calls of our tools cost, in bytes of JSON, and what the files that lookups showed parts of hold.

    `lookups` are the calls that search or read code, `lookup_bytes` their replies. `files` are the files they showed,
    each once, `file_bytes` the size of all of them when they were first shown.
    """

    calls: int = 0
    given: int = 0
    returned: int = 0
    lookups: int = 0
    lookup_bytes: int = 0
    files: int = 0
    file_bytes: int = 0


class ShownDiff(Frozen):
    """The parts of a file's diff that review_changes has shown; `content` is the content they end in."""

    content: str
    parts: tuple[int, ...]
    total: int

    def covers(self, content: str) -> bool:
        """Return True if the whole diff to this content was shown."""
        return self.content == content and len(self.parts) == self.total


class Move(Frozen):
    """The content of a file before and after a change in a phase that forbids writing."""

    before: str
    now: str


class MandatoryRule(Frozen):
    """A rule found in DOCUMENT_RESEARCH."""

    rule: str
    source: str


class LastReply(Frozen):
    """The digest of the last accepted payload, and its reply: a client that lost the reply can ask for it again.

    `row` holds the digests of all payloads that the call had accepted by then, the last one included: a row that was
    cut off can be submitted again as a whole.
    """

    digest: str
    reply: dict[str, Any]
    row: tuple[str, ...] = ()


BranchPolicy = Literal["task", "adopted", "in_place", "none"]
"""task: own branch from READY on; adopted: a stale branch is continued; in_place: commit here; none: no commit."""


class SessionState(Frozen):
    """A session. Paths are relative to the project root, with `/`."""

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
    staged: dict[FileName, str] | None = None  # in the index when the session began; None if that is not compared
    flagged: tuple[FileName, ...] | None = None  # git hid their changes at that time; None if that is not compared
    ignored: dict[FileName, int] = Field(default_factory=dict)  # what git ignored at that time: when it changed (ns)
    copied: dict[FileName, str] = Field(default_factory=dict)  # digests of the small ones of these at that time
    refs: dict[FileName, tuple[str, ...]] = Field(default_factory=dict)  # of the user, with their commits, at that time
    stale_branches: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    trash: tuple[str, ...] = ()
    tree: str = ""  # the work tree at the last submission
    moved: dict[FileName, Move] = Field(default_factory=dict)  # in phases that forbid writing, and not reported since
    verified_tree: str = ""  # what a commit would have held when the verification passed
    failed_tree: str = ""  # and when it failed last
    stuck: bool = False  # the same tree failed twice in a row
    accepted_tree: str = ""  # the failed tree that the user took as it is
    shown: dict[FileName, ShownDiff] = Field(default_factory=dict)  # by review_changes
    # counters
    counters: Counters = Field(default_factory=Counters)
    compaction_count: int = 0
    told_summaries_for: str = ""
    # what the agent submitted
    tasks: tuple[Task, ...] = ()
    plan_round: int = 0
    query_frame: dict[str, Any] = Field(default_factory=dict)
    answers: dict[str, bool] = Field(default_factory=dict)
    overruled: tuple[str, ...] = ()
    refuted: tuple[str, ...] = ()  # hypotheses, while nothing was looked at since
    documents: tuple[str, ...] = ()
    research_prompts: tuple[str, ...] = ()
    trusted: bool = False  # the user's trust in the commands when the session began
    commands: str = ""  # digest of the commands when the session began
    client: str = ""  # the name of the client that started the session
    query_from: str = "unknown"  # who wrote the request: user, agent or unknown
    commits_before: tuple[str, ...] = ()  # of the base: made after the request, and before the session
    changes_before: tuple[FileName, ...] = ()  # files that changed at that time and are not committed
    done_at: str = ""  # when an earlier session on the same request was completed
    asked_on: str = ""  # the branch that was checked out when the user typed the request last
    left_out: str = ""  # words of what the user typed that the request lacks
    options_left: str = ""  # options that the user typed, and that the session does not have
    requests_left: tuple[str, ...] = ()  # what the user typed with `/code` before, and no session has completed
    chosen_by: dict[str, str] = Field(default_factory=dict)  # who chose a flag that drops a gate, or decided
    verifiers: dict[str, str] | None = None  # command ("" for none) by name, when the session began
    protected: dict[FileName, str] | None = None  # digests of files that the write policy protects and no diff shows
    mandatory_rules: tuple[MandatoryRule, ...] = ()
    revert_reason: str = ""
    dropped: tuple[str, ...] = ()  # tasks that left the plan undone, each with its reason
    forced_completion: bool = False
    # what the server saw
    seen: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()
    lines_shown: dict[FileName, tuple[tuple[int, int], ...]] = Field(default_factory=dict)  # ranges with their text
    explored: tuple[str, ...] = ()
    planned_files: tuple[str, ...] = ()
    observed: tuple[ObservedCall, ...] = ()
    called: tuple[str, ...] = ()  # tools with a successful call in any phase
    must_verify: tuple[str, ...] = ()
    impact: dict[str, str] = Field(default_factory=dict)  # the judgment of each file of the impact analysis
    reported: dict[FileName, str] = Field(default_factory=dict)  # digest of each file when a report named it last
    receipts: dict[str, Receipt] = Field(default_factory=dict)
    runs: tuple[VerifierRun, ...] = ()  # of all verifiers, oldest first
    spent: Spent = Spent()
    dependencies: dict[FileName, str] | None = None  # digests of the ignored folders it needs, when the session began
    recall: dict[str, int] = Field(default_factory=dict)
    assessment: dict[str, Any] = Field(default_factory=dict)
    # protocol
    contract_digest: str = ""
    contract_source: str | None = None  # digest of the project's own file, "" for none
    last_reply: LastReply | None = None
    outcome: str = ""
    gaps: dict[str, str] = Field(default_factory=dict)  # what is not proved at the end, by code
    doubts: dict[str, tuple[str, ...]] = Field(default_factory=dict)  # tests and assertions that prove less, by code
    notes: dict[str, str] = Field(default_factory=dict)  # what the outcome does not say by itself, by code

    def content_shown(self, path: str, content: str) -> bool:
        """Return True if review_changes has shown the whole diff of a path to this content."""
        shown = self.shown.get(path)
        return shown is not None and shown.covers(content)

    def tools_called(self) -> frozenset[str]:
        """Return the tools with a successful call in the present phase."""
        return frozenset(call.tool for call in self.observed if call.ok)

    def pending_tasks(self) -> tuple[Task, ...]:
        """Return the tasks that are not yet reported, in the order registered."""
        return tuple(task for task in self.tasks if task.status == "pending")

    def task(self, task_id: str) -> Task | None:
        """Return the task with that id."""
        return next((task for task in self.tasks if task.id == task_id), None)
