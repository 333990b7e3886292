"""Corners that only show on a real tree: modes, notices that differ, a verifier's digest, old files."""

import pytest

from codeintel_contract.names import Key
from codeintel_contract.violations import ContractViolation
from codeintel_session.git import GitFailed, GitRepository
from codeintel_session.git.session_diff import changes_of
from codeintel_session.lifecycle.session_start import read_intent
from codeintel_session.machine.checklist import parse_evidence
from codeintel_session.machine.state import Receipt
from codeintel_session.ports import Verifier
from codeintel_session.testing import MODULE, Driver, Repo, World
from codeintel_session.tools import session_tools
from codeintel_session.tools.session_tools import record_outcome

pytestmark = pytest.mark.draws(18)


def test_a_mode_is_shown_by_the_first_line_alone(driver: Driver, repo: Repo) -> None:
    """Else a `chmod` would make every line of a file count as changed."""
    driver.start()
    driver.until(Key.READY_IMPL)
    (repo.root / MODULE).chmod(0o755)
    change = changes_of(driver.service.ports.git, driver.state)[0]
    assert (change.status, change.meets(1, 1), change.meets(2, 2)) == ("mode", True, False)


def test_evidence_outside_the_change_and_empty_code_are_refused_on_a_real_tree(
    driver: Driver, world: World, repo: Repo
) -> None:
    driver.start()
    payload = driver.until(Key.READY_IMPL).payload()
    item = payload["checklist"][0]
    assert driver.service.submit({**payload, "checklist": [{**item, "evidence": f"{MODULE}:1"}]})["error"] == (
        "checklist_evidence_unchanged"
    )
    world.code.kinds[MODULE, 5, 6] = "empty"
    refused = driver.service.submit({**payload, "checklist": [{**item, "evidence": f" ./{MODULE}:5-6"}]})
    assert "nothing is implemented" in refused["message"]
    world.code.kinds.clear()
    for wrong in (f"{MODULE}:999", "none.py:1", "/etc/passwd:1", "no evidence"):
        assert not driver.service.submit({**payload, "checklist": [{**item, "evidence": wrong}]})["success"]
    assert driver.service.submit(payload)["step"] == 14


def test_a_git_that_fails_while_looking_is_a_refusal_that_changes_nothing(driver: Driver, repo: Repo) -> None:
    driver.start()
    payload = driver.until(Key.READY_COMPLETE).payload()
    objects = repo.root / ".git" / "objects"
    objects.rename(objects.with_name("elsewhere"))
    refused = driver.service.submit(payload)
    assert (refused["error"], refused["phase"], refused["substep"]) == ("git_failed", "READY", "complete")
    objects.with_name("elsewhere").rename(objects)
    assert driver.service.submit(payload)["success"]


def test_a_receipt_goes_stale_with_the_next_edit(driver: Driver, world: World, repo: Repo) -> None:
    world.library.known = {
        "unit.md": Verifier("unit.md", "", matches=lambda path: path.startswith("src/"), command="true")
    }
    driver.start()
    told = driver.until(Key.READY_COMPLETE).accept()
    assert told["notices"] == [
        "Verifiers (.code-intel/verifiers) that fit: unit.md. Name one as verifier_used.",
        "After passed: true the server runs these, and that run decides: unit.md. "
        "run_verifier runs them before, for a look.",
    ]

    def run() -> None:
        git = driver.service.ports.git
        assert git is not None
        receipt = Receipt(verifier="unit.md", command="true", exit=0, tree=git.trees.take(), at="now")
        driver.service.change({"receipts": {"unit.md": receipt}})

    assert driver.submit(verifier_used="unit")["error"] == "verification_receipt_missing"
    run()
    repo.write(MODULE, repo.read(MODULE) + "# more\n")
    assert driver.submit(verifier_used="unit")["error"] == "verification_receipt_stale"
    run()
    # The edit came after the report, so it is reported first; an edit that is reported needs a receipt of its own.
    assert driver.submit(verifier_used="unit")["substep"] == "implement"
    driver.until(Key.POST_IMPL_VERIFY)
    run()
    assert driver.submit(verifier_used="unit")["phase"] == "PRE_COMMIT"


def test_another_verifier_is_no_way_around_one_that_fits_and_has_a_command(driver: Driver, world: World) -> None:
    world.library.known |= {
        "unit.md": Verifier("unit.md", "", matches=lambda path: path.startswith("src/"), command="true"),
        "page.md": Verifier("page.md", "", matches=lambda path: path.endswith(".html"), command="true"),
    }
    driver.start()
    driver.until(Key.POST_IMPL_VERIFY)
    refused = driver.submit(verifier_used="generic")
    assert (refused["error"], "unit.md" in refused["message"]) == ("verification_receipt_missing", True)
    del world.library.known["unit.md"]
    assert driver.submit(verifier_used="generic")["error"] == "verification_receipt_missing", "nor is its removal"
    world.library.agreed = False
    assert driver.submit(verifier_used="generic")["error"] == "verification_receipt_missing", "trust stays as it was"


