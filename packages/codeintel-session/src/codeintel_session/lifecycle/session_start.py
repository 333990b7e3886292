"""Start a session: read intent and flags, inspect the repository, build the first state."""

from collections.abc import Mapping, Sequence, Set
from typing import Any

from codeintel_contract import ContractViolation, Flags, Intent, check_combination, parse_flags
from codeintel_session.audit.history import ended
from codeintel_session.git import GitFault, GitRepository
from codeintel_session.git.names import TASK_PREFIX
from codeintel_session.integrity.left_behind import found_at_start
from codeintel_session.integrity.protected_files import protected
from codeintel_session.machine import decide
from codeintel_session.machine.state import BranchPolicy, PhaseState, SessionState
from codeintel_session.machine.steps import GATE_FLAGS, START, active_tags
from codeintel_session.machine.user_words import (
    Typed,
    Who,
    left_out,
    options_left,
    quoted,
    repository_at_request,
    requests_left,
    who_asked,
    who_chose,
)
from codeintel_session.machine.verdict import MessageRef
from codeintel_session.ports import Ports
from codeintel_session.storage.ignored_files import keep_copies
from codeintel_session.submission.elicitation import Question, UserAnswer, question_about_flags

INTENTS = {intent.value.lower(): intent for intent in Intent}


def read_intent(text: str) -> Intent:
    """Return the intent that a text names, in upper or lower case.

    Raises ContractViolation: `invalid_intent`, with the four intents.
    """
    intent = INTENTS.get(text.strip().lower())
    if intent is None:
        known = ", ".join(intent.value for intent in Intent)
        raise ContractViolation(
            "tool_errors.start_session.invalid_intent",
            problems=(f"intent: {text!r} is none of {known}",),
            intent=repr(text),
            known=known,
        )
    return intent


def read_request(intent: str, query: str, flags: object) -> tuple[Intent, Flags, tuple[MessageRef, ...]]:
    """Check the arguments of start_session; return intent, flags and the warnings about the flags.

    Raises ContractViolation: an argument is invalid.
    """
    chosen = read_intent(intent)
    if not query.strip():
        raise ContractViolation("tool_errors.start_session.query_required", problems=("query: is empty",))
    checked, notices = check_combination(parse_flags(flags), chosen)
    return chosen, checked, tuple(MessageRef(f"warnings.{name}") for name in notices)


def confirm_flags(flags: Flags, answer: UserAnswer | None) -> Flags:
    """Return the flags after the user was asked about those that drop a gate.

    Raises ContractViolation: `user_declined`, if the user did not answer.
    """
    if answer is None:
        return flags
    if answer.action != "accept":
        raise ContractViolation("session_messages.user_declined", action=answer.action)
    return flags if answer.text == "yes" else flags.model_copy(update=dict.fromkeys(GATE_FLAGS, False))


def check_repository(ports: Ports, intent: Intent, flags: Flags) -> None:
    """Check that the session can end in a commit, before anything is created or locked.

    Raises ContractViolation: `no_git_repository` or `branch_setup_failed`.
    """
    active = active_tags(flags, intent)
    if active & {"investigate", "only_verify"}:
        return
    if ports.git is None:
        raise ContractViolation("common_failures.no_git_repository", path=str(ports.root))
    if not ports.git.has_commit():
        raise _not_ready("hints.no_commit")
    if "quick" not in active and ports.git.current_branch() is None:
        raise _not_ready("hints.detached_head")


