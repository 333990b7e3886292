"""How a session begins: intent and flags read, the repository looked at, the first state built."""

from collections.abc import Set

from codeintel_contract.flags import Flags, check_combination, parse_flags
from codeintel_contract.names import Intent, Phase
from codeintel_contract.violations import ContractViolation

from .adapters.git import GitFault, GitRepository
from .adapters.protected import protected
from .machine import decide
from .machine.state import BranchPolicy, PhaseState, SessionState
from .machine.steps import tags
from .machine.verdict import Say
from .ports import Ports

INTENTS = {intent.value.lower(): intent for intent in Intent}


def read_intent(text: str) -> Intent:
    """The intent meant, in any case.

    Raises:
        ContractViolation: `invalid_intent`, listing the four.
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


def read_request(intent: str, query: str, flags: object) -> tuple[Intent, Flags, tuple[Say, ...]]:
    """Everything start_session is given, checked; with the notices the flags call for."""
    chosen = read_intent(intent)
    if not query.strip():
        raise ContractViolation("tool_errors.start_session.query_required", problems=("query: is empty",))
    checked, notices = check_combination(parse_flags(flags), chosen)
    return chosen, checked, tuple(Say(f"warnings.{name}") for name in notices)


def check_repository(ports: Ports, intent: Intent, flags: Flags) -> None:
    """Refuse what could not end in a commit, before anything is made or locked.

    Raises:
        ContractViolation: `no_git_repository` or `branch_setup_failed`.
    """
    active = tags(flags, intent)
    if active & {"investigate", "only_verify"}:
        return
    if ports.git is None:
        raise ContractViolation("common_failures.no_git_repository", path=str(ports.root))
    if not ports.git.has_commit():
        raise _not_ready("it has no commit yet; run `git add` and `git commit` once")
    if "quick" not in active and ports.git.current_branch() is None:
        raise _not_ready("HEAD is detached; run `git switch` to a branch")


def open_session(ports: Ports, intent: Intent, query: str, flags: Flags, contract_digest: str) -> SessionState:
    """The state at its first phase.

    Raises:
        ContractViolation: `branch_setup_exception` if git fails.
    """
    now = ports.clock.now()
    state = SessionState(
        session_id=f"{now:%Y%m%d_%H%M%S}_{ports.clock.token()}",
        intent=intent,
        query=query,
        flags=flags,
        limits=ports.limits,
        research_prompts=tuple(flags.doc_research) or ports.library.research_prompts(),
        started_at=now.isoformat(timespec="seconds"),
        phase_state=PhaseState(current_phase=Phase.QUERY_FRAME.value, step=1),
        contract_digest=contract_digest,
        contract_source=ports.library.contract_source(),
        protected=protected(ports.root, ports.git),
        verifiers={name: verifier.command for name, verifier in ports.library.verifiers().items()},
        documents=() if flags.no_doc or flags.only_verify else ports.library.documents(query),
    )
    return decide.start(state.model_copy(update=_repository(ports, state)))


def _repository(ports: Ports, state: SessionState) -> dict[str, object]:
    active = tags(state.flags, state.intent)
    try:
        return _look(ports.git, active) if ports.git is not None and ports.git.has_commit() else {}
    except GitFault as fault:
        raise ContractViolation("tool_errors.start_session.branch_setup_exception", why=str(fault)) from fault


def _look(git: GitRepository, active: Set[str]) -> dict[str, object]:
    changes_files = not active & {"investigate", "only_verify"}
    policy: BranchPolicy = "task" if changes_files and "quick" not in active else "none"
    return {
        "branch_policy": policy,
        "base": git.current_branch() or "",
        "base_commit": git.head_commit(),
        "dirty_at_start": git.dirty() if changes_files else {},
        "stale_branches": () if "only_verify" in active else tuple(git.stale_task_branches(None)),
    }


def _not_ready(why: str) -> ContractViolation:
    return ContractViolation("tool_errors.start_session.branch_setup_failed", why=why)
