"""Every path of the flow, from start_session to its end, on a real repository."""

from typing import Any

import pytest

from codeintel_contract.names import Key
from codeintel_session.machine.limits import RUNS_KEPT
from codeintel_session.machine.state import Named, Receipt
from codeintel_session.ports import Verifier
from codeintel_session.testing import MODULE, Driver, Repo, World
from codeintel_session.verification.receipts import keep_receipt, receipt_warnings

pytestmark = pytest.mark.draws(18)


def phases(driver: Driver, repo: Repo | None = None, **start: Any) -> list[int]:
    """Steps of a whole run."""
    steps = [driver.start(**start)["step"]]
    while driver.service.state is not None:
        reply = driver.accept()
        steps.append(reply.get("step", 20))
    return steps


def test_the_default_path_ends_in_one_merge_of_exactly_the_change(driver: Driver, repo: Repo) -> None:
    first = repo.git("rev-parse", "HEAD")
    assert phases(driver) == [4, 5, 6, 8, 10, 12, 13, 14, 15, 17, 18, 19, 20]
    assert (repo.branch, repo.branches(), repo.status()) == ("main", ["main"], [])
    assert repo.git("diff", "--name-only", first, "HEAD") == MODULE
    assert "Code-Intel-Session: 20261121_100" in repo.git("log", "-1", "--format=%B")


def test_the_last_reply_names_no_call_but_the_outcome_and_the_record(driver: Driver, world: World, repo: Repo) -> None:
    driver.start()
    end = driver.finish()
    assert end["outcome"] == "unverified"
    assert "call" not in end
    assert end["report"] == f".code-intel/sessions/archive/{end['session_id']}.html"
    assert world.reports.written == [end["session_id"]]
    assert end["commit"] == repo.git("rev-parse", "HEAD")
    assert driver.service.records.store.ids() == []
    assert not driver.service.lock.held
    assert [entry["outcome"] for entry in driver.service.records.outcomes.read()] == ["unverified"]


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("flags", "steps"),
    [
        ({"fast": True}, [4, 12, 13, 14, 15, 17, 19, 20]),
        ({"quick": True}, [4, 12, 13, 14, 15, 20]),
        ({"quick": True, "no_verify": True}, [4, 12, 13, 14, 20]),
        ({"no_verify": True}, [4, 5, 6, 8, 10, 12, 13, 14, 17, 18, 19, 20]),
        ({"no_quality": True}, [4, 5, 6, 8, 10, 12, 13, 14, 15, 17, 19, 20]),
        ({"gate_level": "full"}, [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 18, 19, 20]),
        ({"only_explore": True}, [4, 5, 6, 8, 10, 20]),
        ({"only_verify": True}, [15, 20]),
    ],
)
def test_flags_drop_their_steps(driver: Driver, flags: dict[str, Any], steps: list[int]) -> None:
    assert phases(driver, **flags) == steps


def test_quick_leaves_the_change_in_the_working_tree(driver: Driver, repo: Repo) -> None:
    phases(driver, quick=True)
    assert (repo.branch, repo.branches(), repo.status()) == ("main", ["main"], [f" M {MODULE}"])


@pytest.mark.parametrize("intent", ["investigate", "Question"])
def test_an_investigation_ends_with_the_answer_and_no_branch(driver: Driver, repo: Repo, intent: str) -> None:
    driver.answers["q3"] = True
    assert phases(driver, intent=intent) == [4, 5, 6, 8, 10, 11, 20]
    assert repo.branches() == ["main"]
    assert driver.service.ports.code.learned == []  # type: ignore[attr-defined]


@pytest.mark.parametrize(("passed", "outcome"), [(True, "unverified"), (False, "failed")])
def test_only_verify_is_one_step_with_an_outcome(driver: Driver, passed: bool, outcome: str) -> None:
    driver.passed = passed
    driver.start(only_verify=True)
    assert driver.accept()["outcome"] == outcome


def test_two_sessions_that_only_verify_do_not_share_their_answer(driver: Driver) -> None:
    ends = []
    for _ in range(2):
        driver.start(only_verify=True)
        ends.append(driver.accept())
    assert ends[0]["session_id"] != ends[1]["session_id"]
    assert "notices" not in ends[1]


def test_only_verify_and_investigations_work_outside_git(world: World, driver: Driver) -> None:
    world.with_git = False
    driver.service = world.service()
    assert phases(driver, only_verify=True) == [15, 20]
    assert phases(driver, intent="QUESTION") == [4, 5, 6, 8, 10, 20]


