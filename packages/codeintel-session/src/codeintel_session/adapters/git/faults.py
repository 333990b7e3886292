"""What can go wrong with git, as few typed errors that carry data.

No sentence for an agent is made here: the service turns a fault into a contract key and puts the data in its
message. Whatever is raised, nothing of the operation has happened, unless the fault's docstring says otherwise.
"""

from collections.abc import Sequence
from pathlib import Path


class GitFault(Exception):
    """Any failure of the git adapter."""


class GitFailed(GitFault):
    """A git command ended in a way nobody foresaw (or ran past its time)."""

    def __init__(self, command: str, status: int, output: str) -> None:
        super().__init__(f"git {command} ended with {status}: {output}")
        self.command = command
        self.status = status
        self.output = output


class NotARepository(GitFault):
    """No git work tree stands at the path; `why` is git's own word (it may be a matter of ownership)."""

    def __init__(self, path: Path, why: str = "") -> None:
        super().__init__(f"not a git work tree: {path}" + (f" ({why})" if why else ""))
        self.path = path
        self.why = why


class NoCommit(GitFault):
    """The repository has no commit yet."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"no commit yet in {path}")
        self.path = path


class HeadDetached(GitFault):
    """HEAD stands on no branch, and the operation needs one."""


class PathRefused(GitFault):
    """A path that may not be worked on: outside the work tree, inside `.git`, ignored, a repository of its own."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path!r}: {why}")
        self.path = path
        self.why = why


class BranchFailed(GitFault):
    """A branch could not be made, left or deleted."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class CommitFailed(GitFault):
    """The commit was not made; `output` holds what git and the hooks said."""

    def __init__(self, output: str) -> None:
        super().__init__(output)
        self.output = output


class DiscardFailed(GitFault):
    """The paths could not be put back; if `ref` is named, their present versions are saved there."""

    def __init__(self, why: str, ref: str = "") -> None:
        super().__init__(why + (f" (saved under {ref})" if ref else ""))
        self.why = why
        self.ref = ref


class MergeConflict(GitFault):
    """The two sides changed the same lines."""

    def __init__(self, paths: Sequence[str]) -> None:
        super().__init__("conflict in " + ", ".join(paths))
        self.paths = tuple(paths)


class MergeFailed(GitFault):
    """The merge could not be made for another reason than a conflict."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class BaseElsewhere(GitFault):
    """The base branch is checked out in another work tree, which must not be changed under its owner."""

    def __init__(self, worktree: str) -> None:
        super().__init__(f"checked out in {worktree}")
        self.worktree = worktree


class UndoFailed(GitFault):
    """The trash ref does not exist, or cannot become a branch."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why
