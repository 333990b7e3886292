"""Task branches: made, recognised, left and deleted.

HEAD only moves by `git switch`, which carries uncommitted work along or refuses; ignored files count as work too. A
hook may make the switch report failure after it happened, so where HEAD stands decides, not the exit status.
"""

from collections.abc import Sequence

from codeintel_session.adapters.git.faults import BranchFailed, GitFailed
from codeintel_session.adapters.git.names import HEADS, TASK_PREFIX, base_among, task_branch
from codeintel_session.adapters.git.refs import Move, move, trash_name
from codeintel_session.adapters.git.standing import forget_tip
from codeintel_session.adapters.git.worktree import WorkTree

_NO_SECTION = "no such section"


def stale(tree: WorkTree, own: str | None) -> list[str]:
    """List task branches that are not this session's."""
    return sorted(name for name in tree.branches() if name.startswith(TASK_PREFIX) and name != own)


def base_of(tree: WorkTree, task: str) -> str | None:
    """Give the branch a task branch was made from: as recorded, else as its name says and a branch bears out."""
    if not tree.fit(task):
        return None
    recorded = tree.git.probe("config", "--local", "--get", _base_key(task))
    if recorded.status == 0 and tree.fit(recorded.text):
        return recorded.text
    return base_among(task, tree.branches())


def create(tree: WorkTree, session_id: str, base: str) -> str:
    """Stand on the session's task branch, made at HEAD if it is not there yet."""
    name = task_branch(session_id, base)
    tree.head()
    current = tree.attached()
    if not tree.fit(name):
        raise BranchFailed(f"{name!r} cannot be the name of a branch")
    if current != name:
        if current != base:
            raise BranchFailed(f"HEAD stands on {current}, not on {base}")
        switch(tree, name, create=tree.tip(name) is None)
    tree.git.write("config", "--local", "--replace-all", _base_key(name), base)
    return name


def switch(tree: WorkTree, name: str, *, create: bool = False) -> None:
    """Move HEAD to a branch with all uncommitted work, or refuse."""
    kind = ("-c", name) if create else (name,)
    said = tree.git.attempt(
        "switch", "--quiet", "--no-guess", "--no-recurse-submodules", "--no-overwrite-ignore", *kind
    )
    if tree.branch() != name:
        raise BranchFailed(said.said)


def delete(tree: WorkTree, names: Sequence[str]) -> list[str]:
    """Delete task branches; what no base holds yet is kept in the trash. Gives the trash refs."""
    doomed = refuse_undeletable(tree, names)
    if (current := tree.branch()) in doomed:
        base = base_of(tree, current or "")
        if base is None or base in doomed or tree.tip(base) is None:
            raise BranchFailed(f"HEAD stands on {current}, and the branch it came from is not there")
        switch(tree, base)
    return [ref for name in doomed if (ref := _delete(tree, name, doomed[name]))]


def refuse_undeletable(tree: WorkTree, names: Sequence[str]) -> dict[str, str]:
    """Give the branches with their commits, if all of them may be deleted."""
    present = tree.branches()
    for name in names:
        if not name.startswith(TASK_PREFIX) or name not in present:
            raise BranchFailed(f"no task branch is called {name!r}")
        if place := tree.elsewhere(name):
            raise BranchFailed(f"{name} is checked out in {place}")
    return {name: present[name] for name in names}


def _delete(tree: WorkTree, name: str, tip: str) -> str | None:
    """Delete one branch, in one stroke with keeping its commits if its base does not hold them."""
    base = base_of(tree, name)
    held = base is not None and tree.tip(base) is not None and tree.contains(tip, HEADS + base)
    kept = None if held else trash_name(tree, name)
    gone = Move(HEADS + name, tip, "")
    try:
        forget_tip(tree, name)
        move(tree, *([Move(kept, "", tip)] if kept else []), gone)
    except GitFailed as failed:
        raise BranchFailed(failed.output) from failed
    _forget(tree, name)
    return kept


def _forget(tree: WorkTree, name: str) -> None:
    section = tree.git.attempt("config", "--local", "--remove-section", f"branch.{name}")
    if section.status != 0 and _NO_SECTION not in section.err.lower():
        raise BranchFailed(section.said)


def _base_key(name: str) -> str:
    return f"branch.{name}.codeintel-base"