def test_a_verifier_that_ran_on_this_tree_is_not_said_to_run(driver: Driver, world: World) -> None:
    ran = {name: Verifier(name, "", matches=lambda path: True, command="true") for name in ("read.md", "unit.md")}
    world.library.known = ran
    driver.start()
    driver.until(Key.READY_COMPLETE)
    git = driver.service.ports.git
    assert git is not None
    receipt = Receipt(verifier="read.md", command="true", exit=0, tree=git.trees.take(), at="now")
    driver.service.change({"receipts": {"read.md": receipt}})
    said = driver.accept()["notices"][-1]
    assert said.startswith("After passed: true the server runs these, and that run decides: unit.md. ")


def test_a_project_that_is_not_trusted_goes_on_and_ends_unverified(driver: Driver, world: World) -> None:
    world.library.known["unit.md"] = Verifier("unit.md", "", matches=lambda path: True, command="true")
    world.library.agreed = False
    assert "cannot end as verified" in driver.start()["notices"][0]
    driver.until(Key.POST_IMPL_VERIFY)
    assert "has not trusted their commands: unit.md" in driver.accept(verifier_used="generic")["warning"]
    end = driver.finish()
    assert (end["success"], end["outcome"], end["unproved"]) == (True, "unverified", ["not_trusted"])


def test_an_unexplored_change_found_at_the_commit_is_left_out_of_it(driver: Driver, repo: Repo) -> None:
    repo.write("src/other.py", "x = 1\n")
    repo.commit()
    driver.start()
    driver.until(Key.PRE_COMMIT)
    repo.write("src/other.py", "x = 2\n")
    reply = driver.accept()
    assert reply["phase"] == "QUALITY_REVIEW"
    assert any("src/other.py" in line for line in reply["notices"])
    assert driver.finish()["outcome"] == "unverified"
    assert (repo.git("show", "main:src/other.py"), repo.status()) == ("x = 1", [" M src/other.py"])


def report_also(driver: Driver, place: str) -> None:
    first, *rest = driver.payload()["checklist"]
    driver.accept(checklist=[{**first, "evidence": [first["evidence"], place]}, *rest])


def test_an_unexplored_change_found_at_the_commit_can_still_be_explored_and_reported(
    driver: Driver, repo: Repo
) -> None:
    repo.write("src/other.py", "x = 1\n")
    repo.commit()
    driver.start()
    driver.until(Key.PRE_COMMIT)
    repo.write("src/other.py", "x = 2\n")
    session_tools.add_explored_files(driver.service, ["src/other.py"])
    reply = driver.accept()
    assert (reply["phase"], "src/other.py" in reply["warning"]) == ("READY", True)
    report_also(driver, "src/other.py:1")
    assert driver.finish()["outcome"] == "unverified"
    assert repo.git("show", "main:src/other.py") == "x = 2"


def test_fast_and_quick_together_are_quick_and_said(driver: Driver) -> None:
    assert driver.start(fast=True, quick=True)["notices"] == ["fast and quick were both given; quick applies."]
    assert driver.state.flags.active() == {"quick": True}


def test_research_prompts_of_the_request_replace_the_configured(driver: Driver, world: World, repo: Repo) -> None:
    world.library.found = ("docs/a.md",)
    world.library.folders["doc_research"] = ("api.md", "security.md")
    reply = driver.start(doc_research=["security", "api.md"])
    assert reply["resources"] == [".code-intel/doc_research/security.md", ".code-intel/doc_research/api.md"]


def test_a_research_prompt_that_does_not_exist_is_refused_with_the_known_ones(driver: Driver, world: World) -> None:
    world.library.folders["doc_research"] = ("api.md", "security.md")
    with pytest.raises(ContractViolation, match="unknown_research_prompt") as caught:
        driver.start(doc_research=["nope", "api"])
    assert caught.value.values == {"names": "nope", "known": "api, security"}
    assert driver.service.state is None


def test_hypotheses_may_be_refuted_on_real_files(driver: Driver) -> None:
    driver.answers["q2"] = True
    driver.start()
    entry = {"hypothesis": "it sorts", "result": False, "evidence": f"{MODULE}:2"}
    assert "it sorts" in driver.until(Key.VERIFICATION).accept(hypotheses_verified=[entry])["warning"]


