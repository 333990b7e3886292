"""The server's own judgement on a real project: facts of its text, and what a change may reach."""

import sys
from pathlib import Path
from typing import Any

import pytest

from codeintel_index import Index, ToolTimeout
from codeintel_server.project.project import Project
from codeintel_server.testing import Caller
from codeintel_session.testing import Repo, make_repo

pytestmark = [pytest.mark.draws(18), pytest.mark.anyio]

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


async def answered(call: Caller, field: str, answer: bool = False) -> dict[str, Any]:
    """Answer a gate."""
    return await call("submit_phase", data={field: answer, "reason": "It is plain enough.", "summary": "No."})


async def test_a_target_that_stands_in_the_text_gives_high_confidence_without_any_look_up(call: Caller) -> None:
    first = (await framed(call, "count_all"))["assessment"]
    assert (first["risk"], first["confidence"]) == ("LOW", "high")
    assert (await explored(call))["assessment"]["confidence"] == "high"
    assert (await answered(call, "needs_more_information"))["phase"] == "Q2"
    await answered(call, "has_unverified_hypotheses")
    assert (await answered(call, "needs_impact_analysis"))["phase"] == "READY"


@pytest.mark.parametrize("target", ["count_all.values", "len", "the counting"])
async def test_what_the_index_does_not_define_overrules_nothing(call: Caller, target: str) -> None:
    """A parameter, a builtin, a name in plain words: they have no definition, and no fact speaks against them."""
    assert (await framed(call, target))["assessment"]["confidence"] in ("high", "medium")
    await explored(call)
    for field, phase in (("needs_more_information", "Q2"), ("has_unverified_hypotheses", "Q3")):
        assert (await answered(call, field))["phase"] == phase
    assert (await answered(call, "needs_impact_analysis"))["phase"] == "READY"


async def test_code_that_uses_a_target_and_was_never_shown_is_named_at_its_gate(call: Caller, repo: Path) -> None:
    for number in range(7):
        (repo / f"src/more_{number}.py").write_text(USER)
    await framed(call, "count_all")
    await explored(call)
    await answered(call, "needs_more_information")
    await answered(call, "has_unverified_hypotheses")
    overruled = await answered(call, "needs_impact_analysis")
    assert overruled["phase"] == "IMPACT_ANALYSIS"
    assert [f"src/more_{number}.py" in overruled["warning"] for number in range(7)] == [True] * 5 + [False] * 2
    assert "src/user.py" not in overruled["warning"]


async def test_a_target_that_stands_nowhere_is_overruled_at_its_gate(call: Caller) -> None:
    assert (await framed(call, "count_everything"))["assessment"]["confidence"] == "low"
    await explored(call)
    overruled = await answered(call, "needs_more_information")
    assert (overruled["phase"], "count_everything" in overruled["warning"]) == ("SEMANTIC", True)


async def test_a_search_that_takes_too_long_gives_no_fact(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*_: object, **__: object) -> object:
        raise ToolTimeout("ripgrep", 1.0)

    monkeypatch.setattr(Index, "names_in_text", late)
    monkeypatch.setattr(Index, "files_using", late)
    assert (await framed(call, "count_everything"))["assessment"]["confidence"] == "medium"
    await explored(call)
    assert (await answered(call, "needs_more_information"))["phase"] == "Q2"
    await answered(call, "has_unverified_hypotheses")
    assert (await answered(call, "needs_impact_analysis"))["phase"] == "READY"


async def test_how_near_the_slots_are_to_the_targets_is_told(call: Caller) -> None:
    await call("sync_index")
    relevance = (await framed(call, "count_all"))["assessment"]["relevance"]
    assert 0.0 <= relevance["count_all"] <= 1.0


async def test_every_user_of_what_changes_must_be_judged(call: Caller) -> None:
    await framed(call, "count_all")
    await explored(call)
    for field in ("needs_more_information", "has_unverified_hypotheses"):
        await answered(call, field)
    await answered(call, "needs_impact_analysis", True)
    found = await call("analyze_impact", target_files=["src/stats.py"], change_description="changes its result")
    assert [row["path"] for row in found["must_verify"]] == ["src/user.py"]
    data = {"tools_used": ["analyze_impact"], "summary": "Analyzed."}
    refused = await call("submit_phase", data={**data, "impact_summary": {"src/stats.py": "will_modify: it"}})
    assert refused["problems"] == ["impact_summary: src/user.py is not judged"]
    summary = {"src/stats.py": "will_modify: it", "src/user.py": "no_change_needed: it only passes the result on"}
    assert (await call("submit_phase", data={**data, "impact_summary": summary}))["step"] == 12


@pytest.mark.parametrize("name", ["picture.png", "inner", "link.py"])
def test_what_a_session_adds_and_is_not_text_holds_no_empty_functions(repo: Path, name: str) -> None:
    (repo / "picture.png").write_bytes(b"\x89PNG\0\0")
    (repo / "inner").mkdir()
    (repo / "link.py").symlink_to("/etc/hosts")
    project = Project(repo)
    try:
        assert project.code.new_stubs(name, "", ((1, sys.maxsize),)) == []
    finally:
        project.close()


