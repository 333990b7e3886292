"""One submission judged, the same way when it is handed in and when it is judged again from the log.

A `Case` is all that a verdict follows from: the session as it stood, what was handed in, the user's answer, and the
facts. How the facts are come by is the caller's: they are gathered from the world, or read from the log.
"""

from collections.abc import Callable
from dataclasses import dataclass

from codeintel_contract.loader import Contract
from codeintel_contract.payloads import Payload

from .machine.decide import Decision, current, decide
from .machine.facts import Facts
from .machine.state import SessionState
from .questions import Answer, apply_answer, facts_with
from .reading import read


@dataclass
class Case:
    """A submission, and how far it has come.

    `facts` is None until they are known. While `by_world` is true, what goes wrong was not said by a judge but by the
    world that was asked or changed: git, a file, a hook of the repository.
    """

    state: SessionState
    data: object
    answer: Answer | None = None
    facts: Facts | None = None
    by_world: bool = True


def judge(case: Case, contract: Contract, look: Callable[[Payload], Facts]) -> tuple[Payload, Decision]:
    """The payload that was read and what is decided on it.

    Raises:
        ContractViolation: it is refused.
    """
    case.by_world = False
    payload = read(contract, case.state, case.data)
    if case.answer is not None:
        payload = apply_answer(case.state, payload, case.answer)
    case.by_world = True
    facts = look(payload)
    if case.answer is not None:
        facts = facts_with(facts, case.state, case.answer)
    case.facts, case.by_world = facts, False
    decision = decide(case.state, payload, facts, contract.phases[current(case.state).key])
    case.by_world = True
    return payload, decision
