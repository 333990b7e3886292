"""What a report may give as evidence, and what the plan says before anything is written."""

from collections.abc import Callable
from pathlib import Path

import pytest

from codeintel_contract import Key
from codeintel_session.testing import MODULE, Driver, Repo, World
from codeintel_session.tools.session_tools import add_explored_files

pytestmark = pytest.mark.draws(6)

OTHER = "src/other.py"


def report(driver: Driver, *evidence: str) -> dict[str, object]:
    task = driver.state.pending_tasks()[0]
    return {"task_id": task.id, "checklist": [{"item": 1, "status": "done", "evidence": list(evidence)}]}


def begin(driver: Driver, repo: Repo, text: str, *more: str, **flags: bool) -> None:
    """Begin to write, with another file of this text."""
    repo.write(OTHER, text)
    repo.commit()
    driver.explored = [MODULE, OTHER, *more]
    driver.start(**flags)
    driver.until(Key.READY_IMPL)


def test_evidence_may_name_a_definition_or_a_file(driver: Driver, world: World, repo: Repo) -> None:
    driver.start()
    driver.until(Key.READY_IMPL)
    last = int(driver.edit().rpartition("-")[2])
    world.code.defined = {f"{MODULE}:more_1": ((1, 1), (last - 1, last))}
    row = [report(driver, f"{MODULE}:more_1", f"./{MODULE}")]
    assert driver.service.submit(row)["step"] == 14
    assert driver.state.tasks[0].checklist[0].evidence == (f"{MODULE}:{last - 1}-{last}", f"{MODULE}:{last - 3}-{last}")


def test_an_item_that_names_a_changed_definition_as_code_needs_no_evidence(driver: Driver, world: World) -> None:
    driver.start()
    driver.until(Key.READY_PLAN)
    texts = ("`more_1` counts", "`Stats::more_1(values, [])` is used by `count_all`", "add `more_2?`", "`other` stays")
    placed = (f"`./{MODULE}:Stats.more_1` is fast", "`src/other.py:more_1` is not")
    items = [{"item": text} for text in (*texts, *placed)]
    assert driver.service.submit({"tasks": [{"id": "t", "description": "d", "checklist": items}]})["success"]
    last = int(driver.edit().rpartition("-")[2])
    new = (last - 1, last)
    world.code.defined = {
        **dict.fromkeys((f"{MODULE}:more_1", f"{MODULE}:Stats::more_1", f"{MODULE}:Stats.more_1"), (new,)),
        f"{MODULE}:count_all": ((1, 1),),
        f"{MODULE}:more_2?": (new, (last - 2, last)),
    }
    done = [{"item": number, "status": "done"} for number in range(1, 7)]
    refused = driver.service.submit({"task_id": "t", "checklist": done})
    assert "is done but has no evidence" in refused["message"]
    assert [line.partition(":")[0] for line in refused["problems"]] == ["item 4", "item 6"]
    given = [{**one, "evidence": MODULE} if one["item"] in (4, 6) else one for one in done]
    assert driver.service.submit({"task_id": "t", "checklist": given})["success"]
    shown = [item.evidence for item in driver.state.tasks[0].checklist]
    assert [*shown[:2], shown[4]] == [(f"{MODULE}:{last - 1}-{last}",)] * 3, "the checkpoint has the lines"
    assert shown[2] == (f"{MODULE}:{last - 1}-{last}", f"{MODULE}:{last - 2}-{last}")


