"""Bad input gets an error that names the thing and the next step, and the session is as it was."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from codeintel_server.testing import Caller, in_memory

pytestmark = [pytest.mark.draws(18), pytest.mark.anyio]

START = {"intent": "IMPLEMENT", "query": "Add a function that sums values, because callers sum by hand"}
FRAME = {"action_type": "add", "target_symbols": ["count_all"], "scope": "src", "constraints": "", "summary": "Framed."}


async def position(call: Caller) -> tuple[Any, ...]:
    status = await call("get_session_status")
    return status["phase"], status["step"], status["completed_steps"], status["phase_summaries"]


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("change", "code", "named"),
    [
        ({"intent": "DANCE"}, "validation_error", "IMPLEMENT, MODIFY, INVESTIGATE, QUESTION"),
        ({"intent": ""}, "validation_error", "IMPLEMENT"),
        ({"query": "  "}, "validation_error", "query"),
        ({"flags": {"fsat": True}}, "invalid_flags", "did you mean 'fast'"),
        ({"flags": {"fast": "yes"}}, "invalid_flags", "fast must be true or false"),
        ({"flags": ["--warp"]}, "invalid_flags", "'--warp'"),
        ({"flags": {"gate_level": "half"}}, "invalid_flags", "gate_level"),
        ({"flags": ["--resume"]}, "invalid_flags", "get_session_status"),
        ({"flags": {"fast": True, "gate_level": "full"}}, "invalid_flags", "gate_level full"),
        ({"flags": {"quick": True}, "intent": "QUESTION"}, "invalid_flags", "investigation"),
        ({"flags": {"only_verify": True, "no_verify": True}}, "invalid_flags", "exclude"),
        ({"repo_path": "nowhere"}, "validation_error", "nowhere"),
        ({"reop_path": "."}, "validation_error", "reop_path: unknown argument"),
        ({"discard_active": "perhaps"}, "validation_error", "discard_active"),
    ],
)
async def test_start_session_refuses_what_it_does_not_understand(
    call: Caller, change: dict[str, Any], code: str, named: str
) -> None:
    reply = await call.call("start_session", {**START, **change})
    assert (reply["success"], reply["error"]) == (False, code)
    assert named in reply["message"] + " ".join(reply["problems"])
    assert (await call("get_session_status"))["error"] == "no_active_session"


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("data", "named"),
    [
        ({}, "target_symbols"),
        ({"summary": "x"}, "target_symbols"),
        ({**FRAME, "target_symbol": ["a"]}, "target_symbol"),
        ({**FRAME, "target_symbols": "count_all"}, "target_symbols"),
        ({**FRAME, "tools_used": "search_text"}, "tools_used"),
        ({**FRAME, "compaction_count": "one"}, "compaction_count"),
        ({**FRAME, "slots": {"target_feature": {"value": "x"}}}, "slots.target_feature.quote"),
        ("{not json", "JSON"),
        ("[1, 2]", "JSON object"),
        ({**FRAME, "tasks": []}, "step 12"),
        ({**FRAME, "task_id": "t"}, "step 13"),
        ({**FRAME, "slots": {"desired_action": {"value": "sums", "quote": ["sum", "multiply values"]}}}, "quote[1]"),
        ({**FRAME, "slots": {"desired_action": {"value": "sums", "quote": ["a"]}}}, "desired_action"),
        ({**FRAME, "slots": {"desired_action": {"value": "sums", "quote": [7]}}}, "desired_action.quote"),
        ({**FRAME, "slots": {"desired_action": {"value": "sums", "quote": "multiply values"}}}, "desired_action"),
        ({**FRAME, "tools_used": ["search_text"]}, "search_text"),
    ],
)
async def test_a_payload_that_does_not_fit_changes_nothing(call: Caller, data: Any, named: str) -> None:
    await call.call("start_session", START)
    before = await position(call)
    reply = await call("submit_phase", data=data)
    assert reply["success"] is False
    assert named in reply["message"] + " ".join(reply["problems"])
    assert (reply["current_phase"], "expected_payload" in reply) == ("QUERY_FRAME", False)
    assert await position(call) == before


async def test_json_in_a_string_even_twice_encoded_is_read(call: Caller) -> None:
    import json

    await call.call("start_session", START)
    reply = await call("submit_phase", data=json.dumps(json.dumps(FRAME)))
    assert (reply["success"], reply["phase"]) == (True, "EXPLORATION")


@pytest.mark.sample(5)
@pytest.mark.parametrize(
    ("tool", "arguments", "code", "named"),
    [
        ("search_text", {"pattern": "  "}, "no_pattern", "pattern"),
        ("search_text", {"pattern": "(["}, "validation_error", "fixed true"),
        ("search_text", {"pattern": "x", "max_results": 0}, "validation_error", "max_results"),
        ("search_text", {"pattern": ["a"] * 6}, "validation_error", "pattern"),
        ("search_text", {"pattern": "x", "path": "../.."}, "path_outside_project", ".."),
        ("search_text", {"patern": "x"}, "validation_error", "patern: unknown argument"),
        ("find_definitions", {"symbol": ""}, "no_symbol", "symbol"),
        ("find_references", {}, "validation_error", "symbol"),
        ("get_symbols", {"path": ""}, "no_file_path", "path"),
        ("get_symbols", {"path": "src/none.py"}, "validation_error", "search_files"),
        ("analyze_structure", {"path": "/etc/passwd"}, "path_outside_project", "/etc/passwd"),
        ("get_function_at_line", {"path": "src/stats.py", "line": 0}, "validation_error", "line"),
        ("fetch_chunk_detail", {"chunk_id": "beef"}, "validation_error", "beef"),
        ("run_verifier", {"name": "generic.md"}, "phase_blocked", "no session"),
        ("check_write_target", {"file_path": "a.py"}, "no_active_session", "start_session"),
        ("review_changes", {}, "no_active_session", "start_session"),
        ("submit_phase", {"data": {"summary": "x"}}, "no_active_session", "start_session"),
        ("record_outcome", {"outcome": "splendid"}, "validation_error", "success, failure, partial"),
        ("record_outcome", {"outcome": "success"}, "validation_error", "session"),
        ("update_context", {"summary": ""}, "validation_error", "summary"),
        ("teleport", {}, "unknown_tool", "search_text"),
    ],
)
async def test_a_tool_names_what_is_wrong_with_its_arguments(
    call: Caller, tool: str, arguments: dict[str, Any], code: str, named: str
) -> None:
    reply = await call.call(tool, arguments)
    assert (reply["success"], reply["error"]) == (False, code)
    assert named in reply["message"] + " ".join(reply["problems"])


async def test_outside_a_repository_only_an_investigation_is_possible(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f(): return 1\n", encoding="utf-8")
    async with in_memory(tmp_path) as call:
        refused = await call.call("start_session", START)
        accepted = await call.call("start_session", {**START, "intent": "QUESTION"})
    assert (refused["error"], "git init" in refused["message"]) == ("no_git_repository", True)
    assert accepted["phase"] == "QUERY_FRAME"


async def test_a_repository_without_a_commit_says_what_to_run(tmp_path: Path, git: Callable[..., str]) -> None:
    git(tmp_path, "init", "--quiet")
    async with in_memory(tmp_path) as call:
        reply = await call.call("start_session", START)
    assert (reply["error"], "git commit" in reply["message"]) == ("branch_setup_failed", True)


async def test_an_empty_repository_can_still_be_asked_about(tmp_path: Path, git: Callable[..., str]) -> None:
    git(tmp_path, "init", "--quiet")
    async with in_memory(tmp_path) as call:
        await call.call("start_session", {**START, "intent": "QUESTION"})
        await call("submit_phase", data=FRAME)
        await call("search_files", pattern="**/*")
        await call("search_text", pattern="anything")
        found = {"explored_files": [], "findings": [], "summary": "There is nothing here."}
        reply = await call("submit_phase", data={**found, "tools_used": ["search_files", "search_text"]})
    assert (reply["success"], reply["phase"]) == (True, "Q1")


async def test_a_detached_head_says_what_to_run(repo: Path, git: Callable[..., str]) -> None:
    git(repo, "checkout", "--quiet", "--detach")
    async with in_memory(repo) as call:
        reply = await call.call("start_session", START)
    assert (reply["error"], "git switch" in reply["message"]) == ("branch_setup_failed", True)


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("name", "text", "code", "named"),
    [
        ("phase_contract.yml", "phases:\n  - [", "contract_invalid", "phase_contract.yml, line"),
        ("phase_contract.yml", "phases:\n  EXPLORATON:\n    instruction: x\n", "contract_invalid", "EXPLORATION"),
        (
            "phase_contract.yml",
            "phases:\n  Q1:\n    expected_payload:\n      reason: sting\n",
            "contract_invalid",
            "line",
        ),
        ("config.json", "{", "config_invalid", "config.json"),
    ],
)
async def test_a_broken_file_of_the_project_is_named_and_no_session_begins(
    repo: Path, name: str, text: str, code: str, named: str
) -> None:
    (repo / ".code-intel").mkdir()
    (repo / ".code-intel" / name).write_text(text, encoding="utf-8")
    async with in_memory(repo) as call:
        reply = await call.call("start_session", START)
        assert (reply["error"], named in reply["message"]) == (code, True)
        (repo / ".code-intel" / name).unlink()
        assert (await call.call("start_session", START))["success"] is True
