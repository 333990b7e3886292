"""What a reply says beside the phase: facts that belong to entering it, and differences after a resume."""

from collections.abc import Mapping
from typing import Any

from codeintel_contract.names import Key

from .changed import changes_of
from .machine.decide import current
from .machine.judges.ready import escalation_due
from .machine.limits import SUMMARY_CHARS
from .machine.state import SessionState
from .machine.verdict import Say
from .ports import Ports

RULES_BYTES = 1024
"""Rules found in documents are repeated, up to this size."""


def asked_before(entry: Mapping[str, Any] | None) -> list[Say]:
    """The same request was worked on before: what came of it, or the question whether it held."""
    if entry is None:
        return []
    when, which = str(entry["at"])[:10], entry["session_id"]
    if entry["outcome"] == "success":
        return [Say("session_messages.done_before", {"session_id": which, "at": when})]
    values = {
        "session_id": which,
        "at": when,
        "outcome": entry["outcome"],
        "note": entry.get("note") or "no reason was recorded",
    }
    return [Say("session_messages.failed_before", values)]


def on_entry(ports: Ports, state: SessionState) -> list[Say]:
    """What entering the present phase calls for."""
    key = current(state).key
    if key is Key.BRANCH_INTERVENTION and ports.git is not None:
        here = ports.git.current_branch() or "detached"
        return [Say("session_messages.stale_branches", {"branches": ", ".join(state.stale_branches), "current": here})]
    if key is Key.DOCUMENT_RESEARCH:
        return [Say("session_messages.documents_found", {"files": ", ".join(state.documents)})]
    if key is Key.READY_PLAN:
        return [*_reverted(state), *_rules(state)]
    if key is Key.READY_IMPL and len(state.pending_tasks()) == len(state.tasks):
        return _rules(state)  # with the first task; not again with each
    if key is Key.POST_IMPL_VERIFY:
        return [_verifiers(ports, state)]
    return _rules(state) if key in (Key.PRE_COMMIT, Key.QUALITY_REVIEW) else []


def _reverted(state: SessionState) -> list[Say]:
    found = [Say("session_messages.reverted_to_plan", {"why": state.revert_reason})] if state.revert_reason else []
    if escalation_due(state):
        count = state.counters.verification_failure_count
        found.append(Say("warnings.escalation_due", {"count": count}))
    return found


def _rules(state: SessionState) -> list[Say]:
    if not state.mandatory_rules:
        return []
    text = "; ".join(f"{rule.rule} ({rule.source})" for rule in state.mandatory_rules)
    short = text.encode("utf-8", "surrogatepass")[:RULES_BYTES].decode("utf-8", "ignore")
    return [Say("session_messages.rules_to_obey", {"rules": short})]


def _verifiers(ports: Ports, state: SessionState) -> Say:
    known = ports.library.verifiers()
    changed = [change.path for change in changes_of(ports, state) if not change.older]
    fitting = [name for name, verifier in known.items() if verifier.fits(changed)]
    values = {"names": ", ".join(fitting) or "none", "known": ", ".join(known)}
    return Say("session_messages.verifiers_fit", values)


def after_submission(ports: Ports, state: SessionState, summary: str) -> list[Say]:
    """What an accepted submission is answered with beside the position."""
    found = [*on_entry(ports, state), *contract_changed(ports, state)]
    if len(summary.strip()) > SUMMARY_CHARS:
        found.append(Say("session_messages.summary_shortened", {"limit": SUMMARY_CHARS}))
    return found


def after_resume(ports: Ports, state: SessionState) -> list[Say]:
    """What differs between the checkpoint and the repository."""
    if ports.git is None or not state.base_commit:
        return []
    found: list[Say] = []
    here = ports.git.current_branch() or "detached"
    if state.branch and not ports.git.branch_head(state.branch):
        found.append(Say("session_messages.branch_gone", {"branch": state.branch}))
    elif state.branch and here != state.branch:
        found.append(Say("session_messages.branch_differs", {"saved": state.branch, "current": here}))
    # An adopted branch began somewhere else, and one committed to in place moves with every commit.
    is_own = state.branch_policy in ("task", "none")
    if is_own and state.base and ports.git.branch_head(state.base) != state.base_commit:
        found.append(Say("session_messages.base_moved", {"base": state.base}))
    return found


def contract_changed(ports: Ports, state: SessionState) -> list[Say]:
    """The contract file was edited while the session runs."""
    now = ports.library.contract_digest()
    return [Say("session_messages.contract_changed")] if now != state.contract_digest else []
