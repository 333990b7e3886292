"""Implement `codeintel demo`: play from the clone to the merged commit, and return the exit code."""

import time
from collections.abc import Mapping
from pathlib import Path

import anyio
from rich.console import Console
from rich.markup import escape

from codeintel_server.demo.player import Player, Script
from codeintel_server.demo.show import Show
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
