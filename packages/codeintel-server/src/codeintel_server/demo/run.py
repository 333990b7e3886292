"""`codeintel demo`: the play from the clone to the merged commit. Returns the exit code."""

import time
from pathlib import Path

import anyio
from rich.console import Console
from rich.markup import escape

from codeintel_server.cli.contract import flag_values
from codeintel_server.demo.player import Player, Script
from codeintel_server.demo.show import Show
from codeintel_server.demo.stage import NotPlayable, clone_of, connected, find_change, git, install

WITHOUT_EXPLORATION = frozenset({"fast", "quick", "only_verify"})
"""Paths that leave out the phases where most of the planned mistakes are made."""


def run_demo(repo: Path, flags: list[str], keep: bool, console: Console | None = None) -> int:
    """Play on a clone of `repo` with these flags; 0 if the session ended as it should, 2 if it cannot be played."""
    console = console or Console(highlight=False)
    try:
        with clone_of(repo, keep) as root:
            return anyio.run(_play, console, root, flags, keep)
    except NotPlayable as error:
        console.print(f"[red]codeintel demo[/] cannot use {escape(str(repo))}: {escape(str(error))}", soft_wrap=True)
        return 2


async def _play(console: Console, root: Path, flags: list[str], keep: bool) -> int:
    began = time.perf_counter()
    console.print(f"[bold]codeintel demo[/] on a clone of [bold]{escape(root.name)}[/]; your files are not touched")
    written = install(root)
    change = find_change(root)
    before = git(root, "rev-parse", "HEAD")
    base = git(root, "branch", "--show-current")
    if written:
        console.print(f"[dim]codeintel init wrote {written} files and committed them on {escape(base)}[/]")
    console.print(f"[bold]request[/]  {escape(change.query())}\n")
    show = Show(console)
    async with connected(root) as client:
        end = await Player(client, change, _script(flags), show).play()
    _close(console, root, show, time.perf_counter() - began, before)
    if keep:
        console.print(f"kept at {escape(str(root))}")
    return 0 if end.get("phase") == "SESSION_COMPLETE" else 1


def _script(flags: list[str]) -> Script:
    chosen = flag_values(flags)
    intent = "QUESTION" if "only_explore" in chosen else "IMPLEMENT"
    return Script(intent=intent, flags=chosen, mistakes=not WITHOUT_EXPLORATION & chosen.keys())


def _close(console: Console, root: Path, show: Show, seconds: float, before: str) -> None:
    """The sum of it, and what git has to show for it."""
    spent = f"{show.calls} calls, {show.refusals} refusals, ~{show.bytes // 4} tokens of replies, {seconds:.1f} s"
    console.print(f"\n[bold]{spent}[/]")
    log = git(
        root,
        "log",
        "--graph",
        "--stat",
        "--format=%h %s",
        f"{before}..HEAD",
    )
    if log:
        console.print(escape(log), soft_wrap=True)
        trailer = git(root, "log", "-1", "--format=%(trailers:key=Code-Intel-Session)")
        console.print(f"[dim]{escape(trailer)}[/]", soft_wrap=True)
    if status := git(root, "status", "--short"):
        console.print(f"[bold]left in the working tree[/]\n{escape(status)}")
