"""Evidence as a diff lists it, through the whole server: what people commit, submitted by an honest agent."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from codeintel_server.report.gather import find_state
from codeintel_server.testing import Caller

pytestmark = pytest.mark.anyio

BEFORE = {
    "src/lines.rs": "//! A.\n//!\n//! Gone.\n//!\n//! Kept.\n\nfn kept() {\n    a();\n}\n\nfn gone() {\n    b();\n}\n",
    "docs/CHANGES.md": "# Changes\n\n## 1.0.1\n\n- Old.\n",
    "src/spaces.py": "A = 1   \nC = 0\nB = 2\n",
    "src/kept.rs": "fn kept() {}\n",
    "patches/a@1.0.patch": "".join(f"line {number} of it\n" for number in range(20)),
}
AFTER = {
    "src/lines.rs": "//! A.\n//!\n//! Kept.\n\nfn kept() {\n    a();\n}\n\n",
    "docs/CHANGES.md": "# Changes\n\n## 1.0.2\n\n- New.\n\n## 1.0.1\n\n- Old.\n",
    "src/spaces.py": "A = 1\nC = 0\nB = 3\n",
    "patches/a@1.1.patch": f"{BEFORE['patches/a@1.0.patch']}one more\n",
}
SHOWN: dict[str, list[str]] = {
    "src/lines.rs: `gone` goes": ["src/lines.rs:8"],
    "src/lines.rs: its place in the overview goes, too, with its comment": ["src/lines.rs:2"],
    "docs/CHANGES.md: an entry": ["docs/CHANGES.md:1.0.2"],
    "src/spaces.py: no trailing blanks": ["src/spaces.py:1"],
    "src/spaces.py: B is 3": ["src/spaces.py:1-1", "src/spaces.py:3-3"],
    "patches/a@1.0.patch goes": ["patches/a@1.0.patch"],
    "patches/a@1.1.patch takes its place": ["patches/a@1.1.patch:21"],
}
LINKS = {
    "src/latest.rs is a link to kept.rs": ["src/latest.rs"],
    "src/again.rs is one, too": ["src/again.rs:1"],
} if os.name != "nt" else {}  # fmt: skip
SHOWN |= LINKS


async def test_evidence_as_a_diff_lists_it_is_taken(call: Caller, repo: Path, git: Callable[..., str]) -> None:
    commit(repo, git, BEFORE)
    frame = {"target_symbols": ["gone"], "slots": {"desired_action": {"value": "gone", "quote": "gone"}}}
    await plan(call, "Take out what is gone", frame, [*BEFORE], [*SHOWN])
    (repo / "patches/a@1.0.patch").unlink()
    write(repo, AFTER)
    for (link,) in LINKS.values():
        (repo / link.partition(":")[0]).symlink_to("kept.rs")
    done: list[dict[str, Any]] = [
        {"item": number, "status": "done", "evidence": places} for number, places in enumerate(SHOWN.values(), 1)
    ]
    reported = await call("submit_phase", data={"task_id": "t", "checklist": done})
    assert reported["success"], reported


PARSERS = {
    "src/strict.js": "const pp = Parser.prototype\n\npp.parse = function(text) {\n  return text\n}\n",
    "src/loose.js": "const lp = LooseParser.prototype\n\nlp.parse = function(text) {\n  return text\n}\n"
    "\nclass Held {\n  #keep(text) {\n    return text\n  }\n}\n",
    "src/codes.h": "/** One.\n    Two. */\nint first;\n\n/** Old. */\nint second;\nint third;\n",
    "src/stack.rb": "class Stack\n  def empty?\n    true\n  end\nend\n",
}
PROVED = (
    "src/strict.js: `pp.parse` trims",
    "src/loose.js: `parse(text)` trims",
    "`lp.parse` trims",
    "src/stack.rb: `Stack#empty?` looks",
    "`parse` trims",
    "src/codes.h: the comment of `second` says it",
    "`#keep` trims, as `Held.#keep(text)` did",
)


async def test_definitions_named_in_backticks_prove_themselves(
    call: Caller, repo: Path, git: Callable[..., str]
) -> None:
    commit(repo, git, PARSERS)
    others = ("src/strict.js: `Tokenizer.parse` trims", "src/codes.h: the comment of `first`", "src/codes.h: `third`")
    items = [*PROVED, *others]
    frame = {"target_symbols": ["parse"], "slots": {"desired_action": {"value": "trim", "quote": "Trim"}}}
    await plan(call, "Trim the text", frame, [*PARSERS], items)
    for before, after in ((" text\n", " text.trim()\n"), ("true", "@all.none?"), ("Old.", "Old.\n    New.")):
        write(repo, {path: read(repo, path).replace(before, after) for path in PARSERS})
    done: list[dict[str, object]] = [{"item": number, "status": "done"} for number in range(1, len(items) + 1)]
    report = {"compaction_count": 0, "task_id": "t", "checklist": done}
    refused = await call.call("submit_phase", {"data": report})
    number = len(PROVED)
    assert [line.partition(":")[0] for line in refused["problems"]] == [f"item {number + n}" for n in (1, 2, 3)], (
        refused
    )
    for one in done[number:]:
        one["evidence"] = "src/strict.js:pp.parse"
    accepted = await call("submit_phase", data=report)
    assert accepted.get("substep") == "complete", accepted
    state = find_state(repo, "")
    assert state is not None
    strict, loose, stack = "src/strict.js:3-5", "src/loose.js:3-5", "src/stack.rb:2-4"
    shown = [set(item.evidence) for item in state.tasks[0].checklist]
    assert shown == [
        {strict},
        {loose},
        {loose},
        {stack},
        {strict, loose},
        {"src/codes.h:5-6"},
        {"src/loose.js:8-10"},
        *[{strict}] * 3,
    ]


def commit(repo: Path, git: Callable[..., str], files: dict[str, str]) -> None:
    write(repo, files)
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "--message", "Before")


async def plan(call: Caller, query: str, frame: dict[str, object], read: list[str], items: list[str]) -> None:
    """Begin a session and hand in a task of these items."""
    await call("start_session", intent="MODIFY", query=query, flags=["--fast", "--no-doc"])
    await call("read_lines", path=read)
    tasks = [{"id": "t", "description": "Do it", "checklist": [{"item": item} for item in items]}]
    row = [{"phase": "QUERY_FRAME", "compaction_count": 0, **frame}, {"phase": "READY_PLAN", "tasks": tasks}]
    planned = await call("submit_phase", data=row)
    assert planned.get("substep") == "implement", planned


def read(root: Path, path: str) -> str:
    return (root / path).read_text(encoding="utf-8")


def write(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
