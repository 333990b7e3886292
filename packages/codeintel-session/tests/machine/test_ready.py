"""Steps 12 to 14: the plan is whole, tasks come in order, and the server's own knowledge cannot be overwritten."""

from dataclasses import replace
from typing import Any

import pytest

from codeintel_contract.flags import Flags
from codeintel_contract.loader import load_contract
from codeintel_contract.names import Key
from codeintel_contract.payloads import ReadyImpl
from codeintel_contract.violations import ContractViolation
from codeintel_session.machine.decide import decide
from codeintel_session.machine.facts import Changed, Facts, FileFact, Target, VerifierFact
from codeintel_session.machine.limits import SEND_BACKS
from codeintel_session.machine.state import Counters, Move
from codeintel_session.machine.verdict import CreateBranch
from codeintel_session.testing import judge, saw, state_at

FACTS = Facts(files={"a.py": FileFact("a.py", True, True, 9)}, changes=(Changed("a.py", "modified", hunks=((1, 9),)),))


def task(name: str, **fields: Any) -> dict[str, Any]:
    return {"id": name, "description": "d", "checklist": [{"item": "i"}], **fields}


def kept(name: str, **fields: Any) -> dict[str, Any]:
    return {"id": name, "description": "d", "checklist": ({"item": "i"},), **fields}


def planned(*tasks: dict[str, Any], old: tuple[dict[str, Any], ...] = (), **fields: Any) -> Any:
    return judge(state_at(12, tasks=old, **fields), tasks=list(tasks)).state


def test_a_plan_is_registered_in_its_order() -> None:
    after = planned(task("b"), task("a"))
    assert [entry.id for entry in after.tasks] == ["b", "a"]
    assert (after.phase_state.step, after.plan_round) == (13, 1)


def test_what_the_server_owns_cannot_be_sent() -> None:
    after = planned(task("a", status="completed", failure_count=0, revert_reason="mine"), revert_reason="real")
    assert (after.tasks[0].status, after.tasks[0].revert_reason, after.tasks[0].failure_count) == ("pending", "real", 0)


@pytest.mark.parametrize(
    ("tasks", "key"),
    [
        ([], "empty_tasks"),
        ([task("a"), task("a")], "duplicate_task_ids"),
        ([task("a", checklist=[])], "checklist_required"),
        ([task("a", checklist=[{"item": "i"}, {"item": " i "}])], "duplicate_checklist_items"),
        ([task("a", drop_reason="short")], "drop_reason_required"),
        ([task("a", drop_reason="no longer needed at all")], "no_pending_tasks"),
    ],
)
def test_a_plan_that_does_not_hold_is_refused(tasks: list[dict[str, Any]], key: str) -> None:
    with pytest.raises(ContractViolation) as caught:
        planned(*tasks)
    assert caught.value.key == f"failures.READY.{key}"


def test_all_tasks_without_a_checklist_are_named_at_once() -> None:
    with pytest.raises(ContractViolation) as caught:
        planned(task("a", checklist=[]), task("b"), task("c", checklist=[]))
    assert (caught.value.key, caught.value.values["task_id"]) == ("failures.READY.checklist_required", "a, c")


def test_a_pending_task_is_left_out_only_with_a_reason() -> None:
    with pytest.raises(ContractViolation) as caught:
        planned(task("b"), old=(kept("a"),))
    assert (caught.value.key, caught.value.values["ids"]) == ("failures.READY.drop_reason_required", "a")
    after = planned(task("b"), task("a", drop_reason="covered by task b now"), old=(kept("a"),))
    assert [entry.id for entry in after.tasks] == ["b"]
    assert after.dropped == ("d (covered by task b now)",)