def open_session(
    ports: Ports,
    intent: Intent,
    query: str,
    flags: Flags,
    contract_digest: str,
    client: str,
    past: Sequence[Mapping[str, Any]],
    *,
    confirmed: bool,
) -> SessionState:
    """Return the state of a new session at its first phase; `confirmed` if the user was asked about the flags.

    `past` are the outcomes of earlier sessions.

    Raises ContractViolation: `branch_setup_exception`, if git fails; `unknown_research_prompt`.
    """
    now = ports.clock.now()
    prompts = ports.words.prompts(client)
    asked, last = ports.words.as_kept(query), ended(past, query)
    typed = repository_at_request(asked, prompts, last.same)
    chosen_by = who_chose(flags, asked, prompts)
    active = active_tags(flags, intent)
    known = tuple(name.removesuffix(".md") for name in ports.library.prompts("doc_research"))
    if unknown := [name for name in flags.doc_research if name.removesuffix(".md") not in known]:
        raise ContractViolation(
            "tool_errors.start_session.unknown_research_prompt", names=", ".join(unknown), known=", ".join(known)
        )
    state = SessionState(
        session_id=f"{now:%Y%m%d_%H%M%S}_{ports.clock.token()}",
        intent=intent,
        query=query,
        flags=flags,
        limits=ports.limits,
        research_prompts=tuple(flags.doc_research) or ports.library.research_prompts(),
        started_at=now.isoformat(timespec="milliseconds"),  # prompts are compared with it
        phase_state=PhaseState(current_phase="", step=START),  # `decide.start` enters the first phase
        contract_digest=contract_digest,
        contract_source=ports.library.contract_source(),
        client=client,
        query_from=who_asked(asked, prompts).value,
        done_at=last.same,
        asked_on="" if typed.branch.startswith(TASK_PREFIX) else typed.branch,
        left_out=left_out(asked, prompts),
        options_left=options_left(flags, intent, asked, prompts),
        requests_left=quoted(requests_left(asked, prompts, last.last)),
        chosen_by=dict.fromkeys(chosen_by, Who.USER.value) if confirmed else chosen_by,
        trusted=ports.library.trusted(),
        commands=ports.library.commands_digest(),
        protected=protected(ports.root, ports.git),
        dependencies=dict(ports.dependencies()),
        verifiers={name: verifier.command for name, verifier in ports.library.verifiers().items()},
        documents=()
        if active & {"no_doc", "only_verify"}
        else ports.library.documents(query, with_guides="investigate" not in active),
    )
    git = ports.git
    try:
        found = (
            _branch_fields(git, active, typed, ports.words.settings()) if git is not None and git.has_commit() else {}
        )
    except GitFault as fault:
        raise ContractViolation("tool_errors.start_session.branch_setup_exception", why=str(fault)) from fault
    begun = decide.start(state.model_copy(update=found))
    return begun.model_copy(update={"copied": keep_copies(ports.root, begun)})


def state_at(base_commit: str) -> SessionState:
    """Return the state of a session that begins at a commit and is never kept, to compare the work tree with it."""
    place = PhaseState(current_phase="", step=START)
    return SessionState(
        session_id="none", intent=Intent.QUESTION, query="", started_at="", phase_state=place, base_commit=base_commit
    )


def _branch_fields(
    git: GitRepository, active: Set[str], typed: Typed, settings: Mapping[str, str]
) -> dict[str, object]:
    changes_files = not active & {"investigate", "only_verify"}
    dirty = git.dirty() if changes_files else {}
    policy: BranchPolicy = "task" if changes_files and "quick" not in active else "none"
    return {
        "branch_policy": policy,
        "base": git.current_branch() or "",
        "base_commit": git.head_commit(),
        "tree": git.trees.take() if changes_files else "",
        "dirty_at_start": dirty,
        "commits_before": git.commits_since(typed.tips) if changes_files and typed.tips else (),
        **(found_at_start(git, typed, dirty, settings) if changes_files else {}),
        "stale_branches": () if "only_verify" in active else tuple(git.stale_task_branches(None)),
    }


def _not_ready(why: str) -> ContractViolation:
    return ContractViolation("tool_errors.start_session.branch_setup_failed", why=MessageRef(why))


def question_at_start(ports: Ports, intent: str, query: str, flags: object, client: str) -> Question | None:
    """Return the question about flags that the user did not ask for; None if there is none, or start refuses them."""
    try:
        _, checked, _ = read_request(intent, query, flags)
    except ContractViolation:
        return None
    chosen_by = who_chose(checked, ports.words.as_kept(query), ports.words.prompts(client))
    return question_about_flags([name for name, who in chosen_by.items() if who != Who.USER])
