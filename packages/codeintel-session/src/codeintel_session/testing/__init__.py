"""Fakes of everything a session stands on, and a scripted agent: for the tests of this package and of others.

The fakes follow the Protocols of `ports`; git is never faked, a repository costs a few processes. `Driver`
plays a valid payload for whatever phase the session stands at, so that a test tells only what differs.
"""

from .driver import QUERY, Driver
from .fakes import FakeCode, FakeLibrary, FakeReports, FixedClock
from .pure import judge, saw, state_at
from .repository import MODULE, SOURCE, Repo, make_repo, without_git_environment
from .world import World, crashed

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
    "crashed",
    "judge",
    "make_repo",
    "saw",
    "state_at",
    "without_git_environment",
]