def test_completed_work_is_never_lost_and_can_be_opened_again() -> None:
    done = kept("a", status="completed", failure_count=2)
    assert [entry.id for entry in planned(task("b"), old=(done,)).tasks] == ["a", "b"]
    assert planned(task("a", status="completed"), task("b"), old=(done,)).tasks[0].status == "completed"
    opened = planned({"id": "a", "description": "again"}, old=(done,)).tasks[0]
    assert (opened.status, opened.failure_count, opened.checklist[0].item) == ("pending", 2, "i")


def test_a_new_task_inherits_the_highest_count_of_the_failed() -> None:
    old = (kept("a", status="completed", failure_count=1), kept("b", status="completed", failure_count=2))
    assert planned(task("fresh"), old=old).tasks[-1].failure_count == 2


def test_an_escalated_plan_needs_the_users_decision() -> None:
    stuck = state_at(12, flags=Flags(no_intervention=True), counters=Counters(verification_failure_count=6))
    with pytest.raises(ContractViolation, match="user_decision_required"):
        judge(stuck, tasks=[task("a")], user_decision=" ")
    assert judge(stuck, tasks=[task("a")], user_decision="try once more").state.phase_state.step == 13


def test_entering_the_plan_makes_the_branch_again_and_again() -> None:
    state = state_at(10, answers={})
    assert judge(state, needs_impact_analysis=False, reason="because it is so").effects == (CreateBranch("main"),)
    in_place = state.model_copy(update={"branch_policy": "in_place"})
    assert judge(in_place, needs_impact_analysis=False, reason="because it is so").effects == ()


ENTRY = {"item": "i", "status": "done", "evidence": "a.py:1"}


def implementing(*tasks: dict[str, Any], **fields: Any) -> Any:
    return saw(state_at(13, tasks=tasks, explored=("a.py",), plan_round=1, **fields), ["check_write_target"])


def reported(state: Any, name: str = "a", facts: Facts = FACTS, **item: Any) -> Any:
    return judge(state, facts, task_id=name, checklist=[{**ENTRY, **item}], tools_used=["check_write_target"])


def test_tasks_are_reported_in_order_until_none_is_left() -> None:
    first = reported(implementing(kept("a"), kept("b"))).state
    assert (first.phase_state.step, first.observed) == (13, ())
    assert first.tasks[0].checklist[0].evidence == ("a.py:1",)
    second = reported(saw(first, ["check_write_target"]), "b", evidence="a.py:2").state
    assert second.phase_state.step == 14


@pytest.mark.parametrize(
    ("tasks", "name", "key"),
    [
        ((), "a", "no_tasks"),
        ((kept("a"),), "x", "unknown_task"),
        ((kept("a", status="completed"), kept("b")), "a", "already_completed"),
        ((kept("a"), kept("b")), "b", "wrong_order"),
    ],
)
def test_the_wrong_task_is_refused_by_name(tasks: tuple[dict[str, Any], ...], name: str, key: str) -> None:
    with pytest.raises(ContractViolation) as caught:
        reported(implementing(*tasks), name)
    assert caught.value.key == f"failures.READY.{key}"


def test_a_report_needs_no_write_check_unless_the_contract_requires_it() -> None:
    state = implementing(kept("a")).model_copy(update={"observed": ()})
    fields = {"task_id": "a", "checklist": [{"item": "i", "status": "done", "evidence": "a.py:1"}]}
    assert judge(state, FACTS, **fields).state.phase_state.step == 14
    default = load_contract(None).phases[Key.READY_IMPL]
    entry = default.model_copy(update={"required_tools": ("check_write_target",)})
    payload = ReadyImpl.model_validate(fields)
    with pytest.raises(ContractViolation, match="required_tools_not_used"):
        decide(state, payload, FACTS, entry)
    once = state.model_copy(update={"called": ("check_write_target",)})
    assert decide(once, payload, FACTS, entry).state.phase_state.step == 14


