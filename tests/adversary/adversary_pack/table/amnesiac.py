"""Amnesiac: has forgotten where it stands, and does what belonged to another phase, plan or session."""

from typing import Any

from adversary_pack.changing import item
from adversary_pack.row import Cheat
from adversary_pack.scene import Scene

Payload = dict[str, Any]


async def _again(stand: Scene) -> Payload:
    """Hands the last accepted submission in once more, and is given the same answer; the session stays."""
    agent = stand.agent
    payload = await agent.prepare()
    await agent.go_with(payload)
    stood = agent.step
    reply = await agent.tool("submit_phase", data=payload)
    status = await agent.tool("get_session_status")
    if status["step"] != stood:
        raise AssertionError(f"moved from {stood} to {status['step']}")
    return reply


async def _after_the_end(stand: Scene) -> Payload:
    agent = stand.agent
    while agent.step != 20:
        await agent.go()
    return await agent.tool("submit_phase", data={"summary": "One more thing.", "issues": []})


async def _other_round(stand: Scene) -> Payload:
    """Reports the task of a round before, after the flow went back to planning."""
    agent = stand.agent
    payload = await agent.prepare()
    return await agent.hand_in({**payload, "task_id": "task_1"})


def _forged_count(answers: list[Payload]) -> bool:
    """A count that the agent made up makes the server tell all it knows, and is never counted back."""
    return answers[0].get("compaction_count", 0) >= 41 and "phase_summaries" in answers[0]


TASK = {"id": "t1", "description": "Again", "status": "pending", "checklist": [{"item": "All of it"}]}

# fmt: off
ROWS = (
    Cheat("amnesiac-again", "hands in what was accepted last once more", 5, "session_messages.resubmitted",
          play=_again),
    Cheat("amnesiac-again-plan", "hands in its plan once more", 12, "session_messages.resubmitted", play=_again,
          stage="fast"),
    Cheat("amnesiac-after-the-end", "submits to a session that has ended", 14, "session_messages.no_active_session",
          play=_after_the_end, stage="quick"),
    Cheat("amnesiac-frame-again", "frames the request while it should explore", 5,
          "common_failures.payload_mismatch", lambda payload: {
              "summary": "framed", "action_type": "add", "target_symbols": ["count_all"], "scope": "all",
              "constraints": "none"}),
    Cheat("amnesiac-next-phase", "answers the gate of the phase after", 5, "common_failures.payload_mismatch",
          lambda _: {"summary": "yes", "needs_more_information": True, "reason": "there may be more to it"}),
    Cheat("amnesiac-two-ahead", "answers the second gate at the first", 6, "common_failures.payload_mismatch",
          lambda _: {"summary": "no", "has_unverified_hypotheses": False, "reason": "nothing is left open"}),
    Cheat("amnesiac-plan-in-gate", "plans while a gate is open", 8, "failures.READY.phase_mismatch_register",
          lambda _: {"summary": "plan", "tasks": [TASK]}),
    Cheat("amnesiac-report-in-plan", "reports a task while it should plan", 12,
          "failures.READY.phase_mismatch_complete", lambda _: {"summary": "done", "task_id": "t1", "checklist": []}),
    Cheat("amnesiac-plan-in-work", "plans anew in the middle of the work", 13,
          "failures.READY.phase_mismatch_register", lambda _: {"summary": "plan", "tasks": [TASK]}),
    Cheat("amnesiac-plan-in-review", "plans anew in the review", 18, "failures.READY.phase_mismatch_register",
          lambda _: {"summary": "plan", "tasks": [TASK]}),
    Cheat("amnesiac-commit-in-verify", "commits before it has verified", 15, "common_failures.payload_mismatch",
          lambda _: {"summary": "commit", "review_prompt_used": "garbage_detection.md", "reviewed_files": [],
                     "commit_message": "Done"}),
    Cheat("amnesiac-merge-in-commit", "merges before it has committed", 17, "common_failures.payload_mismatch",
          lambda _: {"summary": "merge"}),
    Cheat("amnesiac-items", "reports the items of another plan", 13, "failures.READY.checklist_items_mismatch",
          item(item="Write the tests for it")),
    Cheat("amnesiac-round", "reports the task of the round before", 13, "failures.READY.already_completed",
          play=_other_round, visit=2, stage="failing"),
    Cheat("amnesiac-session", "starts a second session over the first", 12,
          "tool_errors.start_session.session_unfinished",
          instead=("start_session", {"intent": "IMPLEMENT", "query": "Something else"})),
    Cheat("amnesiac-resume", "resumes a session that never was", 13, "tool_errors.get_session_status.unknown_session",
          instead=("get_session_status", {"session_id": "20200101_000000_dead", "discard_active": True})),
    Cheat("amnesiac-review-early", "reviews changes before there are any", 5,
          "tool_errors.review_changes.phase_blocked", instead=("review_changes", {})),
    Cheat("amnesiac-verifier-early", "runs the tests while it explores", 4, "tool_errors.run_verifier.phase_blocked",
          instead=("run_verifier", {"name": "tests"}), stage="verifier"),
    Cheat("amnesiac-search-late", "searches by meaning while it commits", 17,
          "tool_errors.semantic_search.phase_blocked", instead=("semantic_search", {"query": "sum of numbers"})),
    Cheat("amnesiac-add-early", "adds files to the explored ones before READY", 5,
          "tool_errors.add_explored_files.phase_mismatch",
          instead=("add_explored_files", {"files": ["src/users.py"]})),
    Cheat("amnesiac-write-early", "asks to write while it frames the request", 4,
          "tool_errors.check_write_target.write_phase_blocked",
          instead=("check_write_target", {"file_path": "src/stats.py"})),
    Cheat("amnesiac-write-late", "asks to write after all tasks were reported", 14,
          "tool_errors.check_write_target.write_phase_blocked",
          instead=("check_write_target", {"file_path": "src/stats.py"})),
    Cheat("amnesiac-cleanup", "cleans up branches in the middle of its own session", 13,
          "tool_errors.cleanup_stale_branches.session_running",
          instead=("cleanup_stale_branches", {"action": "delete"})),
    Cheat("amnesiac-count", "makes up how often it has forgotten", 12, "void: told everything again",
          {"compaction_count": 41}, void=_forged_count, stage="fast"),
    Cheat("amnesiac-field", "submits a field of a version that never was", 12, "common_failures.payload_mismatch",
          {"auto_approve": True}),
    Cheat("amnesiac-prose", "submits a sentence in place of an object", 13, "session_messages.invalid_data",
          lambda _: "All is done, please go on."),
)
