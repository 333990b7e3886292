"""Tools count by what the server saw of them, in the phase that runs, and by nothing else."""

import pytest

from codeintel_contract.names import Key
from codeintel_contract.violations import ContractViolation
from codeintel_session.testing import MODULE, Driver, Repo, World, crashed
from codeintel_session.tools import session_tools

pytestmark = pytest.mark.draws(5)


def test_what_was_seen_outlasts_a_refusal_and_ends_with_its_phase(driver: Driver) -> None:
    driver.start()
    payload = driver.until(Key.EXPLORATION).payload()
    assert not driver.service.submit({**payload, "findings": []})["success"]
    assert [call.tool for call in driver.state.observed] == ["search_text", "find_references"]
    assert driver.service.submit(payload)["phase"] == "Q1"
    assert driver.state.observed == ()
    assert driver.submit(tools_used=["read_lines"])["error"] == "unobserved_tools"
    assert driver.accept(tools_used=["search_text"])["success"], "a call of an earlier phase was a call"


def test_what_was_seen_survives_a_restart(driver: Driver, world: World) -> None:
    driver.start()
    payload = driver.until(Key.EXPLORATION).payload()
    crashed(driver.service)
    driver.service = world.service()
    driver.service.status()
    assert driver.service.submit(payload)["phase"] == "Q1"


REQUIRED = [
    (Key.SEMANTIC, "semantic_search"),
    (Key.IMPACT_ANALYSIS, "analyze_impact"),
]


@pytest.mark.parametrize(("key", "tool"), REQUIRED)
def test_a_required_tool_must_be_seen_and_then_named(driver: Driver, key: Key, tool: str) -> None:
    driver.answers = dict.fromkeys(driver.answers, True)
    driver.start()
    payload = driver.until(key).payload()
    driver.service.change({"observed": (), "called": ()})
    assert f"a successful call in this phase of: {tool}" in driver.service.submit(payload)["message"]
    driver.see(tool, ok=False)
    assert not driver.service.submit(payload)["success"]
    driver.see(tool, count=1)
    assert (
        driver.service.submit({**payload, "tools_used": []})["message"]
        == f"tools_used omits required tools: {tool}. Add them and submit again."
    )
    assert driver.service.submit({**payload, "tools_used": [f"mcp__code-intel__{tool}"]})["success"]


def test_an_analysis_made_before_its_phase_is_not_asked_for_again(driver: Driver) -> None:
    driver.answers = dict.fromkeys(driver.answers, True)
    driver.start()
    driver.until(Key.SEMANTIC)
    assert driver.service.status()["required_tools"] == ["semantic_search"]
    driver.see("analyze_impact", must_verify=(MODULE,))
    driver.until(Key.IMPACT_ANALYSIS)
    assert driver.service.status()["required_tools"] == []
    judged = {MODULE: "will_modify: the function"}
    assert driver.service.submit({"impact_summary": judged, "tools_used": []})["success"]


def test_a_commit_needs_that_the_changes_were_shown(driver: Driver) -> None:
    driver.start()
    payload = driver.until(Key.PRE_COMMIT).payload()
    driver.service.change({"observed": (), "shown": {}})
    assert driver.service.submit({**payload, "tools_used": []})["error"] == "files_not_shown"


def test_a_file_that_was_shown_and_not_named_may_not_be_written(driver: Driver, repo: Repo) -> None:
    repo.write("src/other.py", "x = 1\n")
    repo.commit()
    driver.start()
    driver.until(Key.EXPLORATION)
    driver.see("search_text", "src/other.py")
    driver.until(Key.READY_IMPL)
    with pytest.raises(ContractViolation, match=r"check_write_target\.(outside|protected|not_|folder)"):
        session_tools.check_write_target(driver.service, "src/other.py")
    session_tools.add_explored_files(driver.service, ["src/other.py"])
    assert session_tools.check_write_target(driver.service, "src/other.py")["allowed"]


def test_shape_is_judged_before_what_was_seen_and_that_before_what_it_means(driver: Driver) -> None:
    driver.start()
    driver.until(Key.EXPLORATION)
    payload = {"summary": "s", "explored_files": [], "findings": [], "tools_used": ["search_text", "query"]}
    assert "nonsense: unknown field" in driver.service.submit({**payload, "nonsense": 1})["problems"][0]
    assert driver.service.submit(payload)["message"].startswith("The server saw 0 of 2 different exploration tools")
    driver.see("search_text", MODULE)
    driver.see("search_files")
    assert driver.service.submit(payload)["error"] == "unobserved_tools"
    payload["tools_used"] = ["search_text"]
    assert driver.service.submit(payload)["message"].startswith("explored_files and findings must not be empty")
