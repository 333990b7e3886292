"""The tools as a client meets them: what they answer, where they are allowed, what the session takes from them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError
from mcp.types import ElicitRequestParams, ElicitResult

from codeintel_contract.loader import load_contract
from codeintel_contract.names import TOOL_NAMES, Key
from codeintel_server.demo.change import Change
from codeintel_server.demo.player import Player, Script
from codeintel_server.mcp.registry import TOOLS, callable_in
from codeintel_server.project.library import ProjectLibrary
from codeintel_server.testing import Caller, in_memory, play_to
from codeintel_server.verification.trust import trust
from codeintel_templates import SKILL, read_template, template_body

pytestmark = [pytest.mark.draws(18), pytest.mark.anyio]


def test_the_registry_is_the_list_of_the_contract() -> None:
    assert TOOLS.keys() == TOOL_NAMES
    assert len(TOOLS) == 23


async def test_the_tool_list_is_small_and_has_no_output_schemas(call: Caller) -> None:
    listed = (await call.client.list_tools()).tools
    text = json.dumps([tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed])
    assert len(text) / 4 <= 2600
    assert all(tool.output_schema is None and tool.description and tool.annotations for tool in listed)


async def test_looking_works_without_a_session(call: Caller) -> None:
    found = await call("search_text", pattern=["count_all", "nowhere"])
    first, second = found["results"]
    assert [(row["path"], row["line"]) for row in first["matches"]] == [("src/stats.py", 4), ("src/stats.py", 10)]
    assert (second["matches"], second["total"]) == ([], 0)
    assert (await call("search_files", pattern="*.py"))["files"] == ["src/stats.py"]
    definition = (await call("find_definitions", symbol="count_all"))["definitions"][0]
    assert (definition["path"], definition["line"], definition["end_line"]) == ("src/stats.py", 4, 6)
    reference = (await call("find_references", symbol="count_all"))["references"][0]
    assert (reference["line"], reference["enclosing"], reference["in"]) == (10, "report", "code")
    symbols = (await call("get_symbols", path="src/stats.py"))["symbols"]
    assert [symbol["name"] for symbol in symbols] == ["count_all", "report"]
    outline = await call("analyze_structure", path="src/stats.py")
    assert (outline["language"], outline["doc"]) == ("python", "Numbers.")
    inner = await call("get_function_at_line", path="src/stats.py", line=10)
    assert inner["definition"]["name"] == "report"
    assert "count_all" in json.dumps(await call("query", query="where is count_all used?"))


async def test_search_by_meaning_finds_the_chunk_and_gives_it_whole(call: Caller) -> None:
    found = await call("semantic_search", query="how many values are there")
    assert found["hits"][0]["path"] == "src/stats.py"
    assert found["shortcut"] is False
    chunk = await call("fetch_chunk_detail", chunk_id=found["hits"][0]["chunk_id"])
    assert "def count_all" in chunk["chunk"]["text"]


async def test_a_pattern_that_looks_like_an_option_is_searched_for(call: Caller, repo: Path) -> None:
    (repo / "src" / "run.sh").write_text("touch owned\n", encoding="utf-8")
    found = await call("search_text", pattern="--pre=src/run.sh")
    assert (found["success"], found["results"][0]["total"]) == (True, 0)
    assert not (repo / "owned").exists()


@pytest.mark.sample(1)
@pytest.mark.parametrize("step", [15])
async def test_semantic_search_is_closed_outside_its_phases(call: Caller, change: Change, step: int) -> None:
    await play_to(call, change, step, answers=False)
    for tool, arguments in (("semantic_search", {"query": "anything"}), ("fetch_chunk_detail", {"chunk_id": "0"})):
        reply = await call.call(tool, arguments)
        assert (reply["error"], "from DOCUMENT_RESEARCH to READY" in reply["message"]) == ("phase_blocked", True)


async def test_semantic_search_is_open_while_looking_and_is_no_exploration_tool(call: Caller, change: Change) -> None:
    await play_to(call, change, 5)
    chunk = (await call("semantic_search", query="count values"))["hits"][0]["chunk_id"]
    assert (await call("fetch_chunk_detail", chunk_id=chunk))["success"] is True
    await call("read_lines", path="src/stats.py")
    found = {"explored_files": ["src/stats.py"], "findings": ["It counts."], "summary": "Looked."}
    refused = await call("submit_phase", data=found)
    assert (refused["success"], "1 of 2 different" in refused["message"]) == (False, True)
    await call("get_symbols", path="src/stats.py")
    assert (await call("submit_phase", data=found))["phase"] == "Q1"


def test_search_by_meaning_is_open_from_research_to_ready() -> None:
    assert (
        callable_in()["semantic_search"]
        == callable_in()["fetch_chunk_detail"]
        == {
            *(Key.DOCUMENT_RESEARCH, Key.QUERY_FRAME),
            *(Key.EXPLORATION, Key.Q1, Key.SEMANTIC, Key.Q2, Key.VERIFICATION, Key.Q3, Key.IMPACT_ANALYSIS),
            *(Key.READY_PLAN, Key.READY_IMPL, Key.READY_COMPLETE),
        }
    )


async def test_nothing_may_be_written_before_ready(call: Caller, change: Change) -> None:
    await play_to(call, change, 6)
    reply = await call("check_write_target", file_path="src/stats.py")
    assert (reply["error"], "Q1" in reply["message"]) == ("write_phase_blocked", True)


async def test_adding_a_file_shows_it_and_opens_it_and_new_files_too(call: Caller, change: Change) -> None:
    await play_to(call, change, 13, flags={"fast": True})
    assert (await call("check_write_target", file_path="src/stats.py"))["error"] == "write_blocked"
    added = await call("add_explored_files", files=["src/stats.py", "src/new.py"])
    assert added["outlines"][0]["symbols"][0]["name"] == "count_all"
    assert added["outlines"][1] == {"path": "src/new.py", "new": True}
    for path in ("src/stats.py", "src/new.py"):
        assert (await call("check_write_target", file_path=path))["allowed"] is True


async def test_a_file_without_an_outline_is_opened_all_the_same(
    call: Caller, change: Change, repo: Path, git: Callable[..., str]
) -> None:
    (repo / "package-lock.json").write_text("{}" + " " * 1_000_000, encoding="utf-8")
    (repo / "logo.png").write_bytes(b"\x89PNG\0\0")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "Large and binary")
    await play_to(call, change, 13, flags={"fast": True})
    added = await call("add_explored_files", files=["package-lock.json", "logo.png"])
    assert [one["no_outline"] for one in added["outlines"]] == ["is larger than 1000000 bytes", "a binary file"]
    for path in ("package-lock.json", "logo.png"):
        assert (await call("check_write_target", file_path=path))["allowed"] is True


async def test_a_new_file_can_be_written_more_than_once(call: Caller, change: Change, repo: Path) -> None:
    await play_to(call, change, 13, answers=False)
    assert (await call("check_write_target", file_path="src/new.py"))["error"] == "write_blocked"
    await call("add_explored_files", files=["src/new.py"])
    for text in ("x = 1\n", "x = 2\n"):
        assert (await call("check_write_target", file_path="src/new.py"))["allowed"] is True
        (repo / "src/new.py").write_text(text, encoding="utf-8")


VERIFIER = """---
match: ['**/*.py']
command: python3 -c "import sys; sys.path.insert(0, 'src'); import stats"
---
Run it.
"""


async def test_a_verifier_with_a_command_passes_only_with_the_servers_own_receipt(
    call: Caller, change: Change, repo: Path, git: Callable[..., str]
) -> None:
    (repo / ".code-intel/verifiers").mkdir(parents=True)
    (repo / ".code-intel/verifiers/imports.md").write_text(VERIFIER, encoding="utf-8")
    (repo / ".gitignore").write_text("__pycache__/\n", encoding="utf-8")
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "--message", "Verifier")
    await play_to(call, change, 15, answers=False)
    passed = {"verifier_used": "imports", "passed": True, "details": "It imports.", "summary": "It works."}
    assert (await call("run_verifier", name="imports"))["error"] == "untrusted_project"
    trust(ProjectLibrary(repo))
    assert (await call("run_verifier", name="imports"))["passed"] is True
    (repo / "src/stats.py").write_text("broken(\n", encoding="utf-8")
    refused = await call("submit_phase", data=passed)
    ran = refused["runs"]["imports.md"]
    assert (refused["error"], ran["passed"]) == ("verification_receipt_failed", False)
    assert "SyntaxError" in ran["output"]


async def test_rules_of_the_project_come_with_the_first_reply_and_a_summary_replaces_them(
    repo: Path, call: Caller
) -> None:
    (repo / "CLAUDE.md").write_text("# Rules\n- Never use eval\n" + "prose\n" * 400, encoding="utf-8")
    start = {"intent": "QUESTION", "query": "What are the rules here?"}
    first = await call.call("start_session", start)
    assert first["project_rules"] == "# Rules\n- Never use eval"
    assert any("update_context" in notice for notice in first["notices"])
    await call("update_context", summary="DON'T: eval")
    second = await call.call("start_session", {**start, "discard_active": True})
    assert second["project_rules"] == "DON'T: eval"
    assert not any("update_context" in notice for notice in second.get("notices", []))


async def test_a_finished_session_can_be_told_a_later_outcome(call: Caller, change: Change, repo: Path) -> None:
    player = Player(call.client, change, Script(answers=False))
    end = await player.play()
    assert (await call("record_outcome", outcome="failure", note="It broke"))["session_id"] == end["session_id"]
    logged = (repo / ".code-intel/logs/outcomes.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["outcome"] for line in logged] == ["unverified", "failure"]


async def test_what_a_verified_success_taught_is_found_by_the_same_request(
    call: Caller, change: Change, repo: Path, git: Callable[..., str]
) -> None:
    (repo / ".code-intel/verifiers").mkdir(parents=True)
    (repo / ".code-intel/verifiers/imports.md").write_text(VERIFIER, encoding="utf-8")
    (repo / ".gitignore").write_text("__pycache__/\n", encoding="utf-8")
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "--message", "Verifier")
    trust(ProjectLibrary(repo))
    end = await Player(call.client, change, Script(answers=False, verifier="imports.md")).play()
    assert end["outcome"] == "verified"
    found = await call("semantic_search", query=change.query())
    assert (found["shortcut"], found["hits"][0]["path"]) == (True, "src/stats.py")
    assert found["hits"][0]["collection"] == "map"


async def test_an_agents_word_after_the_end_teaches_nothing(call: Caller, change: Change) -> None:
    end = await Player(call.client, change, Script(answers=False, flags=["--no-verify"])).play()
    assert end["outcome"] == "unverified"
    assert "learned" not in await call("record_outcome", outcome="success", note="It works")
    assert not (await call("semantic_search", query=change.query()))["shortcut"]


async def test_stale_branches_are_cleaned_up_and_kept_recoverable(
    repo: Path, change: Change, git: Callable[..., str]
) -> None:
    async with in_memory(repo) as call:
        await play_to(call, change, 14, answers=False)
        assert (await call("cleanup_stale_branches"))["error"] == "session_active"
    git(repo, "commit", "--quiet", "--all", "--message", "Half done")

    async def user(context: Any, params: ElicitRequestParams) -> ElicitResult:
        assert "Half done" in params.message
        return ElicitResult(action="accept", content={"answer": "delete"})

    async with in_memory(repo) as call:
        assert len((await call("cleanup_stale_branches"))["stay"]) == 1, "nobody reviewed that commit"
    async with in_memory(repo, user=user) as call:
        cleaned = await call("cleanup_stale_branches", checkpoints=True)
    assert git(repo, "branch", "--list") == "* main"
    assert [ref.startswith("refs/codeintel/trash/llm_task_") for ref in cleaned["kept_at"]] == [True]
    assert len(cleaned["checkpoints"]) == 1
    assert list((repo / ".code-intel/sessions").glob("2*.json")) == []


async def test_the_skill_is_served_as_a_prompt_and_takes_the_request_along(call: Caller) -> None:
    prompt = await call.client.get_prompt("code")
    text = getattr(prompt.messages[0].content, "text", "")
    assert text == template_body(SKILL)
    asked = await call.client.get_prompt("code", {"request": "--fast rename it"})
    assert getattr(asked.messages[0].content, "text", "") == f"{text}\n## The request\n\n--fast rename it\n"


async def test_prompts_are_resources_also_where_nothing_was_installed(call: Caller, repo: Path) -> None:
    found = {resource.name: str(resource.uri) for resource in (await call.client.list_resources()).resources}
    named = {path for phase in load_contract(None).phases.values() for path in phase.resources}
    assert all(any(name.startswith(path) for name in found) for path in named)
    for name, uri in found.items():
        (content,) = (await call.client.read_resource(uri)).contents
        assert getattr(content, "text", "") == read_template(name.removeprefix("."))
    (repo / ".code-intel/verifiers").mkdir(parents=True)
    (repo / ".code-intel/verifiers/own.md").write_text("Look.\n", encoding="utf-8")
    (content,) = (await call.client.read_resource("code-intel:///verifiers/own.md")).contents
    assert getattr(content, "text", "") == "Look.\n"
    for uri in ("code-intel:///verifiers/backend.md", "code-intel:///../src/stats.py", "file:///etc/passwd"):
        with pytest.raises(MCPError, match="no resource"):
            await call.client.read_resource(uri)
