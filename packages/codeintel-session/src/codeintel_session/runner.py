"""Effects carried out, in order. Each returns what it changed of the state; the first that fails stops all.

A fault of git becomes the contract's message here and nowhere else. Every effect can be repeated: after
a crash between an effect and the checkpoint the same submission finds it done.
"""

from collections.abc import Sequence
from functools import singledispatch
from typing import Any, cast

from codeintel_contract.violations import ContractViolation

from .adapters.git import GitFault, GitRepository, MergeConflict
from .machine.effects import Commit, CreateBranch, Discard, Effect, EndSession, MergeBranch, ResolveStale
from .machine.state import SessionState

Update = dict[str, Any]


def run(git: GitRepository | None, state: SessionState, effects: Sequence[Effect]) -> SessionState:
    """The state after all effects.

    Raises:
        ContractViolation: what failed, in the contract's words.
    """
    for effect in effects:
        if git is not None:
            state = state.model_copy(update=_perform(effect, git, state))
    return state


@singledispatch
def _perform(effect: Effect, git: GitRepository, state: SessionState) -> Update:
    raise NotImplementedError(type(effect))


@_perform.register
def _create(effect: CreateBranch, git: GitRepository, state: SessionState) -> Update:
    try:
        return {"branch": git.create_task_branch(state.session_id, effect.base)}
    except GitFault as fault:
        raise ContractViolation("failures.READY.branch_creation_failed", why=str(fault)) from fault


@_perform.register
def _resolve(effect: ResolveStale, git: GitRepository, state: SessionState) -> Update:
    present = set(git.stale_task_branches(None))
    names = [name for name in effect.names if name in present]
    try:
        trash = git.delete_branches(names) if effect.choice == "delete" else _merged(git, names)
    except GitFault as fault:
        raise ContractViolation(
            "failures.BRANCH_INTERVENTION.branch_operation_failed", choice=effect.choice, errors=str(fault)
        ) from fault
    return {"trash": (*state.trash, *trash), **fresh_base(git)}


def _merged(git: GitRepository, names: Sequence[str]) -> list[str]:
    return merge_stale(git, names) if names else []


def merge_stale(git: GitRepository, names: Sequence[str]) -> list[str]:
    """Merge the stale branch, drop the others; returns their trash refs."""
    return [str(ref) for ref in cast(Sequence[object], git.merge_stale(names)["trash"])]


def fresh_base(git: GitRepository) -> Update:
    """Where the session starts from, if HEAD was on a branch that is gone now.

    What was dirty at the start is not looked at again: a switch carries it along as it is, and a file
    the agent changed since must not pass for the user's.
    """
    return {"base": git.current_branch() or "", "base_commit": git.head_commit()}


@_perform.register
def _discard(effect: Discard, git: GitRepository, state: SessionState) -> Update:
    try:
        ref = git.discard(effect.paths, state.base_commit, state.session_id)
    except GitFault as fault:
        raise ContractViolation("failures.PRE_COMMIT.finalize_failed", output=str(fault)) from fault
    return {"trash": (*state.trash, ref)}


@_perform.register
def _commit(effect: Commit, git: GitRepository, state: SessionState) -> Update:
    try:
        known = (state.base_commit, *state.commits)
        sha = git.commit_paths(
            effect.paths, effect.message, state.session_id, known, effect.left_out, state.base_commit
        )
        if state.branch != state.base:
            git.keep_tip(state.branch)
    except GitFault as fault:
        raise ContractViolation(effect.failure, output=str(fault)) from fault
    return {"commits": tuple(dict.fromkeys((*state.commits, sha)))}


@_perform.register
def _merge(effect: MergeBranch, git: GitRepository, state: SessionState) -> Update:
    try:
        sha = git.merge(effect.branch, effect.base, effect.mode, state.session_id, effect.message)
    except MergeConflict as fault:
        raise ContractViolation(
            "failures.MERGE.merge_failed",
            problems=tuple(f"{path}: conflicts with {effect.base}" for path in fault.paths),
            why=str(fault),
        ) from fault
    except GitFault as fault:
        raise ContractViolation("failures.MERGE.merge_failed", why=str(fault)) from fault
    return {"commits": tuple(dict.fromkeys((*state.commits, sha)))}


@_perform.register
def _end(effect: EndSession, git: GitRepository, state: SessionState) -> Update:
    return {"outcome": effect.outcome}
