"""What goes wrong below a tool reaches the client as one clear code, and the session is as it was."""

import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from codeintel_index import Index
from codeintel_index.errors import IndexBusy, ToolTimeout
from codeintel_server.demo.player import Player, Script
from codeintel_server.demo.stage import find_change
from codeintel_server.project.library import ProjectLibrary
from codeintel_server.testing import Caller, in_memory
from codeintel_server.verification.trust import trust

pytestmark = pytest.mark.anyio

START = {"intent": "QUESTION", "query": "Where are numbers counted?"}


def raising(error: Exception) -> Callable[..., Any]:
    def fail(*_: Any, **__: Any) -> Any:
        raise error

    return fail


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("tool", "method", "fault", "code", "named"),
    [
        ("find_definitions", "definitions", IndexBusy(600), "index_unavailable", "sync_index(force=true)"),
        ("find_definitions", "definitions", ToolTimeout("find_definitions", 20), "tool_timeout", "20 s"),
        ("semantic_search", "search", IndexBusy(600), "semantic_search_failed", "another process"),
        ("find_definitions", "definitions", RuntimeError("bug"), "internal_error", "RuntimeError"),
    ],
)
async def test_a_fault_of_the_index_has_a_code_of_its_own(
    call: Caller,
    monkeypatch: pytest.MonkeyPatch,
    tool: str,
    method: str,
    fault: Exception,
    code: str,
    named: str,
) -> None:
    argument = {"query": "numbers"} if tool == "semantic_search" else {"symbol": "count_all"}
    with monkeypatch.context() as patch:
        patch.setattr(Index, method, raising(fault))
        reply = await call.call(tool, argument)
    assert (reply["success"], reply["error"]) == (False, code)
    assert named in reply["message"]
    assert (await call.call(tool, argument))["success"] is True


async def test_what_nobody_foresaw_is_told_to_the_log_and_not_to_the_client(
    call: Caller, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(Index, "definitions", raising(RuntimeError("a secret detail")))
    reply = await call("find_definitions", symbol="count_all")
    assert (reply["error"], "a secret detail" in str(reply)) == ("internal_error", False)
    (record,) = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert "find_definitions" in record.getMessage()
    assert "a secret detail" in str(record.exc_info)


async def test_a_search_without_its_vectors_says_what_is_missing_and_answers(
    call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = Index.search
    monkeypatch.setattr(Index, "search", lambda *args, **more: replace(search(*args, **more), dense="no vectors yet"))
    found = await call("semantic_search", query="how many values are there")
    assert found["hits"][0]["path"] == "src/stats.py"
    assert found["dense"].startswith("Vectors are missing or incomplete (no vectors yet)")


async def verifying(repo: Path, call: Caller, front: str) -> None:
    """Stand at POST_IMPL_VERIFY with one trusted verifier."""
    (repo / ".code-intel/verifiers").mkdir(parents=True)
    (repo / ".code-intel/.gitignore").write_text("*\n", encoding="utf-8")
    (repo / ".code-intel/verifiers/own.md").write_text(f"---\n{front}\n---\nRun it.\n", encoding="utf-8")
    trust(ProjectLibrary(repo))
    await Player(call.client, find_change(repo), Script(answers=False, stop_before=15)).play()


@pytest.mark.sample
@pytest.mark.parametrize(
    ("front", "name", "code", "named"),
    [
        ("match: ['*']", "own", "validation_error", "carry out its text yourself"),
        ("match: ['*']", "nobodys", "validation_error", "own.md"),
    ],
)
async def test_a_verifier_that_cannot_be_run_is_said(repo: Path, front: str, name: str, code: str, named: str) -> None:
    async with in_memory(repo) as call:
        await verifying(repo, call, front)
        reply = await call("run_verifier", name=name)
    assert (reply["error"], named in reply["message"]) == (code, True)


async def test_a_tool_that_failed_is_no_tool_that_was_used(call: Caller) -> None:
    await call.call("start_session", START)
    frame = {"action_type": "ask", "target_symbols": [], "scope": "", "constraints": "", "summary": "Framed."}
    await call("submit_phase", data=frame)
    await call("search_text", pattern="count_all")
    await call("get_symbols", path="src/none.py")
    found = {"explored_files": ["src/stats.py"], "findings": ["f"], "summary": "Looked."}
    refused = await call("submit_phase", data={**found, "tools_used": ["search_text", "get_symbols"]})
    assert (refused["error"], "1 of 2 different" in refused["message"]) == ("payload_mismatch", True)
    await call("get_symbols", path="src/stats.py")
    accepted = await call("submit_phase", data={**found, "tools_used": ["search_text", "get_symbols"]})
    assert accepted["phase"] == "Q1"


async def test_a_file_touched_before_and_during_a_session_asks_for_a_decision(repo: Path) -> None:
    module = repo / "src/stats.py"
    module.write_text(module.read_text(encoding="utf-8") + "\n# mine\n", encoding="utf-8")
    async with in_memory(repo) as call:
        player = Player(call.client, find_change(repo), Script(answers=False, stop_before=17))
        await player.play()
        (change,) = (await call("review_changes"))["changes"]
        assert (change["path"], change["whose"]) == ("src/stats.py", "preexisting and session")
        data = {"review_prompt_used": "garbage_detection", "commit_message": "m", "tools_used": ["review_changes"]}
        refused = await call("submit_phase", data={**data, "reviewed_files": [], "summary": "s"})
        assert refused["problems"] == ["reviewed_files: src/stats.py is missing"]
        kept = await call("submit_phase", data={**data, "reviewed_files": ["src/stats.py"], "summary": "s"})
    assert "uncommitted changes before the session began" in kept["warning"]
