"""The values that the parts of the guard hand each other. Plain classes: `dataclasses` would double the start."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

EDITS = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit", "StrReplace", "Delete", "create_file", "edit_file"})
SHELLS = frozenset({"Bash", "Shell", "shell", "local_shell", "exec_command", "run_terminal_cmd"})
READS = frozenset({"Read", "Grep", "Glob", "read_file"})


class Event:
    """A call that a client is about to make, or has made. `paths` are files it names, `line` a command line."""

    __slots__ = ("folder", "is_before", "line", "paths", "tool")

    def __init__(self, folder: str, is_before: bool, tool: str = "", paths: Sequence[str] = (), line: str = "") -> None:
        self.folder = folder
        self.is_before = is_before
        self.tool = tool
        self.paths = tuple(paths)
        self.line = line


class Write:
    """A path that would be changed, seen from `folder`; or, with `git`, why a git command must not run."""

    __slots__ = ("folder", "git", "how", "path")

    def __init__(self, folder: str, path: str, how: str, git: str = "") -> None:
        self.folder = folder
        self.path = path
        self.how = how
        self.git = git


class Word:
    """A word. `open` if a part of it is only known at run time; `quoted` if no part of it may be a pattern."""

    __slots__ = ("is_open", "is_quoted", "text")

    def __init__(self, text: str = "", is_open: bool = False, is_quoted: bool = False) -> None:
        self.text = text
        self.is_open = is_open
        self.is_quoted = is_quoted


class Command:
    """A simple command: words, files it redirects to, text fed to it, its input file.

    `level` counts the subshells around it; `is_piped` says that it reads what the command before it prints.
    """

    __slots__ = ("fed", "is_piped", "level", "source", "targets", "words")

    def __init__(self, words: list[Word] | None = None, level: int = 0, is_piped: bool = False) -> None:
        self.words = words or []
        self.targets: list[Word] = []
        self.fed = ""
        self.source = ""
        self.level = level
        self.is_piped = is_piped