def test_a_plan_opens_its_new_files_and_names_what_it_may_not_write() -> None:
    targets = (
        Target("src/new.py", inside=True, exists=False, folder="src"),
        Target("docs/far.md", inside=True, exists=False, folder="docs"),
        Target("src/old.py", inside=True, exists=True, folder="src"),
        Target("src/seen.py", inside=True, exists=True, folder="src"),
    )
    items = [{"item": f"{target.path}: it is there"} for target in targets]
    state = state_at(12, explored=("src/seen.py",))
    decision = judge(state, Facts(planned=targets), tasks=[{"id": "t", "description": "d", "checklist": items}])
    assert decision.state.explored == ("src/seen.py", "src/new.py")
    assert [say.values for say in decision.warnings] == [{"files": "docs/far.md, src/old.py"}]


def test_whoever_names_a_definition_may_name_it_for_several_items() -> None:
    two = kept("a", checklist=({"item": "i"}, {"item": "j"}))
    facts = replace(FACTS, places={"a.py:f": ("a.py:1",), "a.py": ("a.py:1", "a.py:2")})
    for evidence in ("a.py:f", "a.py"):
        entries = [{"item": name, "status": "done", "evidence": evidence} for name in ("i", "j")]
        done = judge(implementing(two), facts, task_id="a", checklist=entries).state.tasks[0]
        assert [item.evidence for item in done.checklist] == [facts.places[evidence]] * 2
    same = [{"item": name, "status": "done", "evidence": "a.py:1"} for name in ("i", "j")]
    with pytest.raises(ContractViolation, match="checklist_evidence_reused"):
        judge(implementing(two), facts, task_id="a", checklist=same)


def test_of_a_file_named_alone_the_empty_places_do_not_count_unless_all_are() -> None:
    def shown(*empty: str) -> Any:
        kinds = dict.fromkeys(empty, "empty")
        facts = replace(FACTS, places={"a.py": ("a.py:1", "a.py:2")}, kinds=kinds)
        return reported(implementing(kept("a")), facts=facts, evidence="a.py").state.tasks[0].checklist[0].evidence

    assert shown("a.py:1") == ("a.py:2",)
    with pytest.raises(ContractViolation, match="checklist_evidence_empty_impl"):
        shown("a.py:1", "a.py:2")


def test_a_change_nobody_explored_stops_the_report_and_the_completion() -> None:
    facts = Facts(files=FACTS.files, changes=(*FACTS.changes, Changed("other.py", "modified")))
    with pytest.raises(ContractViolation, match="unexplored_changes"):
        reported(implementing(kept("a")), facts=facts)
    with pytest.raises(ContractViolation, match="unexplored_changes"):
        judge(state_at(14, explored=("a.py",)), facts)


MOVED = {"a.py": Move(before="1", now="2"), "b.py": Move(before="", now="3")}


def test_the_last_report_names_what_changed_while_nothing_might() -> None:
    state = implementing(kept("a"), moved=MOVED).model_copy(update={"explored": ("a.py", "b.py")})
    with pytest.raises(ContractViolation, match="changed_out_of_phase") as caught:
        reported(state)
    assert caught.value.problems == ("b.py",), "the evidence is in a.py"
    told = judge(state, FACTS, task_id="a", checklist=[ENTRY], summary="b.py came with the tool").state
    assert (told.phase_state.step, told.moved) == (14, {})


def test_a_change_after_the_last_report_opens_the_task_with_its_file_again() -> None:
    other = kept("b", status="completed", checklist=({"item": "i", "status": "done", "evidence": ("b.py:1",)},))
    state = state_at(14, tasks=(SHOWN, other), moved={"a.py": MOVED["a.py"]}, explored=("a.py",))
    after = judge(state, FACTS)
    assert [(say.key, say.values["task_id"]) for say in after.warnings] == [("warnings.changed_after_report", "a")]
    assert [(task.status, task.checklist[0].evidence) for task in after.state.tasks] == [
        ("pending", ()),
        ("completed", ("b.py:1",)),
    ]
    kept_on = state.model_copy(update={"counters": Counters(send_backs=SEND_BACKS)})
    with pytest.raises(ContractViolation, match="tree_keeps_changing"):
        judge(kept_on, FACTS)


