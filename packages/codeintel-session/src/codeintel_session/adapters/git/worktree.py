"""A work tree and the questions about it that every operation asks: where its parts lie, where HEAD and refs stand.

Revisions are always asked for by full ref name or by object id, so that no name can be taken for an option or for
another kind of ref.
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from codeintel_session.adapters.git.faults import GitFault, HeadDetached, NoCommit, NotARepository
from codeintel_session.adapters.git.names import HEADS
from codeintel_session.adapters.git.process import GitProcess

_OBJECT = re.compile(r"[0-9a-f]{4,64}")
# Files in the git directory that stand while the user is in the middle of something.
_UNDER_WAY = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
}


@dataclass(frozen=True, slots=True)
class WorkTree:
    """One work tree: its top level, its own git directory, the one it shares with its siblings."""

    root: Path
    git_dir: Path
    common_dir: Path
    index: Path
    objects: Path
    git: GitProcess

    @classmethod
    def at(cls, start: Path) -> "WorkTree":
        """Find the work tree that holds `start`."""
        git = GitProcess(start if start.is_dir() else start.parent)
        top = git.probe("rev-parse", "--show-toplevel")
        if top.status != 0 or not top.text:
            raise NotARepository(start, top.err.strip())
        git = GitProcess(Path(top.text))

        def path(*question: str) -> Path:
            return Path(git.read("rev-parse", "--path-format=absolute", *question).text)

        return cls(
            root=git.at,
            git_dir=path("--git-dir"),
            common_dir=path("--git-common-dir"),
            index=path("--git-path", "index"),
            objects=path("--git-path", "objects"),
            git=git,
        )

    def commit(self, revision: str) -> str | None:
        """Resolve `HEAD`, a full ref name or an object id to a commit."""
        if revision != "HEAD" and not revision.startswith("refs/") and not is_object(revision):
            raise GitFault(f"not a commit: {revision!r}")
        found = self.git.probe("rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}")
        return found.text if found.status == 0 else None

    def known_commit(self, revision: str) -> str:
        """Resolve as `commit` does; what does not exist is a fault."""
        found = self.commit(revision)
        if found is None:
            raise GitFault(f"no such commit: {revision!r}")
        return found

    def head(self) -> str:
        """Give the commit HEAD stands at."""
        found = self.commit("HEAD")
        if found is None:
            raise NoCommit(self.root)
        return found

    def branch(self) -> str | None:
        """Give the branch HEAD stands on, None if detached."""
        name = self.git.probe("symbolic-ref", "--quiet", "HEAD")
        return name.text.removeprefix(HEADS) if name.status == 0 else None

    def attached(self) -> str:
        """Give the branch HEAD stands on, which must be one."""
        name = self.branch()
        if name is None:
            raise HeadDetached("HEAD stands on no branch")
        return name

    def tip(self, branch: str) -> str | None:
        """Give the commit of a local branch, None if there is no such branch or the name is none."""
        if not self.fit(branch):
            return None
        return self.commit(HEADS + branch)

    def fit(self, branch: str) -> bool:
        """Say whether a text can be the name of a branch."""
        if not branch or branch.startswith("-") or "\0" in branch or "@{" in branch:
            return False
        return self.git.probe("check-ref-format", HEADS + branch).status == 0

    def refs(self, under: str) -> dict[str, str]:
        """List refs below a prefix with the object each stands at."""
        listed = self.git.read("for-each-ref", "--format=%(objectname) %(refname)", under).text
        pairs = (line.split(" ", 1) for line in listed.splitlines())
        return {name: commit for commit, name in pairs}

    def branches(self) -> dict[str, str]:
        """List local branches with their commits."""
        return {name.removeprefix(HEADS): commit for name, commit in self.refs(HEADS).items()}

    def contains(self, ancestor: str, descendant: str) -> bool:
        """Say whether one commit is reachable from another."""
        return self.git.probe("merge-base", "--is-ancestor", ancestor, descendant).status == 0

    def elsewhere(self, branch: str) -> str | None:
        """Give the other work tree in which a branch is checked out."""
        listed = os.fsdecode(self.git.read("worktree", "list", "--porcelain", "-z").out)
        for block in listed.split("\0\0"):
            lines = block.split("\0")
            place = lines[0].removeprefix("worktree ")
            if f"branch {HEADS}{branch}" in lines and not _same(Path(place), self.root):
                return place
        return None

    def under_way(self) -> str | None:
        """Name what the user is in the middle of (a merge, a rebase), None if nothing."""
        return next((what for name, what in _UNDER_WAY.items() if (self.git_dir / name).exists()), None)


def is_object(text: str) -> bool:
    """Say whether a text can be the id of an object."""
    return _OBJECT.fullmatch(text) is not None


def _same(one: Path, other: Path) -> bool:
    return one.exists() and one.samefile(other)
