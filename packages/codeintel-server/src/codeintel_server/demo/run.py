"""Implement `codeintel demo`: play from the clone to the merged commit, and return the exit code.

Each step, call, refusal and time of the play is shown as it happens, and the result at the end.
"""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.text import Text

from codeintel_server.demo.player import Player, Script
from codeintel_server.demo.stage import (
    VERIFIER,
    NotPlayable,
    agree_to_tests,
    clone_of,
    connected,
    find_change,
    git,
    install,
    own_state,
)
from codeintel_server.project.roots import find_top
from codeintel_server.terminal import sign

Reply = dict[str, Any]
NOUNS = {
    "must_verify": ("file to verify", "files to verify"),
    "definitions": ("definition", "definitions"),
    "references": ("reference", "references"),
    "symbols": ("symbol", "symbols"),
    "hits": ("hit", "hits"),
    "changes": ("change", "changes"),
    "outlines": ("outline", "outlines"),
}
"""The lists of a reply, with singular and plural."""
PROTOCOL = ("start_session", "submit_phase", "get_session_status")


class Show:
    """Print to a console. Times count from the previous call, so they include the agent's own work."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.refusals = 0
        self.calls = 0
        self.bytes = 0
        self._position = ""
        self._clock = time.perf_counter()

    def note(self, text: str) -> None:
        """Show what the agent is about to do."""
        self._line(f"[yellow]![/] {escape(text)}")

    def called(self, tool: str, arguments: dict[str, Any], reply: Reply) -> None:
        """Show a tool call with its reply."""
        now = time.perf_counter()
        spent, self._clock = (now - self._clock) * 1000, now
        self.calls += 1
        self.bytes += len(str(reply))
        if tool in PROTOCOL:
            self._moved(tool, arguments, reply, spent)
            return
        done, failed = sign(self.console, "✓", "+"), sign(self.console, "✗", "x")
        mark = f"[dim]{done}[/]" if reply["success"] else f"[red]{failed}[/]"
        self._line(f"{mark} [dim]{escape(_call(tool, arguments))}[/] {_found(reply)} [dim]{spent:.0f} ms[/]")

    def _line(self, markup: str) -> None:
        """Print a line under its step; on a terminal it wraps at words and stays indented."""
        if self.console.is_terminal:
            self.console.print(Padding(Text.from_markup(markup), (0, 0, 0, 5)))
        else:
            self.console.print(f"     {markup}", soft_wrap=True)

    def _moved(self, tool: str, arguments: dict[str, Any], reply: Reply, spent: float) -> None:
        for name, run in reply.get("runs", {}).items():
            self._line(f"[dim]{escape(name)} runs[/] {_result(run)}")
        if not reply["success"]:
            self.refusals += 1
            code, why = escape(reply["error"]), escape(reply["message"])
            self._line(f"[bold red]refused[/] [red]{code}[/]: {why} [dim]{spent:.0f} ms[/]")
            return
        if self._position:
            said = arguments.get("data", {}).get("summary", "")
            self._line(f"[green]accepted[/] [italic]{escape(said)}[/] [dim]{spent:.0f} ms[/]")
        if warning := reply.get("warning"):
            self._line(f"[yellow]warning[/] {escape(warning)}")
        self._position = _position(reply)
        self.console.print(f"[bold cyan]{escape(self._position)}[/]", soft_wrap=not self.console.is_terminal)


def _position(reply: Reply) -> str:
    if "step" not in reply:
        return f"   {reply['phase']} ({reply['outcome']}): {reply['message']}"
    substep = f" ({reply['substep']})" if reply.get("substep") else ""
    return f"{reply['step']:>2} {reply['phase']}{substep}"


def _call(tool: str, arguments: dict[str, Any]) -> str:
    values = ", ".join(str(value)[:60] for value in arguments.values())
    return f"{tool}({values})"


def _result(run: Reply) -> str:
    color = "green" if run["passed"] else "red"
    last = run.get("output", "").strip().splitlines()[-1:]
    return " ".join((f"[{color}]{color}[/]", *map(escape, last)))


def _found(reply: Reply) -> str:
    if not reply["success"]:
        return f"[red]{escape(reply['error'])}[/] {escape(reply['message'])}"
    for name, noun in NOUNS.items():
        if isinstance(reply.get(name), list):
            count = len(reply[name])
            return f"{count} {noun[0] if count == 1 else noun[1]}"
    if "receipt" in reply:
        return _result(reply)
    if "results" in reply:
        return f"{sum(found['total'] for found in reply['results'])} matches"
    return "allowed" if reply.get("allowed") else ""


WITHOUT_EXPLORATION = frozenset({"fast", "quick", "only_verify"})
"""Flags that skip the phases in which the agent makes most of its mistakes."""


def run_demo(repo: Path, flags: Mapping[str, object], keep: bool, console: Console | None = None) -> int:
    """Play on a clone of `repo` with these flags; return 0 if the session completed, 2 if it cannot be played."""
    console = console or Console(highlight=False)
    try:
        with clone_of(repo, keep) as root, own_state((find_top(root) or root).parent / "state"):
            return anyio.run(_play, console, root, flags, keep)
    except NotPlayable as error:
        console.print(f"[red]codeintel demo[/] cannot use {escape(str(repo))}: {escape(str(error))}", soft_wrap=True)
        return 2


async def _play(console: Console, root: Path, flags: Mapping[str, object], keep: bool) -> int:
    began = time.perf_counter()
    console.print(f"[bold]codeintel demo[/] on a clone of [bold]{escape(root.name)}[/]; your files stay untouched")
    change = find_change(root)  # before codeintel's own documents are in the clone
    written = install(root)
    command = agree_to_tests(root, change)
    before = git(root, "rev-parse", "HEAD")
    base = git(root, "branch", "--show-current")
    if written:
        console.print(f"[dim]codeintel init wrote {written} files and committed them on {escape(base)}[/]")
    console.print(f"[dim]the server may run the test of the request: {escape(command)}[/]", soft_wrap=True)
    console.print(f"[bold]request[/]  {escape(change.query())}\n")
    show = Show(console)
    async with connected(root) as client:
        end = await Player(client, change, _script(flags), show).play()
    _close(console, root, show, time.perf_counter() - began, before)
    if keep:
        console.print(f"kept at {escape(str(root))}")
    return 0 if end.get("phase") == "SESSION_COMPLETE" else 1


def _script(flags: Mapping[str, object]) -> Script:
    intent = "QUESTION" if "only_explore" in flags else "IMPLEMENT"
    return Script(
        intent=intent,
        flags=flags,
        mistakes=not WITHOUT_EXPLORATION & flags.keys(),
        lies=not {"only_verify", "no_verify", "only_explore"} & flags.keys(),
        verifier=VERIFIER,
    )


def _close(console: Console, root: Path, show: Show, seconds: float, before: str) -> None:
    """Print the totals and the resulting git history."""
    spent = f"{show.calls} calls, {show.refusals} refusals, ~{show.bytes // 4} tokens of replies, {seconds:.1f} s"
    console.print(f"\n[bold]{spent}[/]")
    if log := git(root, "log", "--graph", "--stat", "--format=%h %s", f"{before}..HEAD"):
        console.print(escape(log), soft_wrap=True)
        trailers = "%(trailers:key=Code-Intel-Session)%(trailers:key=Code-Intel-Verified)"
        console.print(f"[dim]{escape(git(root, 'log', '-1', f'--format={trailers}'))}[/]", soft_wrap=True)
    if status := git(root, "status", "--short"):
        console.print(f"[bold]left in the working tree[/]\n{escape(status)}")
