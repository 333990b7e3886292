"""Notices of a reply: facts that matter on entering a phase, and differences found after a resume."""

from collections.abc import Mapping, Sequence
from typing import Any

from codeintel_contract import Key
from codeintel_session.git.session_diff import changes_of, committable_tree
from codeintel_session.machine.decide import current
from codeintel_session.machine.judges.ready import escalation_due, may_add_nothing
from codeintel_session.machine.limits import SUMMARY_CHARS
from codeintel_session.machine.naming import names_of
from codeintel_session.machine.state import SessionState
from codeintel_session.machine.steps import active_tags, applies, number_of
from codeintel_session.machine.user_words import Who
from codeintel_session.machine.verdict import MessageRef
from codeintel_session.ports import Ports
from codeintel_session.replies.status import changed_files, rule_line, unreported
from codeintel_session.submission.user_decisions import OpenQuestion, answer_to, branch_question, escalation_question

RULES_BYTES = 1024
"""Size to which the rules found in documents are truncated when they are repeated."""


def asked_before(entry: Mapping[str, Any] | None) -> list[MessageRef]:
    """Report an earlier session with the same request, and its outcome."""
    if entry is None:
        return []
    when, which = str(entry["at"])[:10], entry["session_id"]
    if not entry["failed"] and entry["outcome"] in ("success", "verified", "unverified"):
        return [MessageRef("session_messages.done_before", {"session_id": which, "at": when})]
    values = {
        "session_id": which,
        "at": when,
        "outcome": entry.get("recorded") or entry["outcome"],
        "note": entry.get("note") or MessageRef("hints.no_note"),
    }
    return [MessageRef("session_messages.failed_before", values)]


def on_start(state: SessionState) -> list[MessageRef]:
    """Return what the first reply says once: whether request and flags are the user's, and whether tests may run."""
    found = []
    if state.query_from == Who.AGENT:
        found.append(MessageRef("session_messages.query_not_prompted"))
    if state.left_out:
        found.append(MessageRef("session_messages.query_is_part", {"words": state.left_out}))
    if state.options_left:
        found.append(MessageRef("session_messages.options_left", {"names": state.options_left}))
    if state.requests_left:
        found.append(MessageRef("session_messages.requests_left", {"names": names_of(state.requests_left)}))
    if state.commits_before:
        found.append(MessageRef("session_messages.commits_before", {"commits": names_of(state.commits_before)}))
    if state.changes_before:
        found.append(MessageRef("session_messages.changes_before", {"names": names_of(state.changes_before)}))
    if flags := [name for name, who in state.chosen_by.items() if who == Who.AGENT]:
        found.append(MessageRef("session_messages.flags_not_prompted", {"flags": ", ".join(flags)}))
    if not state.trusted and any((state.verifiers or {}).values()) and state.intent.implements:
        found.append(MessageRef("session_messages.not_trusted"))
    return found


def on_run(ports: Ports, state: SessionState, running: Sequence[str]) -> list[MessageRef]:
    """Say which verifiers are running, and what they showed of the base, to whoever asks meanwhile."""
    at_work = [MessageRef("session_messages.verifying", {"names": ", ".join(running)})] if running else []
    return [*at_work, *ports.fails_on_base(state, take=False)]


def on_entry(ports: Ports, state: SessionState) -> list[MessageRef]:
    """Return the notices on entering the present phase."""
    key = current(state).key
    if key is Key.BRANCH_INTERVENTION and ports.git is not None:
        here = ports.git.current_branch() or "detached"
        values = {"branches": ", ".join(state.stale_branches), "current": here}
        return [
            MessageRef("session_messages.stale_branches", values),
            *_decided(ports, branch_question(ports.git)),
        ]
    if key is Key.VERIFY_INTERVENTION:
        return _decided(ports, escalation_question(state))
    if key is Key.DOCUMENT_RESEARCH:
        return [MessageRef("session_messages.documents_found", {"files": ", ".join(state.documents)})]
    taken = [MessageRef("session_messages.accepted")] if _is_accepted(state) else []
    if key is Key.READY_PLAN:
        return [*taken, *_reverted(state), *_decided(ports, escalation_question(state))]
    is_planned = key is Key.READY_IMPL and state.completed_steps[-1:] == (number_of(Key.READY_PLAN),)
    verifies = applies(Key.POST_IMPL_VERIFY, active_tags(state.flags, state.intent))
    is_due = key is Key.POST_IMPL_VERIFY or (is_planned and verifies)
    return [*taken, *_verifiers(ports, state, is_planned)] if is_due else []


