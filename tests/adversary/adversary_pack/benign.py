"""Honest work that must pass: commands of the guard's own corpus, and edits of files that were explored or planned.

The gate is a real one, of a session over stdio that has explored src/a.py and plans src/planned.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codeintel_server.demo.stage import connected
from codeintel_server.testing import command_lines
from codeintel_session.testing import Repo, make_repo

from . import guard

CORPUS = Path(__file__).parents[3] / "packages/codeintel-server/tests/guard"
CODE = "def twice(x):\n    return 2 * x\n"
FILES = {
    **dict.fromkeys(("src/a.py", "src/b.py", "src/c.py", "build/out.o"), CODE),
    "docs/guide.md": "# Guide\n",
    ".gitignore": "build/\n.env\n",
}
PATCH = "*** Begin Patch\n*** {}\n@@\n-a\n+b\n*** End Patch"
EDITS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    *(("claude", tool, {"file_path": "src/a.py"}) for tool in ("Edit", "Write", "MultiEdit")),
    *(("claude", "Write", {"file_path": path}) for path in ("./src/a.py", "src/../src/a.py", "src//a.py")),
    *(("claude", "Write", {"file_path": path}) for path in ("src/planned.py", "./src/planned.py", "build/new.o")),
    ("claude", "Write", {"file_path": "{root}/src/a.py"}),
    ("claude", "Write", {"file_path": "/dev/null"}),
    ("claude", "NotebookEdit", {"notebook_path": "src/added.ipynb"}),
    ("claude", "Edit", {"file_path": "src/b.py"}),
    ("claude", "Write", {"file_path": "lib/new/deep.py"}),
    ("codex", "apply_patch", {"command": PATCH.format("Update File: src/a.py")}),
    ("codex", "apply_patch", {"command": PATCH.format("Add File: src/planned.py")}),
    ("codex", "apply_patch", {"input": PATCH.format("Update File: src/b.py")}),
    ("codex", "shell", {"command": ["bash", "-lc", "cat src/c.py"]}),
    ("cursor", "Write", {"file_path": "src/a.py"}),
    ("cursor", "Shell", {"command": "pytest -q > /dev/null"}),
)
ADDED = ["src/b.py", "src/added.ipynb", "lib/new/deep.py"]
CHECKED = ("src/a.py", "./src/a.py", "{root}/src/a.py", "src/../src/a.py", "src/planned.py", "src/planned.py",
           *ADDED, "lib/new/deep.py")  # fmt: skip


@dataclass(frozen=True)
class Passed:
    """How much was tried, and what of it was stopped."""

    tried: int
    stopped: tuple[str, ...]


def commands() -> list[str]:
    """The corpora of command lines, a new line within one written out."""
    return [line for name in ("passes.txt", "explored.txt") for line in command_lines(CORPUS / name)]


async def play(folder: Path, lines: Sequence[str]) -> Passed:
    """Put command lines and all edits to the guard, and the edits to the server."""
    repo = make_repo(folder / "project", FILES)
    async with connected(repo.root) as client:
        await _stand_in_work(client)
        stopped: list[str] = []
        for path in CHECKED:
            given = {"file_path": path.replace("{root}", repo.root.as_posix())}
            if not (await client.call_tool("check_write_target", given)).structured_content["success"]:
                stopped.append(f"check_write_target {path}")
        stopped += [_named(tool, given) for who, tool, given in EDITS if not _passes(repo, tool, given, who)]
        stopped += [line for line in lines if not _passes(repo, "Bash", {"command": line}, "claude")]
    return Passed(len(CHECKED) + len(EDITS) + len(lines), tuple(stopped))


def _named(tool: str, given: dict[str, Any]) -> str:
    return f"{tool} {next(iter(given.values()))}"


def _passes(repo: Repo, tool: str, given: dict[str, Any], client: str) -> bool:
    root = repo.root.as_posix()
    filled = {name: value.replace("{root}", root) if isinstance(value, str) else value for name, value in given.items()}
    return guard.ask(repo.root, tool, filled, client) == guard.ALLOWED


async def _stand_in_work(client: Any) -> None:
    """Bring a session to READY (implement)."""
    task = {"id": "t", "description": "Change src/a.py, add src/planned.py", "checklist": [{"item": "the change"}]}
    frame = {"action_type": "add", "target_symbols": ["twice"], "scope": "one file", "constraints": "none"}
    calls: tuple[tuple[str, dict[str, Any]], ...] = (
        ("start_session", {"intent": "IMPLEMENT", "query": "double it", "flags": ["--quick", "--no-doc"]}),
        ("submit_phase", {"data": {"summary": "framed", "compaction_count": 0, **frame}}),
        ("submit_phase", {"data": {"summary": "planned", "compaction_count": 0, "tasks": [task]}}),
        ("add_explored_files", {"files": ["src/a.py", *ADDED]}),
    )
    for name, arguments in calls:
        reply = (await client.call_tool(name, arguments)).structured_content
        if not reply["success"]:
            raise AssertionError(f"{name}: {reply}")
