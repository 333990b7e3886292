"""Implement `codeintel watch`: show the running session live in a terminal. It only reads the server's records.

It redraws the screen when a record under `.code-intel` changes, and every two seconds for what changes without a
record: the clock and the working tree.
"""

import time
from collections.abc import Iterator
from pathlib import Path

from codeintel_server.project.roots import find_root

LOOK_S = 0.25
AGAIN_S = 2.0
RECORDS = ("sessions/*.json", "sessions/archive", "logs/*.jsonl")

Stamp = tuple[tuple[str, int, int], ...]


def watch_session(folder: Path, once: bool) -> None:
    """Show the session until Ctrl-C; print one plain screen with `once`, or if there is no terminal."""
    from rich.console import Console
    from rich.live import Live

    from codeintel_server.cli.screen import draw

    root = find_root(folder)
    console = Console(highlight=False)
    if once or not console.is_terminal:
        console.print(draw(root, console))
        return
    with Live(draw(root, console), console=console, auto_refresh=False) as live:
        try:
            for _ in changes(root):
                live.update(draw(root, console), refresh=True)
        except KeyboardInterrupt:
            pass


def changes(root: Path) -> Iterator[Stamp]:
    """Yield the state of the records each time the screen must be drawn; never end."""
    drawn, last = time.monotonic(), stamp(root)
    while True:
        time.sleep(LOOK_S)
        now = stamp(root)
        if now != last or time.monotonic() - drawn >= AGAIN_S:
            yield now
            drawn, last = time.monotonic(), now


def stamp(root: Path) -> Stamp:
    """Return name, time and size of each record; leave out a record that disappears meanwhile."""
    found = []
    for pattern in RECORDS:
        for path in sorted((root / ".code-intel").glob(pattern)):
            try:
                stat = path.stat()
            except OSError:
                continue
            found.append((path.name, stat.st_mtime_ns, stat.st_size))
    return tuple(found)
