"""Sessions played one after the other on a project, as an agent plays them: every call goes through the server.

A session asks `semantic_search` with the user's words before it plans; whether the Map alone answered, and whether
with the right function, is what is counted. The clock is the caller's.
"""

import json
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from world import edit

from codeintel_server.mcp.dispatch import call
from codeintel_server.project.host import Host
from codeintel_server.project.library import ProjectLibrary
from codeintel_server.verification.trust import trust
from codeintel_session.testing import Repo

VERIFIER = "---\nmatch: ['**/*.py']\ncommand: exit 0\n---\nRun it.\n"
"""The Map learns from verified sessions alone."""


@dataclass
class SetClock:
    """A clock that goes on by a second with every look, and by days when told."""

    time: datetime = datetime(2026, 1, 5, 9, 0, 0, tzinfo=UTC)
    tokens: int = 0

    def now(self) -> datetime:
        """The time; the next look is later."""
        self.time += timedelta(seconds=1)
        return self.time

    def token(self) -> str:
        """0001, 0002, ..."""
        self.tokens += 1
        return f"{self.tokens:04x}"


@dataclass
class History:
    """A project with its sessions. `told[kind, verdict]` counts searches: right, wrong or none (no shortcut)."""

    repo: Repo
    clock: SetClock = field(default_factory=SetClock)
    told: Counter[tuple[str, str]] = field(default_factory=Counter)
    mistakes: list[str] = field(default_factory=list)
    played: int = 0

    def __post_init__(self) -> None:
        self.host = Host(self.repo.root, clock=self.clock)
        (self.repo.root / ".code-intel/verifiers").mkdir(parents=True)
        (self.repo.root / ".code-intel/verifiers/check.md").write_text(VERIFIER, encoding="utf-8")
        trust(ProjectLibrary(self.repo.root))
        (self.repo.root / ".code-intel/config.json").write_text('{"sync_on_start": false}', encoding="utf-8")
        self.tool("sync_index")

    def close(self) -> None:
        """Let go of the project."""
        self.host.close()

    def tool(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """Call a tool that must not refuse."""
        reply = call(self.host, name, arguments)
        if not reply.get("success"):
            raise AssertionError(f"{name}: {reply}")
        return reply

    def submit(self, **data: Any) -> dict[str, Any]:
        """Hand in a phase."""
        return self.tool("submit_phase", data={"summary": "Done.", **data})

    def ask(self, kind: str, query: str, path: str, symbol: str) -> str:
        """Search for what the user asked for; `right` or `wrong` if the Map alone answered, else `none`."""
        reply = self.tool("semantic_search", query=query)
        best = reply["hits"][0] if reply["shortcut"] else None
        verdict = "none"
        if best is not None:
            verdict = "right" if (best["path"], best["symbol"]) == (path, symbol) else "wrong"
        if verdict == "wrong":
            self.mistakes.append(f"{kind}: {query!r} -> {best['path']} {best['symbol']}, not {path} {symbol}")
        self.told[kind, verdict] += 1
        return verdict

    def session(self, kind: str, query: str, path: str, symbol: str) -> str:
        """A whole session that changes one function; returns its id."""
        self.played += 1
        started = self.tool("start_session", intent="MODIFY", query=query, flags={"quick": True})
        self.submit(action_type="change", target_symbols=[symbol], scope=path, constraints="none")
        self.ask(kind, query, path, symbol)
        item = f"change {symbol} ({self.played})"
        task = {"id": "t", "description": query, "checklist": [{"item": item}]}
        self.submit(tasks=[task])
        self.tool("add_explored_files", files=[path])
        self.tool("check_write_target", file_path=path)
        done = {"item": item, "status": "done", "evidence": edit(self.repo.root, path, symbol, self.played)}
        self.submit(task_id="t", checklist=[done], tools_used=["check_write_target"])
        self.submit()
        self.tool("run_verifier", name="check")
        self.submit(verifier_used="check.md", passed=True, details="it ends well")
        self.repo.commit(f"session {self.played}")
        self.clock.time += timedelta(hours=3)
        return str(started["session_id"])

    def taught(self, symbol: str) -> set[str]:
        """Sessions that taught something about a symbol."""
        folder = self.repo.root / ".code-intel" / "agreements"
        texts = [path.read_text(encoding="utf-8") for path in folder.glob("*.md")]
        lines = [line for text in texts if f'symbol: "{symbol}"' in text for line in text.split("\n")]
        return {key for line in lines if line.startswith("outcomes: ") for key in json.loads(line[10:])}

    def rate(self, *kinds: str) -> tuple[int, int, int]:
        """How often searches of these kinds were answered right, wrong, and not by the Map alone."""
        right, wrong, none = (sum(self.told[kind, each] for kind in kinds) for each in ("right", "wrong", "none"))
        return right, wrong, none


def root_of(folder: Path) -> Path:
    """Where the repository of a history goes."""
    return folder / "shop"