@pytest.mark.parametrize(
    ("item", "named"),
    [
        ("Let `count_all` take an empty list", ""),
        ("Give count_all a guard", ""),
        ("Keep `stats.count_all()` as `report` calls it", ""),
        ("Change `report` too", "report"),
        ("Say it in src/user.py", "src/user.py"),
        ("Remove `gone_already`", ""),
        ("Drop `old_name`", ""),
        ("add_up takes an empty list", "add_up"),
        ("show_all takes an empty list", ""),
        ("use_all takes an empty list", ""),
    ],
)
async def test_an_item_that_names_code_without_a_change_there_is_told(
    call: Caller, repo: Path, item: str, named: str
) -> None:
    """In code marks a name is meant; in plain words it may be anything, but what a changed file defines apart."""
    beside = (
        "\n\ndef add_up(values):\n    return sum(values)\n\n\ndef show_all(values):\n    print(count_all(values))\n"
    )
    (repo / "src/stats.py").write_text(f"{STATS}{beside}\n\nold_name = count_all\n")
    Repo(repo).commit("An alias")
    await call.call("start_session", {"intent": "IMPLEMENT", "query": QUERY, "flags": ["--quick", "--no-doc"]})
    frame = {"action_type": "change", "target_symbols": ["count_all"], "scope": "src", "constraints": ""}
    await call("submit_phase", data={**frame, "summary": "Framed."})
    plan = [{"id": "t", "description": "Do it", "checklist": [{"item": item}]}]
    await call("submit_phase", data={"tasks": plan, "summary": "Planned."})
    await call("add_explored_files", files=["src/stats.py", "src/user.py"])
    await call("check_write_target", file_path="src/stats.py")
    (repo / "src/stats.py").write_text(STATS.replace("return", "return 0 if not values else") + beside)
    done = {"item": item, "status": "done", "evidence": "src/stats.py:2"}
    reply = await call("submit_phase", data={"task_id": "t", "checklist": [done], "summary": "Done."})
    told = f"Nothing changed in the files or the code that these items name: {item} ({named})."
    assert (reply["success"], told in reply.get("warning", "")) == (True, bool(named)), reply


@pytest.mark.parametrize(
    ("text", "taken"), [("// Pages of users\nlet a = 1;\n", True), ("// Pages\nlet a=2;\n", False)]
)
async def test_a_file_is_shown_by_comments_where_they_alone_changed(
    call: Caller, repo: Path, text: str, taken: bool
) -> None:
    (repo / "src/user.js").write_text("// Users\nlet a = 1;\n")
    Repo(repo).commit("Users")
    await call.call("start_session", {"intent": "MODIFY", "query": QUERY, "flags": ["--quick", "--no-doc"]})
    await call("submit_phase", data={"target_symbols": ["count_all"], "summary": "Framed."})
    plan = [{"id": "t", "description": "Do it", "checklist": [{"item": "users have pages"}]}]
    await call("submit_phase", data={"tasks": plan, "summary": "Planned."})
    await call("add_explored_files", files=["src/stats.py", "src/user.js"])
    (repo / "src/stats.py").write_text(STATS.replace("return", "return 0 or"))
    (repo / "src/user.js").write_text(text)
    done = {"item": 1, "status": "done", "evidence": "src/user.js:1"}
    reply = await call("submit_phase", data={"task_id": "t", "checklist": [done], "summary": "Done."})
    assert reply["success"] == taken, reply
    if not taken:  # the refusal says how it is taken nevertheless
        assert "say so in the item's reason" in reply["message"]
        done["reason"] = "The comment alone names the pages."
        reply = await call("submit_phase", data={"task_id": "t", "checklist": [done], "summary": "Done."})
    assert "The evidence of these items is comments alone" in reply["warning"], reply


@pytest.mark.parametrize(
    ("asked", "absent"),
    [
        ("Add `spread_all(values)` beside `count_all`.", "spread_all"),
        ("Let `stats.count_all` take an empty list, as `report()` needs it.", ""),
        ("Remove `old_name`, and call it with `-q` no more.", ""),
        ("Let `count_all` take an empty list, as `stats_page` shows.", ""),
        ("Let `abs()` take a count.", ""),
        ("Add `spread_some(values)`, with a `comment_alone` and an `option_name`.", "spread_some, comment_alone"),
    ],
)
async def test_a_request_that_names_code_that_is_nowhere_at_the_end_is_told(
    call: Caller, repo: Path, asked: str, absent: str
) -> None:
    (repo / "src/stats.py").write_text(f"{STATS}\n\nold_name = count_all\n")
    (repo / "test_some.py").write_text("def spread_some(values):\n    return comment_alone\n")
    (repo / "src/stats_page.py").write_text("print(0)\n")
    Repo(repo).commit("An alias")
    await call.call("start_session", {"intent": "IMPLEMENT", "query": asked, "flags": ["--quick", "--no-doc"]})
    await call("submit_phase", data={"target_symbols": ["count_all"], "summary": "Framed."})
    plan = [{"id": "t", "description": "Do it", "checklist": [{"item": "the work"}]}]
    await call("submit_phase", data={"tasks": plan, "summary": "Planned."})
    await call("add_explored_files", files=["src/stats.py", "src/stats_page.py"])
    await call("check_write_target", file_path="src/stats.py")
    work = "# comment_alone\nOPTIONS = ('option_name', 'spread_some')\nCounts.__abs__ = len\n"
    (repo / "src/stats.py").write_text(STATS.replace("return", "return 0 if not values else") + work)
    done = {"item": 1, "status": "done", "evidence": "src/stats.py:2"}
    await call("submit_phase", data={"task_id": "t", "checklist": [done], "summary": "Done."})
    reply = await call("submit_phase", data={"phase": "READY_COMPLETE", "summary": "All of it."})
    told = f"no code of the project holds them, at most a comment or a test does: {f'{absent}.' if absent else ''}"
    assert (reply["success"], told in reply.get("warning", "")) == (True, bool(absent)), reply
