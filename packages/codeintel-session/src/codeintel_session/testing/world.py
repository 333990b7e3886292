"""A project with all its fakes, on which services come and go like processes do."""

from dataclasses import dataclass, field
from pathlib import Path

from codeintel_session.adapters.git import GitRepository
from codeintel_session.adapters.seal import Seal
from codeintel_session.ports import Clock, Code, Library, Ports, Reports
from codeintel_session.service import SessionService

from .fakes import FakeCode, FakeLibrary, FakeReports, FixedClock


@dataclass
class World:
    """One project with all its fakes; services on it come and go like processes do."""

    root: Path
    code: FakeCode = field(default_factory=FakeCode)
    library: FakeLibrary = field(default_factory=FakeLibrary)
    clock: FixedClock = field(default_factory=FixedClock)
    reports: FakeReports = field(default_factory=FakeReports)
    merge_mode: str = "no-ff"
    with_git: bool = True
    state_folder: Path | None = None
    """The user's state folder, with the key of the seal; without one nothing is sealed."""

    def ports(self) -> Ports:
        """Fresh ports on the project."""
        code: Code = self.code
        library: Library = self.library
        clock: Clock = self.clock
        git = GitRepository.discover(self.root) if self.with_git else None
        reports: Reports = self.reports
        seal = Seal(self.state_folder) if self.state_folder else None
        return Ports(self.root, git, code, library, clock, reports, self.merge_mode, seal)

    def service(self) -> SessionService:
        """A service as a new process would make it."""
        return SessionService(self.ports())


def crashed(service: SessionService) -> None:
    """Leave a service as a killed process does: nothing saved, nothing archived, the lock freed by the kernel."""
    service.records.later.call_off()
    service.lock.release()
