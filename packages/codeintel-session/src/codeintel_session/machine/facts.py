"""What a decision needs to know about the world, collected beforehand and passed in as values."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from codeintel_session.machine.regressions import Weakened

STAGED = "staged"
"""What is kept of a path that differed from HEAD in the user's index only when the session began."""
EVERY_LINE = ((1, 2**63 - 1),)


@dataclass(frozen=True, slots=True)
class FileFact:
    """A path an agent named. `lines` is 0 unless it is a readable text file inside the project."""

    path: str
    inside: bool
    exists: bool
    lines: int = 0

    @property
    def is_there(self) -> bool:
        """True for a file of the project."""
        return self.inside and self.exists


@dataclass(frozen=True, slots=True)
class Target:
    """A path that an agent wants to write. `folder` is its nearest existing parent ("" is the root)."""

    path: str
    inside: bool
    exists: bool
    folder: str = ""


@dataclass(frozen=True, slots=True)
class Changed:
    """A path that differs from the session's base; `hunks` are inclusive line ranges of the new side."""

    path: str
    status: str  # added, modified, deleted, renamed, type_changed or mode
    old_path: str = ""
    hunks: tuple[tuple[int, int], ...] = ()
    blank_hunks: tuple[tuple[int, int], ...] = ()  # those of them that change white space only
    content: str = ""  # mode and object of the new side, "" for none
    whole: bool = False  # untracked or added: every line counts
    preexisting: bool = False  # dirty before the session and untouched by it
    touched_preexisting: bool = False
    committed: bool = False  # equal to the session's last commit
    undone: bool = False  # as in the base again, though HEAD holds something else
    committed_by_others: bool = False  # preexisting, and committed by someone other than the session
    folder: str = ""  # of a new file: the nearest folder that existed before the session
    added: int = 0
    removed: int = 0
    binary: bool = False

    @property
    def ranges(self) -> tuple[tuple[int, int], ...]:
        """The lines that changed: all there may be, or those of the hunks."""
        return EVERY_LINE if self.whole else self.hunks

    def meets(self, start: int, end: int) -> bool:
        """Return True if the lines overlap the change."""
        return any(first <= end and start <= last for first, last in self.ranges)

    def meets_more_than_space(self, start: int, end: int) -> bool:
        """Return True if the lines overlap a change of more than white space."""
        solid = (hunk for hunk in self.ranges if hunk not in self.blank_hunks)
        return any(first <= end and start <= last for first, last in solid)

    @property
    def has_lines(self) -> bool:
        """Whether evidence can name lines of it: a deleted, binary or empty file has none, nor a link or submodule."""
        return self.status != "deleted" and not self.is_link and bool(self.hunks or self.added)

    @property
    def is_link(self) -> bool:
        """Whether it is a symbolic link now."""
        return self.content.startswith("120000")

    @property
    def source(self) -> str:
        """The path on the old side."""
        return self.old_path or self.path


@dataclass(frozen=True, slots=True)
class VerifierFact:
    """A verifier of the project, whether the server can run it, and whether its globs match a changed file.

    `is_reading` if its command reads the change, and runs nothing of it.
    """

    name: str
    has_command: bool
    fits: bool = False
    is_lost: bool = False  # its command or its file was removed in the session: it cannot be run any more
    is_reading: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """All facts; each phase fills those that its judge reads and leaves the others empty."""

    files: Mapping[str, FileFact] = field(default_factory=dict)
    places: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # the lines of evidence that gives none
    evident: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # by item: changed lines of what it names
    kinds: Mapping[str, str] = field(default_factory=dict)  # of evidence with lines: work, documentation or empty
    ignored: frozenset[str] = frozenset()  # files that evidence names, and git ignores
    only_comments: frozenset[str] = frozenset()  # cited files in which comments alone changed, beside code elsewhere
    digests: Mapping[str, str] = field(default_factory=dict)  # of the files that a report names
    changes: tuple[Changed, ...] = ()
    has_sources: bool = True
    in_text: Mapping[str, bool] = field(default_factory=dict)  # target symbols; one the search cannot tell is missing
    unseen_users: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # files by the target symbol they use
    relevance: Mapping[str, float] = field(default_factory=dict)
    nearness: Mapping[str, float] = field(default_factory=dict)  # of words the request lacks to those it holds
    rule_sources: tuple[str, ...] = ()  # of the rules of the documents, widened to the lines that hold them
    planned: tuple[Target, ...] = ()  # what a plan names by its path
    prompts: tuple[str, ...] = ()
    said_since: tuple[str, ...] = ()  # what the user typed to the client after the session began
    verifiers: Mapping[str, VerifierFact] = field(default_factory=dict)
    trusted: bool = True  # the verifiers' commands may run
    tree: str = ""  # what a commit of the present work tree would hold
    since_verified: tuple[str, ...] = ()  # paths in which that differs from what was verified
    in_base: bool = False  # the base contains the session's last commit
    base_moved: bool = False  # the base has commits that the session's branch lacks: the merge makes a tree of its own
    named: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # files of the project that an item names
    untouched: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # names in an item that no change concerns
    unseen: tuple[str, ...] = ()  # changed functions whose text no tool showed, "path: name"
    absent: tuple[str, ...] = ()  # names that the request marks as code, and that nothing of the project holds
    same_proof: tuple[str, ...] = ()  # finished tasks with evidence only in definitions that prove others
    stubs: tuple[str, ...] = ()  # changed definitions that are empty, "path:line name"
    fixups: str = "fold"
    weakened: tuple[Weakened, ...] = ()  # tests whose text promises less than before
    current_branch: str = ""
    current_is_stale: bool = False
    stale_base: str = ""
    on_branch: bool = True  # the session's branch is checked out
    merged: bool = False  # a crash came between the merge and the checkpoint
    brought: tuple[str, ...] = ()  # paths that the reviewed commit changes of the base
    late: tuple[str, ...] = ()  # paths in which the branch differs from the reviewed commit, without its base's changes
    late_commits: tuple[str, ...] = ()  # commits on the branch after the reviewed one, "id subject"
    foreign: tuple[str, ...] = ()  # commits of the branch that the session did not make, "id subject"
    settings_unseen: tuple[str, ...] = ()  # of the server's folder, that the branch changes and no file shows
    work_gone: bool = False  # the branch no longer contains the reviewed work
    unreviewed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # of unfinished sessions, by branch
    fork: str = ""  # the commit at which the stale branch that is checked out left its base
    user_chose: str = ""  # what the user themselves decided about the stale branches
    decided_by: str = "unknown"  # who decided how to proceed after failures
    accepts: bool = False  # the user takes the tree that failed as it is
    merge_mode: str = "no-ff"
    rework_wanted: bool = False  # the user declined to merge with open issues
