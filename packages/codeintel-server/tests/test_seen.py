"""Which answers show a file, and which only name it: what was only named is not explored."""

from pathlib import Path
from typing import Any

import pytest

from codeintel_server.testing import Caller

pytestmark = [pytest.mark.draws(18), pytest.mark.anyio]

MODULE = "src/stats.py"
FRAME = {"action_type": "ask", "target_symbols": [], "scope": "", "constraints": "", "summary": "Framed."}
SHOWING = {
    "search_text": {"pattern": "count_all"},
    "find_definitions": {"symbol": "count_all"},
    "find_references": {"symbol": "count_all"},
    "get_symbols": {"path": MODULE},
    "analyze_structure": {"path": MODULE},
    "get_function_at_line": {"path": MODULE, "line": 5},
    "read_lines": {"path": MODULE, "start_line": 4, "end_line": 6},
    "query": {"query": "where is count_all used?"},
}


@pytest.fixture
async def exploring(call: Caller, repo: Path) -> Caller:
    """A session that stands at EXPLORATION and has looked at another file."""
    (repo / "src/other.py").write_text("other = 1\n", encoding="utf-8")
    await call.call("start_session", {"intent": "QUESTION", "query": "Where are numbers counted?"})
    await call("submit_phase", data=FRAME)
    await call("search_text", pattern="other = 1")
    await call("get_symbols", path="src/other.py")
    return call


async def explore(call: Caller, *files: str) -> dict[str, Any]:
    data = {"explored_files": list(files), "findings": ["f"], "tools_used": ["search_text"], "summary": "Looked."}
    return await call("submit_phase", data=data)


@pytest.mark.sample(3)
@pytest.mark.parametrize("tool", SHOWING)
async def test_a_file_that_an_answer_shows_may_be_named_as_explored(exploring: Caller, tool: str) -> None:
    refused = await explore(exploring, MODULE)
    assert (refused["error"], MODULE in refused["message"]) == ("unseen_files", True)
    assert (await exploring.call(tool, SHOWING[tool]))["success"] is True
    assert (await explore(exploring, MODULE))["phase"] == "Q1"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search_files", {"pattern": "**/*.py"}),
        ("search_text", {"pattern": "no such words anywhere"}),
        ("find_definitions", {"symbol": "no_such_symbol"}),
    ],
)
async def test_a_file_that_is_only_listed_or_not_found_is_not_explored(
    exploring: Caller, tool: str, arguments: dict[str, str]
) -> None:
    assert (await exploring.call(tool, arguments))["success"] is True
    assert (await explore(exploring, MODULE))["error"] == "unseen_files"


async def test_one_file_that_nobody_showed_is_refused_beside_one_that_was(exploring: Caller) -> None:
    refused = await explore(exploring, "src/other.py", "other.py", "src/none.py", "../stats.py")
    assert [line.split()[1] for line in refused["problems"]] == ["other.py", "src/none.py", "../stats.py"]


async def test_the_eight_exploration_tools_count_and_no_other(call: Caller) -> None:
    await call.call("start_session", {"intent": "QUESTION", "query": "Where are numbers counted?"})
    await call("submit_phase", data=FRAME)
    await call("analyze_impact", target_files=[MODULE])
    await call("search_text", pattern="count_all")
    await call("search_text", pattern="report")
    refused = await explore(call, MODULE)
    assert "1 of 2 different" in refused["message"]
    await call("search_files", pattern="*.py")
    assert (await explore(call, MODULE))["phase"] == "Q1"
