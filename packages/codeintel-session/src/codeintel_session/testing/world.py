"""A project with all its fakes, on which a test starts and ends services as it would processes."""

from dataclasses import dataclass, field
from pathlib import Path

from codeintel_session.git import GitRepository
from codeintel_session.ports import Ports
from codeintel_session.service import SessionService
from codeintel_session.storage.seal import Seal
from codeintel_session.testing.fakes import FakeCode, FakeLibrary, FakeReports, FakeWords, FixedClock


@dataclass
class World:
    """One project with all its fakes."""

    root: Path
    code: FakeCode = field(default_factory=FakeCode)
    library: FakeLibrary = field(default_factory=FakeLibrary)
    clock: FixedClock = field(default_factory=FixedClock)
    reports: FakeReports = field(default_factory=FakeReports)
    words: FakeWords = field(default_factory=FakeWords)
    merge_mode: str = "no-ff"
    fixups: str = "fold"
    with_git: bool = True
    state_folder: Path | None = None
    """The user's state folder with the key of the seal; None for no seal."""

    def ports(self) -> Ports:
        """Return new ports on the project."""
        return Ports(
            root=self.root,
            git=GitRepository.of_project(self.root) if self.with_git else None,
            code=self.code,
            library=self.library,
            clock=self.clock,
            reports=self.reports,
            merge_mode=self.merge_mode,
            fixups=self.fixups,
            seal=Seal(self.state_folder) if self.state_folder else None,
            words=self.words,
        )

    def service(self) -> SessionService:
        """Return a new service, as a new process would create it."""
        return SessionService(self.ports())


def crashed(service: SessionService) -> None:
    """Abandon a service as a killed process would: nothing saved, nothing archived, the lock released."""
    service.records.pending_save.cancel()
    service.lock.release()
