"""Termination, proved: every flag set with every outcome is walked to its end, through the real `decide`.

A node is all of the state that can decide what comes next. A loop that no counter ends would close a cycle
between nodes; the only nodes that may be left without an end are those at which the user is asked.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from codeintel_contract.flags import Flags, check_combination
from codeintel_contract.names import Intent, Key
from codeintel_contract.violations import ContractViolation
from codeintel_session.machine.decide import Decision, current, start
from codeintel_session.machine.facts import Changed, Facts, FileFact, VerifierFact
from codeintel_session.machine.judges.ready import escalation_due
from codeintel_session.machine.limits import INTERVENTIONS
from codeintel_session.machine.state import Counters, SessionState, ShownDiff
from codeintel_session.machine.steps import ROWS, active_tags, number_of
from codeintel_session.testing import judge, saw, state_at

SWITCHES = [name for name, field in Flags.model_fields.items() if field.annotation is bool]
LATE = frozenset().union(*(row.dropped_by for row in ROWS.values() if row.number >= 12))
FACTS = Facts(
    files={name: FileFact("a.py", True, True, 9) for name in ("a.py", "a.py:1")},
    changes=(Changed("a.py", "modified", hunks=((1, 9),)),),
    prompts=("p.md", "user_escalation.md"),
    verifiers={"v.md": VerifierFact("v.md", False)},
)
SLOTS = {"observed_issue": {"value": "count_all fails", "quote": ""}}


def flag_sets() -> Iterator[tuple[Flags, Intent]]:
    for values in product((False, True), repeat=len(SWITCHES)):
        for gate, intent in product(("auto", "full"), (Intent.MODIFY, Intent.QUESTION)):
            flags = Flags(gate_level=gate, **dict(zip(SWITCHES, values, strict=True)))
            try:
                yield check_combination(flags, intent)[0], intent
            except ContractViolation:
                continue


def submissions(state: SessionState) -> list[dict[str, Any]]:
    """All outcomes a phase can have."""
    key = current(state).key
    item = {"item": "i", "status": "done", "evidence": "a.py:1"}
    plan: dict[str, Any] = {
        "tasks": [{"id": "t", "description": "d", "checklist": [{"item": "i"}]}],
    }
    verdict = {"verifier_used": "v", "details": "d"}
    review = {"quality_prompt_used": "p", "quality_score": "s"}
    return {
        Key.BRANCH_INTERVENTION: [{"choice": "delete"}, {"choice": "continue"}],
        Key.DOCUMENT_RESEARCH: [{"documents_reviewed": ["a.py"]}],
        Key.QUERY_FRAME: [frame(state)],
        Key.EXPLORATION: [{"explored_files": ["a.py"], "findings": ["f"]}],
        Key.Q1: gate("needs_more_information"),
        Key.SEMANTIC: [{"search_query": "q", "search_results": ["r"], "tools_used": ["semantic_search"]}],
        Key.Q2: gate("has_unverified_hypotheses"),
        Key.VERIFICATION: [{"hypotheses_verified": [{"hypothesis": "h", "result": True, "evidence": "a.py:1"}]}],
        Key.Q3: gate("needs_impact_analysis"),
        Key.IMPACT_ANALYSIS: [{"impact_summary": {"a.py": "will_modify"}, "tools_used": ["analyze_impact"]}],
        Key.READY_PLAN: [plan],
        Key.READY_IMPL: [{"task_id": "t", "checklist": [item], "tools_used": ["check_write_target"]}],
        Key.READY_COMPLETE: [{}],
        Key.POST_IMPL_VERIFY: [{**verdict, "passed": True}, {**verdict, "passed": False}],
        Key.VERIFY_INTERVENTION: [{"prompt_used": "user_escalation", "action_taken": "a"}],
        Key.PRE_COMMIT: [
            {
                "review_prompt_used": "p",
                "reviewed_files": ["a.py"],
                "commit_message": "m",
                "tools_used": ["review_changes"],
            }
        ],
        Key.QUALITY_REVIEW: [{**review, "issues": []}, {**review, "issues": ["i"]}],
        Key.MERGE: [{}],
    }[key]


def frame(state: SessionState) -> dict[str, Any]:
    slots = {"observed_issue": {"value": "fix count_all", "quote": "fix count_all"}}
    return {"action_type": "a", "target_symbols": ["x"], "scope": "s", "constraints": "c", "slots": slots}


def gate(name: str) -> list[dict[str, Any]]:
    return [{name: answer, "reason": "because it is so"} for answer in (True, False)]


def node(state: SessionState) -> tuple[object, ...]:
    """What decides the rest of a session; from READY on the exploration's flags no longer do."""
    active = active_tags(state.flags, state.intent)
    step = state.phase_state.step
    counters = state.counters
    early: tuple[object, ...] = (active, state.flags.gate_level, state.intent, state.documents) if step < 12 else ()
    return (
        step,
        active & LATE,
        *early,
        bool(state.stale_branches),
        state.branch_policy,
        counters.verification_failure_count,
        counters.quality_revert_count,
        counters.intervention_count,
        tuple((task.status, task.failure_count, task.round == state.plan_round) for task in state.tasks),
        {15, 18} <= set(state.completed_steps),
        state.forced_completion,
    )


