"""All processes that a command starts, so that none outlives it: the same on every system.

A child whose parent has ended belongs to nobody, so a tree alone would miss it; a process group would miss what left
it, and Windows has none. Children inherit the environment: a value in it that no other run has is their mark. What
clears its environment is known by the command's session, or as long as it has been seen below the command once.
"""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress

import psutil

ROUNDS = 100
"""How often what still runs is killed: a process may start another one while it is being looked for."""
PAUSE_S = 0.02
QUIET = 2
"""How many times in a row nothing must be found: a parent may end between the list of processes and its own turn."""


class ProcessTree:
    """The processes of one command. `mark` is a value of its environment that no other process has."""

    def __init__(self, process: "subprocess.Popen[bytes]", mark: str) -> None:
        self._process = process
        self.mark = mark
        self._seen: set[psutil.Process] = set()

    def look(self) -> None:
        """Remember what runs below the command at this moment."""
        if self._process.poll() is not None:  # its number may be someone else's by now
            return
        with suppress(psutil.Error):
            self._seen.update(psutil.Process(self._process.pid).children(recursive=True))

    def kill(self) -> None:
        """Stop the command and everything it started."""
        self.look()
        self._process.kill()
        quiet = 0
        for _ in range(ROUNDS):
            left = list(self._left())
            quiet = 0 if left else quiet + 1
            if quiet == QUIET:
                return
            # Parents first: a shell would print of each child that it was killed.
            for each in sorted(left, key=lambda each: (each.create_time(), each.pid)):
                with suppress(psutil.Error):
                    each.kill()
            time.sleep(PAUSE_S)

    def _left(self) -> Iterator[psutil.Process]:
        for each in {*self._seen, *psutil.process_iter()} - {psutil.Process()}:
            with suppress(psutil.Error):  # it has ended, or is someone else's
                is_ours = each in self._seen or self._is_of_session(each) or self.mark in each.environ().values()
                if is_ours and each.is_running() and each.status() != psutil.STATUS_ZOMBIE:
                    yield each

    def _is_of_session(self, each: psutil.Process) -> bool:
        """Whether it is in the command's session; while it starts a program, its environment reads as empty."""
        with suppress(OSError):  # it has ended
            return os.name != "nt" and os.getsid(each.pid) == self._process.pid
        return False
