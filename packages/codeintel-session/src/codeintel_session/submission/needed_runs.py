"""Which verifiers a submission needs to have run: the server runs them, and the agent need not ask for it."""

from codeintel_contract import Contract, ContractViolation, Key, PostImplVerify
from codeintel_session.machine.decide import current
from codeintel_session.machine.judges.verify import missing_runs
from codeintel_session.machine.state import SessionState
from codeintel_session.ports import Ports
from codeintel_session.submission.collect_facts import collect_facts
from codeintel_session.submission.evaluation import read
from codeintel_session.submission.submission import Submission


def verifiers_to_run(ports: Ports, contract: Contract, state: SessionState | None, submission: Submission) -> list[str]:
    """Return the verifiers whose receipts a pass needs and that have not run on the present tree."""
    if state is None or current(state).key is not Key.POST_IMPL_VERIFY:
        return []
    if submission.meant_for and Key.POST_IMPL_VERIFY not in submission.meant_for:
        return []
    try:
        payload = read(contract, state, submission, None)
        if not isinstance(payload, PostImplVerify) or not payload.passed:
            return []
        return missing_runs(state, payload, collect_facts(ports, state, payload, None))
    except ContractViolation:  # the submission meets the same fault, and is refused for it
        return []