def asks_the_user(state: SessionState) -> bool:
    key = current(state).key
    if key is Key.VERIFY_INTERVENTION:
        return state.counters.intervention_count >= INTERVENTIONS
    return key is Key.READY_PLAN and escalation_due(state)


def begin(flags: Flags, intent: Intent) -> SessionState:
    blank = state_at(4, flags=flags, intent=intent, explored=("a.py",), seen=("a.py",), stale_branches=("s",))
    documents = () if flags.no_doc else ("a.py",)
    shown = {"a.py": ShownDiff(content="", parts=(1,), total=1)}
    return start(blank.model_copy(update={"documents": documents, "shown": shown}))


def move(state: SessionState, fields: dict[str, Any]) -> Decision:
    is_committed = state.phase_state.step > number_of(Key.PRE_COMMIT)
    changes = tuple(replace(change, committed=is_committed) for change in FACTS.changes)
    return judge(saw(state), replace(FACTS, changes=changes), **fields)


def test_every_path_ends_or_stands_where_the_user_is_asked() -> None:
    done: set[object] = set()
    ends: set[int] = set()
    asked = 0
    for flags, intent in flag_sets():
        open_nodes: set[object] = set()
        stack: list[tuple[SessionState, Iterator[dict[str, Any]]]] = []

        def enter(state: SessionState, stack: Any = stack, open_nodes: set[object] = open_nodes) -> None:
            nonlocal asked
            here = node(state)
            assert here not in open_nodes, f"a loop without a limit through {here}"
            if here in done:
                return
            if asks_the_user(state):
                asked += 1
                done.add(here)
                return
            open_nodes.add(here)
            stack.append((state, iter(submissions(state))))

        enter(begin(flags, intent))
        while stack:
            state, rest = stack[-1]
            fields = next(rest, None)
            if fields is None:
                done.add(node(state))
                open_nodes.discard(node(state))
                stack.pop()
                continue
            decision = move(state, fields)
            if decision.ending is None:
                enter(decision.state)
            else:
                assert decision.state.phase_state.current_phase == "SESSION_COMPLETE"
                ends.add(current(state).number)
    assert ends == {10, 11, 14, 15, 19}
    assert asked > 10


def test_where_the_user_is_asked_nothing_goes_on_without_them() -> None:
    stuck = state_at(16, counters=Counters(intervention_count=2))
    with pytest.raises(ContractViolation, match="user_escalation"):
        move(stuck, {"prompt_used": "p", "action_taken": "again"})
    stuck = state_at(12, flags=Flags(quick=True), counters=Counters(verification_failure_count=6))
    with pytest.raises(ContractViolation, match="user_decision_required"):
        move(stuck, submissions(stuck)[0])
