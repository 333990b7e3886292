"""What a text search is asked and what it yields, whichever program runs it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Search:
    """Where and how to search. `path` is relative and already confined; "" is the whole project."""

    path: str = ""
    glob: str = ""
    file_type: str = ""
    fixed: bool = False
    word: bool = False
    case_sensitive: bool = True
    context: int = 0
    timeout: float = 20.0
    ordered: bool = False  # by path; slower
    excluded: tuple[str, ...] = ()  # gitignore-style patterns


@dataclass(frozen=True, slots=True)
class RawLine:
    """A line that matches (then it has starts) or stands beside one. Starts are 0-based, in characters and in bytes."""

    path: str
    number: int
    text: str
    starts: tuple[int, ...] = ()
    byte_starts: tuple[int, ...] = ()


def in_order(path: str) -> list[str]:
    """The key of ripgrep's order of paths: folder by folder."""
    return path.split("/")


def make_line(path: str, number: int, raw: bytes, byte_starts: tuple[int, ...]) -> RawLine:
    """A line from its bytes, without its line end; what is not UTF-8 is replaced."""
    body = raw.rstrip(b"\r\n")
    text = body.decode("utf-8", "replace")
    if len(text) == len(body):
        return RawLine(path, number, text, byte_starts, byte_starts)
    starts = tuple(len(body[:at].decode("utf-8", "replace")) for at in byte_starts)
    return RawLine(path, number, text, starts, byte_starts)
