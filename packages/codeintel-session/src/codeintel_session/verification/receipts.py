"""Keep the receipts of the verifiers that the server ran, and say what they warn of."""

from typing import Any

from codeintel_session.git.session_diff import changes_of
from codeintel_session.machine.limits import RUNS_KEPT
from codeintel_session.machine.receipts import SHOWN, assess_receipt, find_advice, weakened_messages
from codeintel_session.machine.state import Named, Receipt, SessionState, VerifierRun
from codeintel_session.machine.verdict import MessageRef
from codeintel_session.service import SessionService
from codeintel_session.submission.collect_facts import find_weakened_tests

_NAMES = (
    "broken", "red", "gone", "flaky", "skipped", "unheard", "indifferent", "unnoticed", "any_value", "equal", "borders",
    "as_before",
)  # fmt: skip
_PLACES = (
    "runner_dependent", "steering", "data", "asking", "created", "repeated", "lenient", "rewritten", "touched",
    "pinned", "unfailing", "replaced", "disguised", "unread", "commented",
)  # fmt: skip
"""The lists of a receipt: of names that it counts, and of places."""
_UNSHOWN = {
    "at",
    "reported",
    "is_reading",
    "before",
    "red_before_why",
    "shared",
    "findings",
    "again",
    "said",
    "suggestions",
    "unanswered",
    "unexamined",
    "unparsed",
}
"""What a warning, a reason or another key says, and what only the report does."""


def keep_receipt(service: SessionService, receipt: Receipt) -> Receipt:
    """Store the receipt of a run and return it.

    Raises ContractViolation: no session is running.
    """
    changed = service.ports.library.commands_digest() != service.require().commands
    earlier = service.require().receipts.get(receipt.verifier)
    said = receipt.said or (earlier.said if earlier else ())  # an answer that does not count takes nothing back
    receipt = receipt.model_copy(update={"commands_changed": changed, "said": said})

    def kept(state: SessionState) -> dict[str, Any]:
        runs = (*state.runs, _run_of(receipt, state))[-RUNS_KEPT:]
        return {"receipts": _agreed({**state.receipts, receipt.verifier: receipt}, receipt.tree), "runs": runs}

    service.change(kept)
    return service.require().receipts[receipt.verifier]


def _agreed(receipts: dict[str, Receipt], tree: str) -> dict[str, Receipt]:
    """Return the receipts, where those of a tree name as not run only what none of them runs."""
    lists = [set(one.unrun.names) for one in receipts.values() if one.tree == tree and one.unrun is not None]
    if len(lists) < 2:
        return receipts
    left = tuple(sorted(set.intersection(*lists)))
    unrun = Named(names=left, count=len(left))
    return {
        name: one.model_copy(update={"unrun": unrun}) if one.tree == tree and one.unrun is not None else one
        for name, one in receipts.items()
    }


def _run_of(receipt: Receipt, state: SessionState) -> VerifierRun:
    return VerifierRun(
        verifier=receipt.verifier,
        at=receipt.at,
        standing=assess_receipt(receipt, state.tasks)[0],
        exit=receipt.exit,
        tree=receipt.tree,
        counts=receipt.counts,
        seconds=receipt.seconds,
    )


def receipt_warnings(service: SessionService, receipt: Receipt) -> list[MessageRef]:
    """Return what the user has to know of a run and of the changed tests, beside its result."""
    warnings = find_advice(receipt)
    state, git = service.require(), service.ports.git
    if git is not None:
        found = find_weakened_tests(service.ports.root, git, state, changes_of(git, state))
        warnings += weakened_messages(found)
    return warnings


def describe_receipt(receipt: Receipt) -> dict[str, Any]:
    """Return a receipt as a reply shows it: what is not said otherwise, and of each list a few names."""
    data = receipt.model_dump(exclude_defaults=True, exclude=_UNSHOWN)
    if receipt.is_reading:
        data.pop("ids", None)
        return data | {"at": receipt.at}
    environment = {"shared": list(receipt.shared[:SHOWN]), "changed": list(receipt.environment_changed[:SHOWN])}
    data["environment"] = {name: value for name, value in environment.items() if value}
    data.pop("environment_changed", None)
    data["at"] = receipt.at
    data["in_place"] = receipt.in_place or False
    data["base"] = receipt.base.model_dump(exclude_defaults=True, exclude={"counts"}) | {"state": receipt.base.state}
    data["base"] |= {"tests": receipt.base.counts["tests"]} if "tests" in receipt.base.counts else {}
    data["red_before"] = "not comparable" if receipt.red_before is None else receipt.red_before
    if receipt.red_before is None and receipt.red_before_why and not receipt.in_place:
        data["red_before"] = f"not comparable: {receipt.red_before_why}"
    for name in _NAMES:
        if name in data:
            shown = "failing" if name == "broken" and receipt.base.state != "ran" else name
            data[shown] = _listed(getattr(receipt, name))
            if shown != name:
                del data[name]
    if receipt.unrun is not None:
        data.pop("unrun", None)
        if receipt.unrun.count:
            data["unrun"] = _listed(receipt.unrun)
    if receipt.base_tests is not None:
        tests = receipt.base_tests
        data["base_tests"] = {"passed": tests.passed, "failed": _listed(tests.failed), "gone": _listed(tests.gone)}
    for name in _PLACES:
        if name in data:
            data[name] = _listed(Named(names=data[name], count=len(data[name])))
    return data


def _listed(named: Named) -> list[str] | int:
    """Return the first names, and how many more there are; the number alone if no names are known."""
    if not named.names:
        return named.count
    rest = named.count - min(len(named.names), SHOWN)
    return [*named.names[:SHOWN], *([f"{rest} more"] if rest > 0 else [])]
