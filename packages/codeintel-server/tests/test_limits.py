"""Every size has a limit, and each limit is tripped here: what comes in is refused by name, what goes out is cut and
says so. (The limits of a session are in tests/requirements, deadlines with the tools that have them.)
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from codeintel_server.demo.change import Change
from codeintel_server.mcp.registry import TOOLS
from codeintel_server.project.library import ProjectLibrary
from codeintel_server.testing import Caller, in_memory, play_to
from codeintel_server.verification.trust import trust
from codeintel_session.replies.truncation import json_size

pytestmark = [pytest.mark.draws(18), pytest.mark.anyio]
REFUSAL_BYTES = 6 * 1024
ANSWER_BYTES = 24 * 1024
HARD_BYTES = 256 * 1024


@pytest.mark.sample(5)
@pytest.mark.parametrize("tool", TOOLS)
async def test_arguments_beyond_their_size_are_refused_before_they_are_read(
    call: Caller, repo: Path, tool: str
) -> None:
    most = TOOLS[tool].most_bytes
    name = next((name for name in TOOLS[tool].arguments.model_fields if name != "repo_path"), "none")
    reply = await call.call(tool, {name: "x" * most})
    assert f"at most {most} are read" in reply["message"]
    assert json_size(reply) <= REFUSAL_BYTES
    assert not (repo / ".code-intel").exists()


@pytest.mark.parametrize(
    ("tool", "arguments", "named"),
    [
        ("search_text", {"pattern": ["x"] * 6}, "pattern"),
        ("search_text", {"pattern": "x" * 10_001}, "longer than 10000"),
        ("search_text", {"pattern": "x", "glob": "x" * 1001}, "longer than 1000"),
        ("search_text", {"pattern": "x", "glob": "*a" * 5}, "stars"),
        ("search_text", {"pattern": "x", "max_results": 1001}, "max_results"),
        ("search_text", {"pattern": "x", "offset": -1}, "offset"),
        ("search_text", {"pattern": "x", "file_type": "x" * 300}, "unrecognized file type"),
        ("search_files", {"pattern": "{a,b}" * 9}, "ways"),
        ("find_references", {"symbol": "x", "max_results": 0}, "max_results"),
        ("semantic_search", {"query": "x", "n_results": 51}, "n_results"),
        ("analyze_impact", {"target_files": ["a.py"] * 201}, "target_files"),
        ("add_explored_files", {"files": ["a.py"] * 201}, "files"),
        ("get_function_at_line", {"path": "src/stats.py", "line": 0}, "line"),
    ],
    ids=str,
)
async def test_what_is_too_much_is_refused_by_name(
    call: Caller, tool: str, arguments: dict[str, Any], named: str
) -> None:
    reply = await call.call(tool, arguments)
    assert reply["success"] is False
    assert named in json.dumps(reply)


@pytest.mark.sample(5)
@pytest.mark.parametrize(
    ("tool", "argument"),
    [
        ("find_definitions", "symbol"),
        ("find_references", "symbol"),
        ("get_symbols", "path"),
        ("query", "query"),
        ("semantic_search", "query"),
        ("fetch_chunk_detail", "chunk_id"),
        ("record_outcome", "outcome"),
        ("start_session", "intent"),
        ("check_write_target", "file_path"),
        ("update_context", "summary"),
    ],
)
@pytest.mark.parametrize("word", ["x", '"a word" '])
async def test_text_as_long_as_it_may_be_gives_a_small_answer_and_no_fault(
    call: Caller, tool: str, argument: str, word: str
) -> None:
    text = (word * TOOLS[tool].most_bytes)[: TOOLS[tool].most_bytes // 2 - 100]
    reply = await call.call(tool, {argument: text})
    assert reply.get("error") != "internal_error"
    assert json_size(reply) <= (HARD_BYTES if reply["success"] else REFUSAL_BYTES)


@pytest.fixture
def heaps(repo: Path, git: Callable[..., str]) -> Path:
    """A project with too much of everything."""
    lines = "".join(f"def needle_{n}(value={'a' * 80}): return {n}\n" for n in range(4000))
    (repo / "src/many.py").write_text(lines, encoding="utf-8")
    (repo / "src/long.py").write_text("def long():\n" + "    needle = 1\n" * 9000, encoding="utf-8")
    (repo / "src/huge.py").write_text("needle = 1\n" * 100_000, encoding="utf-8")
    (repo / "files").mkdir()
    for number in range(1200):
        (repo / f"files/{'name' * 20}{number}.txt").write_text("needle\n", encoding="utf-8")
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "--message", "Heaps")
    return repo


LISTS: list[tuple[str, dict[str, Any], str]] = [
    ("search_text", {"pattern": "needle", "max_results": 1000, "context_lines": 20}, "matches"),
    ("search_files", {"pattern": "**/*", "max_results": 1000}, "files"),
    ("find_definitions", {"symbol": "needle_", "exact": False}, "definitions"),
    ("find_references", {"symbol": "needle", "max_results": 1000}, "references"),
    ("get_symbols", {"path": "src/many.py"}, "symbols"),
    ("analyze_structure", {"path": "src/many.py"}, "symbols"),
]


@pytest.mark.slow
async def test_answers_stay_small_and_say_that_there_is_more(heaps: Path) -> None:
    async with in_memory(heaps) as call:
        await call("sync_index")
        for tool, arguments, name in LISTS:
            reply = await call.call(tool, arguments)
            rows = reply["results"][0] if tool == "search_text" else reply
            assert json_size(reply) <= ANSWER_BYTES + 1024, tool
            assert (rows["truncated"], rows["total"] > len(rows[name])) == (True, True), tool
        long = await call("get_function_at_line", path="src/long.py", line=5)
        assert (len(long["text"].splitlines()), long["truncated"], long["next_start_line"]) == (200, True, 201)
        refused = await call("analyze_structure", path="src/huge.py")
        assert "larger than 1000000 bytes" in refused["message"]
        everything = await call("query", query="needle long many")
        assert json_size(everything) <= ANSWER_BYTES + 1024


async def test_what_a_command_prints_is_cut_to_its_end(
    call: Caller, change: Change, repo: Path, git: Callable[..., str]
) -> None:
    (repo / ".code-intel/verifiers").mkdir(parents=True)
    text = "---\nmatch: ['**']\ncommand: seq 1 200000\n---\nRun it.\n"
    (repo / ".code-intel/verifiers/loud.md").write_text(text, encoding="utf-8")
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "--message", "Verifier")
    trust(ProjectLibrary(repo))
    await play_to(call, change, 15, flags=["--fast"])
    ran = await call("run_verifier", name="loud")
    assert ran["output"].rstrip("\n").endswith("\n199999\n200000")
    assert len(ran["output"]) <= 4100
    assert "characters before this" in ran["output"]


@pytest.mark.parametrize("path", ["x" * 5000, "~nobody-at-all/x", "a\0b", "missing", "src/stats.py"])
async def test_a_project_that_no_folder_can_be_is_refused(call: Caller, path: str) -> None:
    for tool in ("start_session", "get_session_status"):
        reply = await call.call(tool, {"repo_path": path})
        assert "is not a folder" in reply["message"]
        assert json_size(reply) <= REFUSAL_BYTES


async def test_a_session_with_payloads_as_large_as_they_may_be_can_be_resumed(repo: Path) -> None:
    query = "Where are numbers counted? " * 2000
    async with in_memory(repo) as call:
        started = await call("start_session", intent="QUESTION", query=query)
        frame = {"summary": "s" * 60_000, "action_type": "a" * 20_000, "target_symbols": ["count_all"] * 1000}
        data = {**frame, "scope": "b" * 20_000, "constraints": "c" * 10_000, "tools_used": []}
        accepted = await call("submit_phase", data=data)
    checkpoint = repo / ".code-intel/sessions" / f"{started['session_id']}.json"
    assert accepted["success"] is True
    assert checkpoint.stat().st_size <= HARD_BYTES
    async with in_memory(repo) as call:
        resumed = await call("get_session_status")
    assert (resumed["step"], resumed["success"]) == (5, True)
    assert json_size(resumed) <= 12 * 1024
