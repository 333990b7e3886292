"""What the copier refuses to do, as types that carry data. Each is raised before anything is written."""

from pathlib import Path


class TemplatesError(Exception):
    """Base of every error a user can cause; the command line shows it in one line."""


class BrokenFile(TemplatesError):
    """A file that would have to be merged, or the record of what was installed, cannot be read.

    Args:
        path: the file, as the user knows it (relative to the project).
        line: the line where reading failed, counted from 1.
        why: what is wrong there.
    """

    def __init__(self, path: Path, line: int, why: str) -> None:
        super().__init__(path, line, why)
        self.path = path
        self.line = line
        self.why = why

    def __str__(self) -> str:
        return f"{self.path.as_posix()}:{self.line}: {self.why}."


class Obstructed(TemplatesError):
    """A destination cannot be used: it leaves the project, or something else is in its way."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(path, why)
        self.path = path
        self.why = why

    def __str__(self) -> str:
        return f"{self.path}: {self.why}."


class StalePlan(TemplatesError):
    """The project changed between making the plan and applying it."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path

    def __str__(self) -> str:
        return f"{self.path} changed while the plan was open; run it again."


class UsageError(TemplatesError):
    """The request itself makes no sense: an unknown client or component, no command, no such folder."""
