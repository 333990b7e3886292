"""What a decision needs to know of the world, gathered before it and handed in as values."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from .promises import TestCode


@dataclass(frozen=True, slots=True)
class FileFact:
    """A path an agent named. `lines` is 0 unless it is a readable text file inside the project."""

    path: str
    inside: bool
    exists: bool
    lines: int = 0


@dataclass(frozen=True, slots=True)
class Changed:
    """A path that differs from the session's base; `hunks` are inclusive line ranges of the new side."""

    path: str
    status: str
    old_path: str = ""
    hunks: tuple[tuple[int, int], ...] = ()
    whole: bool = False  # untracked or added: every line counts
    older: bool = False  # dirty before the session and untouched by it
    touched_older: bool = False
    committed: bool = False  # equal to the session's last commit
    undone: bool = False  # as in the base again, though HEAD holds something else
    swept: bool = False  # older, and committed by somebody other than the session
    folder: str = ""  # of a new file: the nearest folder that stood before it
    added: int = 0
    removed: int = 0

    def meets(self, start: int, end: int) -> bool:
        """True if the lines touch what was changed."""
        return self.whole or any(first <= end and start <= last for first, last in self.hunks)


@dataclass(frozen=True, slots=True)
class VerifierFact:
    """A verifier of the project, whether the server can run it, and whether its globs fit what was changed."""

    name: str
    has_command: bool
    fits: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """All facts; each phase fills what its judge reads and leaves the rest empty."""

    files: Mapping[str, FileFact] = field(default_factory=dict)
    empty_evidence: frozenset[str] = frozenset()
    changes: tuple[Changed, ...] = ()
    has_sources: bool = True
    defined: Mapping[str, bool] = field(default_factory=dict)
    relevance: Mapping[str, float] = field(default_factory=dict)
    prompts: tuple[str, ...] = ()
    verifiers: Mapping[str, VerifierFact] = field(default_factory=dict)
    trusted: bool = True  # the verifiers' commands may run
    tree: str = ""
    tests: tuple[TestCode, ...] = ()  # changed test files
    current_branch: str = ""
    current_is_stale: bool = False
    stale_base: str = ""
    on_branch: bool = True  # the session's branch is checked out
    merged: bool = False  # a crash came between the merge and the checkpoint
    brought: tuple[str, ...] = ()  # paths that the reviewed commit changes of the base
    late: tuple[str, ...] = ()  # paths the branch holds otherwise than the reviewed commit, not by its base
    late_commits: tuple[str, ...] = ()  # commits on the branch after the reviewed one, "id subject"
    work_gone: bool = False  # the reviewed work is not in the branch any more
    merge_mode: str = "no-ff"
    rework_wanted: bool = False  # the user was asked whether to merge with issues, and said no
