"""The faults of git: a few typed errors that carry data.

They hold no sentence for an agent: the caller turns a fault into a contract key with the data in its message. An
operation that raises has changed nothing, unless the fault's docstring says otherwise.
"""

from collections.abc import Sequence
from pathlib import Path


class GitFault(Exception):
    """Any failure of the git adapter."""


class GitFailed(GitFault):
    """A git command that failed unexpectedly, or was stopped at its time limit."""

    def __init__(self, command: str, status: int, output: str) -> None:
        super().__init__(f"git {command} ended with {status}: {output}")
        self.command = command
        self.status = status
        self.output = output


PLAIN = "not a git repository"
"""What git says where there is simply none."""


class NotARepository(GitFault):
    """The path lies in no git work tree; `why` is git's own reason (it may be the ownership of the folder)."""

    def __init__(self, path: Path, why: str = "") -> None:
        super().__init__(f"{path} is in no git work tree" + (f" ({why})" if why and PLAIN not in why else ""))
        self.path = path


class WorkTreeElsewhere(GitFault):
    """The configuration of a repository names another folder as its work tree."""

    def __init__(self, top: Path, elsewhere: Path) -> None:
        super().__init__(f"git takes {elsewhere} for the work tree of {top}; see core.worktree in its configuration")


class NoCommit(GitFault):
    """The repository has no commit yet."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"no commit yet in {path}")


class HeadDetached(GitFault):
    """HEAD is detached, and the operation needs a branch."""


class PathRefused(GitFault):
    """A path that must not be changed: outside the work tree, inside `.git`, ignored, or a nested repository."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path!r}: {why}")


class BranchFailed(GitFault):
    """A branch could not be created, left or deleted."""


class CommitFailed(GitFault):
    """The commit was not made; the message is the output of git and the hooks."""


class DiscardFailed(GitFault):
    """The paths could not be restored; if `ref` is set, their present versions are saved there."""

    def __init__(self, why: str, ref: str = "") -> None:
        super().__init__(why + (f" (saved under {ref})" if ref else ""))
        self.ref = ref


class MergeConflict(GitFault):
    """The two sides changed the same lines."""

    def __init__(self, paths: Sequence[str]) -> None:
        super().__init__("conflict in " + ", ".join(paths))
        self.paths = tuple(paths)


class MergeFailed(GitFault):
    """The merge could not be made, for a reason other than a conflict."""


class BaseElsewhere(GitFault):
    """The base branch is checked out in another work tree, which the server must not change."""

    def __init__(self, worktree: str) -> None:
        super().__init__(f"checked out in {worktree}")
        self.worktree = worktree


class UndoFailed(GitFault):
    """The trash ref does not exist, or cannot become a branch."""
