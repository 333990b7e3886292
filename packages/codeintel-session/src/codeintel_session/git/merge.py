"""Merge the task branch into its base without ever leaving a merge half done.

The result is first built as objects (`git merge-tree`, `git commit-tree`), so a conflict is known before any ref moves.
Then git checks that the work tree can move there with the user's uncommitted files unchanged. Only then the base moves
(from the value that was read), HEAD switches to the base, and the task branch is deleted. Every step recognizes that it
is already done: after a crash between two of them, the same call finishes the merge.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass

from codeintel_session.git.branch_status import Tips, tips
from codeintel_session.git.branches import base_of, delete, forget_settings, refuse_undeletable, switch
from codeintel_session.git.commit import trailed
from codeintel_session.git.faults import BaseElsewhere, BranchFailed, GitFailed, MergeConflict, MergeFailed
from codeintel_session.git.names import (
    DOUBTS_TRAILER,
    HEADS,
    SESSION_TRAILER,
    SQUASH_TRAILER,
    TASK_PREFIX,
    VERIFIED_TRAILER,
    names_in,
    session_of,
    session_word,
    with_trailers,
)
from codeintel_session.git.refs import Move, move
from codeintel_session.git.snapshot import temporary_index
from codeintel_session.git.worktree import WorkTree, is_object

MODES = ("no-ff", "squash", "ff")
_CONFLICT = 1


@dataclass(frozen=True, slots=True)
class Plan:
    """A merge to be made, with both sides as commits."""

    task: str
    base: str
    task_tip: str
    base_tip: str
    mode: str
    session_id: str
    message: str
    verified: bool = False
    doubts: int = 0


def merge_stale(tree: WorkTree, names: Sequence[str]) -> list[str]:
    """Merge the task branch that is checked out, or else the only stale one; delete the others, return their refs."""
    current = tree.attached()
    on_task = current.startswith(TASK_PREFIX)
    if not on_task and len(names) != 1:
        raise BranchFailed(f"on {current} exactly one stale branch can be merged; there are {len(names)}")
    task = current if on_task else names[0]
    others = [name for name in names if name != task]
    refuse_undeletable(tree, [task, *others])
    base = base_of(tree, task)
    if base is None:
        raise BranchFailed(f"the branch that {task} was created from is not known")
    text = f"Merge {task} into {base}"
    # HEAD stays on the user's branch, unless that is the branch being merged.
    merge(tree, task, base, "no-ff", session_of(task) or "unknown", text, switch_to_base=on_task)
    return delete(tree, others)


def merge(
    tree: WorkTree,
    task: str,
    base: str,
    mode: str,
    session_id: str,
    message: str,
    *,
    switch_to_base: bool = True,
    verified: bool = False,
    doubts: int = 0,
) -> str:
    """Merge, switch to the base if asked to, delete the task branch; return the base's commit."""
    found = _check_mergeable(tree, task, base, mode)
    if not found.branch:
        return _merged_before(tree, task, base, found.base, session_word(session_id))
    plan = Plan(task, base, found.branch, found.base, mode, session_word(session_id), message, verified, doubts)
    target = plan.base_tip if _is_merged(tree, plan) else _merge_commit(tree, plan)
    _move_base(tree, plan, target, switch_to_base=switch_to_base)
    if (tip := tree.tip(base)) != target:  # a hook of the repository runs while refs move
        raise MergeFailed(
            f"{base} was moved to {str(tip)[:12]} while {target[:12]} was being merged; look at its hooks"
        )
    try:
        delete(tree, [task])
    except BranchFailed as failed:
        raise MergeFailed(
            f"{base} holds the merge ({target[:12]}), but not all of {task} is gone: {failed}"
        ) from failed
    return target


def _check_mergeable(tree: WorkTree, task: str, base: str, mode: str) -> Tips:
    """Refuse a merge that is not possible from here; return the tips of both branches."""
    if mode not in MODES:
        raise MergeFailed(f"unknown merge mode: {mode!r}; the modes are {', '.join(MODES)}")
    tree.attached()
    if (doing := tree.under_way()) is not None:
        raise MergeFailed(f"{doing} is under way; finish or abort it first")
    if (place := tree.elsewhere(base)) is not None:
        raise BaseElsewhere(place)
    if (place := tree.elsewhere(task)) is not None:
        raise MergeFailed(f"{task} is checked out in {place}")
    if other := tree.symbolic(base):  # git would move that one, and switch to it
        raise MergeFailed(f"{base} is a symbolic ref, another name of {other}")
    found = tips(tree, task, base)
    if not found.base or not task.startswith(TASK_PREFIX):
        raise MergeFailed(f"cannot merge {task!r} into {base!r}: no such branches")
    return found


def _merged_before(tree: WorkTree, task: str, base: str, base_tip: str, session_id: str) -> str:
    """Return the base's commit if the session's trailer shows that its branch was merged and deleted before."""
    word = f"--grep=^{SESSION_TRAILER}: {session_id}$"
    if not tree.git.read("rev-list", "--max-count=1", word, base_tip, "--").out:
        raise MergeFailed(f"there is no branch {task}, and {base} contains nothing of this session")
    forget_settings(tree, task)
    return base_tip


