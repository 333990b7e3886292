"""The pure part of a submission: read the payload, then decide on it.

The service and the replay of a log share these two functions. Between them the service looks up the facts in the world;
the replay takes them from the log.
"""

from codeintel_contract import Contract, Payload
from codeintel_session.machine.decide import Decision, current, decide
from codeintel_session.machine.facts import Facts
from codeintel_session.machine.state import SessionState
from codeintel_session.submission.elicitation import UserAnswer, apply_answer
from codeintel_session.submission.submission import Submission, payload_of


def read(contract: Contract, state: SessionState, submission: Submission, answer: UserAnswer | None) -> Payload:
    """Read the payload of the session's phase, with the user's answer in it.

    Raises ContractViolation: the payload does not fit the phase, or the user declined.
    """
    payload = payload_of(contract, current(state), submission)
    return payload if answer is None else apply_answer(state, payload, answer)


def judge(contract: Contract, state: SessionState, payload: Payload, facts: Facts) -> Decision:
    """Decide on a payload.

    Raises ContractViolation: the judge of the phase refuses it.
    """
    return decide(state, payload, facts, contract.phases[current(state).key])
