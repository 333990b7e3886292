"""A scripted agent that submits a valid payload for any phase."""

from collections.abc import Callable
from typing import Any

from codeintel_contract import Key
from codeintel_session.machine.decide import current
from codeintel_session.machine.observations import ToolCall
from codeintel_session.machine.state import SessionState
from codeintel_session.replies.reply import Reply
from codeintel_session.service import SessionService
from codeintel_session.testing.repository import MODULE, Repo
from codeintel_session.tools.session_tools import check_write_target, review_changes

QUERY = "make count_all return the number of values when the list is empty because it crashes with an error"

Payload = dict[str, Any]


class Driver:
    """An agent that does everything right; its attributes are its answers where there is a choice."""

    def __init__(self, service: SessionService, repo: Repo | None = None) -> None:
        self.service = service
        self.repo = repo
        self.answers = {"q1": False, "q2": False, "q3": False}
        self.choice = "continue"
        self.passed = True
        self.issues: list[str] = []
        self.commit_message = "Count empty lists too"
        self.targets = ["count_all"]
        self.explored = [MODULE]
        self.edits = 0

    @property
    def state(self) -> SessionState:
        """The running session."""
        return self.service.require()

    def start(self, intent: str = "MODIFY", query: str = QUERY, **flags: object) -> Reply:
        """Start a session."""
        return self.service.start(intent, query, flags)

    def key(self) -> Key:
        """Return the contract key of the present phase."""
        return current(self.state).key

    def see(self, tool: str, *shown: str, **more: Any) -> None:
        """Record a call of one of our tools."""
        self.service.observe(ToolCall(tool=tool, shown=shown, **more))

    def payload(self) -> Payload:
        """Return a valid payload for the present phase, after doing what it requires."""
        key = self.key()
        fields = _PLAY[key](self)
        return {"summary": f"{key.value} done", "compaction_count": self.state.compaction_count, **fields}

    def submit(self, **changes: Any) -> Reply:
        """Submit a valid payload, with fields changed; a field set to ... is left out."""
        payload = {**self.payload(), **changes}
        return self.service.submit({name: value for name, value in payload.items() if value is not ...})

    def accept(self, **changes: Any) -> Reply:
        """Submit, and fail unless the submission is accepted."""
        reply = self.submit(**changes)
        assert reply["success"], reply
        return reply

    def until(self, key: Key, limit: int = 60) -> "Driver":
        """Submit until the session has reached a phase."""
        for _ in range(limit):
            if self.key() is key:
                return self
            self.accept()
        raise AssertionError(f"the session never reached {key.value}")

    def finish(self, limit: int = 80) -> Reply:
        """Submit until the session ends; return the last reply."""
        for _ in range(limit):
            reply = self.accept()
            if reply["phase"] == "SESSION_COMPLETE":
                return reply
        raise AssertionError("the session never ended")

    def edit(self) -> str:
        """Change the module; return evidence for the change."""
        assert self.repo is not None
        self.edits += 1
        text = self.repo.read(MODULE) if (self.repo.root / MODULE).exists() else ""
        self.repo.write(MODULE, f"{text}\n\ndef more_{self.edits}(values):\n    return [{self.edits}, *values]\n")
        lines = len(self.repo.read(MODULE).splitlines())
        return f"{MODULE}:{lines - 1}-{lines}"


def _explore(driver: Driver) -> Payload:
    driver.see("search_text", *driver.explored)
    driver.see("find_references", *driver.explored, subject="count_all")
    return {
        "explored_files": driver.explored,
        "findings": ["count_all takes a list"],
        "tools_used": ["search_text", "mcp__code-intel__find_references"],
    }


def _frame(driver: Driver) -> Payload:
    slots = {
        "target_feature": {"value": "count_all", "quote": "count_all"},
        "observed_issue": {"value": "it crashes with an error", "quote": "because it crashes with an error"},
        "desired_action": {"value": "return the number", "quote": "return the number of values"},
    }
    return {
        "action_type": "modify",
        "target_symbols": driver.targets,
        "scope": "one function",
        "constraints": "none",
        "slots": slots if driver.state.query == QUERY else ...,
        "tools_used": [],
    }


def _gate(name: str, answer: str) -> Callable[[Driver], Payload]:
    return lambda driver: {answer: driver.answers[name], "reason": "it is a small and local change", "tools_used": []}


