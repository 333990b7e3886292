"""The same payload again, because its reply was lost: the same answer again, and nothing done twice.

Only the payload accepted last is remembered: in the state, so that a restart does not forget it, and in
the archive once it has ended the session.
"""

import hashlib
import json

from codeintel_contract.loader import Contract
from codeintel_contract.names import Phase
from codeintel_contract.validate import decode
from codeintel_contract.violations import ContractViolation

from .adapters.checkpoints import CheckpointStore
from .machine.state import LastReply, SessionState
from .machine.verdict import Say
from .reply import Reply, bounded, text_of


def digest(data: object) -> str:
    """Digest of a payload without its echo, the same for an object and for its JSON text; "" if it is neither."""
    try:
        fields = {name: value for name, value in decode(data).items() if name != "compaction_count"}
        text = json.dumps(fields, sort_keys=True, ensure_ascii=False)
    except (ContractViolation, TypeError, ValueError):
        return ""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def again(contract: Contract, state: SessionState | None, store: CheckpointStore, data: object) -> Reply | None:
    """The answer to a payload that was accepted last: its reply may have been lost. None for any other payload."""
    last = _last_answer(state, store)
    if last is None or last.digest != digest(data):
        return None
    notice = text_of(contract, Say("session_messages.resubmitted"))
    return bounded({**last.reply, "notices": [notice, *last.reply.get("notices", ())]})


def _last_answer(state: SessionState | None, store: CheckpointStore) -> LastReply | None:
    """The last accepted payload and its answer: of the running session, else of the one that ended last."""
    if state is not None:
        return state.last_reply
    ended = store.ended_last()
    return ended.last_reply if ended and ended.phase_state.current_phase == Phase.SESSION_COMPLETE else None
