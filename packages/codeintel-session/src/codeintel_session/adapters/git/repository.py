"""`GitRepository`: the one door to git. Every method blocks; none keeps a child process, a lock or a cache.

Paths are relative to the top of the work tree, with `/`. The server never stashes, resets, cleans, or checks out
over uncommitted work, and no text of a user reaches git as an option.
"""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from codeintel_session.adapters.git import branches, changes, commit, discard, merge, refs, snapshot, standing
from codeintel_session.adapters.git.change import Change
from codeintel_session.adapters.git.standing import Standing, Tips
from codeintel_session.adapters.git.worktree import WorkTree


class GitRepository:
    """The git work tree a session works in."""

    def __init__(self, root: Path) -> None:
        """Open the work tree that holds `root`.

        Raises:
            NotARepository: there is none.
        """
        self._tree = WorkTree.at(root)
        self.root = self._tree.root
        self.common_dir = self._tree.common_dir

    @classmethod
    def discover(cls, start: Path) -> "GitRepository":
        """Open the work tree that holds `start`, a linked one as a work tree of its own."""
        return cls(start)

    def close(self) -> None:
        """Let go of the repository; nothing is held between calls, so there is nothing to do."""

    def has_commit(self) -> bool:
        """Say whether HEAD stands at a commit."""
        return self._tree.commit("HEAD") is not None

    def head_commit(self) -> str:
        """Give the commit HEAD stands at."""
        return self._tree.head()

    def current_branch(self) -> str | None:
        """Give the branch HEAD stands on, None if detached."""
        return self._tree.branch()

    def branch_head(self, branch: str) -> str | None:
        """Give the commit a branch points at, None if there is no such branch."""
        return self._tree.tip(branch)

    def dirty(self) -> dict[str, str]:
        """Digest content and mode of every changed, staged or untracked path; `deleted` for one that is gone."""
        return snapshot.dirty(self._tree)

    def tree_digest(self) -> str:
        """Digest the content of the work tree: equal for equal content, committed or not."""
        return snapshot.tree_digest(self._tree)

    def stale_task_branches(self, own: str | None) -> list[str]:
        """List task branches that are not `own`."""
        return branches.stale(self._tree, own)

    def base_of(self, task_branch: str) -> str | None:
        """Give the branch a task branch was made from."""
        return branches.base_of(self._tree, task_branch)

    def create_task_branch(self, session_id: str, base: str) -> str:
        """Stand on the session's task branch, uncommitted work carried over untouched."""
        return branches.create(self._tree, session_id, base)

    def delete_branches(self, names: Sequence[str]) -> list[str]:
        """Delete task branches, leaving one that stands at HEAD first; gives the trash refs made."""
        return branches.delete(self._tree, names)

    def merge_stale(self, names: Sequence[str]) -> dict[str, object]:
        """Merge the stale branch into its base and delete the others.

        Gives `merged`, `base`, `commit`, `deleted` and `trash`.
        """
        return merge.merge_stale(self._tree, names)

    def changes(self, base_commit: str, dirty_at_start: Mapping[str, str]) -> list[Change]:
        """List every path that differs from the base commit, by path."""
        return changes.changes(self._tree, base_commit, dirty_at_start)

    def diff_text(self, base_commit: str, path: str, *, max_bytes: int = 8000, old_path: str = "") -> str:
        """Give the unified diff of one path; a known `old_path` of a rename saves looking for it."""
        return changes.diff_text(self._tree, base_commit, path, max_bytes=max_bytes, old_path=old_path)

    def patches(self, base_commit: str, end: str = "", *, max_bytes: int = 8000) -> dict[str, str]:
        """Give the unified diffs of all changed paths, to a commit or to the work tree, each up to a size."""
        return changes.patches(self._tree, base_commit, end, max_bytes)

    def text_at(self, commit: str, path: str) -> str:
        """Give the text of a path in a commit, "" where it has none there; undecodable bytes are replaced."""
        return changes.text_at(self._tree, commit, path)

    def commit_paths(
        self,
        paths: Sequence[str],
        message: str,
        session_id: str,
        known: Collection[str] = (),
        left_out: Sequence[str] = (),
        base_commit: str = "",
    ) -> str:
        """Commit exactly these paths with the session's trailer.

        Where somebody else committed them already (HEAD is none of the `known` commits), the commit is empty and only
        says that they were reviewed. `left_out` are put back to the base commit in it, not in the work tree.
        """
        return commit.commit_paths(self._tree, paths, message, session_id, known, left_out, base_commit)

    def session_commits(self, base_commit: str, session_id: str) -> list[str]:
        """List commits since the base that carry the session's trailer, newest first."""
        return commit.session_commits(self._tree, base_commit, session_id)

    def standing(self, task_branch: str, base: str, reviewed: str, since: str) -> Standing:
        """Compare a task branch with the commit that was reviewed, in a session that began at the commit `since`."""
        return standing.standing(self._tree, task_branch, base, reviewed, since)

    def landed(self, reviewed: str) -> bool:
        """Say whether HEAD holds the reviewed commit, as it is or squashed."""
        return merge.landed(self._tree, reviewed)

    def tips(self, branch: str, base: str) -> Tips:
        """Look where a session's branch and base stand."""
        return standing.tips(self._tree, branch, base)

    def followed(self, base_commit: str, branch: str, base: str) -> str:
        """Give where the session's base stands now, as far as HEAD holds it."""
        return standing.followed(self._tree, base_commit, branch, base)

    def between(self, old: str, new: str) -> tuple[str, ...]:
        """Name the newest commits that `new` has and `old` has not."""
        return standing.between(self._tree, old, new)

    def keep_tip(self, branch: str) -> str:
        """Note where a branch stands; gives the trash ref of what it held at the last look and lacks now, or ""."""
        return standing.keep_tip(self._tree, branch)

    def discard(self, paths: Sequence[str], base_commit: str, session_id: str) -> str:
        """Put paths back to the base commit; gives the trash ref that holds their present versions."""
        return discard.discard(self._tree, paths, base_commit, session_id)

    def merge(self, task_branch: str, base: str, mode: str, session_id: str, message: str) -> str:
        """Merge the task branch, put HEAD on the base, delete the task branch; gives the base's commit."""
        return merge.merge(self._tree, task_branch, base, mode, session_id, message)

    def settings_digest(self) -> str:
        """Digest what the repository's configuration says of how git reads, filters and runs things."""
        return snapshot.settings_digest(self._tree)

    def undo_list(self) -> list[dict[str, str]]:
        """List what lies in the trash, newest first: `ref`, `name`, `commit`, `date`, `subject`."""
        return refs.undo_list(self._tree)

    def undo(self, ref: str) -> str:
        """Bring a trash ref back as a branch; gives the branch's name."""
        return refs.undo(self._tree, ref)