def _decided(ports: Ports, question: OpenQuestion | None) -> list[MessageRef]:
    """Return what the user typed in a terminal as the answer to an open question."""
    text = answer_to(ports.root, ports.seal, question)
    return [MessageRef("session_messages.user_decided", {"text": text})] if text else []


def _is_accepted(state: SessionState) -> bool:
    return bool(state.accepted_tree) and state.accepted_tree == state.failed_tree


def _reverted(state: SessionState) -> list[MessageRef]:
    notices = []
    if state.revert_reason:
        notices.append(MessageRef("session_messages.reverted_to_plan", {"why": state.revert_reason}))
    if may_add_nothing(state) and not _is_accepted(state):
        notices.append(MessageRef("session_messages.may_add_nothing"))
    if escalation_due(state):
        count = state.counters.verification_failure_count
        notices.append(MessageRef("warnings.escalation_due", {"count": count}))
    return notices


def _rules(state: SessionState) -> list[MessageRef]:
    """Return the rules found for the task."""
    text = "; ".join(map(rule_line, state.mandatory_rules))
    truncated = text.encode("utf-8", "surrogatepass")[:RULES_BYTES].decode("utf-8", "ignore")
    return [MessageRef("session_messages.rules_to_obey", {"rules": truncated})] if truncated else []


def _verifiers(ports: Ports, state: SessionState, is_early: bool) -> list[MessageRef]:
    """Return which verifiers fit; early, when more files may still change, only if some do."""
    known = ports.library.verifiers()
    changes = changes_of(ports.git, state)
    changed = [change.path for change in changes if not change.preexisting]
    paths = changed or [*state.explored, *state.planned_files]
    fitting = [name for name, verifier in known.items() if verifier.fits(paths)]
    trusted = state.trusted or ports.library.trusted()
    with_command = [name for name in fitting if known[name].command and trusted]
    if is_early and not fitting:
        return []
    key, names = ("verifiers_fit", fitting) if fitting else ("verifiers_others", known)
    notices = [MessageRef(f"session_messages.{key}", {"names": ", ".join(names) or "none"})]
    tree = committable_tree(ports.git, state, changes) if ports.git and state.receipts else ""
    ran = {name for name, receipt in state.receipts.items() if receipt.tree == tree}
    if due := [name for name in with_command if name not in ran]:
        notices.append(MessageRef("session_messages.verifiers_run", {"names": ", ".join(due)}))
    if is_early and (reading := [name for name in with_command if known[name].is_reading]):
        notices.append(
            MessageRef("session_messages.verifiers_read", {"names": ", ".join(reading), "first": reading[0]})
        )
    return notices


def after_submission(
    ports: Ports, state: SessionState, summary: str = "", *, is_last: bool, is_lost: bool = False
) -> list[MessageRef]:
    """Return the notices on an accepted submission.

    `is_last` if it is the last of a call, whose reply has them; `is_lost` if the agent has lost its context.
    """
    rules = _rules(state) if current(state).key is Key.READY_PLAN else []  # once, where the work is planned
    found = after_loss(ports, state) if is_lost else rules
    news = ports.fails_on_base(state, take=is_last)
    notices = [*on_entry(ports, state), *news, *found, *contract_changed(ports, state)]
    if len(summary.strip()) > SUMMARY_CHARS:
        notices.append(MessageRef("session_messages.summary_shortened", {"limit": SUMMARY_CHARS}))
    return notices


def after_loss(ports: Ports, state: SessionState) -> list[MessageRef]:
    """Return what an agent that has lost its context must know before it does anything."""
    return [*unreported(state, changed_files(ports.git, state)), *_rules(state)]


def after_resume(ports: Ports, state: SessionState) -> list[MessageRef]:
    """Report differences between the checkpoint and the repository."""
    if ports.git is None or not state.base_commit:
        return []
    notices: list[MessageRef] = []
    current_branch = ports.git.current_branch() or "detached"
    if state.branch and not ports.git.branch_head(state.branch):
        notices.append(MessageRef("session_messages.branch_gone", {"branch": state.branch}))
    elif state.branch and current_branch != state.branch:
        values = {"saved": state.branch, "current": current_branch}
        notices.append(MessageRef("session_messages.branch_differs", values))
    # The base of an adopted branch is not known, and a branch committed to in place moves with every commit.
    is_own = state.branch_policy in ("task", "none")
    if is_own and state.base and ports.git.branch_head(state.base) != state.base_commit:
        notices.append(MessageRef("session_messages.base_moved", {"base": state.base}))
    return notices


def contract_changed(ports: Ports, state: SessionState) -> list[MessageRef]:
    """Report that the contract file was edited while the session runs."""
    now = ports.library.contract_digest()
    return [MessageRef("session_messages.contract_changed")] if now != state.contract_digest else []
