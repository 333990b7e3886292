"""The server runs a verifier itself and keeps the receipt: the agent's word that tests passed is not enough."""

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from codeintel_contract.violations import ContractViolation
from codeintel_server import junit
from codeintel_session.ports import Verifier

OUTPUT_BYTES = 4000
"""The end of the output is kept: that is where failures are told."""
CLOCK_SLACK_S = 2.0
"""File systems keep times more coarsely than the clock; a report may seem this much older than its run."""

_running: set[subprocess.Popen[bytes]] = set()


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended. `output` is its last part, `counts` what its report counted."""

    exit: int
    output: str
    counts: dict[str, int]


def run_command(root: Path, verifier: Verifier) -> Ran:
    """Run a trusted verifier's command in the project root, within its time limit.

    Raises:
        ContractViolation: `tool_timeout`, and the command and all its children are stopped; `report_unreadable` if it
            passed without the report that its verifier promises.
    """
    with tempfile.TemporaryDirectory(prefix="codeintel-") as folder:
        told, since = Path(folder) / "junit.xml", time.time() - CLOCK_SLACK_S
        code, output = _run(root, verifier, os.environ | {junit.VARIABLE: str(told)})
        counts: dict[str, int] = {}
        if junit.wanted(verifier.report):
            try:
                counts = junit.count(root, verifier.name, verifier.report, told, since)
            except ContractViolation:
                if code == 0:  # a run that failed may well have failed before its report
                    raise
    return Ran(code, output, counts)


def _run(root: Path, verifier: Verifier, environment: Mapping[str, str]) -> tuple[int, str]:
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
    try:
        output, _ = process.communicate(timeout=verifier.timeout_s)
    except subprocess.TimeoutExpired:
        _kill(process)
        process.communicate()
        raise ContractViolation(
            "tool_errors.run_verifier.tool_timeout", name=verifier.name, seconds=f"{verifier.timeout_s:g}"
        ) from None
    finally:
        _running.discard(process)
    return process.returncode, output[-OUTPUT_BYTES:].decode("utf-8", "replace")


def _kill(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)


def stop_all() -> None:
    """Stop what still runs; called when the server goes."""
    for process in list(_running):
        _kill(process)
