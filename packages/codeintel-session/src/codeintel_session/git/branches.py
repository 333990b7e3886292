"""Create, recognize, leave and delete task branches.

HEAD only moves by `git switch`, which carries uncommitted work along or refuses; ignored files count as work too. A
hook may make a switch that happened report a failure, so the branch that is checked out decides, not the exit status.
"""

from collections.abc import Sequence

from codeintel_session.git.branch_status import forget_tip, tips
from codeintel_session.git.faults import BranchFailed, GitFailed
from codeintel_session.git.names import HEADS, TASK_PREFIX, base_among, task_branch
from codeintel_session.git.refs import Move, move, trash_name
from codeintel_session.git.worktree import WorkTree

_NO_SECTION = "no such section"


def stale(tree: WorkTree, own: str | None) -> list[str]:
    """List the task branches other than `own`."""
    return sorted(name for name in tree.branches() if name.startswith(TASK_PREFIX) and name != own)


def base_of(tree: WorkTree, task: str) -> str | None:
    """Return the branch a task branch was created from: as recorded, else the existing branch that its name names."""
    if not tree.fit(task):
        return None
    recorded = tree.git.probe("config", "--local", "--get", _base_key(task))
    if recorded.status == 0 and tree.fit(recorded.text):
        return recorded.text
    return base_among(task, tree.branches())


def create(tree: WorkTree, session_id: str, base: str) -> str:
    """Check out the session's task branch, creating it at HEAD if it does not exist; return its name."""
    name = task_branch(session_id, base)
    current, found = tree.attached(), tips(tree, name, base)
    if not found.base:
        tree.head()
    if not tree.fit(name):
        raise BranchFailed(f"{name!r} cannot be the name of a branch")
    if current != name:
        if current != base:
            raise BranchFailed(f"HEAD is on {current}, not on {base}")
        switch(tree, name, create=not found.branch)
    tree.git.write("config", "--local", "--replace-all", _base_key(name), base)
    return name


def switch(tree: WorkTree, name: str, *, create: bool = False) -> None:
    """Switch to a branch with all uncommitted work. Raises BranchFailed: git refuses."""
    kind = ("-c", name) if create else (name,)
    done = tree.git.attempt(
        "switch", "--quiet", "--no-guess", "--no-recurse-submodules", "--no-overwrite-ignore", *kind
    )
    if (current := tree.branch()) != name:
        raise BranchFailed(done.output or f"HEAD is on {current or 'no branch'} after a switch to {name}")


def delete(tree: WorkTree, names: Sequence[str]) -> list[str]:
    """Delete task branches; return the trash refs that keep the commits not contained in a base."""
    doomed = refuse_undeletable(tree, names)
    if (current := tree.branch()) in doomed:
        base = base_of(tree, current or "")
        if base is None or base in doomed or tree.tip(base) is None:
            raise BranchFailed(f"HEAD is on {current}, and the branch it was created from does not exist")
        switch(tree, base)
    return [ref for name in doomed if (ref := _delete(tree, name, doomed[name]))]


def refuse_undeletable(tree: WorkTree, names: Sequence[str]) -> dict[str, str]:
    """Return the branches with their commits.

    Raises BranchFailed: one of them is not a task branch, or is checked out in another work tree.
    """
    present = tree.branches()
    for name in names:
        if not name.startswith(TASK_PREFIX) or name not in present:
            raise BranchFailed(f"no task branch is called {name!r}")
        if place := tree.elsewhere(name):
            raise BranchFailed(f"{name} is checked out in {place}")
    return {name: present[name] for name in names}


def _delete(tree: WorkTree, name: str, tip: str) -> str | None:
    """Delete one branch; in the same transaction, keep its commits in the trash if its base does not contain them."""
    base = base_of(tree, name)
    is_merged = base is not None and tree.contains(tip, HEADS + base)
    moves = [*forget_tip(tree, name), Move(HEADS + name, tip, "")]
    trash_ref = None if is_merged else trash_name(tree, name, taken=[one.ref for one in moves])
    try:
        move(tree, *([Move(trash_ref, "", tip)] if trash_ref else []), *moves)
    except GitFailed as failed:
        raise BranchFailed(failed.output) from failed
    forget_settings(tree, name)
    return trash_ref


def forget_settings(tree: WorkTree, name: str) -> None:
    """Remove what git's settings say of a branch. Raises BranchFailed: they cannot be written."""
    section = tree.git.attempt("config", "--local", "--remove-section", f"branch.{name}")
    if section.status != 0 and _NO_SECTION not in section.err.lower():
        raise BranchFailed(section.output)


def _base_key(name: str) -> str:
    return f"branch.{name}.codeintel-base"
