"""A pass has the runs made that it needs: the agent need not ask for each."""

import threading
from typing import Any

import pytest

from codeintel_contract import ContractViolation, Key
from codeintel_session.machine.state import Receipt
from codeintel_session.ports import Verifier
from codeintel_session.testing import Driver, World

pytestmark = pytest.mark.draws(6)

PASSED = {"verifier_used": "unit", "passed": True, "details": "looked at it"}


@pytest.fixture
def tested(driver: Driver, world: World) -> Driver:
    world.library.known |= {"unit.md": Verifier("unit.md", "", matches=lambda path: True, command="true")}
    driver.start()
    return driver.until(Key.READY_COMPLETE)


def ran(driver: Driver, name: str) -> dict[str, Any]:
    git = driver.service.ports.git
    assert git is not None
    receipt = Receipt(verifier=name, command="true", exit=0, tree=git.trees.take(), at="now")
    driver.service.change({"receipts": {name: receipt}})
    return {"passed": True}


def test_a_pass_has_the_missing_run_made(tested: Driver) -> None:
    asked: list[str] = []

    def run(name: str) -> dict[str, Any]:
        asked.append(name)
        return ran(tested, name)

    reply = tested.service.submit([{}, {**PASSED, "passed": False}], run=run)
    assert (reply["substep"], asked) == ("plan", []), "a failure needs no proof"
    tested.until(Key.READY_COMPLETE)
    reply = tested.service.submit([{}, PASSED], run=run)
    assert (reply["phase"], reply["runs"], asked) == ("PRE_COMMIT", {"unit.md": {"passed": True}}, ["unit.md"])
    assert tested.service.submit([{}, PASSED], run=run)["runs"] == reply["runs"]
    assert asked == ["unit.md"], "a row that was lost is not run again"


def test_a_run_that_cannot_be_made_refuses_the_pass_and_keeps_the_row(tested: Driver) -> None:
    def run(name: str) -> dict[str, Any]:
        raise ContractViolation("tool_errors.run_verifier.run_stopped", name=name)

    refused = tested.service.submit([{}, PASSED], run=run)
    assert (refused["error"], refused["accepted"]) == ("tool_timeout", ["READY_COMPLETE"])
    assert tested.key() is Key.POST_IMPL_VERIFY
    assert tested.service.submit(PASSED, run=lambda name: ran(tested, name))["phase"] == "PRE_COMMIT"


def test_the_session_answers_while_a_run_is_made(tested: Driver) -> None:
    answered: list[dict[str, Any]] = []

    def run(name: str) -> dict[str, Any]:
        asking = threading.Thread(target=lambda: answered.append(tested.service.status()))
        asking.start()
        asking.join(timeout=30)
        return ran(tested, name)

    assert tested.service.submit([{}, PASSED], run=run)["success"]
    assert [status["phase"] for status in answered] == ["POST_IMPL_VERIFY"]


def test_a_warning_is_given_once_and_again_to_an_agent_that_lost_its_context(tested: Driver, world: World) -> None:
    world.code.changed_functions = {"src/stats.py": [("count_all", ((1, 2),))]}
    failed = {**PASSED, "passed": False, "compaction_count": 0}
    assert "count_all" in tested.accept()["warning"]
    assert tested.service.submit(failed)["substep"] == "plan"
    assert "warning" not in tested.until(Key.READY_COMPLETE).accept()
    assert tested.service.submit(failed)["substep"] == "plan"
    assert "count_all" in tested.until(Key.READY_COMPLETE).accept(compaction_count=1)["warning"]
