"""Evidence as a diff lists it, through the whole server: what people commit, submitted by an honest agent."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

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
    write(repo, BEFORE)
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "--message", "Before")
    await call("start_session", intent="MODIFY", query="Take out what is gone", flags=["--fast", "--no-doc"])
    frame = {
        "compaction_count": 0,
        "target_symbols": ["gone"],
        "slots": {"desired_action": {"value": "gone", "quote": "gone"}},
    }
    await call("read_lines", path=list(BEFORE))
    items = [{"item": item} for item in SHOWN]
    plan = {"phase": "READY_PLAN", "tasks": [{"id": "t", "description": "Take it out", "checklist": items}]}
    planned = await call("submit_phase", data=[{"phase": "QUERY_FRAME", **frame}, plan])
    assert planned.get("substep") == "implement", planned
    (repo / "patches/a@1.0.patch").unlink()
    write(repo, AFTER)
    for (link,) in LINKS.values():
        (repo / link.partition(":")[0]).symlink_to("kept.rs")
    done: list[dict[str, Any]] = [
        {"item": number, "status": "done", "evidence": places} for number, places in enumerate(SHOWN.values(), 1)
    ]
    reported = await call("submit_phase", data={"task_id": "t", "checklist": done})
    assert reported["success"], reported


def write(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