def test_documents_are_researched_only_if_one_matches(driver: Driver, world: World, repo: Repo) -> None:
    repo.write("docs/rules.md", "# Rules\n\n- Never return None.\n")
    repo.commit()
    world.library.found = ("docs/rules.md",)
    reply = driver.start()
    assert reply["phase"] == "DOCUMENT_RESEARCH"
    assert "docs/rules.md" in reply["notices"][0]
    rule = {"rule": "Never return None", "source": "docs/rules.md:3"}
    driver.accept(mandatory_rules=[rule])
    driver.until(Key.Q3)
    told = driver.accept()
    assert "Never return None (docs/rules.md:3)" in told["notices"][0]
    assert "Never return None" not in str(driver.accept()["notices"])  # once is enough
    assert driver.service.status()["rules"] == ["Never return None (docs/rules.md:3)"]


def test_verified_success_teaches_the_files_that_changed(driver: Driver, world: World, repo: Repo) -> None:
    world.library.known["unit.md"] = Verifier("unit.md", "", matches=lambda path: True, command="pytest")
    driver.start()
    driver.until(Key.POST_IMPL_VERIFY)
    tree = world.ports().git.trees.take()  # type: ignore[union-attr]
    keep_receipt(driver.service, Receipt(verifier="unit.md", command="pytest", exit=0, tree=tree, at="now"))
    end = driver.finish()
    assert (end["outcome"], end["message"].partition(":")[0]) == ("verified", "verified")
    tree = repo.git("rev-parse", "HEAD^{tree}")
    assert f"Code-Intel-Verified: {tree}" in repo.git("log", "-1", "--format=%B")
    assert [changed for _, changed in world.code.learned] == [(MODULE,)]


def test_doubts_are_counted_beside_verified_and_the_map_learns_nothing(
    driver: Driver, world: World, repo: Repo
) -> None:
    world.library.known["unit.md"] = Verifier("unit.md", "", matches=lambda path: True, command="pytest")
    driver.start()
    driver.until(Key.POST_IMPL_VERIFY)
    tree = world.ports().git.trees.take()  # type: ignore[union-attr]
    found = Receipt(verifier="unit.md", command="pytest", exit=0, tree=tree, at="now")
    unheard = Named(names=("a.py:3 test_a", "a.py:4 test_b"), count=2)
    receipt = keep_receipt(driver.service, found.model_copy(update={"unheard": unheard}))
    assert [say.key for say in receipt_warnings(driver.service, receipt)] == ["warnings.unheard"]
    end = driver.finish()
    assert (end["outcome"], end["doubts"]) == ("verified", 2)
    assert end["message"].startswith("verified, with doubts (2): unit.md passed")
    assert "These assertions of the session count for nothing: a.py:3 test_a, a.py:4 test_b." in end["message"]
    assert "Code-Intel-Doubts: 2" in repo.git("log", "-1", "--format=%B")
    assert world.code.learned == []


def test_every_run_is_kept_up_to_a_limit_and_the_last_one_counts(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert RUNS_KEPT == 100
    monkeypatch.setattr("codeintel_session.verification.receipts.RUNS_KEPT", 2)
    driver.start()
    for code in (2, 1, 0):
        keep_receipt(driver.service, Receipt(verifier="unit.md", command="pytest", exit=code, tree="t", at=f"{code}"))
    state = driver.service.require()
    assert [(run.at, run.standing) for run in state.runs] == [("1", "failed"), ("0", "passed")]
    assert state.receipts["unit.md"].exit == 0


@pytest.mark.parametrize("flags", [{"no_verify": True}, {"only_verify": True}])
def test_what_was_not_verified_teaches_nothing(driver: Driver, world: World, flags: dict[str, Any]) -> None:
    phases(driver, **flags)
    assert [changed for _, changed in world.code.learned if changed] == []


@pytest.mark.sample
@pytest.mark.parametrize("mode", ["no-ff", "squash", "ff"])
def test_every_way_to_merge_ends_on_the_base(world: World, repo: Repo, mode: str) -> None:
    world.merge_mode = mode
    driver = Driver(world.service(), repo)
    driver.start()
    driver.finish()
    assert (repo.branch, repo.branches(), repo.status()) == ("main", ["main"], [])
    assert "more_1" in repo.git("show", f"HEAD:{MODULE}")
