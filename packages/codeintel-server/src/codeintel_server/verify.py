"""The server runs a verifier itself and keeps the receipt: the agent's word that tests passed is not enough."""

import os
import re
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from codeintel_contract.violations import ContractViolation
from codeintel_server import junit
from codeintel_server.tools.types import Progress
from codeintel_session.ports import Verifier

OUTPUT_BYTES = 4000
"""The end of the output is kept: that is where failures are told."""
LATE_CHARS = 1500
"""How much of that is told of a command that was stopped."""
LAST_WORDS_S = 2.0
"""How long the output of a command that ended is waited for."""
LOOK_UP_S = 1.0
"""How often whoever waits is told, and asked whether they still do."""
CLOCK_SLACK_S = 2.0
"""File systems keep times more coarsely than the clock; a report may seem this much older than its run."""

_COLOR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_running: set[subprocess.Popen[bytes]] = set()


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended. `output` is its last part, `counts` what its report counted."""

    exit: int
    output: str
    counts: dict[str, int]


def run_command(
    root: Path, verifier: Verifier, progress: Progress | None = None, stopped: Callable[[], bool] = lambda: False
) -> Ran:
    """Run a trusted verifier's command in the project root, within its time limit, or until it is not wanted any more.

    `progress` is told the seconds that have passed and the limit: a client may give up on a call that says nothing.

    Raises:
        ContractViolation: `tool_timeout`, and the command and all its children are stopped; `report_unreadable` if it
            passed without the report that its verifier promises.
    """
    with tempfile.TemporaryDirectory(prefix="codeintel-") as folder:
        told, since = Path(folder) / "junit.xml", time.time() - CLOCK_SLACK_S
        waiting = Waiting(verifier.timeout_s, progress, stopped)
        code, output = _run(root, verifier, os.environ | {junit.VARIABLE: str(told)}, waiting)
        counts: dict[str, int] = {}
        if junit.wanted(verifier.report):
            try:
                counts = junit.count(root, verifier.name, verifier.report, told, since)
            except ContractViolation:
                if code == 0:  # a run that failed may well have failed before its report
                    raise
    return Ran(code, output, counts)


@dataclass(frozen=True, slots=True)
class Waiting:
    """How long a command is waited for, and who is told meanwhile."""

    seconds: float
    progress: Progress | None
    stopped: Callable[[], bool]

    def is_late(self, process: "subprocess.Popen[bytes]") -> bool:
        """Wait for its end; True if it did not come in time, or nobody waits for it any more."""
        began = time.monotonic()
        while (left := began + self.seconds - time.monotonic()) > 0 and not self.stopped():
            try:
                process.wait(timeout=min(left, LOOK_UP_S))
                return False
            except subprocess.TimeoutExpired:
                if self.progress is not None:
                    self.progress(int(time.monotonic() - began), int(self.seconds))
        return True


def _run(root: Path, verifier: Verifier, environment: Mapping[str, str], waiting: Waiting) -> tuple[int, str]:
    process = subprocess.Popen(
        verifier.command,
        shell=True,  # a verifier's command is a shell line, and runs only after `codeintel trust`
        cwd=root,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    _running.add(process)
    tail = Tail()
    reader = threading.Thread(target=tail.read, args=(process.stdout,), daemon=True)
    reader.start()
    try:
        is_late = waiting.is_late(process)
    finally:
        _running.discard(process)
        _kill(process)  # what it left running, too
        process.wait()
        reader.join(LAST_WORDS_S)
    if is_late:
        raise ContractViolation(
            "tool_errors.run_verifier.tool_timeout",
            name=verifier.name,
            seconds=f"{verifier.timeout_s:g}",
            output=tail.text()[-LATE_CHARS:].strip() or "-",
        )
    return process.returncode, tail.text()


class Tail:
    """The end of what a command prints, however much that is."""

    def __init__(self) -> None:
        self._kept = b""
        self._dropped = 0

    def read(self, stream: IO[bytes]) -> None:
        """Read to the end; a child that got away may keep the stream open for longer than anyone waits."""
        with stream:
            while block := os.read(stream.fileno(), 1 << 16):
                both = self._kept + block
                self._kept = both[-OUTPUT_BYTES:]
                self._dropped += len(both) - len(self._kept)

    def text(self) -> str:
        """What was kept, without colors, saying first how much was not."""
        kept = _COLOR.sub("", self._kept.decode("utf-8", "replace"))
        return f"[{self._dropped} bytes before this]\n{kept}" if self._dropped else kept


def _kill(process: "subprocess.Popen[bytes]") -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def stop_all() -> None:
    """Stop what still runs; called when the server goes."""
    for process in list(_running):
        _kill(process)
