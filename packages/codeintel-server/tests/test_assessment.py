"""The server's own judgement on a real index: what is defined, what was looked up, what a change may reach."""

from pathlib import Path
from typing import Any

import pytest

from codeintel_server.testing import Caller
from codeintel_session.testing import make_repo

pytestmark = pytest.mark.anyio

STATS = "def count_all(values):\n    return len(values)\n"
USER = "from stats import count_all\n\n\ndef report(values):\n    return count_all(values)\n"
QUERY = "change count_all because it crashes with an error on empty lists"
SLOTS = {"observed_issue": {"value": "crashes with an error", "quote": "it crashes with an error"}}


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """Two modules, one of which uses the other."""
    return make_repo(tmp_path / "project", {"src/stats.py": STATS, "src/user.py": USER}).root


async def framed(call: Caller, target: str, intent: str = "MODIFY") -> dict[str, Any]:
    """Start and hand in the frame; returns its reply."""
    await call.call("start_session", {"intent": intent, "query": QUERY})
    frame = {"action_type": "change", "target_symbols": [target], "scope": "src", "constraints": "", "slots": SLOTS}
    return await call("submit_phase", data={**frame, "summary": "Framed."})


async def explored(call: Caller, *tools: str) -> dict[str, Any]:
    """Look at both modules and hand the exploration in; returns its reply."""
    for path in ("src/stats.py", "src/user.py"):
        await call("get_symbols", path=path)
        await call("analyze_structure", path=path)
    for tool in tools:
        await call(tool, symbol="count_all")
    found = {"explored_files": ["src/stats.py", "src/user.py"], "findings": ["f"], "tools_used": list(tools)}
    return await call("submit_phase", data={**found, "summary": "Looked."})


async def answered(call: Caller, field: str) -> dict[str, Any]:
    """Answer a gate with false."""
    return await call("submit_phase", data={field: False, "reason": "It is plain enough.", "summary": "No."})


async def test_a_defined_target_with_its_references_looked_up_gives_high_confidence(call: Caller) -> None:
    first = (await framed(call, "count_all"))["assessment"]
    assert (first["risk"], "undefined" in first) == ("LOW", False)
    assert (await explored(call, "find_references"))["assessment"]["confidence"] == "high"
    assert (await answered(call, "needs_more_information"))["phase"] == "Q2"


async def test_a_wide_change_without_a_reference_look_up_is_overruled_at_its_gate(call: Caller) -> None:
    await framed(call, "count_all")
    found = (await explored(call))["assessment"]
    assert (found["confidence"], found["unreferenced"]) == ("low", ["count_all"])
    await answered(call, "needs_more_information")
    await answered(call, "has_unverified_hypotheses")
    overruled = await answered(call, "needs_impact_analysis")
    assert (overruled["phase"], "count_all" in overruled["warning"]) == ("IMPACT_ANALYSIS", True)


async def test_a_target_that_is_not_defined_is_overruled_at_its_gate(call: Caller) -> None:
    assert (await framed(call, "count_everything"))["assessment"]["undefined"] == ["count_everything"]
    await explored(call, "find_references")
    overruled = await answered(call, "needs_more_information")
    assert (overruled["phase"], "count_everything" in overruled["warning"]) == ("SEMANTIC", True)


async def test_how_near_the_slots_are_to_the_targets_is_told(call: Caller) -> None:
    await call("sync_index")
    relevance = (await framed(call, "count_all"))["assessment"]["relevance"]
    assert 0.0 <= relevance["count_all"] <= 1.0


async def test_every_user_of_what_changes_must_be_judged(call: Caller) -> None:
    await framed(call, "count_all")
    await explored(call)
    for field in ("needs_more_information", "has_unverified_hypotheses", "needs_impact_analysis"):
        await answered(call, field)
    found = await call("analyze_impact", target_files=["src/stats.py"], change_description="changes its result")
    assert [row["path"] for row in found["must_verify"]] == ["src/user.py"]
    data = {"tools_used": ["analyze_impact"], "summary": "Analyzed."}
    refused = await call("submit_phase", data={**data, "impact_summary": {"src/stats.py": "will_modify: it"}})
    assert refused["problems"] == ["impact_summary: src/user.py is not judged"]
    summary = {"src/stats.py": "will_modify: it", "src/user.py": "no_change_needed: it only passes the result on"}
    assert (await call("submit_phase", data={**data, "impact_summary": summary}))["step"] == 12
