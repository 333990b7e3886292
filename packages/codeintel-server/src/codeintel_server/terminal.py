"""What a terminal cannot show must not stop a command: a pipe on Windows, or LC_ALL=C, knows few characters."""

import io
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


def spare_unknown_characters() -> None:
    """From here on what stdout or stderr cannot encode is printed as a question mark."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def sign(console: "Console", wanted: str, plain: str) -> str:
    """The sign that is wanted, or the plain one where the console cannot show it."""
    try:
        wanted.encode(console.encoding)
    except UnicodeEncodeError:
        return plain
    return wanted
