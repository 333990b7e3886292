"""Put the server's runs of verifiers into words: what the last run of each proves, and that there were others.

Where a run cannot tell (a runner that counts nothing, a base that could not be run), the words say so.
"""

from collections.abc import Iterator, Mapping, Sequence

from codeintel_contract import Task
from codeintel_server.report.model import Check, Run
from codeintel_server.report.words import run_result, run_warnings
from codeintel_session import BaseRun, Named, Receipt, SessionState, assess_receipt

_QUESTION = "Do the tests that were added or changed fail without the change?"
SHOWN = 5
"""Names of tests in a line."""


def checks_of(state: SessionState) -> Iterator[Check]:
    """Yield what the receipt of each verifier proves."""
    return (check_of(receipt, state.tasks) for receipt in state.receipts.values())


def check_of(receipt: Receipt, tasks: Sequence[Task] = ()) -> Check:
    """Return what a receipt proves of work on these tasks."""
    standing, why = assess_receipt(receipt, tasks)
    return Check(
        verifier=receipt.verifier,
        command=receipt.command,
        standing=standing,
        at=receipt.at,
        why=run_result(why),
        now="no answer" if receipt.unanswered else counted(receipt.counts, receipt.exit, timed_out=receipt.timed_out),
        base="" if receipt.is_reading else _base(receipt.base, receipt.before),
        facts=tuple(_facts(receipt)) if standing == "passed" else (),
        warnings=tuple(run_warnings(receipt)),
    )


def runs_of(state: SessionState) -> Iterator[Run]:
    """Yield the runs that the server made, oldest first."""
    for run in state.runs:
        yield Run(run.verifier, run.at, run.standing, counted(run.counts, run.exit), run.seconds)


def counted(counts: Mapping[str, int], code: int, *, timed_out: bool = False) -> str:
    """Return how many tests passed and failed, or what a reader found, or what is known instead."""
    if timed_out:
        return "stopped at its time limit"
    if "findings" in counts:
        return f"findings: {counts['findings'] or 'none'}"
    if not counts.get("tests"):
        return f"exit code {code}, no tests counted"
    failed = counts.get("failures", 0) + counts.get("errors", 0)
    skipped, expected = counts.get("skipped", 0), counts.get("xfailed", 0)
    parts = [f"{counts['tests'] - failed - skipped - expected} passed", f"{failed} failed"]
    parts += [f"{skipped} skipped"] * bool(skipped) + [f"{expected} failed as expected"] * bool(expected)
    return ", ".join(parts)


def _base(base: BaseRun, before: Mapping[str, int]) -> str:
    if base.state == "ran":
        return counted(base.counts or before, base.exit)
    return "did not end in time" if base.state == "timed_out" else f"not run: {base.why or 'it is not comparable'}"


def _facts(receipt: Receipt) -> Iterator[str]:
    if receipt.is_reading:
        yield from [f"It says: {receipt.remark}"] * bool(receipt.remark)
        yield from (f"It suggested: {one}" for one in receipt.suggestions)
        return
    if receipt.base_tests is not None:
        tests = receipt.base_tests
        failing = f", {tests.failed.count} fail: {_names(tests.failed)}" if tests.failed.count else ", none fails"
        yield f"The base's versions of changed tests, on the new code: {tests.passed} pass{failing}"
    if receipt.red_before is None:
        why = receipt.red_before_why or "it was not tried"
        yield f"{_QUESTION} Not known: {why}"
    else:
        answer = "Yes" if receipt.red_before else "No, they pass without it as well"
        yield f"{_QUESTION} {answer} ({receipt.red_before_why})"


def _names(named: Named) -> str:
    rest = named.count - min(len(named.names), SHOWN)
    return ", ".join([*named.names[:SHOWN], *([f"{rest} more"] if rest else [])])