def test_of_a_name_in_several_changed_files_that_in_a_file_which_the_item_names_is_meant(
    driver: Driver, world: World, repo: Repo
) -> None:
    repo.write(OTHER, "x = 1\n")
    repo.commit()
    driver.explored = [MODULE, OTHER]
    driver.start()
    driver.until(Key.READY_PLAN)
    texts = (f"{OTHER}: `run` waits", "`run` waits", "none.py: `run` waits", f"{OTHER}: `more_1` is there")
    items = [{"item": text} for text in texts]
    assert driver.service.submit({"tasks": [{"id": "t", "description": "d", "checklist": items}]})["success"]
    here, there = driver.edit(), f"{OTHER}:2-3"
    repo.write(OTHER, "x = 1\ndef run():\n    return 2\n")
    first, last = map(int, here.rpartition(":")[2].split("-"))
    world.code.defined = {
        f"{MODULE}:run": ((first, last),),
        f"{OTHER}:run": ((2, 3),),
        f"{MODULE}:more_1": ((1, last),),
    }
    world.code.kinds = {(MODULE, first, last): "empty"}
    done = [{"item": number, "status": "done"} for number in range(1, 5)]
    refused = driver.service.submit({"task_id": "t", "checklist": done})
    assert [line.partition(":")[0] for line in refused["problems"]] == ["item 4"], "it is not in the file named"
    done[3]["evidence"] = here
    world.code.kinds = {}
    accepted = driver.service.submit({"task_id": "t", "checklist": done})
    assert accepted["success"], accepted
    shown = [set(item.evidence) for item in driver.state.tasks[0].checklist]
    assert shown == [{there}, {here, there}, {here, there}, {here}]


def test_a_name_that_stands_for_no_changed_lines_is_refused(driver: Driver, world: World, repo: Repo) -> None:
    repo.write("src/other.py", "x = 1\n")
    repo.commit()
    driver.start()
    driver.until(Key.READY_IMPL)
    driver.edit()
    world.code.defined = {f"{MODULE}:count_all": ((1, 1),)}
    for evidence, error in (
        (f"{MODULE}:count_all", "checklist_evidence_unchanged"),
        ("src/other.py", "checklist_evidence_unchanged"),
        (f"{MODULE}:nothing", "payload_mismatch"),
        ("src/none.py", "payload_mismatch"),
        ("src/none.py:count_all", "payload_mismatch"),
    ):
        assert driver.service.submit(report(driver, evidence))["error"] == error, evidence


@pytest.mark.parametrize(
    ("path", "change"),
    [
        ("src/other.py", lambda repo: (repo.root / "src/other.py").unlink()),
        ("src/new.db", lambda repo: (repo.root / "src/new.db").write_bytes(b"\x89\0\xff")),
        ("src/__init__.py", lambda repo: repo.write("src/__init__.py", "")),
        ("src/moved.py", lambda repo: (repo.root / "src/other.py").rename(repo.root / "src/moved.py")),
    ],
    ids=["deleted", "binary", "empty", "moved"],
)
def test_a_change_without_lines_is_shown_by_its_path(
    driver: Driver, repo: Repo, path: str, change: Callable[[Repo], object]
) -> None:
    begin(driver, repo, "x = 1\n")
    assert driver.service.submit(report(driver, f"{path}:0"))["error"] == "payload_mismatch", "nothing changed yet"
    change(repo)
    add_explored_files(driver.service, [path])
    assert driver.service.submit(report(driver, path))["step"] == 14
    assert driver.state.tasks[0].checklist[0].evidence == (f"{path}:0",)


@pytest.mark.parametrize(
    ("path", "change", "error"),
    [
        ("src/other.py", lambda path: path.chmod(0o755), "checklist_evidence_unchanged"),
        ("src/notes.md", lambda path: path.write_bytes(b""), "payload_mismatch"),
    ],
    ids=["mode", "empty"],
)
def test_a_mode_and_a_new_file_without_content_do_not_show_something_else(
    driver: Driver, repo: Repo, path: str, change: Callable[[Path], object], error: str
) -> None:
    begin(driver, repo, "x = 1\n")
    change(repo.root / path)
    add_explored_files(driver.service, [path])
    refused = driver.service.submit(report(driver, path))
    assert refused["error"] == error, refused
    said = f"Of '{path}' the mode alone changed" if path.endswith(".py") else f"At '{path}' nothing is implemented"
    assert refused["message"].startswith(said)


def test_of_a_change_of_the_mode_no_line_tells_what_it_is(driver: Driver, world: World, repo: Repo) -> None:
    repo.write("src/other.py", "#!/usr/bin/env python\n")
    repo.commit()
    driver.explored = [MODULE, "src/other.py"]
    driver.start()
    driver.until(Key.READY_PLAN)
    item = {"item": "src/other.py has no x flag"}
    assert driver.service.submit({"tasks": [{"id": "t", "description": "d", "checklist": [item]}]})["success"]
    (repo.root / "src/other.py").chmod(0o755)
    world.code.kinds = {("src/other.py", 1, 1): "documentation"}
    assert driver.service.submit(report(driver, "src/other.py"))["step"] == 14


