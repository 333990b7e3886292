"""Carry out effects, in order. Each returns what it changed of the state; the first that fails stops all.

A fault of git becomes the contract's message here. Every effect can be repeated: after a crash between an effect and
the checkpoint the same submission finds it done.
"""

from collections.abc import Sequence
from contextlib import suppress
from functools import singledispatch
from typing import Any, cast

from codeintel_session.git import GitFault, GitRepository, MergeConflict
from codeintel_session.machine.state import SessionState
from codeintel_session.machine.verdict import (
    Commit,
    CreateBranch,
    Discard,
    Effect,
    EndSession,
    FoldCommits,
    MergeBranch,
    ResolveStale,
)
from codeintel_session.submission.submission import WorldFailure, git_failed

Update = dict[str, Any]


def run(git: GitRepository | None, state: SessionState, effects: Sequence[Effect]) -> SessionState:
    """The state after all effects.

    Raises:
        WorldFailure: what failed, in the contract's words.
    """
    if effects and git is not None:
        git.trees.end_moment()
    for effect in effects:
        if git is not None:
            try:
                state = state.model_copy(update=_perform(effect, git, state))
            except GitFault as fault:  # that the effect itself has no words for
                raise git_failed(fault) from fault
    return with_tree(git, state) if effects else state


def with_tree(git: GitRepository | None, state: SessionState) -> SessionState:
    """Return the state with the present tree: what effects changed, and the hooks they ran, is nobody else's change.

    If git fails, the state is as it was: the change will be found, and the agent has to explain it.
    """
    if git is not None and state.tree:
        with suppress(GitFault):
            return state.model_copy(update={"tree": git.trees.take()})
    return state


@singledispatch
def _perform(effect: Effect, git: GitRepository, state: SessionState) -> Update:
    raise NotImplementedError(type(effect))


@_perform.register
def _create(effect: CreateBranch, git: GitRepository, state: SessionState) -> Update:
    try:
        return {"branch": git.create_task_branch(state.session_id, effect.base)}
    except GitFault as fault:
        raise WorldFailure("failures.READY.branch_creation_failed", why=str(fault)) from fault


@_perform.register
def _resolve(effect: ResolveStale, git: GitRepository, state: SessionState) -> Update:
    present = set(git.stale_task_branches(None))
    names = [name for name in effect.names if name in present]
    try:
        trash = git.delete_branches(names) if effect.choice == "delete" else _merged(git, names)
    except GitFault as fault:
        raise WorldFailure(
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
        raise WorldFailure("failures.PRE_COMMIT.finalize_failed", output=str(fault)) from fault
    return {"trash": (*state.trash, ref)}


@_perform.register
def _commit(effect: Commit, git: GitRepository, state: SessionState) -> Update:
    try:
        known = (state.base_commit, *state.commits)
        sha = git.commit_paths(
            effect.paths,
            effect.message,
            state.session_id,
            known,
            effect.left_out,
            state.base_commit,
            dict(effect.contents),
        )
        if state.branch != state.base:
            git.keep_tip(state.branch)
    except GitFault as fault:
        raise WorldFailure(effect.failure, output=str(fault)) from fault
    return {"commits": tuple(dict.fromkeys((*state.commits, sha)))}


@_perform.register
def _fold(effect: FoldCommits, git: GitRepository, state: SessionState) -> Update:
    try:
        folded = git.fold(effect.branch, state.session_id)
    except GitFault as fault:
        raise WorldFailure("failures.MERGE.merge_failed", why=str(fault)) from fault
    if folded is None:
        return {}
    commit, ref = folded
    return {"commits": (*state.commits, commit), "trash": (*state.trash, ref)}


@_perform.register
def _merge(effect: MergeBranch, git: GitRepository, state: SessionState) -> Update:
    try:
        sha = git.merge(
            effect.branch, effect.base, effect.mode, state.session_id, effect.message, verified=effect.verified
        )
    except MergeConflict as fault:
        raise WorldFailure(
            "failures.MERGE.merge_failed",
            problems=tuple(f"{path}: conflicts with {effect.base}" for path in fault.paths),
            why=str(fault),
        ) from fault
    except GitFault as fault:
        raise WorldFailure("failures.MERGE.merge_failed", why=str(fault)) from fault
    return {"commits": tuple(dict.fromkeys((*state.commits, sha)))}


@_perform.register
def _end(effect: EndSession, git: GitRepository, state: SessionState) -> Update:
    return effect.update()
