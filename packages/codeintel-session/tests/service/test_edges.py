"""Corners that only show on a real tree: modes, notices that differ, a verifier's digest, old files."""

import pytest

from codeintel_contract.names import Key
from codeintel_contract.violations import ContractViolation
from codeintel_session import access
from codeintel_session.adapters.git import GitFailed, GitRepository
from codeintel_session.changed import changes_of
from codeintel_session.machine.state import Receipt
from codeintel_session.opening import read_intent
from codeintel_session.outcomes import record
from codeintel_session.ports import Verifier
from codeintel_session.testing import MODULE, Driver, Repo, World


def test_a_mode_is_shown_by_the_first_line_alone(driver: Driver, repo: Repo) -> None:
    """Else a `chmod` would make every line of a file count as changed."""
    driver.start()
    driver.until(Key.READY_IMPL)
    (repo.root / MODULE).chmod(0o755)
    change = changes_of(driver.service.ports, driver.state)[0]
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
    world.code.empties.add((MODULE, 5, 6))
    refused = driver.service.submit({**payload, "checklist": [{**item, "evidence": f" ./{MODULE}:5-6"}]})
    assert "nothing is implemented" in refused["message"]
    world.code.empties.clear()
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
    assert "expected_payload" in refused
    objects.with_name("elsewhere").rename(objects)
    assert driver.service.submit(payload)["success"]


def test_a_receipt_goes_stale_with_the_next_edit(driver: Driver, world: World, repo: Repo) -> None:
    world.library.known = {"unit.md": Verifier("unit.md", "", match=("src/*.py",), command="true")}
    driver.start()
    told = driver.until(Key.READY_COMPLETE).accept()
    assert told["notices"] == ["Verifiers that fit the changed files: unit.md. All: unit.md."]

    def run() -> None:
        git = driver.service.ports.git
        assert git is not None
        receipt = Receipt(verifier="unit.md", command="true", exit=0, tree=git.tree_digest(), at="now")
        driver.service.change({"receipts": {"unit.md": receipt}})

    assert driver.submit(verifier_used="unit")["error"] == "verification_receipt_missing"
    run()
    repo.write(MODULE, repo.read(MODULE) + "# more\n")
    assert driver.submit(verifier_used="unit")["error"] == "verification_receipt_stale"
    run()
    assert driver.submit(verifier_used="unit")["phase"] == "PRE_COMMIT"


def test_another_verifier_is_no_way_around_one_that_fits_and_has_a_command(driver: Driver, world: World) -> None:
    world.library.known |= {
        "unit.md": Verifier("unit.md", "", match=("src/*.py",), command="true"),
        "page.md": Verifier("page.md", "", match=("*.html",), command="true"),
    }
    driver.start()
    driver.until(Key.POST_IMPL_VERIFY)
    refused = driver.submit(verifier_used="generic")
    assert (refused["error"], "unit.md" in refused["message"]) == ("verification_receipt_missing", True)
    del world.library.known["unit.md"]
    assert driver.submit(verifier_used="generic")["error"] == "verification_receipt_missing", "nor is its removal"
    world.library.agreed = False
    assert "has not agreed to their commands: unit.md" in driver.accept(verifier_used="generic")["warning"]


def test_an_unexplored_change_found_at_the_commit_can_still_be_explored(driver: Driver, repo: Repo) -> None:
    repo.write("src/other.py", "x = 1\n")
    repo.commit()
    driver.start()
    driver.until(Key.PRE_COMMIT)
    repo.write("src/other.py", "x = 2\n")
    assert driver.submit()["error"] == "unexplored_changes"
    access.add_explored_files(driver.service, ["src/other.py"])
    assert driver.submit()["phase"] == "QUALITY_REVIEW"


def test_fast_and_quick_together_are_quick_and_said(driver: Driver) -> None:
    assert driver.start(fast=True, quick=True)["notices"] == ["fast and quick were both given; quick is used."]
    assert driver.state.flags.active() == {"quick": True}


def test_research_prompts_of_the_request_replace_the_configured(driver: Driver, world: World, repo: Repo) -> None:
    world.library.found = ("docs/a.md",)
    reply = driver.start(doc_research=["security", "api.md"])
    assert reply["resources"] == [".code-intel/doc_research/security.md", ".code-intel/doc_research/api.md"]


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
    assert record(driver.service, "failure", "", "") == done
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
        access.review_changes(driver.service)


def test_a_discard_git_refuses_is_shown_and_nothing_is_committed(driver: Driver, repo: Repo) -> None:
    driver.start()
    driver.until(Key.PRE_COMMIT)
    repo.write("debug.log", "noise\n")
    lock = repo.write(".git/index.lock", "")
    gone = {"path": "debug.log", "decision": "discard", "reason": "left over"}
    refused = driver.submit(reviewed_files=[MODULE, gone])
    assert refused["error"] == "finalize_failed"
    lock.unlink()
    assert driver.state.commits == ()


def test_a_merge_git_refuses_is_shown(driver: Driver, repo: Repo) -> None:
    driver.start()
    driver.until(Key.MERGE)
    repo.git("branch", "-m", "main", "trunk")
    assert driver.submit()["error"] == "merge_failed"
    repo.git("branch", "-m", "trunk", "main")
    assert driver.finish()["outcome"] == "success"


def test_a_deleted_test_is_told_when_the_change_passes(driver: Driver, repo: Repo) -> None:
    repo.write("tests/test_stats.py", "def test_a():\n    assert True\n\n\ndef test_b():\n    assert True\n")
    repo.commit("Tests")
    driver.explored = [MODULE, "tests/test_stats.py"]
    driver.start()
    driver.until(Key.READY_IMPL)
    repo.write("tests/test_stats.py", "def test_a():\n    # assert True\n    pass\n")
    reply = driver.until(Key.POST_IMPL_VERIFY).accept()
    assert reply["warning"].startswith("These test files hold fewer tests or assertions than before")
    assert "tests/test_stats.py" in reply["warning"]