@pytest.mark.parametrize(
    ("commented", "changes_tests", "error"),
    [
        ({OTHER}, False, ""),
        ({OTHER, MODULE}, False, "payload_mismatch"),
        ({OTHER, MODULE}, True, "payload_mismatch"),
        (set(), False, "payload_mismatch"),
    ],
    ids=["code elsewhere", "comments alone", "tests elsewhere", "code in the file"],
)
def test_a_file_in_which_comments_alone_had_to_change_is_shown_by_them_beside_code(
    driver: Driver, world: World, repo: Repo, commented: set[str], changes_tests: bool, error: str
) -> None:
    repo.write("tests/test_it.py", "x = 1\n")
    begin(driver, repo, "# one\nx = 1\n", "tests/test_it.py")
    repo.write(OTHER, "# One\nx = 1\n")
    if changes_tests:
        repo.write("tests/test_it.py", "x = 2\n")
    driver.edit()
    world.code.kinds = {(OTHER, 1, 1): "documentation"}
    world.code.commented = commented
    reply = driver.service.submit(report(driver, f"{OTHER}:1"))
    assert reply.get("error", "") == error, reply
    if not error:
        assert "The evidence of these items is comments alone" in reply["warning"]
        assert "that they are about comments: the change." in reply["warning"]


def test_evidence_that_is_discarded_in_the_review_is_a_doubt_at_the_end(driver: Driver, repo: Repo) -> None:
    begin(driver, repo, "x = 1\n", no_verify=True)
    repo.write(OTHER, "x = 2\n")
    driver.edit()
    driver.accept(**report(driver, f"{OTHER}:1"))
    driver.until(Key.PRE_COMMIT)
    driver.accept(reviewed_files=[MODULE, {"path": OTHER, "decision": "discard", "reason": "not needed"}])
    end = driver.finish()
    assert f"Of what was reported as done nothing is in the change: {OTHER}:1." in end["message"], end


def test_a_file_that_git_takes_for_moved_is_shown_by_its_old_path(driver: Driver, repo: Repo) -> None:
    old, new = "src/a@1.0.patch", "src/a@1.1.patch"
    lines = [f"line {number} of the patch" for number in range(20)]
    repo.write(old, "\n".join(lines) + "\n")
    repo.commit()
    driver.explored = [MODULE, old]
    driver.start()
    driver.until(Key.READY_IMPL)
    (repo.root / old).unlink()
    repo.write(new, "\n".join([*lines, "one more"]) + "\n")
    add_explored_files(driver.service, [new])
    assert driver.service.submit(report(driver, old))["step"] == 14
    assert driver.state.tasks[0].checklist[0].evidence == (f"{old}:0",)


@pytest.mark.parametrize(
    ("evidence", "error"),
    [
        (2, ""),
        (3, ""),
        (1, "checklist_evidence_unchanged"),
        (4, "checklist_evidence_unchanged"),
        (6, "payload_mismatch"),
    ],
)
def test_what_was_removed_is_shown_by_the_lines_beside_it_though_they_hold_no_word(
    driver: Driver, world: World, repo: Repo, evidence: int, error: str
) -> None:
    begin(driver, repo, "a = 1\n#\nb = 2\n\nc = 3\nd = 4\n\n\n")
    repo.write(OTHER, "a = 1\n#\n\nc = 3\ne = 4\n\n\n")
    # What is read is the lines up to the next with a word, on both sides.
    ranges = ((first, last) for first in range(1, 8) for last in range(first, 9))
    world.code.kinds = {(OTHER, *lines): "empty" for lines in ranges if lines not in ((1, 1), (4, 4), (1, 4))}
    assert driver.service.submit(report(driver, f"{OTHER}:{evidence}")).get("error", "") == error


