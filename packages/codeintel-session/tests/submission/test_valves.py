"""The valves are the server's: no restart resets them, and every phase has the one against endless refusals."""

import pytest

from codeintel_contract.names import Key
from codeintel_session.testing import Driver, World, crashed

pytestmark = pytest.mark.draws(5)


def reborn(driver: Driver, world: World) -> Driver:
    """The same agent after the server died and came back."""
    crashed(driver.service)
    driver.service = world.service()
    driver.service.status()
    return driver


def fail(driver: Driver) -> int:
    """Go to the verification and fail it; returns the step after it."""
    step: int = driver.until(Key.POST_IMPL_VERIFY).accept(passed=False, details="it broke")["step"]
    return step


def test_failures_are_counted_across_restarts(driver: Driver, world: World) -> None:
    driver.start(no_quality=True)
    assert [fail(reborn(driver, world)) for _ in range(3)] == [12, 12, 16]


@pytest.mark.slow
def test_interventions_are_counted_across_restarts(driver: Driver, world: World) -> None:
    driver.start(no_quality=True)
    for _ in range(2):
        assert [fail(driver) for _ in range(3)][-1] == 16
        reborn(driver, world).accept()
    assert [fail(driver) for _ in range(3)][-1] == 16
    assert reborn(driver, world).submit(prompt_used="step_back")["error"] == "user_escalation"


@pytest.mark.slow
def test_quality_reverts_are_counted_across_restarts(driver: Driver, world: World) -> None:
    driver.start(no_verify=True)
    driver.issues = ["a name is wrong"]
    steps = [reborn(driver.until(Key.QUALITY_REVIEW), world).accept()["step"] for _ in range(4)]
    assert steps == [12, 12, 12, 19]


@pytest.mark.sample
@pytest.mark.parametrize("key", [Key.DOCUMENT_RESEARCH, Key.VERIFICATION, Key.READY_PLAN, Key.MERGE])
def test_the_eighth_refusal_in_any_phase_lists_what_was_wrong_each_time(driver: Driver, world: World, key: Key) -> None:
    world.library.found = ("src/stats.py",)
    driver.answers["q2"] = True
    driver.start()
    driver.until(key)
    wrong = [f"field_{number}" for number in range(8)]
    for name in wrong:
        reply = reborn(driver, world).service.submit({"summary": "s", name: 1})
        assert ("requires_user_intervention" in reply) is (name == wrong[-1])
    assert [name in line for name, line in zip(wrong, reply["last_refusals"], strict=True)] == [True] * 8


def test_an_intervention_by_an_unknown_prompt_is_refused_with_the_known_ones(driver: Driver) -> None:
    driver.start(no_quality=True)
    for _ in range(3):
        fail(driver)
    refused = driver.submit(prompt_used="shout_at_it")
    assert (refused["step"], "step_back.md" in refused["message"]) == (16, True)
    assert driver.state.counters.intervention_count == 0
