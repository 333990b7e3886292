"""The project a server process serves. State lives here and on disk, never in a connection.

One server serves one project (docs/adr/0032): the one it was started for or in, else the one that the first call names.
An agent cannot lead it to another one, unless the user listed that with `--also`; the current project is then the one
that the last start_session or get_session_status named.
"""

import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codeintel_contract import ContractViolation
from codeintel_server.project.roots import find_root, is_project

if TYPE_CHECKING:
    from codeintel_server.project.library import ProjectLibrary
    from codeintel_server.project.project import Project
    from codeintel_session import Clock

NAMES_ROOT = frozenset({"start_session", "get_session_status"})
"""Tools whose `repo_path` chooses the project."""

CLOSE_WAIT_S = 2.0


class Host:
    """The projects of this process. Thread-safe. `named` says that the user named `start`, and not the client.

    `also` are further projects that may be served; `clock` is that of all sessions, None is the system's.
    """

    def __init__(
        self, start: Path, *, named: bool = False, also: Iterable[Path] = (), clock: "Clock | None" = None
    ) -> None:
        self._start = start
        self._clock = clock
        self._current = find_root(start)
        self._is_chosen = named or is_project(self._current)
        self._served = {self._current, *map(find_root, also)} if self._is_chosen else set(map(find_root, also))
        self._projects: dict[Path, Project] = {}
        self._mutex = threading.RLock()

    def project(self, name: str, arguments: Mapping[str, Any]) -> "Project":
        """The project a call is about.

        Raises ContractViolation: `root_not_found` if `repo_path` is not a folder; `other_project` if it leads to
        another project than the one served; `no_project` if no call has named one yet.
        """
        path = arguments.get("repo_path", ".")
        is_named = name in NAMES_ROOT and isinstance(path, str) and path.strip() not in ("", ".")
        with self._mutex:
            if is_named:
                self._choose(path)
            elif not self._is_chosen and _holds_everything(self._current):
                raise ContractViolation("tool_errors.start_session.no_project", path=str(self._current))
            if name == "start_session" and not self._is_chosen:
                self._served.add(self._current)
                self._is_chosen = True
            return self._at(self._current)

    def _choose(self, path: str) -> None:
        folder = self._folder(path)
        if folder is None:
            raise ContractViolation("tool_errors.start_session.root_not_found", path=path)
        root = find_root(folder)
        if not (root in self._served or (not self._is_chosen and self._may_choose(root))):
            raise ContractViolation("tool_errors.start_session.other_project", path=path, root=str(self._current))
        if not self._is_chosen and _holds_everything(root) and not is_project(root):
            raise ContractViolation("tool_errors.start_session.no_project", path=str(root))
        self._served.add(root)
        self._current, self._is_chosen = root, True

    def _may_choose(self, root: Path) -> bool:
        """Say whether a server that was started in no project may serve this one: a repository, or a folder below."""
        return is_project(root) or root.is_relative_to(self._current)

    def _folder(self, path: str) -> Path | None:
        try:
            folder = (self._start / path).expanduser()
            return folder if folder.is_dir() else None
        except (OSError, RuntimeError, ValueError):  # longer than a name may be, nobody's home, NUL
            return None

    def _at(self, root: Path) -> "Project":
        from codeintel_server.project.project import Project

        with self._mutex:
            if root not in self._projects:
                self._projects[root] = Project(root, self._clock)
            return self._projects[root]

    def library(self) -> "ProjectLibrary":
        """The prompts, verifiers and contract of the current project."""
        return self._at(self._current).library

    def stop_runs(self) -> None:
        """Have no run of a verifier count that ends from here on."""
        for project in self._projects.values():
            project.runs.close()

    def close(self) -> None:
        """Save what is open; gives up on a project whose work does not end in time (the kernel frees its lock)."""
        for project in self._projects.values():
            closing = threading.Thread(target=project.close, daemon=True)
            closing.start()
            closing.join(CLOSE_WAIT_S)


def _holds_everything(root: Path) -> bool:
    """Say whether a folder is the root of the file system or the user's home, where some clients start servers."""
    return root == root.parent or root == Path.home().resolve()