def test_files_of_any_name_that_a_plan_names_are_opened(driver: Driver, repo: Repo) -> None:
    named = ("app/[id]/+page.ts", "app/(group)/$route.ts", "patches/a@1.0.patch", "Makefile", ".gitignore", "src/run")
    for path in named:
        repo.write(path, "x\n")
    repo.commit()
    driver.start()
    driver.until(Key.READY_PLAN)
    driver.see("read_lines", *named)
    texts = (
        "`app/[id]/+page.ts`, app/(group)/$route.ts: both.",
        "(patches/a@1.0.patch) goes",
        "Makefile and .gitignore",
    )
    items = [
        {"item": text}
        for text in (*texts, "src/run is next to src/new@2.patch and/or app/[id]/page.ts, and read(src/none.txt)")
    ]
    reply = driver.service.submit({"tasks": [{"id": "t", "description": "d", "checklist": items}]})
    assert reply.get("warning", "") == ""
    opened = {*driver.state.explored, *driver.state.planned_files}
    assert {*named, "src/new@2.patch", "app/[id]/page.ts"} <= opened
    assert "read(src/none.txt)" not in opened


def test_evidence_that_git_ignores_is_refused_with_the_reason(driver: Driver, repo: Repo) -> None:
    repo.write(".git/info/exclude", ".config.js\n")
    driver.start()
    driver.until(Key.READY_IMPL)
    repo.write(".config.js", "x = 1\n")
    refused = driver.service.submit(report(driver, ".config.js:1"))
    assert (refused["error"], refused["message"][:11]) == ("checklist_evidence_unchanged", "Git ignores")


def test_the_plan_opens_what_a_tool_has_shown_and_says_what_it_may_not_write(driver: Driver, repo: Repo) -> None:
    for path in ("docs/far.md", "docs/shown.md", "docs/other.md"):
        repo.write(path, "# Far\n")
    repo.commit()
    driver.start()
    driver.until(Key.READY_PLAN)
    driver.see("read_lines", "docs/shown.md", "docs/other.md")
    items = [{"item": f"{path}: says it"} for path in (MODULE, "docs/far.md", "docs/shown.md", "src/new.py")]
    reply = driver.service.submit({"tasks": [{"id": "t", "description": "d", "checklist": items}]})
    assert "may not be written yet: docs/far.md." in reply["warning"]
    assert {"src/new.py", "docs/shown.md"} <= {*driver.state.explored}
    assert "docs/other.md" not in driver.state.explored
    driver.edit()
    assert driver.service.status()["items_with_changed_files"] == {"t": [1]}
    assert reply["notices"][0].startswith(
        "Verifiers (.code-intel/verifiers) that fit: generic.md. Name one as verifier_used."
    )


@pytest.mark.parametrize(("path", "error"), [("src/new.py", ""), ("src/old.py", "unexplored_changes")])
def test_a_report_may_plan_a_new_file_that_is_written_but_no_change_of_an_old_one(
    driver: Driver, repo: Repo, path: str, error: str
) -> None:
    repo.write("src/old.py", "x = 1\n")
    repo.commit()
    driver.start()
    driver.until(Key.READY_IMPL)
    repo.write(path, "x = 2\n")
    checklist = [{"item": "the change"}]
    told = {driver.state.tasks[0].id: "as it was", "more": f"Add {path}"}
    planned = [{"id": name, "description": text, "checklist": checklist} for name, text in told.items()]
    refused = driver.service.submit(driver.payload())
    assert refused["error"] == "unexplored_changes"
    reply = driver.service.submit({**driver.payload(), "tasks": planned})
    assert reply.get("error", "") == error
    if not error:
        assert driver.finish()["outcome"] == "unverified"
        assert repo.read(path) == "x = 2\n"


def test_a_task_that_others_prove_is_named_but_no_repair_of_a_later_plan(driver: Driver, world: World) -> None:
    world.code.holders = {(MODULE, last - 1, last): ("more_1",) for last in range(1, 40)}
    driver.start(no_quality=True)
    driver.until(Key.READY_PLAN)
    tasks = [{"id": name, "description": "d", "checklist": [{"item": f"{name} counts"}]} for name in ("first", "same")]
    driver.accept(tasks=tasks)
    first = driver.until(Key.READY_COMPLETE).accept()
    assert "in what other tasks name as well: same." in str(first["warning"])
    driver.accept(passed=False, details="two tests fail")
    assert "warning" not in driver.until(Key.READY_COMPLETE).accept()
    assert [task.id for task in driver.state.tasks] == ["first", "same", "task_2"]
