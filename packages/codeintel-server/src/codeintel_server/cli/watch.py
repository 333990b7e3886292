"""Implement `codeintel watch`: show the running session live in a terminal. It only reads the server's records.

It redraws the screen when a record under `.code-intel` changes, and every two seconds for what changes without a
record: the clock and the working tree. `q` or Ctrl-C ends the display.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.live import Live

from codeintel_server.cli.screen import draw
from codeintel_server.project.roots import find_root

LOOK_S = 0.25
AGAIN_S = 2.0
RECORDS = ("sessions/*.json", "sessions/archive", "logs/*.jsonl")

Stamp = tuple[tuple[str, int, int], ...]
Wait = Callable[[float], bool]
"""Waits so many seconds; True if the user ended the display meanwhile."""


def watch_session(folder: Path, once: bool) -> None:
    """Show the session until `q` or Ctrl-C; print one plain screen with `once`, or if there is no terminal."""
    root = find_root(folder)
    console = Console(highlight=False)
    if once or not console.is_terminal:
        console.print(draw(root, console))
        return
    console.print("[dim]q ends the display and changes nothing[/]")
    try:
        with keys() as wait, Live(draw(root, console), console=console, auto_refresh=False) as live:
            for _ in changes(root, wait):
                live.update(draw(root, console), refresh=True)
    except KeyboardInterrupt:
        pass
    console.print("[dim]codeintel watch shows it again; codeintel report --open shows all of it[/]")


def _sleep(seconds: float) -> bool:
    time.sleep(seconds)
    return False


@contextmanager
def keys() -> Iterator[Wait]:
    """Yield a function that waits, and notices `q` where the input is a terminal."""
    if not sys.stdin.isatty():
        yield _sleep
    elif os.name == "nt":
        yield _wait_on_windows
    else:
        import termios
        import tty

        before = termios.tcgetattr(sys.stdin)
        try:
            tty.setcbreak(sys.stdin.fileno())
            yield _wait_on_terminal
        finally:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def _wait_on_terminal(seconds: float) -> bool:
    import select

    ready, _, _ = select.select([sys.stdin], [], [], seconds)
    return bool(ready) and b"q" in os.read(sys.stdin.fileno(), 64).lower()


def _wait_on_windows(seconds: float) -> bool:
    import msvcrt

    time.sleep(seconds)
    kbhit, getwch = getattr(msvcrt, "kbhit"), getattr(msvcrt, "getwch")  # noqa: B009 - other systems do not have them
    return bool(kbhit()) and str(getwch()).lower() == "q"


def changes(root: Path, wait: Wait = _sleep) -> Iterator[Stamp]:
    """Yield the state of the records each time the screen must be drawn, until `wait` says that the user has left."""
    drawn, last = time.monotonic(), stamp(root)
    while not wait(LOOK_S):
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
