"""One project, composed: session, index, library, rules. Everything is opened on first use."""

from functools import cached_property
from pathlib import Path

from codeintel_server.code import IndexedCode
from codeintel_server.library import ProjectLibrary
from codeintel_server.projectconfig import ServerConfig
from codeintel_server.sync import BackgroundSync
from codeintel_session.adapters.clock import SystemClock
from codeintel_session.adapters.files import confine, relative
from codeintel_session.adapters.git import GitRepository, NotARepository
from codeintel_session.ports import Ports
from codeintel_session.service import SessionService


class Project:
    """A project root and all that belongs to it. Tools get this and nothing else."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.library = ProjectLibrary(root)
        self.code = IndexedCode(root)
        self.background = BackgroundSync(self.code)

    @cached_property
    def config(self) -> ServerConfig:
        """The server's part of config.json."""
        return ServerConfig.read(self.root)

    @cached_property
    def session(self) -> SessionService:
        """The session service of this root."""
        ports = Ports(
            root=self.root,
            git=_git(self.root),
            code=self.code,
            library=self.library,
            clock=SystemClock(),
            merge_mode=self.config.merge_mode,
        )
        return SessionService(ports)

    def fresh_configuration(self) -> None:
        """Forget what was read of the user's files; they are read again on next use."""
        self.library = ProjectLibrary(self.root)
        running = "session" in self.__dict__ and self.session.state is not None
        if not running:
            self.__dict__.pop("config", None)
            self.__dict__.pop("session", None)

    def relative(self, path: str) -> str:
        """A path of the project as the session spells it.

        Raises:
            ContractViolation: `path_outside_project`.
        """
        return relative(self.root, confine(self.root, path))

    def close(self) -> None:
        """Save the session, stop work in the background, let go of all files."""
        if "session" in self.__dict__:
            self.session.close()
        self.code.close()


def _git(root: Path) -> GitRepository | None:
    try:
        return GitRepository.discover(root)
    except NotARepository:
        return None


def find_root(start: Path) -> Path:
    """The git top level of `start`, else `start` itself. A linked worktree is a project of its own."""
    folder = start.resolve()
    for candidate in (folder, *folder.parents):
        if (candidate / ".git").exists():
            return candidate
    return folder
