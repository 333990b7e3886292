"""No path that comes from outside leads outside: every argument of every tool and every path of a payload, with every
spelling of "elsewhere" we know, asked through a real client in the middle of a session.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from codeintel_server.demo.change import Change
from codeintel_server.mcp.registry import TOOLS
from codeintel_server.testing import Caller, play_to

pytestmark = [pytest.mark.draws(18), pytest.mark.anyio]
OUTSIDE = "what stands outside of the project"

# Every argument that can hold text, by what it means. A new one has to be told here before this file is green.
PATHS = {
    ("search_text", "path"),
    ("find_definitions", "path"),
    ("find_references", "path"),
    ("get_symbols", "path"),
    ("analyze_structure", "path"),
    ("get_function_at_line", "path"),
    ("read_lines", "path"),
    ("analyze_impact", "target_files"),
    ("check_write_target", "file_path"),
    ("add_explored_files", "files"),
}
NAMES = {("run_verifier", "name"), ("get_session_status", "session_id"), ("record_outcome", "session_id")}
GLOBS = {("search_text", "glob"), ("search_files", "pattern")}
FOLDERS = {("start_session", "repo_path"), ("get_session_status", "repo_path")}  # the client chooses its project
WORDS = {
    ("start_session", "intent"),
    ("start_session", "query"),
    ("start_session", "flags"),
    ("submit_phase", "data"),
    ("search_text", "pattern"),
    ("search_text", "file_type"),
    ("find_definitions", "symbol"),
    ("find_definitions", "kind"),
    ("find_references", "symbol"),
    ("get_symbols", "kind"),
    ("query", "query"),
    ("semantic_search", "query"),
    ("semantic_search", "collection"),
    ("fetch_chunk_detail", "chunk_id"),
    ("analyze_impact", "symbols"),
    ("review_changes", "path"),  # compared with the paths of the diff, and opened never
    ("analyze_impact", "change_description"),
    ("update_context", "summary"),
    ("cleanup_stale_branches", "action"),
    ("record_outcome", "outcome"),
    ("record_outcome", "note"),
}
OTHERS: dict[str, dict[str, Any]] = {
    "search_text": {"pattern": "stands outside|count_all"},
    "find_definitions": {"symbol": "count_all"},
    "find_references": {"symbol": "count_all"},
    "get_function_at_line": {"line": 1},
}

ELSEWHERE = [
    "..",
    "../secret.txt",
    "src/../../secret.txt",
    "./src/.././../secret.txt",
    "/etc/passwd",
    "/dev/zero",
    "/dev/stdin",
    "/proc/self/environ",
    "out/secret.txt",
    "out",
    "link.txt",
    "src/../out/secret.txt",
    "//server/share/secret.txt",
]
# Spelled for another system, or no path at all: inside the project they name nothing.
ODD = [
    "\\\\server\\share\\secret.txt",
    "..\\secret.txt",
    "src\\..\\..\\secret.txt",
    "C:\\Windows\\win.ini",
    "C:/Windows/win.ini",
    "~/.ssh/id_rsa",
    "$HOME/secret.txt",
    "file:///etc/passwd",
    "src/stats.py\0.txt",
    "../secret.txt\0.py",
    "src/stats.py\n../secret.txt",
    "SRC/STATS.PY",
    "loop",
    "pipe",
    "x" * 5000,
    "x/" * 3000,
    "--help",
    "-",
    ":(top)..",
    ":!src",
    "%2e%2e/secret.txt",
    "\uff0e\uff0e/secret.txt",
    "\ud800",
    "src/stats.py/..//stats.py/x",
]


@pytest.fixture
def trapped(repo: Path, git: Callable[..., str]) -> Path:
    """The project with links that lead out, a link to itself and a pipe; the secret lies beside it."""
    (repo.parent / "secret.txt").write_text(f"{OUTSIDE}\ndef count_all(): ...\n", encoding="utf-8")
    (repo / "out").symlink_to(repo.parent)
    (repo / "link.txt").symlink_to(repo.parent / "secret.txt")
    (repo / "loop").symlink_to("loop")
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "--message", "Traps")
    os.mkfifo(repo / "pipe")
    return repo


def test_every_argument_that_holds_text_is_told_what_it_means() -> None:
    known = PATHS | NAMES | GLOBS | FOLDERS | WORDS
    texts = {
        (name, argument)
        for name, tool in TOOLS.items()
        for argument, shape in tool.listing().input_schema.get("properties", {}).items()
        if not {"integer", "boolean"} & set(str(shape.get("type", "")).split())
    }
    assert texts == known


def wrong_in(reply: dict[str, Any], codes: set[str] | None) -> str:
    """What is wrong with an answer; "" if nothing is. Without `codes` it may also be an answer about nothing."""
    if OUTSIDE in json.dumps(reply):
        return "it tells what stands outside"
    if reply.get("error") == "internal_error":
        return str(reply["message"])
    if codes is not None and reply.get("error") not in codes:
        return f"{reply.get('error')}, not refused as a path outside"
    return ""


@pytest.mark.sample(3)
@pytest.mark.parametrize(("tool", "argument"), sorted(PATHS))
async def test_no_tool_follows_a_path_out_of_the_project(
    call: Caller, change: Change, trapped: Path, tool: str, argument: str
) -> None:
    if tool in ("check_write_target", "add_explored_files"):
        await play_to(call, change, 13, flags=["--fast"])
    refused = {"path_outside_project", "write_blocked"}
    wrong: dict[str, str] = {}
    for value, codes in [(path, refused) for path in ELSEWHERE] + [(path, None) for path in ODD]:
        given = [value] if argument in ("files", "target_files") else value
        reply = await call.call(tool, {**OTHERS.get(tool, {}), argument: given})
        if found := wrong_in(reply, codes):
            wrong[value[:40]] = found
    assert wrong == {}


@pytest.mark.sample(2)
@pytest.mark.parametrize(("tool", "argument"), sorted(GLOBS | NAMES))
async def test_globs_and_names_are_no_paths(call: Caller, trapped: Path, tool: str, argument: str) -> None:
    others = {"record_outcome": {"outcome": "failure"}, "search_text": {"pattern": "stands outside"}}
    wrong: dict[str, str] = {}
    for value in [*ELSEWHERE, *ODD, "../*", "/etc/*", "out/*", "**/../../*.txt", "{..,src}/*"]:
        reply = await call.call(tool, {**others.get(tool, {}), argument: value})
        if found := wrong_in(reply, None):
            wrong[value[:40]] = found
        listed = reply.get("files", [])
        if [path for path in listed if path.startswith((".", "/")) or "secret" in path]:
            wrong[value[:40]] = f"it lists {listed}"
    assert wrong == {}


PAYLOADS: dict[str, tuple[int, list[str], Callable[[str], dict[str, Any]]]] = {
    "explored files": (5, [], lambda path: {"explored_files": [path], "findings": ["It counts."], "tools_used": []}),
    "evidence": (
        13,
        ["--fast"],
        lambda path: {
            "task_id": "task_1",
            "tools_used": [],
            "checklist": [
                {
                    "item": "Write total_and_mean at the end of src/stats.py",
                    "status": "done",
                    "evidence": f"{path}:1",
                },
                {"item": "Announce it in the changelog", "status": "skipped", "reason": "Internal, nobody sees it"},
            ],
        },
    ),
    "a verifier": (15, ["--fast"], lambda path: {"verifier_used": path, "passed": True, "details": "It works."}),
    "reviewed files": (
        17,
        ["--fast"],
        lambda path: {
            "review_prompt_used": "garbage_detection.md",
            "reviewed_files": [{"path": path, "decision": "discard", "reason": "It is not needed any more"}],
            "commit_message": "Add it",
            "tools_used": [],
        },
    ),
    "a prompt": (
        17,
        ["--fast"],
        lambda path: {
            "review_prompt_used": path,
            "reviewed_files": ["src/stats.py"],
            "commit_message": "Add it",
            "tools_used": ["review_changes"],
        },
    ),
}


@pytest.mark.sample
@pytest.mark.parametrize("name", PAYLOADS)
async def test_no_payload_leads_out_of_the_project(call: Caller, change: Change, trapped: Path, name: str) -> None:
    step, flags, payload = PAYLOADS[name]
    await play_to(call, change, step, flags=flags)
    for tool in ("find_definitions", "find_references"):
        await call(tool, symbol="count_all")
    if step == 17:
        await call("review_changes")
    secret = trapped.parent / "secret.txt"
    before = (secret.read_bytes(), secret.stat().st_mtime_ns)
    wrong: dict[str, str] = {}
    for path in [*ELSEWHERE, *ODD]:
        reply = await call.call("submit_phase", {"data": {"summary": "Done.", **payload(path)}})
        found = wrong_in(reply, None) or ("accepted" if reply["success"] else "")
        if found or reply.get("step", step) != step:  # what no tool may receive is refused before the session sees it
            wrong[path[:40]] = found or f"the session went to {reply['step']}"
    assert wrong == {}
    assert (secret.read_bytes(), secret.stat().st_mtime_ns) == before