@pytest.mark.parametrize("text", [" implement ", "MODIFY", "Question"])
def test_an_intent_is_read_in_any_case(text: str) -> None:
    assert read_intent(text).value == text.strip().upper()


def test_git_failing_while_a_session_is_prepared_is_said(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise GitFailed("status", 128, "index file corrupt")

    monkeypatch.setattr(GitRepository, "dirty", fail)
    with pytest.raises(ContractViolation) as caught:
        driver.start()
    assert caught.value.key.endswith("branch_setup_exception")
    assert "index file corrupt" in caught.value.values["why"]
    assert not driver.service.lock.held


def test_a_holder_that_cannot_be_read_is_unknown(driver: Driver, world: World) -> None:
    driver.start()
    (driver.service.records.store.folder / "session.holder.json").write_text("torn", encoding="utf-8")
    with pytest.raises(ContractViolation) as caught:
        world.service().start("MODIFY", "x")
    assert caught.value.values == {"pid": "unknown", "since": "unknown"}


def test_a_broken_archive_is_passed_over(driver: Driver) -> None:
    driver.start(only_verify=True)
    done = driver.finish()["session_id"]
    broken = driver.service.records.store.folder / "archive" / "99991231_000000_abcd.json"
    broken.write_text("torn", encoding="utf-8")
    assert record_outcome(driver.service, "failure", "", "").session_id == done
    with pytest.raises(ContractViolation, match="no_active_session"):
        driver.service.submit({"summary": "s"})


def test_a_torn_checkpoint_of_an_earlier_run_does_not_stop_a_start(driver: Driver) -> None:
    driver.service.open_home()
    (driver.service.records.store.folder / "20200101_000000_abcd.json").write_text("torn", encoding="utf-8")
    assert "recovery_available" not in driver.start()


def test_a_review_without_git_has_nothing_to_show(driver: Driver, world: World) -> None:
    driver.start()
    driver.until(Key.PRE_COMMIT)
    world.with_git = False
    driver.service.ports = world.ports()
    with pytest.raises(ContractViolation, match="task_branch_not_enabled"):
        session_tools.review_changes(driver.service)


def test_a_discard_git_refuses_is_shown_and_nothing_is_committed(driver: Driver, repo: Repo) -> None:
    driver.start(no_verify=True)
    driver.until(Key.READY_IMPL)
    session_tools.add_explored_files(driver.service, ["src/debug.py"])
    repo.write("src/debug.py", "NOISE = 1\n")
    driver.accept(summary="the change, with src/debug.py to look at it")
    driver.until(Key.PRE_COMMIT)
    lock = repo.write(".git/index.lock", "")
    gone = {"path": "src/debug.py", "decision": "discard", "reason": "left over"}
    refused = driver.submit(reviewed_files=[MODULE, gone])
    assert refused["error"] == "finalize_failed", refused["message"]
    lock.unlink()
    assert driver.state.commits == ()


def test_a_merge_git_refuses_is_shown(driver: Driver, repo: Repo) -> None:
    driver.start()
    driver.until(Key.MERGE)
    repo.git("branch", "-m", "main", "trunk")
    assert driver.submit()["error"] == "merge_failed"
    repo.git("branch", "-m", "trunk", "main")
    assert driver.finish()["outcome"] == "unverified"


def test_a_deleted_test_is_told_when_the_change_passes(driver: Driver, repo: Repo) -> None:
    repo.write("tests/test_stats.py", "def test_a():\n    assert True\n\n\ndef test_b():\n    assert True\n")
    repo.commit("Tests")
    driver.explored = [MODULE, "tests/test_stats.py"]
    driver.start()
    driver.until(Key.READY_IMPL)
    repo.write("tests/test_stats.py", "def test_a():\n    # assert True\n    pass\n")
    reply = driver.until(Key.POST_IMPL_VERIFY).accept()
    assert reply["warning"].startswith("Tests promise less than before: tests/test_stats.py: test_b is gone")


@pytest.mark.parametrize("holder", [True, False])
def test_a_task_whose_evidence_lies_in_what_another_one_proves_is_named(
    driver: Driver, world: World, holder: bool
) -> None:
    driver.start()
    driver.until(Key.READY_PLAN)
    tasks = [{"id": name, "description": "x", "checklist": [{"item": name}]} for name in ("first", "second")]
    driver.accept(tasks=tasks)
    driver.until(Key.READY_COMPLETE)
    for task in driver.state.tasks:
        (place,) = (parse_evidence(text) for item in task.checklist for text in item.evidence)
        world.code.holders[place.path, place.start, place.end] = ("count_all:4",) if holder else ()
    reply = driver.accept()
    assert ("All evidence of these tasks" in str(reply), "as well: second." in str(reply)) == (holder, holder)
