"""Keep commands working on terminals with a limited character set, such as a pipe on Windows or LC_ALL=C."""

import io
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


def spare_unknown_characters() -> None:
    """Print what stdout or stderr cannot encode as a question mark from here on."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def sign(console: "Console", wanted: str, plain: str) -> str:
    """Return the wanted sign, or the plain one if the console cannot show it."""
    try:
        wanted.encode(console.encoding)
    except UnicodeEncodeError:
        return plain
    return wanted
