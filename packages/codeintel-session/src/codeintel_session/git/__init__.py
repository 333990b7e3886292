"""The git adapter: `GitRepository`, the values it returns and the faults it raises."""

from codeintel_session.git.faults import (
    BaseElsewhere,
    BranchFailed,
    CommitFailed,
    DiscardFailed,
    GitFailed,
    GitFault,
    HeadDetached,
    MergeConflict,
    MergeFailed,
    NoCommit,
    NotARepository,
    PathRefused,
    UndoFailed,
)
from codeintel_session.git.repository import GitRepository

__all__ = [
    "BaseElsewhere",
    "BranchFailed",
    "CommitFailed",
    "DiscardFailed",
    "GitFailed",
    "GitFault",
    "GitRepository",
    "HeadDetached",
    "MergeConflict",
    "MergeFailed",
    "NoCommit",
    "NotARepository",
    "PathRefused",
    "UndoFailed",
]
