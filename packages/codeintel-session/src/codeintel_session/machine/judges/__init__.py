"""One judge for each contract key: (state, payload, facts) -> Verdict. No I/O, no text, no phase assigned."""

from collections.abc import Callable
from typing import Any

from codeintel_contract import Key
from codeintel_session.machine.facts import Facts
from codeintel_session.machine.judges import explore, finish, ready, research, verify
from codeintel_session.machine.state import SessionState
from codeintel_session.machine.verdict import Verdict

Judge = Callable[[SessionState, Any, Facts], Verdict]
"""The payload is an instance of the key's model in `codeintel_contract.PAYLOADS`."""

JUDGES: dict[Key, Judge] = {
    Key.BRANCH_INTERVENTION: research.branch_intervention,
    Key.DOCUMENT_RESEARCH: research.document_research,
    Key.QUERY_FRAME: research.query_frame,
    Key.EXPLORATION: explore.exploration,
    Key.Q1: explore.gate,
    Key.SEMANTIC: explore.semantic,
    Key.Q2: explore.gate,
    Key.VERIFICATION: explore.verification,
    Key.Q3: explore.gate,
    Key.IMPACT_ANALYSIS: explore.impact_analysis,
    Key.READY_PLAN: ready.plan,
    Key.READY_IMPL: ready.implement,
    Key.READY_COMPLETE: ready.complete,
    Key.POST_IMPL_VERIFY: verify.post_impl_verify,
    Key.VERIFY_INTERVENTION: verify.verify_intervention,
    Key.PRE_COMMIT: finish.pre_commit,
    Key.QUALITY_REVIEW: finish.quality_review,
    Key.MERGE: finish.merge,
}