def _semantic(driver: Driver) -> Payload:
    driver.see("semantic_search", count=1)
    return {"search_query": "counting", "search_results": [f"{MODULE}:1 counts"], "tools_used": ["semantic_search"]}


def _verification(driver: Driver) -> Payload:
    entry = {"hypothesis": "it counts", "result": True, "evidence": f"{MODULE}:1"}
    return {"hypotheses_verified": [entry], "tools_used": []}


def _impact(driver: Driver) -> Payload:
    driver.see("analyze_impact", must_verify=(MODULE,))
    return {"impact_summary": {MODULE: "will_modify: the function"}, "tools_used": ["analyze_impact"]}


def _plan(driver: Driver) -> Payload:
    old = [{"id": task.id, "description": task.description, "status": task.status} for task in driver.state.tasks]
    new = {
        "id": f"task_{driver.state.plan_round + 1}",
        "description": f"change count_all in {MODULE}",
        "status": "pending",
        "checklist": [{"item": "the change", "status": "pending"}],
    }
    decided = {"user_decision": "go on"} if driver.state.counters.verification_failure_count >= 6 else {}
    return {"tasks": [*old, new], "tools_used": [], **decided}


def _implement(driver: Driver) -> Payload:
    if MODULE not in driver.state.explored:
        driver.service.change(lambda now: {"explored": (*now.explored, MODULE)})
    check_write_target(driver.service, MODULE)
    driver.see("check_write_target")
    evidence = driver.edit()
    task = driver.state.pending_tasks()[0]
    items = [{"item": item.item, "status": "done", "evidence": evidence} for item in task.checklist]
    return {"task_id": task.id, "checklist": items, "tools_used": ["check_write_target"]}


def _verify(driver: Driver) -> Payload:
    return {"verifier_used": "generic.md", "passed": driver.passed, "details": "looked at it", "tools_used": []}


def _intervene(driver: Driver) -> Payload:
    prompt = "user_escalation.md" if driver.state.counters.intervention_count >= 2 else "step_back.md"
    return {"prompt_used": prompt, "action_taken": "another way", "tools_used": []}


def review_all(driver: Driver) -> list[dict[str, Any]]:
    """Call review_changes until it has shown everything; return its rows."""
    page = review_changes(driver.service)
    rows: list[dict[str, Any]] = page["changes"]
    while page["truncated"]:
        page = review_changes(driver.service, offset=page["next_offset"])
        rows += page["changes"]
    driver.see("review_changes", count=len(rows))
    return rows


def is_to_review(row: dict[str, Any]) -> bool:
    """Return True for a row of review_changes that needs a decision."""
    return row["whose"] != "preexisting" and "committed" not in row


def _pre_commit(driver: Driver) -> Payload:
    rows = review_all(driver)
    return {
        "review_prompt_used": "garbage_detection.md",
        "reviewed_files": [*dict.fromkeys(row["path"] for row in rows if is_to_review(row))],
        "commit_message": driver.commit_message,
        "tools_used": ["review_changes"],
    }


def _quality(driver: Driver) -> Payload:
    return {"quality_prompt_used": "quality_review", "quality_score": "good", "issues": driver.issues, "tools_used": []}


_PLAY: dict[Key, Callable[[Driver], Payload]] = {
    Key.BRANCH_INTERVENTION: lambda driver: {"choice": driver.choice, "tools_used": []},
    Key.DOCUMENT_RESEARCH: lambda driver: {"documents_reviewed": list(driver.state.documents), "tools_used": []},
    Key.QUERY_FRAME: _frame,
    Key.EXPLORATION: _explore,
    Key.Q1: _gate("q1", "needs_more_information"),
    Key.SEMANTIC: _semantic,
    Key.Q2: _gate("q2", "has_unverified_hypotheses"),
    Key.VERIFICATION: _verification,
    Key.Q3: _gate("q3", "needs_impact_analysis"),
    Key.IMPACT_ANALYSIS: _impact,
    Key.READY_PLAN: _plan,
    Key.READY_IMPL: _implement,
    Key.READY_COMPLETE: lambda driver: {},
    Key.POST_IMPL_VERIFY: _verify,
    Key.VERIFY_INTERVENTION: _intervene,
    Key.PRE_COMMIT: _pre_commit,
    Key.QUALITY_REVIEW: _quality,
    Key.MERGE: lambda driver: {},
}
