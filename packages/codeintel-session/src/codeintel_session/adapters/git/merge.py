"""The task branch brought into its base, without a merge ever being half done.

The result is made as objects first (`git merge-tree`, `git commit-tree`): a conflict is known before anything moved.
Then it is asked whether the work tree can go there with the user's uncommitted files as they are; only then the base
moves (against the value it was seen at), HEAD goes to the base, and the task branch is deleted. Every step may be
found done already: a crash between two of them is finished by asking again.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass

from codeintel_session.adapters.git.branches import base_of, delete, refuse_undeletable, switch
from codeintel_session.adapters.git.commit import trailed
from codeintel_session.adapters.git.faults import BaseElsewhere, BranchFailed, GitFailed, MergeConflict, MergeFailed
from codeintel_session.adapters.git.names import (
    HEADS,
    SESSION_TRAILER,
    SQUASH_TRAILER,
    TASK_PREFIX,
    session_of,
    session_word,
    with_trailers,
)
from codeintel_session.adapters.git.refs import Move, move
from codeintel_session.adapters.git.scratch import scratch
from codeintel_session.adapters.git.worktree import WorkTree, is_object

MODES = ("no-ff", "squash", "ff")
_CONFLICT = 1


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be merged, with both sides as commits."""

    task: str
    base: str
    task_tip: str
    base_tip: str
    mode: str
    session_id: str
    message: str


def merge(tree: WorkTree, task: str, base: str, mode: str, session_id: str, message: str) -> str:
    """Merge, put HEAD on the base, delete the task branch; gives the base's commit."""
    return _merge(tree, task, base, mode, session_id, message, arrive=True)


def merge_stale(tree: WorkTree, names: Sequence[str]) -> dict[str, object]:
    """Merge the task branch HEAD stands on, or on another branch the only stale one; delete the other ones."""
    current = tree.attached()
    on_task = current.startswith(TASK_PREFIX)
    if not on_task and len(names) != 1:
        raise BranchFailed(f"on {current} exactly one stale branch can be merged; there are {len(names)}")
    task = current if on_task else names[0]
    others = [name for name in names if name != task]
    refuse_undeletable(tree, [task, *others])
    base = base_of(tree, task)
    if base is None:
        raise BranchFailed(f"the branch that {task} came from is not known")
    text = f"Merge {task} into {base}"
    # HEAD stays where the user has it, unless that is the branch that ends here.
    done = _merge(tree, task, base, "no-ff", session_of(task) or "unknown", text, arrive=on_task)
    return {"merged": task, "base": base, "commit": done, "deleted": others, "trash": delete(tree, others)}


def _merge(tree: WorkTree, task: str, base: str, mode: str, session_id: str, message: str, *, arrive: bool) -> str:
    base_tip = _ready(tree, task, base, mode)
    task_tip = tree.tip(task)
    if task_tip is None:
        return _merged_before(tree, task, base, base_tip, session_word(session_id))
    plan = Plan(task, base, task_tip, base_tip, mode, session_word(session_id), message)
    target = base_tip if _landed(tree, plan) else _built(tree, plan)
    _land(tree, plan, target, arrive=arrive)
    delete(tree, [task])
    return target


def _ready(tree: WorkTree, task: str, base: str, mode: str) -> str:
    """Refuse what cannot be merged from here; gives the base's commit."""
    if mode not in MODES:
        raise MergeFailed(f"no such way to merge: {mode!r}; there are {', '.join(MODES)}")
    tree.attached()
    if (doing := tree.under_way()) is not None:
        raise MergeFailed(f"{doing} is under way; finish or abort it first")
    if (place := tree.elsewhere(base)) is not None:
        raise BaseElsewhere(place)
    if (place := tree.elsewhere(task)) is not None:
        raise MergeFailed(f"{task} is checked out in {place}")
    tip = tree.tip(base)
    if tip is None or not task.startswith(TASK_PREFIX):
        raise MergeFailed(f"cannot merge {task!r} into {base!r}: no such branches")
    return tip


def _merged_before(tree: WorkTree, task: str, base: str, base_tip: str, session_id: str) -> str:
    """Recognise a merge whose branch is gone by the session's trailer in the base."""
    word = f"--grep=^{SESSION_TRAILER}: {session_id}$"
    if not tree.git.read("rev-list", "--max-count=1", word, base_tip, "--").out:
        raise MergeFailed(f"there is no branch {task}, and {base} holds nothing of this session")
    return base_tip


