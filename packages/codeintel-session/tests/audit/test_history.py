"""What earlier sessions tell a new one that gets the same request."""

import pytest

from codeintel_session.audit.history import earlier, last_outcomes
from codeintel_session.testing import QUERY, Driver
from codeintel_session.tools.session_tools import record_outcome

pytestmark = pytest.mark.draws(18)


def notices(driver: Driver, query: str) -> list[str]:
    reply = driver.service.start("MODIFY", query, discard_active=True)
    return [line for line in reply.get("notices", []) if "This request was" in line]


@pytest.fixture
def finished(driver: Driver) -> Driver:
    driver.start()
    driver.finish()
    return driver


def test_a_request_that_comes_again_after_a_success_asks_whether_it_held(finished: Driver) -> None:
    (line,) = notices(finished, QUERY.upper().replace(" ", "  ") + "!")
    assert "completed successfully" in line
    assert 'record_outcome(outcome="failure"' in line


def test_a_request_that_failed_comes_with_the_reason(finished: Driver) -> None:
    record_outcome(finished.service, "failure", "", "commas still break it")
    (line,) = notices(finished, QUERY)
    assert "ended as failure" in line
    assert "commas still break it" in line


def test_another_request_is_told_nothing(finished: Driver) -> None:
    assert notices(finished, "rename count_all to length_of everywhere") == []


def test_a_session_given_up_and_one_that_only_looked_are_no_precedents(driver: Driver) -> None:
    driver.start()
    driver.service.start("QUESTION", "what counts the values here", discard_active=True)
    driver.finish()
    assert notices(driver, QUERY) == []
    assert notices(driver, "what counts the values here") == []


def test_the_last_outcome_of_a_session_counts_and_keeps_what_the_first_said() -> None:
    entries = [
        {"session_id": "a", "outcome": "success", "note": "", "at": "1", "phase": "SESSION_COMPLETE", "changed": ["x"]},
        {"session_id": "b", "outcome": "success", "note": "", "at": "2"},
        {"session_id": "a", "outcome": "failure", "note": "no", "at": "3", "phase": "?", "changed": []},
    ]
    found = last_outcomes(entries)
    assert list(found) == ["a", "b"]
    assert found["a"] == {**entries[0], "recorded": "failure", "note": "no", "at": "3", "recorded_by": ""}


def test_the_newest_precedent_is_told() -> None:
    def entry(session_id: str, outcome: str) -> dict[str, object]:
        done = {"phase": "SESSION_COMPLETE", "changed": ["x"], "query": "mend the sum"}
        return {"session_id": session_id, "outcome": outcome, "note": "", "at": session_id, **done}

    found = earlier([entry("a", "failure"), entry("b", "success")], "mend the sum")
    assert found is not None
    assert found["session_id"] == "b"
    assert earlier([entry("a", "failure")], "") is None
