"""Receipts of the verifiers that the server ran, each with what the run before it counted.

`before` is the run with the most tests so far, in this session or in the last one that used the verifier, so that
running a thinned suite twice does not make the thin one the measure.
"""

from collections.abc import Mapping

from .machine.promises import size
from .machine.state import Receipt
from .service import SessionService


def keep(service: SessionService, verifier: str, command: str, code: int, counts: Mapping[str, int]) -> Receipt:
    """Keep the receipt of a run that ended with exit code `code`, on the work tree as it stands now.

    Raises:
        ContractViolation: there is no session.
    """
    git = service.ports.git
    receipt = Receipt(
        verifier=verifier,
        command=command,
        exit=code,
        tree=git.tree_digest() if git else "",
        at=service.records.now(),
        counts=dict(counts),
        before=_before(service, verifier) if counts else {},
    )
    service.change(lambda state: {"receipts": {**state.receipts, verifier: receipt}})
    return receipt


def _before(service: SessionService, verifier: str) -> dict[str, int]:
    last = service.require().receipts.get(verifier)
    if last is not None and last.counts:
        return max(last.counts, last.before, key=size)
    return service.records.last_counts(verifier)
