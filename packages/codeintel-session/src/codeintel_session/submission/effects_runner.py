"""Carry out effects, in order. Each returns what it changed of the state; the first that fails stops all.

A fault of git becomes the contract's message here. Every effect can be repeated: after a crash between an effect and
the checkpoint the same submission finds it done.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import singledispatch
from typing import Any

from codeintel_session.git import GitFault, GitRepository, MergeConflict
from codeintel_session.machine.naming import names_of
from codeintel_session.machine.observations import union
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
    """Return the state after all effects. Raises WorldFailure: what failed, in the contract's words."""
    if git is None or not effects:
        return state
    before = state.tree
    with git.trees.changing():
        for effect in effects:
            try:
                state = state.model_copy(update=_perform(effect, git, state))
            except GitFault as fault:  # that the effect itself has no words for
                raise git_failed(fault) from fault
    after = with_tree(git, state)
    is_merged = any(isinstance(effect, MergeBranch) for effect in effects)
    return _compared(git, after, before) if is_merged else after


def _compared(git: GitRepository, state: SessionState, before: str) -> SessionState:
    """Note the files that changed during the merge into something else than was merged: a hook writes them, or
    another process does. What the user had not committed is carried over, and is not named."""
    with suppress(GitFault):  # the tree before was removed
        moved = git.compare(before, state.tree) if before else {}
        if other := sorted(moved.keys() & git.compare(state.commits[-1], state.tree).keys()) if moved else []:
            return state.model_copy(update={"notes": {**state.notes, "not_as_merged": names_of(other)}})
    return state


def with_tree(git: GitRepository | None, state: SessionState) -> SessionState:
    """Return the state with the present tree: what effects changed, and the hooks they ran, is nobody else's change.

    If git fails, the state is as it was: the change will be found, and the agent has to explain it.
    """
    if git is not None and state.tree:
        with suppress(GitFault):
            return state.model_copy(update={"tree": git.trees.take()})
    return state


@contextmanager
def _failing_as(key: str, slot: str, **values: str) -> Iterator[None]:
    """Say what git refuses in the contract's words, with git's own in a slot of them."""
    try:
        yield
    except GitFault as fault:
        said: dict[str, Any] = {**values, slot: str(fault)}
        raise WorldFailure(key, **said) from fault


@singledispatch
def _perform(effect: Effect, git: GitRepository, state: SessionState) -> Update:
    raise NotImplementedError(type(effect))


@_perform.register
def _create(effect: CreateBranch, git: GitRepository, state: SessionState) -> Update:
    with _failing_as("failures.READY.branch_creation_failed", "why"):
        return {"branch": git.create_task_branch(state.session_id, effect.base)}


@_perform.register
def _resolve(effect: ResolveStale, git: GitRepository, state: SessionState) -> Update:
    present = set(git.stale_task_branches(None))
    names = [name for name in effect.names if name in present]
    with _failing_as("failures.BRANCH_INTERVENTION.branch_operation_failed", "errors", choice=effect.choice):
        notes = _resolving(git, effect.choice, names)
        trash = resolve_stale(git, effect.choice, names)
    # HEAD may have been on a branch that is gone now. What was dirty at the start is not looked at again: a switch
    # carries it along as it is, and a file the agent changed since must not pass for the user's.
    fresh = {"base": git.current_branch() or "", "base_commit": git.head_commit()}
    return {"trash": (*state.trash, *trash), "notes": {**state.notes, **notes}, **fresh}


def _resolving(git: GitRepository, choice: str, names: Sequence[str]) -> Update:
    """Return the notes about branches with commits of their own that are about to be deleted or merged."""
    own = {name: commits for name in names if (commits := git.own_commits(name))}
    here = git.current_branch()
    merged = (here if here and here in names else names[0]) if names and choice == "merge" else ""
    commits = own.pop(merged, [])
    subjects = git.commits_between(git.fork_of(merged), commits[0]) if commits else ()
    rest = len(commits) - len(subjects)
    found = {"stale_merged": [*subjects, *([f"{rest} more"] if rest > 0 else [])], "stale_deleted": [*own]}
    return {code: names_of(texts) for code, texts in found.items() if texts}


def resolve_stale(git: GitRepository, choice: str, names: Sequence[str]) -> list[str]:
    """Delete stale branches, or merge the one that can be and drop the others; return the trash refs."""
    if not names:
        return []
    return git.delete_branches(names) if choice == "delete" else git.merge_stale(names)


@_perform.register
def _discard(effect: Discard, git: GitRepository, state: SessionState) -> Update:
    with _failing_as("failures.PRE_COMMIT.finalize_failed", "output"):
        ref = git.discard(effect.paths, state.base_commit, state.session_id)
    return {"trash": (*state.trash, ref)}


@_perform.register
def _commit(effect: Commit, git: GitRepository, state: SessionState) -> Update:
    known, contents = (state.base_commit, *state.commits), dict(effect.contents)
    with _failing_as(effect.failure, "output"):
        sha = git.commit_paths(
            effect.paths, effect.message, state.session_id, known, effect.left_out, state.base_commit, contents
        )
        if state.branch != state.base:
            git.keep_tip(state.branch)
    return {"commits": union(state.commits, [sha])}


@_perform.register
def _fold(effect: FoldCommits, git: GitRepository, state: SessionState) -> Update:
    with _failing_as("failures.MERGE.merge_failed", "why"):
        folded = git.fold(effect.branch, state.session_id)
    if folded is None:
        return {}
    commit, ref = folded
    return {"commits": (*state.commits, commit), "trash": (*state.trash, ref)}


@_perform.register
def _merge(effect: MergeBranch, git: GitRepository, state: SessionState) -> Update:
    with _failing_as("failures.MERGE.merge_failed", "why"):
        try:
            sha = git.merge(
                effect.branch,
                effect.base,
                effect.mode,
                state.session_id,
                effect.message,
                verified=effect.verified,
                doubts=effect.doubts,
            )
        except MergeConflict as fault:
            problems = tuple(f"{path}: conflicts with {effect.base}" for path in fault.paths)
            raise WorldFailure("failures.MERGE.merge_failed", problems=problems, why=str(fault)) from fault
    return {"commits": union(state.commits, [sha])}


@_perform.register
def _end(effect: EndSession, git: GitRepository, state: SessionState) -> Update:
    return effect.update() | {"notes": {**effect.notes, **state.notes}}
