"""Evidence: every code there is, and what just passes."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from codeintel_contract.tasks import ReportedItem, Task
from codeintel_contract.violations import ContractViolation
from codeintel_session.machine.checklist import (
    EMPTY_BLOB,
    Evidence,
    check_report,
    location_fault,
    parse_evidence,
)
from codeintel_session.machine.facts import Changed, Facts, FileFact
from codeintel_session.machine.verdict import MessageRef
from codeintel_session.testing import state_at

FACTS = Facts(
    files={
        "a.py": FileFact("a.py", True, True, 20),
        "link.py": FileFact("a.py", True, True, 20),
        "new.py": FileFact("new.py", True, True, 5),
        "old.py": FileFact("old.py", True, True, 5),
        "gone.py": FileFact("gone.py", True, False),
        "blank.py": FileFact("blank.py", True, True, 5),
        "/etc/passwd": FileFact("/etc/passwd", False, True, 9),
    },
    changes=(
        Changed("a.py", "modified", hunks=((3, 5), (10, 10))),
        Changed("new.py", "added", whole=True, added=5),
        Changed("away.py", "deleted"),
        Changed("old.py", "modified", hunks=((1, 5),), preexisting=True),
        Changed("blank.py", "modified", hunks=((1, 2), (4, 4)), blank_hunks=((1, 2),)),
    ),
    kinds={"a.py:5": "empty", "a.py:4": "documentation", "a.py:3-4": "documentation", "a.py:3": "work"},
)
TASK = {"id": "t", "description": "d", "checklist": ({"item": "one"},)}
OTHER = {
    "id": "o",
    "description": "d",
    "status": "completed",
    "checklist": ({"item": "other", "status": "done", "evidence": ("a.py:10",)}, {"item": "free", "status": "skipped"}),
}


def report(*items: dict[str, Any], task: dict[str, Any] | None = None, facts: Facts = FACTS) -> Any:
    state = state_at(13, tasks=(OTHER, task or TASK))
    return check_report(state, state.tasks[1], [ReportedItem(**item) for item in items], facts)


def done(evidence: str | list[str] | None, item: str = "one") -> dict[str, Any]:
    return {"item": item, "status": "done", "evidence": evidence}


@pytest.mark.parametrize(
    ("evidence", "kept"),
    [
        ("a.py:3", "a.py:3"),
        (" a.py:1-3 ", "a.py:1-3"),
        ("./a.py:5-20", "a.py:5-20"),
        ("link.py:4", "a.py:4"),
        ("a.py:5-5", "a.py:5"),
        ("a.py:10-11", "a.py:10-11"),  # overlaps evidence of another item, which is allowed
        ("new.py:1", "new.py:1"),
        ("away.py:0", "away.py:0"),
    ],
)
def test_lines_that_were_changed_are_evidence(evidence: str, kept: str) -> None:
    assert report(done(evidence))[0].evidence == (kept,)


@pytest.mark.parametrize(
    ("item", "key"),
    [
        ({"item": "two", "status": "done", "evidence": "a.py:3"}, "checklist_items_mismatch"),
        ({"item": "one"}, "checklist_item_pending"),
        ({"item": "one", "status": "skipped"}, "checklist_reason_required"),
        ({"item": "one", "status": "skipped", "reason": "too short"}, "checklist_reason_required"),
        ({"item": "one", "status": "skipped", "reason": "xxxxxxxxxxxxxx"}, "checklist_reason_required"),
        (done(None), "checklist_evidence_required"),
        (done("  "), "checklist_evidence_required"),
        (done("a.py"), "checklist_evidence_format_invalid"),
        (done("a.py:-1"), "checklist_evidence_format_invalid"),
        (done("a.py:3,5"), "checklist_evidence_format_invalid"),
        (done("gone.py:1"), "checklist_evidence_file_not_found"),
        (done("nowhere.py:1"), "checklist_evidence_file_not_found"),
        (done("/etc/passwd:1"), "checklist_evidence_file_not_found"),
        (done("a.py:0"), "checklist_evidence_line_out_of_range"),
        (done("a.py:5-3"), "checklist_evidence_line_out_of_range"),
        (done("a.py:21"), "checklist_evidence_line_out_of_range"),
        (done("a.py:3-21"), "checklist_evidence_line_out_of_range"),
        (done("a.py:10"), "checklist_evidence_reused"),
        (done("link.py:10"), "checklist_evidence_reused"),
        (done("a.py:5"), "checklist_evidence_empty_impl"),
        (done(["a.py:3", "a.py:5"]), "checklist_evidence_empty_impl"),
        (done(["a.py:3", "a.py:1-2"]), "checklist_evidence_unchanged"),
        (done([]), "checklist_evidence_required"),
        (done(["a.py:4", "a.py:3-4"]), "checklist_evidence_documentation"),
        ({"item": 2, "status": "done", "evidence": "a.py:3"}, "checklist_items_mismatch"),
        (done("a.py:1-2"), "checklist_evidence_unchanged"),
        (done("a.py:6-9"), "checklist_evidence_unchanged"),
        (done("old.py:1"), "checklist_evidence_unchanged"),  # the user's change, not the session's
    ],
)
def test_everything_else_is_refused_by_its_name(item: dict[str, Any], key: str) -> None:
    with pytest.raises(ContractViolation) as caught:
        report(item)
    assert caught.value.key == f"failures.READY.{key}"


def test_of_a_file_changed_in_white_space_only_the_other_changes_are_evidence() -> None:
    assert report(done("blank.py:2-4"))[0].evidence == ("blank.py:2-4",)
    with pytest.raises(ContractViolation, match="checklist_evidence_blank"):
        report(done("blank.py:1-2"))
    assert report(done("blank.py:1-2", "No trailing blanks"), task=of_items("No trailing blanks"))[0].evidence
    with pytest.raises(ContractViolation, match="checklist_evidence_blank"):
        report(done("blank.py:1-2", "format dates with spaces"), task=of_items("format dates with spaces"))


@pytest.mark.parametrize(
    ("change", "item", "fault"),
    [
        (Changed("run.sh", "added", content=f"100644 {EMPTY_BLOB}", whole=True), "greet by name", "empty_impl"),
        (Changed("run.sh", "added", content=f"100644 {EMPTY_BLOB}", whole=True), "an empty file stops it", ""),
        (Changed("run.sh", "added", content=f"100644 {EMPTY_BLOB}", whole=True), "run.sh for the hook", ""),
        (Changed("a/__init__.py", "added", content=f"100644 {EMPTY_BLOB}", whole=True), "names of the API", ""),
        (Changed("a/.gitkeep", "added", content=f"100644 {EMPTY_BLOB}", whole=True), "the folder of results", ""),
        (Changed("run.png", "added", content="100644 1f3c", whole=True, binary=True), "greet by name", ""),
        (Changed("run.sh", "deleted"), "greet by name", ""),
    ],
)
def test_a_file_without_content_is_evidence_for_an_item_about_that(change: Changed, item: str, fault: str) -> None:
    facts = replace(FACTS, changes=(change,))
    if fault:
        with pytest.raises(ContractViolation, match=fault):
            report(done(f"{change.path}:0", item), task=of_items(item), facts=facts)
    else:
        assert report(done(f"{change.path}:0", item), task=of_items(item), facts=facts)[0].status == "done"


def test_a_mode_is_evidence_for_an_item_about_that() -> None:
    facts = replace(FACTS, changes=(Changed("a.py", "mode", hunks=((1, 1),)),))
    assert report(done("a.py:1", "a.py is executable"), task=of_items("a.py is executable"), facts=facts)
    with pytest.raises(ContractViolation, match="checklist_evidence_mode"):
        report(done("a.py:1", "a.py greets"), task=of_items("a.py greets"), facts=facts)
    named = replace(
        FACTS,
        files={"run.py": FileFact("run.py", True, True, 9)},
        changes=(Changed("run.py", "mode", hunks=((1, 1),)),),
    )
    with pytest.raises(ContractViolation, match="checklist_evidence_mode"):  # its name says nothing of a mode
        report(done("run.py:1", "run.py greets"), task=of_items("run.py greets"), facts=named)


def test_a_file_that_git_ignores_is_no_evidence() -> None:
    ignoring = replace(FACTS, ignored=frozenset({"old.py"}))
    with pytest.raises(ContractViolation, match="checklist_evidence_ignored"):
        report(done("old.py:1"), facts=ignoring)


def test_what_a_diff_lists_beside_the_work_takes_nothing_from_it() -> None:
    assert report(done(["blank.py:1-2", "blank.py:4"]))[0].evidence == ("blank.py:4",)


def test_items_are_compared_with_white_space_folded_and_in_any_order() -> None:
    task = {"id": "t", "description": "d", "checklist": ({"item": "first  one"}, {"item": "second"})}
    found = report(done("a.py:3", "second"), done("a.py:5-6", " first\none "), task=task)
    assert [item.status for item in found] == ["done", "done"]


def test_an_item_reported_twice_is_named() -> None:
    with pytest.raises(ContractViolation) as caught:
        report(done("a.py:3"), done("a.py:4"))
    assert (caught.value.values["missing"], caught.value.values["unknown"]) == ("none", "one")


def test_one_range_does_not_serve_two_items_of_a_report() -> None:
    task = {"id": "t", "description": "d", "checklist": ({"item": "one"}, {"item": "two"})}
    with pytest.raises(ContractViolation, match="reused"):
        report(done("a.py:3", "one"), done("link.py:3-3", "two"), task=task)


def test_a_real_reason_skips() -> None:
    assert report({"item": "one", "status": "skipped", "reason": "the existing one is used"})[0].evidence == ()


PIECES = st.lists(st.sampled_from(["./", "/", " ", "\\", ":", "a.py", "..", "\t"]), min_size=1, max_size=6)


@given(st.text(min_size=1) | PIECES.map("".join), st.integers(1, 99999), st.integers(0, 99999))
def test_evidence_is_read_back_from_its_canonical_form(path: str, start: int, more: int) -> None:
    read = parse_evidence(Evidence(path, start, start + more).text)
    assert read is None or (read.start, read.end) == (start, start + more)
    assert read is None or parse_evidence(read.text) == read


@pytest.mark.parametrize("text", ["./:1", " ./ :1-2", ".//:1", " :3"])
def test_evidence_without_a_path_is_none(text: str) -> None:
    assert parse_evidence(text) is None


def test_a_path_is_the_same_however_often_it_is_begun_anew() -> None:
    assert parse_evidence("././a.py:1") == parse_evidence(".//a.py:1") == Evidence("a.py", 1, 1)


def test_the_last_colon_splits() -> None:
    assert parse_evidence("C:\\dir\\a.py:7") == Evidence("C:/dir/a.py", 7, 7)
    assert parse_evidence("odd:name.py:3-4") == Evidence("odd:name.py", 3, 4)


def test_a_place_outside_tasks_needs_no_change() -> None:
    assert location_fault("a.py:1", FACTS.files) is None
    assert location_fault("a.py:99", FACTS.files) == MessageRef("hints.location_line")
    assert location_fault("gone.py:1", FACTS.files) == MessageRef("hints.location_file")
    assert location_fault("gone.py", FACTS.files) == MessageRef("hints.location_form")


def test_a_task_reads_its_own_old_evidence_as_free() -> None:
    """A task opened again may show the lines it showed before."""
    task = {**TASK, "checklist": ({"item": "one", "status": "done", "evidence": ("a.py:3",)},)}
    assert report(done("a.py:3"), task=task)[0].evidence == ("a.py:3",)
    assert Task.model_validate(task).checklist[0].evidence == ("a.py:3",)


def of_items(*items: str) -> dict[str, Any]:
    return {"id": "t", "description": "d", "checklist": tuple({"item": item} for item in items)}


def test_items_are_named_by_number_or_text_and_kept_in_the_order_registered() -> None:
    by_number = {**done("a.py:3"), "item": 2}
    found = report(by_number, done("a.py:10-11", "one"), task=of_items("one", "two"))
    assert [(item.item, item.evidence) for item in found] == [("one", ("a.py:10-11",)), ("two", ("a.py:3",))]


def test_a_number_given_twice_or_beyond_the_list_is_named() -> None:
    with pytest.raises(ContractViolation) as caught:
        report({**done("a.py:3"), "item": 1}, {**done("new.py:1"), "item": 1}, {**done("a.py:5-6"), "item": 9})
    assert (caught.value.values["missing"], caught.value.values["unknown"]) == ("none", "1; 9")


def test_an_item_may_show_several_places_each_kept_once() -> None:
    assert report(done(["a.py:3", "link.py:3", "a.py:4"]))[0].evidence == ("a.py:3", "a.py:4")


@pytest.mark.parametrize(
    "item",
    [
        "docstring of f says why",
        "src/a.py: comment on the order",
        "Changelog entry",
        "document the flag",
        "SPDX line at the top of each file in src",
        "each source file has the licence header",
        "License notice in src/a.py",
        "copyright of 2026",
        "fix the typos in src/a.py",
        "correct the example",
    ],
)
def test_documentation_is_evidence_for_an_item_that_speaks_of_it(item: str) -> None:
    assert report(done("a.py:4", item), task=of_items(item))[0].evidence == ("a.py:4",)


def test_or_whose_reason_does() -> None:
    """The words of an item come from the request; what was done for it, the agent says here, and the reply names it."""
    assert report({**done("a.py:4"), "reason": "the docstring alone was wrong"})[0].evidence == ("a.py:4",)
    with pytest.raises(ContractViolation, match="checklist_evidence_documentation"):
        report({**done("a.py:4"), "reason": "it works as asked"})


def test_every_item_that_does_not_hold_is_named_by_its_number() -> None:
    with pytest.raises(ContractViolation) as caught:
        report(
            {"item": 3, "status": "skipped", "reason": "no"},
            done("a.py:3", "one"),
            done("a.py:5", "two"),
            task=of_items("one", "two", "three"),
        )
    assert caught.value.key == "failures.READY.checklist_evidence_empty_impl"
    assert [line.values["number"] for line in caught.value.problems] == [2, 3]
    assert [line.values["problem"].key.rpartition(".")[2] for line in caught.value.problems] == [
        "checklist_evidence_empty_impl",
        "checklist_reason_required",
    ]


def test_a_renamed_file_has_another_path_on_the_old_side() -> None:
    assert [Changed("b.py", "renamed", old_path="a.py").source, Changed("b.py", "modified").source] == ["a.py", "b.py"]
