"""The server runs a verifier itself and keeps the receipt: the agent's word that tests passed is not enough."""

import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING

from codeintel_contract import ContractViolation, read_file
from codeintel_server.verification import junit
from codeintel_server.verification.summary import Summary, read_summary
from codeintel_session import Verifier

OUTPUT_BYTES = 64_000
"""The end of the output is kept: failures are reported there."""
LAST_WORDS_S = 2.0
"""How long the output of a command that ended is waited for."""
LOOK_UP_S = 1.0
"""Seconds between progress reports, which also check whether the client still waits."""
CLOCK_SLACK_S = 2.0
"""File systems keep times more coarsely than the clock; a report may seem this much older than its run."""

if TYPE_CHECKING:
    from codeintel_server.verification.process_tree import ProcessTree

Progress = Callable[[int, int], None]
"""Takes the seconds that have passed, and the limit."""

NPMRC_BYTES = 100_000
_NODE_OPTIONS = re.compile(r"""\bNODE_OPTIONS=("[^"]*"|'[^']*'|[^\s;&|]+)""")
_NPM_OPTIONS = re.compile(r"^[ \t]*node-options[ \t]*=[ \t]*(\S.*?)[ \t\r]*$", re.MULTILINE)
_ENTERS = re.compile(r"[(\s]*cd ([\w./-]+) && ")
_COLOR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_running: "set[ProcessTree]" = set()