def landed(tree: WorkTree, reviewed: str) -> bool:
    """Return True if HEAD contains the reviewed commit, as it is or within a squash."""
    head = tree.head()
    if tree.contains(reviewed, head):
        return True
    form = f"%(trailers:key={SQUASH_TRAILER},valueonly,separator=%x20)"
    words = ("rev-list", "--no-commit-header", f"--format={form}", head, f"^{reviewed}", "--")
    squashed = tree.git.read(*words).text.split()
    return any(tree.commit(one) and tree.contains(reviewed, one) for one in squashed if is_object(one))


def _is_merged(tree: WorkTree, plan: Plan) -> bool:
    if tree.contains(plan.task_tip, plan.base_tip):
        return True
    return bool(trailed(tree, f"{plan.task_tip}..{plan.base_tip}", SQUASH_TRAILER, plan.task_tip))


def _merge_commit(tree: WorkTree, plan: Plan) -> str:
    """Create the commit that the base will point to; no ref points to it yet."""
    if plan.mode == "ff":
        if not tree.contains(plan.base_tip, plan.task_tip):
            raise MergeFailed(f"{plan.base} has new commits and cannot be fast-forwarded")
        return plan.task_tip
    parents = ["-p", plan.base_tip] + (["-p", plan.task_tip] if plan.mode == "no-ff" else [])
    trailers = [f"{SESSION_TRAILER}: {plan.session_id}"]
    if plan.mode == "squash":  # a squash has no second parent that would show what it contains
        trailers.append(f"{SQUASH_TRAILER}: {plan.task_tip}")
    merged = _merged_tree(tree, plan)
    if plan.verified and merged == tree.git.read("rev-parse", f"{plan.task_tip}^{{tree}}").text:
        trailers.append(f"{VERIFIED_TRAILER}: {merged}")
        if plan.doubts:
            trailers.append(f"{DOUBTS_TRAILER}: {plan.doubts}")
    text = with_trailers(plan.message, trailers).encode("utf-8", "surrogateescape")
    done = tree.git.attempt("commit-tree", *tree.signing(), merged, *parents, "-F", "-", stdin=text)
    if done.status != 0:
        raise MergeFailed(done.output)
    return done.text


def _merged_tree(tree: WorkTree, plan: Plan) -> str:
    words = ("merge-tree", "--write-tree", "--name-only", "-z", "--no-messages", plan.base_tip, plan.task_tip)
    found = tree.git.probe(*words)
    parts = os.fsdecode(found.out).split("\0")
    if found.status == _CONFLICT:
        raise MergeConflict(sorted({path for path in parts[1:] if path}))
    if found.status != 0:
        raise MergeFailed(found.output)
    return parts[0].strip()


def _move_base(tree: WorkTree, plan: Plan, target: str, *, switch_to_base: bool) -> None:
    """Move base, HEAD and work tree to the target, or none of them."""
    current = tree.attached()
    if current == plan.base or switch_to_base:
        known = {plan.task: plan.task_tip, plan.base: plan.base_tip}
        _refuse_collisions(tree, known.get(current) or tree.head(), target)
    if current == plan.base:
        _fast_forward(tree, target)
        return
    _move_branch(tree, plan.base, plan.base_tip, target)
    if switch_to_base:
        try:
            switch(tree, plan.base)
        except BranchFailed as failed:
            _move_branch(tree, plan.base, target, plan.base_tip)
            raise MergeFailed(str(failed)) from failed


def _move_branch(tree: WorkTree, branch: str, old: str, new: str) -> None:
    if old == new:
        return
    try:
        move(tree, Move(HEADS + branch, old, new))
    except GitFailed as failed:
        raise MergeFailed(failed.output) from failed


def _fast_forward(tree: WorkTree, target: str) -> None:
    """Move the branch that is checked out, and the work tree with it."""
    done = tree.git.attempt("merge", "--quiet", "--ff-only", "--no-overwrite-ignore", "--no-autostash", target)
    if (head := tree.head()) != target:
        raise MergeFailed(done.output or f"HEAD is at {head[:12]} after it moved to {target[:12]}; look at the hooks")


def _refuse_collisions(tree: WorkTree, head: str, target: str) -> None:
    """Refuse a target that would overwrite uncommitted work: changed, untracked or ignored files."""
    words = ("diff-tree", "-r", "-z", "--name-status", "--no-renames", "--ignore-submodules=none", head, target, "--")
    rows = names_in(tree.git.read(*words).out)
    if not rows:  # the base has nothing that the task branch lacks
        return
    with temporary_index(tree, keep_objects=False) as index:
        tree.git.probe("update-index", "-q", "--refresh", env=index.env)  # fails if a path is dirty, which is allowed
        tried = tree.git.probe("read-tree", "--dry-run", "-m", "-u", head, target, env=index.env)
        if tried.status != 0:
            raise MergeFailed(tried.output)
        tracked = set(names_in(index.git("ls-files", "-z").out))
    added = [path for status, path in zip(rows[::2], rows[1::2], strict=True) if status == "A"]
    blocking = [path for path in added if path not in tracked and os.path.lexists(tree.root / path)]
    if blocking:
        raise MergeFailed("the merge would overwrite untracked files: " + ", ".join(blocking))
