"""Fakes of everything a session depends on, and a scripted agent, for the tests of this package and of others.

The fakes implement the Protocols of `ports`; git is never faked, because a real repository costs only a few processes.
`Driver` submits a valid payload for any phase, so that a test states only what differs.
"""

from codeintel_session.testing.driver import QUERY as QUERY, Driver as Driver
from codeintel_session.testing.fakes import (
    FakeCode as FakeCode,
    FakeLibrary as FakeLibrary,
    FakeReports as FakeReports,
    FixedClock as FixedClock,
)
from codeintel_session.testing.frames import count_frames as count_frames
from codeintel_session.testing.pure import judge as judge, saw as saw, state_at as state_at
from codeintel_session.testing.repository import (
    MODULE as MODULE,
    SOURCE as SOURCE,
    Repo as Repo,
    make_repo as make_repo,
    without_git_environment as without_git_environment,
)
from codeintel_session.testing.world import World as World, crashed as crashed
