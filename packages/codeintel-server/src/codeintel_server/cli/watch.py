"""`codeintel watch`: the running session, live in a terminal. It reads what the server writes and never writes itself.

A screen is drawn anew when a record under `.code-intel` changed, and every two seconds for what changes without one:
the clock and the working tree.
"""

import time
from collections.abc import Iterator
from pathlib import Path

from codeintel_server.roots import find_root

LOOK_S = 0.25
AGAIN_S = 2.0
RECORDS = ("sessions/*.json", "sessions/archive", "logs/*.jsonl")

Stamp = tuple[tuple[str, int, int], ...]


def watch_session(folder: Path, once: bool) -> None:
    """Show the session until Ctrl-C; one plain screen if asked to, or where there is no terminal to draw on."""
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
    """What the records look like, each time that something is to be drawn; it never ends."""
    drawn, last = time.monotonic(), stamp(root)
    while True:
        time.sleep(LOOK_S)
        now = stamp(root)
        if now != last or time.monotonic() - drawn >= AGAIN_S:
            yield now
            drawn, last = time.monotonic(), now


def stamp(root: Path) -> Stamp:
    """Name, time and size of each record; a record that goes while it is looked at is left out."""
    found = []
    for pattern in RECORDS:
        for path in sorted((root / ".code-intel").glob(pattern)):
            try:
                stat = path.stat()
            except OSError:
                continue
            found.append((path.name, stat.st_mtime_ns, stat.st_size))
    return tuple(found)