def landed(tree: WorkTree, reviewed: str) -> bool:
    """Say whether HEAD holds the reviewed commit, as it is or within a squash."""
    head = tree.head()
    if tree.contains(reviewed, head):
        return True
    form = f"%(trailers:key={SQUASH_TRAILER},valueonly,separator=%x20)"
    words = ("rev-list", "--no-commit-header", f"--format={form}", head, f"^{reviewed}", "--")
    squashed = tree.git.read(*words).text.split()
    return any(tree.commit(one) and tree.contains(reviewed, one) for one in squashed if is_object(one))


def _landed(tree: WorkTree, plan: Plan) -> bool:
    if tree.contains(plan.task_tip, plan.base_tip):
        return True
    return bool(trailed(tree, f"{plan.task_tip}..{plan.base_tip}", SQUASH_TRAILER, plan.task_tip))


def _built(tree: WorkTree, plan: Plan) -> str:
    """Make the commit the base is to stand at; nothing points to it yet."""
    if plan.mode == "ff":
        if not tree.contains(plan.base_tip, plan.task_tip):
            raise MergeFailed(f"{plan.base} has moved on: it cannot be fast-forwarded")
        return plan.task_tip
    parents = ["-p", plan.base_tip] + (["-p", plan.task_tip] if plan.mode == "no-ff" else [])
    trailers = [f"{SESSION_TRAILER}: {plan.session_id}"]
    if plan.mode == "squash":  # a squash has no second parent that would show what it holds
        trailers.append(f"{SQUASH_TRAILER}: {plan.task_tip}")
    text = with_trailers(plan.message, trailers).encode("utf-8", "surrogateescape")
    sign = ["-S"] if tree.git.probe("config", "--type=bool", "--get", "commit.gpgSign").text == "true" else []
    merged = _merged_tree(tree, plan)
    made = tree.git.attempt("commit-tree", *sign, merged, *parents, "-F", "-", stdin=text)
    if made.status != 0:
        raise MergeFailed(made.said)
    return made.text


def _merged_tree(tree: WorkTree, plan: Plan) -> str:
    words = ("merge-tree", "--write-tree", "--name-only", "-z", "--no-messages", plan.base_tip, plan.task_tip)
    found = tree.git.probe(*words)
    parts = os.fsdecode(found.out).split("\0")
    if found.status == _CONFLICT:
        raise MergeConflict(sorted({path for path in parts[1:] if path}))
    if found.status != 0:
        raise MergeFailed(found.said)
    return parts[0].strip()


def _land(tree: WorkTree, plan: Plan, target: str, *, arrive: bool) -> None:
    """Put base, HEAD and work tree at the target, or leave all three."""
    current = tree.attached()
    if current == plan.base or arrive:
        _refuse_collisions(tree, target)
    if current == plan.base:
        _forward(tree, target)
        return
    _step(tree, plan.base, plan.base_tip, target)
    if arrive:
        try:
            switch(tree, plan.base)
        except BranchFailed as failed:
            _step(tree, plan.base, target, plan.base_tip)
            raise MergeFailed(failed.why) from failed


def _step(tree: WorkTree, branch: str, old: str, new: str) -> None:
    if old == new:
        return
    try:
        move(tree, Move(HEADS + branch, old, new))
    except GitFailed as failed:
        raise MergeFailed(failed.output) from failed


def _forward(tree: WorkTree, target: str) -> None:
    """Move the branch HEAD stands on, and the work tree with it."""
    said = tree.git.attempt("merge", "--quiet", "--ff-only", "--no-overwrite-ignore", "--no-autostash", target)
    if tree.head() != target:
        raise MergeFailed(said.said)


def _refuse_collisions(tree: WorkTree, target: str) -> None:
    """Refuse a target that would touch uncommitted work: changed, untracked or ignored files."""
    head = tree.head()
    with scratch(tree, keep_objects=False) as box:
        tree.git.probe("update-index", "-q", "--refresh", env=box.env)  # its status only says that something is dirty
        tried = tree.git.probe("read-tree", "--dry-run", "-m", "-u", head, target, env=box.env)
        if tried.status != 0:
            raise MergeFailed(tried.said)
        tracked = set(os.fsdecode(box.git("ls-files", "-z").out).split("\0"))
    words = ("diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=A", head, target, "--")
    added = os.fsdecode(tree.git.read(*words).out).split("\0")[:-1]
    lost = [path for path in added if path not in tracked and os.path.lexists(tree.root / path)]
    if lost:
        raise MergeFailed("files that git does not track stand in the way: " + ", ".join(lost))
