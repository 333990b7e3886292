"""Fakes of everything a session depends on, and a scripted agent, for the tests of this package and of others.

The fakes implement the Protocols of `ports`; git is never faked, because a real repository costs only a few processes.
`Driver` submits a valid payload for any phase, so that a test states only what differs.
"""

from codeintel_session.testing.driver import QUERY, Driver
from codeintel_session.testing.fakes import FakeCode, FakeLibrary, FakeReports, FixedClock
from codeintel_session.testing.frames import count_frames
from codeintel_session.testing.pure import judge, saw, state_at
from codeintel_session.testing.repository import MODULE, SOURCE, Repo, make_repo, without_git_environment
from codeintel_session.testing.world import World, crashed

__all__ = [
    "MODULE",
    "QUERY",
    "SOURCE",
    "Driver",
    "FakeCode",
    "FakeLibrary",
    "FakeReports",
    "FixedClock",
    "Repo",
    "World",
    "count_frames",
    "crashed",
    "judge",
    "make_repo",
    "saw",
    "state_at",
    "without_git_environment",
]
