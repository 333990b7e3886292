"""The git adapter: `GitRepository`, what it reports and what it raises."""

from codeintel_session.adapters.git.change import Change
from codeintel_session.adapters.git.faults import (
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
from codeintel_session.adapters.git.repository import GitRepository

__all__ = [
    "BaseElsewhere",
    "BranchFailed",
    "Change",
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
