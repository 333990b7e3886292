"""What a client sent, read as the payload of the phase the session stands at."""

from typing import Any

from codeintel_contract.loader import Contract
from codeintel_contract.names import Key
from codeintel_contract.payloads import Payload
from codeintel_contract.validate import decode, read_payload
from codeintel_contract.violations import ContractViolation

from .machine.decide import current
from .machine.state import SessionState


def read(contract: Contract, state: SessionState, data: object) -> Payload:
    """The payload, checked against the contract.

    Raises:
        ContractViolation: not an object, a task list or report at the wrong time, or fields that do not fit.
    """
    fields = decode(data)
    row = current(state)
    where: dict[str, Any] = {"phase": row.phase.value, "step": row.number}
    if "tasks" in fields and row.key is not Key.READY_PLAN:
        raise ContractViolation("failures.READY.phase_mismatch_register", **where)
    if "task_id" in fields and row.key is not Key.READY_IMPL:
        raise ContractViolation("failures.READY.phase_mismatch_complete", **where)
    return read_payload(contract, row.key, fields)