@contextmanager
def wait_for(
    lock: threading.Lock, verifier: Verifier, progress: Progress | None, stopped: Callable[[], bool]
) -> Iterator[None]:
    """Hold a lock once it is free, and report progress meanwhile.

    Raises ContractViolation: `run_stopped`, if the client no longer waits.
    """
    waited = 0
    while not lock.acquire(timeout=LOOK_UP_S):
        waited += 1
        if stopped():
            raise ContractViolation("tool_errors.run_verifier.run_stopped", name=verifier.name)
        if progress is not None:
            progress(waited, int(verifier.timeout_s))
    try:
        yield
    finally:
        lock.release()


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended. `output` is its last part, `cases` the results by test id, if its report has them."""

    exit: int
    output: str
    counts: dict[str, int] = field(default_factory=dict)
    cases: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    timed_out: bool = False

    def failing(self) -> set[str]:
        """Return the ids of the tests that failed or could not be run."""
        return {name for name, result in self.cases.items() if result in (junit.FAILED, junit.ERROR)}

    def has_failures(self) -> bool:
        """Return True if the run counted a failure, by its report or by its summary."""
        return bool(self.counts.get("failures") or self.counts.get("errors"))

    def exit_without_failures(self) -> bool:
        """Return True if it ended with an exit code, and its counts say nothing of why: what failed is not known."""
        return self.exit != 0 and bool(self.counts) and not self.has_failures()


def run_command(
    root: Path,
    verifier: Verifier,
    progress: Progress | None = None,
    stopped: Callable[[], bool] = lambda: False,
    variables: Mapping[str, str] | None = None,
    given: str = "",
) -> Ran:
    """Run a trusted verifier's command in a folder, within its time limit, or until it is not wanted any more.

    `progress` receives the seconds that have passed and the limit: a client may give up on a call that says nothing.
    `variables` are set beside the environment of the server; `given` is its standard input. A command
    at its limit is stopped with all its children.

    Raises:
        ContractViolation: `run_stopped` if nobody waits any more; `report_unreadable` if it passed without the report
            that its verifier promises.
    """
    with tempfile.TemporaryDirectory(prefix="codeintel-") as folder:
        told, since = Path(folder) / "junit.xml", time.time() - CLOCK_SLACK_S
        waiting = Waiting(verifier.timeout_s, progress, stopped)
        began = time.monotonic()
        line, options = keep_node_options(root, verifier.command)
        environment = {**os.environ, **own_programs(root), **(variables or {}), **options, junit.VARIABLE: str(told)}
        environment.pop("PYTEST_CURRENT_TEST", None)  # of a test that started this server, and not of these
        source = Path(folder) / "input.txt"
        source.write_text(given, encoding="utf-8", errors="backslashreplace")
        with source.open("rb") as stream:
            code, printed, is_late = _run(root, line, environment, waiting, stream)
        if stopped():
            raise ContractViolation("tool_errors.run_verifier.run_stopped", name=verifier.name)
        cases: dict[str, str] = {}
        output, counts = printed.text(), printed.counts()
        if junit.wanted(verifier.report):
            try:
                cases = junit.read_cases(root, verifier.name, verifier.report, told, since)
            except ContractViolation:
                if code == 0 and not is_late:  # a run that failed may well have failed before its report
                    raise
            output = f"{output}{(retold := junit.retell(told, output))}"[-OUTPUT_BYTES:]
            printed.summary.add(retold)
            unexpected = printed.counts().get("xpassed")
            counts = junit.count(cases) if cases or code == 0 else printed.counts()
            if not cases:  # a harness of the project's own beneath cargo
                counts = read_summary(retold) or counts
            if unexpected:
                counts["xpassed"] = unexpected
    return Ran(code, output, counts, cases, time.monotonic() - began, is_late)


def own_programs(root: Path) -> dict[str, str]:
    """Return the variables that put the programs of a folder's own virtual environment first, as activating it does.

    The client that started the server rarely has it active, and `python -m pytest` would run another Python.
    """
    for home in (root / ".venv", root / "venv"):
        programs = home / ("Scripts" if os.name == "nt" else "bin")
        if (home / "pyvenv.cfg").is_file() and programs.is_dir():
            path = os.pathsep.join(filter(None, (str(programs), os.environ.get("PATH", ""))))
            return {"PATH": path, "VIRTUAL_ENV": str(home)}
    return {}


def keep_node_options(root: Path, command: str) -> tuple[str, dict[str, str]]:
    """Return a command line whose `NODE_OPTIONS` npm passes on, and the variables it needs.

    npm puts `node-options` of a project's `.npmrc` in their place, and the report would not be written: both count.
    """
    given = _NODE_OPTIONS.search(command)
    folder = root / found[1] if (found := _ENTERS.match(command)) else root
    try:
        own = _NPM_OPTIONS.search(read_file(root, folder / ".npmrc", NPMRC_BYTES).decode("utf-8", "replace"))
    except OSError:
        own = None
    if given is None or own is None:
        return command, {}
    both = f'npm_config_node_options="$CODEINTEL_NODE_OPTIONS "{given[1]} '
    return command[: given.start()] + both + command[given.start() :], {"CODEINTEL_NODE_OPTIONS": own[1].strip("\"'")}


@dataclass(frozen=True, slots=True)
class Waiting:
    """Hold how long to wait for a command, and whom to report progress to."""

    seconds: float
    progress: Progress | None
    stopped: Callable[[], bool]

    def is_late(self, process: "subprocess.Popen[bytes]", tree: "ProcessTree") -> bool:
        """Wait for its end; True if it did not come in time, or nobody waits for it any more."""
        began = time.monotonic()
        while (left := began + self.seconds - time.monotonic()) > 0 and not self.stopped():
            try:
                process.wait(timeout=min(left, LOOK_UP_S))
                return False
            except subprocess.TimeoutExpired:
                tree.look()
                if self.progress is not None:
                    self.progress(int(time.monotonic() - began), int(self.seconds))
        return True


def _run(
    root: Path, command: str, environment: Mapping[str, str], waiting: Waiting, given: IO[bytes]
) -> "tuple[int, Printed, bool]":
    from codeintel_server.verification.process_tree import ProcessTree  # psutil takes a while, and few sessions run one

    process = subprocess.Popen(
        command,
        shell=True,  # a verifier's command is a shell line, and runs only after `codeintel trust`
        cwd=root,
        env=environment,
        stdin=given,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,  # a key pressed in the server's terminal is not for it; Windows takes no notice
    )
    tree = ProcessTree(process, environment[junit.VARIABLE])
    _running.add(tree)
    printed = Printed()
    reader = threading.Thread(target=printed.read, args=(process.stdout,), daemon=True)
    reader.start()
    try:
        is_late = waiting.is_late(process, tree)
    finally:
        _running.discard(tree)
        tree.kill()  # what it left running, too
        process.wait()
        reader.join(LAST_WORDS_S)
    return process.returncode, printed, is_late


class Printed:
    """What a command prints: its end, and what all of it counts."""

    def __init__(self) -> None:
        self.summary = Summary()
        self._kept = b""
        self._rest = b""

    def read(self, stream: IO[bytes]) -> None:
        """Read to the end; a child that got away may keep the stream open for longer than anyone waits."""
        with stream:
            while block := os.read(stream.fileno(), 1 << 16):
                self._kept = (self._kept + block)[-OUTPUT_BYTES:]
                lines, end, rest = (self._rest + block).rpartition(b"\n")
                self._rest = rest[-OUTPUT_BYTES:]
                if end:
                    self.summary.add(_plain(lines))

    def text(self) -> str:
        """What was kept, without colors."""
        return _plain(self._kept)

    def counts(self) -> dict[str, int]:
        """Return what was counted, once the command has ended."""
        rest, self._rest = self._rest, b""
        self.summary.add(_plain(rest))
        return self.summary.counts()


def _plain(printed: bytes) -> str:
    return _COLOR.sub("", printed.decode("utf-8", "replace"))


def last_lines(output: str, limit: int) -> str:
    """Return the last whole lines of an output within a size, saying how much came before."""
    text = output.strip("\n")
    if len(text) <= limit:
        return text
    end = text[-limit:]
    kept = end.partition("\n")[2] or end
    return f"[{len(text) - len(kept)} characters before this]\n{kept}"


def stop_all() -> None:
    """Stop what still runs, and remove what its report would be in; called when the server goes."""
    for tree in list(_running):
        tree.kill()
        shutil.rmtree(Path(tree.mark).parent, ignore_errors=True)
