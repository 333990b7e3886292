"""The projects a server process serves, by root. State lives here and on disk, never in a connection.

The current project is that of the last start_session or get_session_status that named a path; before,
the one the server was started for.
"""

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codeintel_contract.violations import ContractViolation
from codeintel_server.roots import find_root

if TYPE_CHECKING:
    from codeintel_server.library import ProjectLibrary
    from codeintel_server.project import Project
    from codeintel_session.ports import Clock

NAMES_ROOT = frozenset({"start_session", "get_session_status"})
"""Tools whose `repo_path` chooses the project."""

CLOSE_WAIT_S = 2.0


class Host:
    """All projects of this process. Thread-safe. With `only_one`, no call leads to another than the first.

    `clock` is that of all sessions; None is the system's.
    """

    def __init__(self, start: Path, *, only_one: bool = False, clock: "Clock | None" = None) -> None:
        self._start = start
        self._clock = clock
        self._only_one = only_one
        self._current = find_root(start)
        self._projects: dict[Path, Project] = {}
        self._mutex = threading.Lock()

    def project(self, name: str, arguments: Mapping[str, Any]) -> "Project":
        """The project a call is about.

        Raises:
            ContractViolation: `root_not_found` if `repo_path` is no folder; `path_outside_project` if it leads to
                another project than the only one served.
        """
        path = arguments.get("repo_path", ".")
        if name in NAMES_ROOT and isinstance(path, str) and path.strip() not in ("", "."):
            folder = self._folder(path)
            if folder is None:
                raise ContractViolation("tool_errors.start_session.root_not_found", path=path)
            root = find_root(folder)
            if self._only_one and root != self._current:
                raise ContractViolation("common_failures.path_outside_project", path=path, root=".")
            self._current = root
        return self._at(self._current)

    def _folder(self, path: str) -> Path | None:
        try:
            folder = (self._start / path).expanduser()
            return folder if folder.is_dir() else None
        except (OSError, RuntimeError, ValueError):  # longer than a name may be, nobody's home, NUL
            return None

    def _at(self, root: Path) -> "Project":
        from codeintel_server.project import Project

        with self._mutex:
            if root not in self._projects:
                self._projects[root] = Project(root, self._clock)
            return self._projects[root]

    def question(self, arguments: Mapping[str, Any]) -> tuple[str, tuple[str, ...]] | None:
        """What the user should be asked before this payload is submitted to the current project."""
        return self._at(self._current).session.question(arguments.get("data"))

    def library(self) -> "ProjectLibrary":
        """The prompts, verifiers and contract of the current project."""
        return self._at(self._current).library

    def close(self) -> None:
        """Save what is open; gives up on a project whose work does not end in time (the kernel frees its lock)."""
        for project in self._projects.values():
            closing = threading.Thread(target=project.close, daemon=True)
            closing.start()
            closing.join(CLOSE_WAIT_S)