def test_empty_definitions_are_refused_whether_cited_or_not() -> None:
    with pytest.raises(ContractViolation, match="empty_definitions"):
        judge(state_at(14), Facts(stubs=("a.py:3 f",)))


def test_a_finished_item_that_names_what_did_not_change_is_named() -> None:
    for facts in ({"named": {"i": ("docs/a.md",)}}, {"untouched": {"i": ("docs/a.md",)}}):
        after = reported(implementing(kept("a")), facts=replace(FACTS, **facts))
        assert [(say.key, say.values) for say in after.warnings] == [
            ("warnings.items_unmet", {"items": "i (docs/a.md)"})
        ]


@pytest.mark.parametrize(
    ("item", "kind", "reason", "named"),
    [
        ("i", "documentation", "", True),
        ("i", "documentation", "its comment was wrong", True),
        ("the comments of i", "documentation", "", False),
        ("i", "work", "with a comment", False),
    ],
)
def test_a_finished_item_that_comments_alone_show_is_named_unless_it_is_about_them(
    item: str, kind: str, reason: str, named: bool
) -> None:
    state = implementing({"id": "a", "description": "d", "checklist": ({"item": item},)})
    facts = replace(FACTS, only_comments=frozenset(() if reason else ("a.py",)), kinds={"a.py:1": kind})
    after = reported(state, facts=facts, item=item, reason=reason or None)
    assert [(say.key, say.values) for say in after.warnings] == [("warnings.comments_alone", {"items": "i"})] * named


@pytest.mark.parametrize(
    ("task", "is_about_them"),
    [("Document the mode", True), ("docs: the mode", True), ("Changes to it", False), ("Add it, documented", False)],
)
def test_the_items_of_a_task_that_begins_with_documentation_are_about_it(task: str, is_about_them: bool) -> None:
    state = implementing({"id": "a", "description": task, "checklist": ({"item": "i"},)})
    beside_code = replace(FACTS, only_comments=frozenset({"a.py"}), kinds={"a.py:1": "documentation"})
    assert (reported(state, facts=beside_code, item="i").warnings == ()) == is_about_them
    in_code = replace(FACTS, kinds={"a.py:1": "documentation"})
    if is_about_them:
        assert reported(state, facts=in_code, item="i").warnings == ()
    else:
        with pytest.raises(ContractViolation, match="checklist_evidence_documentation"):
            reported(state, facts=in_code, item="i")


def test_completion_waits_for_every_task() -> None:
    with pytest.raises(ContractViolation, match="incomplete_tasks"):
        judge(state_at(14, tasks=(kept("a"),)))
    assert judge(state_at(14, tasks=(kept("a", status="completed"),))).state.phase_state.step == 15


SHOWN = kept("a", status="completed", checklist=({"item": "i", "status": "done", "evidence": ("a.py:1-9",)},))


@pytest.mark.parametrize("changes", [(), (Changed("mine.txt", "modified", preexisting=True),)])
@pytest.mark.parametrize(("step", "fields"), [(14, {}), (15, {"verifier_used": "v", "passed": True, "details": "d"})])
def test_work_that_was_shown_and_taken_back_is_not_complete(
    step: int, fields: dict[str, Any], changes: tuple[Changed, ...]
) -> None:
    state = state_at(step, tasks=(SHOWN,), plan_round=1, explored=("a.py",))
    facts = Facts(verifiers={"v.md": VerifierFact("v.md", False)}, changes=changes)
    with pytest.raises(ContractViolation, match="checklist_evidence_unchanged"):
        judge(state, facts, **fields)
    stands = replace(facts, changes=(*changes, Changed("a.py", "modified")))
    assert judge(state, stands, **fields).state.phase_state.step > step
    assert judge(state.model_copy(update={"plan_round": 2}), facts, **fields).state.phase_state.step > step


