"""Judge receipts: whether a run of a verifier proves that the work passes, and what about it the user has to know.

A run passes if nothing fails that did not fail on the base, and none of the base's tests is missing. What fails on the
base too is not held against the session. A run that proves nothing for a reason that lies outside the session (the base
times out as well, fails as well without saying which test) is unproved: it does not stand in the way, and the outcome
says so.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Literal

from codeintel_contract import Task
from codeintel_session.machine.regressions import Weakened
from codeintel_session.machine.state import Named, Receipt
from codeintel_session.machine.verdict import MessageRef

Standing = Literal["passed", "failed", "unproved"]
SHOWN = 5
"""Names of tests in a sentence; the receipt holds more."""
_REASONS = {
    "broken": "failures.POST_IMPL_VERIFY.receipt_broken",
    "failing": "failures.POST_IMPL_VERIFY.receipt_failing",
    "hangs_before": "failures.POST_IMPL_VERIFY.receipt_hangs_before",
    "gone": "failures.POST_IMPL_VERIFY.receipt_gone",
    "exit": "failures.POST_IMPL_VERIFY.receipt_exit",
    "timed_out": "failures.POST_IMPL_VERIFY.receipt_timed_out",
    "red_beside": "failures.POST_IMPL_VERIFY.receipt_red_beside",
    "red_before": "failures.POST_IMPL_VERIFY.receipt_red_before",
    "no_tests": "failures.POST_IMPL_VERIFY.receipt_no_tests",
    "unanswered": "failures.POST_IMPL_VERIFY.receipt_unanswered",
    "lenient": "failures.POST_IMPL_VERIFY.receipt_lenient",
}
_REMOVES = re.compile(
    r"\b(?:remov|delet|drop|renam|replac|merg|mov)\w*\b.*\btests?\b|\btests?\b.*\b(?:remov|delet)", re.I
)
_PARTS = re.compile(r"[\w-]+")


def assess_receipt(receipt: Receipt, tasks: Iterable[Task] = ()) -> tuple[Standing, MessageRef | None]:
    """Return what a run proves, and the reason if it does not pass."""
    if receipt.unanswered:
        return "unproved", _reason("unanswered", receipt, why=receipt.unanswered)
    texts = [text for task in tasks for text in (task.description, *(item.item for item in task.checklist))]
    unexplained = _unexplained(receipt, texts)
    base = receipt.base
    if receipt.timed_out:
        outside = base.state != "ran"
        key = "hangs_before" if base.state == "timed_out" else "timed_out"
        return ("unproved" if outside else "failed"), _reason(key, receipt, seconds=f"{receipt.seconds:.0f}")
    if receipt.broken.count and base.state != "ran":
        why = base.why or "the run of the base did not end"
        return "failed", _reason("failing", receipt, tests=shown(receipt.broken), exit=receipt.exit, why=why)
    if receipt.broken.count:
        return "failed", _reason("broken", receipt, tests=shown(receipt.broken), exit=receipt.exit)
    if unexplained is not None:
        return "failed", _reason("gone", receipt, tests=shown(unexplained))
    if receipt.exit != 0 and not (receipt.red.count and base.exit == receipt.exit):
        was_red = base.state == "ran" and base.exit != 0 and not receipt.red.count
        counts = receipt.counts
        is_beside = counts.get("tests") and not counts.get("failures") and not counts.get("errors")
        key = ("red_beside" if is_beside else "red_before") if was_red else "exit"
        more = {"tests": counts["tests"]} if key == "red_beside" else {}
        return ("unproved" if was_red else "failed"), _reason(key, receipt, exit=receipt.exit, **more)
    if receipt.reported and not receipt.counts.get("tests"):
        return "unproved", _reason("no_tests", receipt)
    if receipt.lenient:
        return "unproved", _reason("lenient", receipt, tests=_some(receipt.lenient))
    return "passed", None


def _reason(key: str, receipt: Receipt, **values: object) -> MessageRef:
    return MessageRef(_REASONS[key], {"name": receipt.verifier, **values})


def _unexplained(receipt: Receipt, texts: Iterable[str]) -> Named | None:
    """Return the missing tests of the base that no task names; None if there are none."""
    if not receipt.gone.count:
        return None
    if not receipt.gone.names:
        return None if any(_REMOVES.search(text) for text in texts) else receipt.gone
    words = {word for text in texts for word in _PARTS.findall(text)}
    left = tuple(name for name in receipt.gone.names if not _words_of(name) & words)
    unlisted = receipt.gone.count - len(receipt.gone.names)
    return Named(names=left, count=len(left) + unlisted) if left or unlisted else None


def _words_of(test: str) -> set[str]:
    """Return the words by which a task can name a test: those of its file, its class and itself."""
    return {word for word in _PARTS.findall(test.partition("[")[0]) if len(word) > 4 and word != "tests"}


def find_warnings(receipt: Receipt) -> list[MessageRef]:
    """Return what a run that counts has to say beside its result, worst first."""
    return list(_warnings(receipt))


def find_advice(receipt: Receipt) -> list[MessageRef]:
    """Return what of that an agent can act on: the rest is in the report, for the user."""
    return [message for message in _warnings(receipt) if message.key not in _FOR_THE_USER]


_FOR_THE_USER = ("warnings.unexamined", "warnings.unparsed")


def _warnings(run: Receipt) -> Iterator[MessageRef]:
    if new := [one for one in run.findings if one not in run.again]:
        yield MessageRef("warnings.findings", {"name": run.verifier, "remarks": "\n".join(new)})
    if run.again:
        yield MessageRef("warnings.findings_again", {"name": run.verifier, "remarks": "\n".join(run.again)})
    if run.suggestions:
        yield MessageRef("warnings.suggestions", {"name": run.verifier, "remarks": "\n".join(run.suggestions)})
    if run.in_place:
        yield MessageRef("warnings.ran_in_place", {"why": run.in_place})
    if run.base_tests is not None and run.base_tests.failed.count:
        yield MessageRef("warnings.base_tests_fail", {"tests": shown(run.base_tests.failed)})
    if run.gone.count:
        yield MessageRef("warnings.tests_gone", {"tests": shown(run.gone)})
    if run.red_before is False:
        yield MessageRef("warnings.green_before", {"files": run.red_before_why})
    if run.unheard.count:
        yield MessageRef("warnings.unheard", {"places": shown(run.unheard)})
    if run.indifferent.count:
        yield MessageRef("warnings.indifferent", {"places": shown(run.indifferent)})
    if run.runner_dependent:
        yield MessageRef("warnings.runner_dependent", {"tests": _some(run.runner_dependent)})
    if run.unnoticed.count:
        yield MessageRef("warnings.unnoticed", {"name": run.verifier, "names": shown(run.unnoticed)})
    if run.any_value.count:
        yield MessageRef("warnings.any_value", {"name": run.verifier, "names": shown(run.any_value)})
    if run.equal.count:
        yield MessageRef("warnings.equal", {"names": shown(run.equal)})
    if run.unfailing:
        yield MessageRef("warnings.unfailing", {"places": _some(run.unfailing)})
    if run.replaced:
        yield MessageRef("warnings.replaced", {"places": _some(run.replaced)})
    if run.unread:
        yield MessageRef("warnings.unread", {"places": _some(run.unread)})
    if run.borders.count:
        yield MessageRef("warnings.borders", {"name": run.verifier, "names": shown(run.borders)})
    if run.as_before.count:
        yield MessageRef("warnings.as_before", {"name": run.verifier, "names": shown(run.as_before)})
    if run.unrun is not None and run.unrun.count:
        yield MessageRef("warnings.unrun", {"name": run.verifier, "files": shown(run.unrun)})
    if run.unexamined.count:
        yield MessageRef("warnings.unexamined", {"name": run.verifier, "names": shown(run.unexamined)})
    if run.unparsed:
        yield MessageRef("warnings.unparsed", {"files": _some(run.unparsed)})
    if run.red.count:
        yield MessageRef("warnings.red_before", {"tests": shown(run.red)})
    if run.flaky.count:
        yield MessageRef("warnings.flaky", {"tests": shown(run.flaky)})
    if run.skipped.count:
        yield MessageRef("warnings.new_skips", {"tests": shown(run.skipped)})
    if run.steering:
        yield MessageRef("warnings.steering_changed", {"files": _some(run.steering)})
    if run.pinned:
        yield MessageRef("warnings.pinned", {"files": _some(run.pinned)})
    if run.created:
        yield MessageRef("warnings.created", {"files": _some(run.created)})
    if run.repeated:
        yield MessageRef("warnings.repeated", {"places": _some(run.repeated)})
    if run.rewritten:
        yield MessageRef("warnings.rewritten", {"files": _some(run.rewritten)})
    if run.touched:
        yield MessageRef("warnings.touched", {"files": _some(run.touched)})
    if run.commented:
        yield MessageRef("warnings.commented", {"files": _some(run.commented)})
    if run.disguised:
        yield MessageRef("warnings.disguised", {"files": _some(run.disguised)})
    if run.asking:
        yield MessageRef("warnings.asks_what_runs", {"files": _some(run.asking)})
    if run.data:
        yield MessageRef("warnings.data_changed", {"files": _some(run.data)})
    if run.environment_changed:
        yield MessageRef("warnings.environment_changed", {"files": _some(run.environment_changed)})


def weakened_messages(found: Iterable[Weakened]) -> list[MessageRef]:
    """Return the warnings about tests whose text promises less, each with its cause, and about those that changed."""
    found = list(found)
    less = [one for one in found if one.cause != "changed"]
    changed = [f"{one.path}: {one.test}" for one in found if one.cause == "changed"]
    messages = []
    if less:
        more = f" (and {len(less) - SHOWN} more)" if len(less) > SHOWN else ""
        parts: list[object] = [_cause(one) for one in less[:SHOWN]]
        messages.append(MessageRef("warnings.tests_weakened", {"tests": parts, "more": more}))
    if changed:
        names = shown(Named(names=tuple(changed), count=len(changed)))
        messages.append(MessageRef("warnings.tests_changed", {"tests": names}))
    return messages


def _cause(one: Weakened) -> MessageRef:
    values = {"path": one.path, "test": one.test, "before": one.before, "now": one.now, "mark": one.mark}
    return MessageRef(_CAUSES[one.cause], values)


_CAUSES: dict[str, str] = {
    "gone": "hints.weaker_gone",
    "marked": "hints.weaker_marked",
    "fewer_cases": "hints.weaker_fewer_cases",
    "fewer_assertions": "hints.weaker_fewer_assertions",
}


def shown(named: Named) -> str:
    """Return the first names of a list, and how many more there are."""
    if not named.names:
        return str(named.count)
    rest = named.count - min(len(named.names), SHOWN)
    return ", ".join(named.names[:SHOWN]) + (f" and {rest} more" if rest > 0 else "")


def _some(names: tuple[str, ...]) -> str:
    return shown(Named(names=names, count=len(names)))
