"""`GitRepository`: the interface to git. Every method blocks; none keeps a child process or a lock.

Paths are relative to the top of the work tree, with `/`. The server never stashes, resets, cleans, or checks out over
uncommitted work, and no user text reaches git as an option. Most methods are functions of this folder, which take the
work tree first, and some then its trees; their docstrings are there.
"""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from codeintel_session.git import (
    branch_status as _status,
    branches as _branches,
    changes as _changes,
    checkout as _checkout,
    commit as _commit,
    content as _content,
    discard as _discard,
    merge as _merge,
    refs as _refs,
    snapshot as _snapshot,
)
from codeintel_session.git.branch_status import Tips
from codeintel_session.git.faults import NotARepository
from codeintel_session.git.trees import SessionTrees
from codeintel_session.git.worktree import WorkTree

Given = ParamSpec("Given")
Found = TypeVar("Found")


def _of_tree(
    function: Callable[Concatenate[WorkTree, Given], Found],
) -> Callable[Concatenate["GitRepository", Given], Found]:
    @wraps(function)
    def method(self: "GitRepository", /, *given: Given.args, **named: Given.kwargs) -> Found:
        return function(self._tree, *given, **named)

    return method


def _of_trees(
    function: Callable[Concatenate[WorkTree, SessionTrees, Given], Found],
) -> Callable[Concatenate["GitRepository", Given], Found]:
    @wraps(function)
    def method(self: "GitRepository", /, *given: Given.args, **named: Given.kwargs) -> Found:
        return function(self._tree, self.trees, *given, **named)

    return method


class GitRepository:
    """The git work tree a session works in."""

    def __init__(self, root: Path) -> None:
        """Open the work tree that holds `root`; a linked work tree counts as one of its own.

        Raises NotARepository: no work tree holds it.
        """
        self._tree = WorkTree.at(root)
        self.root = self._tree.root
        self.common_dir = self._tree.common_dir
        self.trees = SessionTrees(self._tree)

    @classmethod
    def find(cls, root: Path) -> "GitRepository | None":
        """Open the work tree that holds `root`, None if there is none."""
        try:
            return cls(root)
        except NotARepository:
            return None

    def keep_trees(self, folder: Path) -> None:
        """Keep the trees in a folder from here on, instead of one that goes with this object."""
        self.trees = SessionTrees(self._tree, folder)

    def has_commit(self) -> bool:
        """Return True if HEAD points to a commit."""
        return self._tree.commit("HEAD") is not None

    def head_commit(self) -> str:
        """Return the commit at HEAD, read once in a moment of `trees`."""
        return self.trees.once("head", self._tree.head)

    def file_digest(self, path: str) -> str:
        """Return a digest of a file's content and mode; `deleted` for a missing one."""
        return _content.digest(self.root, path)

    def is_in_base(self, commit: str, branch: str, base: str) -> bool:
        """Return True if the base contains the commit: a merge that was cut off may have moved the base already."""
        tip = _status.tips(self._tree, branch, base).base
        return bool(tip) and self._tree.contains(commit, tip)

    def tips(self, branch: str, base: str) -> Tips:
        """Return the tips of a session's branch and base; the checked out one is the commit at HEAD."""
        found = _status.tips(self._tree, branch, base)
        if found.is_checked_out and found.branch:
            self.trees.note("head", found.branch)
        return found

    current_branch = _of_tree(WorkTree.branch)
    branch_head = _of_tree(WorkTree.tip)
    contains = _of_tree(WorkTree.contains)
    settings_digest = _of_tree(_snapshot.settings_digest)
    ignored = _of_tree(_snapshot.ignored)

    dirty = _of_trees(_changes.dirty)
    changes = _of_trees(_changes.changes)
    diff_text = _of_trees(_changes.diff_text)
    patches = _of_trees(_changes.patches)
    message_of = _of_tree(_changes.message_of)
    text_at = _of_tree(_changes.text_at)
    check_out = _of_trees(_checkout.check_out)
    overlay = _of_trees(_checkout.overlay)

    create_task_branch = _of_tree(_branches.create)
    stale_task_branches = _of_tree(_branches.stale)
    base_of = _of_tree(_status.base_of)
    delete_branches = _of_tree(_branches.delete)
    merge_stale = _of_tree(_merge.merge_stale)
    own_commits = _of_tree(_status.own_commits)
    own_changes = _of_tree(_status.own_changes)
    fork_of = _of_tree(_status.fork_of)
    branch_status = _of_tree(_status.branch_status)
    followed = _of_tree(_status.followed)
    commits_between = _of_tree(_status.commits_between)
    keep_tip = _of_tree(_status.keep_tip)

    commit_paths = _of_tree(_commit.commit_paths)
    fold = _of_tree(_commit.fold)
    session_commits = _of_tree(_commit.session_commits)
    discard = _of_trees(_discard.discard)
    merge = _of_tree(_merge.merge)
    landed = _of_tree(_merge.landed)
    undo_list = _of_tree(_refs.undo_list)
    undo = _of_tree(_refs.undo)