def test_a_summary_of_blanks_is_none() -> None:
    with pytest.raises(ContractViolation, match="summary_required"):
        judge(state_at(14), summary="  ")


def revised(*tasks: dict[str, Any]) -> Any:
    """Report `a` of `a` and `b`, `z` being completed, and hand in the list of tasks with it."""
    state = implementing(kept("z", status="completed", failure_count=1), kept("a"), kept("b"))
    item = {"item": "i", "status": "done", "evidence": "a.py:1"}
    return judge(state, FACTS, task_id="a", checklist=[item], tasks=list(tasks)).state


def test_a_report_may_revise_the_tasks_that_are_left() -> None:
    after = revised(task("a"), task("new"), task("b", checklist=[{"item": "another"}]))
    assert [(entry.id, entry.status) for entry in after.tasks] == [
        ("z", "completed"),
        ("a", "completed"),
        ("new", "pending"),
        ("b", "pending"),
    ]
    assert after.tasks[1].checklist[0].evidence == ("a.py:1",)
    assert (after.tasks[2].failure_count, after.tasks[2].round, after.tasks[3].checklist[0].item) == (1, 1, "another")
    assert (after.phase_state.step, after.plan_round) == (13, 1)


def test_a_report_may_drop_what_is_not_needed_any_more() -> None:
    after = revised(task("b", drop_reason="task a covers it already"))
    assert ([entry.id for entry in after.tasks], after.phase_state.step) == (["z", "a"], 14)


@pytest.mark.parametrize(
    ("tasks", "key"),
    [
        ([], "empty_tasks"),
        ([task("b"), task("b")], "duplicate_task_ids"),
        ([task("new")], "drop_reason_required"),
        ([task("b"), task("new", checklist=[])], "checklist_required"),
        ([task("b"), task("a", checklist=[{"item": "easier"}])], "task_not_revisable"),
        ([task("b"), task("z", checklist=[{"item": "easier"}])], "task_not_revisable"),
        ([task("b"), task("z", drop_reason="it is not needed at all")], "task_not_revisable"),
    ],
)
def test_a_revision_obeys_the_rules_of_a_plan_and_leaves_done_work_alone(tasks: list[dict[str, Any]], key: str) -> None:
    with pytest.raises(ContractViolation) as caught:
        revised(*tasks)
    assert caught.value.key == f"failures.READY.{key}"


DONE = (kept("a", status="completed", round=1),)


@pytest.mark.parametrize("listed", [[], [task("a", status="completed")]])
@pytest.mark.parametrize("step", [15, 16])
def test_after_a_failed_verification_nothing_need_be_added(listed: list[dict[str, Any]], step: int) -> None:
    after = planned(*listed, old=DONE, plan_round=1, completed_steps=(12, 13, 14, step))
    assert (after.phase_state.step, after.plan_round, [entry.status for entry in after.tasks]) == (14, 1, ["completed"])


def test_a_task_added_after_a_failed_verification_begins_a_round() -> None:
    after = planned(task("b", status="completed"), old=DONE, plan_round=1, completed_steps=(12, 13, 14, 15))
    assert (after.phase_state.step, after.plan_round, after.tasks[1].status) == (13, 2, "pending")


@pytest.mark.parametrize(
    ("listed", "key"), [([], "empty_tasks"), ([task("a", status="completed")], "no_pending_tasks")]
)
def test_after_quality_issues_a_task_must_be_added(listed: list[dict[str, Any]], key: str) -> None:
    with pytest.raises(ContractViolation) as caught:
        planned(*listed, old=DONE, plan_round=1, completed_steps=(12, 13, 14, 15, 17, 18))
    assert caught.value.key == f"failures.READY.{key}"


def test_a_completed_task_listed_with_a_drop_reason_is_kept() -> None:
    after = planned(task("b"), task("a", drop_reason="it is not needed at all"), old=(kept("a", status="completed"),))
    assert [entry.id for entry in after.tasks] == ["a", "b"]
