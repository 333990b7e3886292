"""`GitRepository`: the interface to git. Every method blocks; none keeps a child process or a lock.

Paths are relative to `root`, with `/`: the top of the work tree, or the folder of a project below it. What lies outside
that folder begins with `../`; texts for people, and `trees`, keep git's own paths. The server never stashes, resets,
cleans, or checks out over uncommitted work, and no user text reaches git as an option.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from codeintel_session.git import (
    branch_status,
    branches,
    changes,
    checkout,
    commit,
    content,
    discard,
    index,
    merge,
    refs,
    snapshot,
    user_refs,
)
from codeintel_session.git.branch_status import BranchStatus, Tips
from codeintel_session.git.changes import CONTEXT
from codeintel_session.git.faults import MergeConflict, NotARepository
from codeintel_session.git.index import Entry
from codeintel_session.git.names import TASK_PREFIX
from codeintel_session.git.subfolder import all_to_git, keys_to_git, keys_to_project, to_git, to_project
from codeintel_session.git.trees import SessionTrees
from codeintel_session.git.user_refs import MovedRefs
from codeintel_session.git.worktree import WorkTree
from codeintel_session.machine.facts import Changed


class GitRepository:
    """The git work tree a session works in."""

    def __init__(self, tree: WorkTree) -> None:
        self._tree = tree
        self._prefix = tree.prefix
        self.top = tree.root
        self.root = tree.root / tree.prefix
        self.git_dir = tree.git_dir
        self.common_dir = self._tree.common_dir
        self.trees = SessionTrees(self._tree)

    @classmethod
    def discover(cls, start: Path) -> "GitRepository":
        """Open the work tree that holds `start`; a linked work tree counts as one of its own.

        Raises NotARepository: no work tree holds it.
        """
        return cls(WorkTree.at(start))

    @classmethod
    def of_project(cls, folder: Path) -> "GitRepository":
        """Open the work tree of a project: the folder is its top, or lies below it. Errors as for `discover`."""
        tree = WorkTree.at(folder)
        return cls(tree if (folder / ".git").exists() else tree.for_project(folder))

    @classmethod
    def look_for(cls, folder: Path) -> "GitRepository | None":
        """Open the work tree of a project, None if there is none."""
        try:
            return cls.of_project(folder)
        except NotARepository:
            return None

    def keep_trees(self, folder: Path) -> None:
        """Keep the trees in a folder from here on, instead of one that goes with this object."""
        self.trees = SessionTrees(self._tree, folder)

    def has_commit(self) -> bool:
        """Return True if HEAD points to a commit."""
        return bool(self.trees.head())

    def head_commit(self) -> str:
        """Return the commit at HEAD, read once in a moment of `trees`."""
        return self.trees.head() or self._tree.head()

    def current_branch(self) -> str | None:
        """Return the branch that is checked out, None if HEAD is detached."""
        return self._tree.branch()

    def branch_head(self, branch: str) -> str | None:
        """Return the commit a branch points to, None if there is no such branch."""
        return self._tree.tip(branch)

    def dirty(self) -> dict[str, str]:
        """Return mode and object of all changed, staged or untracked paths; `deleted` for a missing one."""
        return keys_to_project(self._prefix, changes.dirty(self._tree, self.trees))

    def contents(self, entry: str, most: int) -> bytes:
        """Return the contents of a file that `dirty` found, by its mode and object.

        Nothing of one of more than `most` bytes, of a link or a submodule.

        Raises:
            GitFault: the trees of the session do not hold them any more.
        """
        mode, _, name = entry.partition(" ")
        if not mode.startswith("100") or int(self.trees.alone("cat-file", "-s", name)) > most:
            return b""
        return self.trees.alone("cat-file", "blob", name)

    def staged(self) -> dict[str, str]:
        """Return mode and object, "" for a missing one, of every path that differs from HEAD in the user's index."""
        return keys_to_project(self._prefix, changes.staged(self.trees))

    def hidden(self, entries: Mapping[str, str]) -> list[str]:
        """List those of the paths, each with its mode and object, that the work tree has otherwise."""
        found = index.hidden(self._tree, keys_to_git(self._prefix, entries))
        return [to_project(self._prefix, path) for path in found]

    def hidden_in(self, commit: str, paths: Collection[str]) -> list[str]:
        """List those of the paths that the work tree has otherwise than a commit."""
        found = index.hidden_in(self._tree, commit, all_to_git(self._prefix, paths))
        return [to_project(self._prefix, path) for path in found]

    def concealed(self, since: int) -> list[str]:
        """List the files written after a time (ns) that differ from the user's index, though git does not see it."""
        return [to_project(self._prefix, path) for path in index.concealed(self._tree, self._listing(), since)]

    def _listing(self) -> list[index.Listed]:
        return self.trees.once("listing", lambda: index.listing(self._tree))

    def misnamed(self, base: str) -> list[str]:
        """List the ids of objects of the commits since `base` that hold something else than their ids stand for."""
        return content.misnamed(self._tree.git, base)

    def user_refs(self) -> dict[str, tuple[str, ...]]:
        """Return the newest branches, tags and notes, each with its commit, and the stashes with all of theirs."""
        return user_refs.user_refs(self._tree)

    def moved_refs(self, before: Mapping[str, tuple[str, ...]]) -> MovedRefs:
        """Return the refs that are gone or no longer hold the commit they had, those that moved on, and new ones."""
        return user_refs.moved_refs(self._tree, before)

    def flagged(self) -> list[str]:
        """List the files of the user's index whose changes git does not show (assume-unchanged, skip-worktree)."""
        flagged = (one.path for tag, one in self._listing() if tag == "S" or tag.islower())
        return [to_project(self._prefix, path) for path in flagged]

    def remote_refs(self, commits: Sequence[str]) -> list[tuple[str, str]]:
        """List the remote-tracking branches that contain one of some commits, each with its newest commit."""
        return user_refs.remote_refs(self._tree, commits)

    def file_digest(self, path: str) -> str:
        """Return a digest of a file's content and mode; `deleted` for a missing one."""
        return content.digest(self.top, to_git(self._prefix, path))

    def check_out(self, version: str, folder: Path, moved: Collection[str]) -> None:
        """Write a tree that `trees` knows into a new folder, with history; the submodules of `moved` as it has them."""
        checkout.check_out(self._tree, self.trees, version, folder, all_to_git(self._prefix, moved))

    def list_created(self, folder: Path) -> list[str]:
        """List what a folder that `check_out` made holds beside its tree, without what its ignore rules name."""
        return checkout.list_created(folder)

    def list_tracked(self, folder: Path) -> list[str]:
        """List what of its tree a folder that `check_out` made holds."""
        return checkout.list_tracked(folder)

    def list_changed(self, folder: Path, paths: Collection[str]) -> list[str]:
        """List those of the paths that a folder of `check_out` holds otherwise than its tree."""
        return checkout.list_changed(folder, paths)

    def list_other_modules(self, folder: Path, paths: Collection[str]) -> list[str]:
        """List the submodules among the paths that a folder of `check_out` lacks or holds otherwise than its tree."""
        return checkout.list_other_modules(folder, paths)

    def overlay(self, version: str, folder: Path, paths: Collection[str]) -> None:
        """Write `paths` of a tree into a folder that `check_out` made; those it lacks are removed."""
        checkout.overlay(self._tree, self.trees, version, folder, all_to_git(self._prefix, paths))

    def ignored(self) -> list[str]:
        """List what git ignores: files, and folders that hold nothing else, these with a final slash."""
        found = self.trees.once("ignored", lambda: snapshot.ignored(self._tree))
        return [to_project(self._prefix, path) for path in found]

    def files_below(self, paths: Sequence[str], most: int) -> list[str]:
        """List the files among the paths and in those that are folders (final slash); a folder of too many itself."""
        found: list[str] = []
        for path in paths:
            place = to_git(self._prefix, path)
            inner = content.files_below(self.top, place, most - len(found)) if path.endswith("/") else None
            found += [path] if inner is None else [to_project(self._prefix, each) for each in inner]
        return found

    def changed_at(self, paths: Sequence[str]) -> dict[str, int]:
        """Return when the files and folders that hold something were changed, contents or permissions, in ns."""
        found = {path: content.changed_at(self.top, to_git(self._prefix, path)) for path in paths}
        return {path: when for path, when in found.items() if when}

    def compare(self, old: str, new: str) -> dict[str, str]:
        """Return the paths in which two trees or commits differ, each with the change's status."""
        return keys_to_project(self._prefix, self.trees.compare(old, new))

    def sides(self, old: str, new: str) -> list[tuple[Entry, Entry]]:
        """Return the paths in which two trees or commits differ, each before and after."""
        found = self.trees.sides(old, new)
        return [(self._seen(before), self._seen(after)) for before, after in found] if self._prefix else found

    def _seen(self, entry: Entry) -> Entry:
        return replace(entry, path=to_project(self._prefix, entry.path))

    def as_committed(self, tree: str, commit: str, paths: Collection[str] = ()) -> str:
        """Return the tree with `.code-intel` and these paths as they are in a commit."""
        return self.trees.as_committed(tree, commit, all_to_git(self._prefix, paths))

    def ignores(self, path: str) -> bool:
        """Return True if git ignores a path."""
        return snapshot.ignores(self._tree, to_git(self._prefix, path))

    def find(self, name: str) -> list[str]:
        """List the files with this name in any folder of the whole work tree that git tracks or would add."""
        return [to_project(self._prefix, path) for path in snapshot.find(self._tree, name)]

    def stale_task_branches(self, own: str | None) -> list[str]:
        """List the task branches other than `own`."""
        return branches.stale(self._tree, own)

    def base_of(self, task_branch: str) -> str | None:
        """Return the branch a task branch was created from."""
        return branches.base_of(self._tree, task_branch)

    def own_commits(self, task_branch: str) -> list[str]:
        """List the commits of a task branch that its base lacks, newest first."""
        return branch_status.own_commits(self._tree, task_branch, self.base_of(task_branch))

    def own_changes(self, task_branch: str) -> str:
        """Return what a task branch adds to its base, for a person: commits by subject, files with their sizes."""
        return branch_status.own_changes(self._tree, task_branch, self.base_of(task_branch))

    def fork_of(self, task_branch: str) -> str:
        """Return the commit at which a task branch left its base."""
        return branch_status.fork_of(self._tree, task_branch, self.base_of(task_branch))

    def create_task_branch(self, session_id: str, base: str) -> str:
        """Check out the session's task branch, with uncommitted work unchanged; return its name."""
        return branches.create(self._tree, session_id, base)

    def delete_branches(self, names: Sequence[str]) -> list[str]:
        """Delete task branches, switching away from one that is checked out; return the trash refs created."""
        return branches.delete(self._tree, names)

    def merge_stale(self, names: Sequence[str]) -> list[str]:
        """Merge the stale branch into its base and delete the others; return the trash refs created."""
        return merge.merge_stale(self._tree, names)

    def changes(self, base_commit: str, dirty_at_start: Mapping[str, str], end: str = "") -> list[Changed]:
        """List every path that differs from the base commit, in the work tree or the tree `end`, sorted by path."""
        dirty = keys_to_git(self._prefix, dirty_at_start)
        found = changes.changes(self._tree, self.trees, base_commit, dirty, end)
        return [self._seen_change(change) for change in found] if self._prefix else found

    def _seen_change(self, change: Changed) -> Changed:
        old_path = to_project(self._prefix, change.old_path) if change.old_path else ""
        return replace(change, path=to_project(self._prefix, change.path), old_path=old_path)

    def diff_text(
        self, base_commit: str, path: str, *, old_path: str = "", end: str = "", context: int = CONTEXT
    ) -> str:
        """Return the unified diff of one path; passing the `old_path` of a rename saves searching for it."""
        old_path = to_git(self._prefix, old_path) if old_path else ""
        path = to_git(self._prefix, path)
        return changes.diff_text(self._tree, self.trees, base_commit, path, old_path, end, context)

    def patches(self, base_commit: str, end: str = "", context: int = CONTEXT) -> dict[str, str]:
        """Return the unified diffs of all changed paths, to a commit, a tree or the work tree."""
        return keys_to_project(self._prefix, changes.patches(self._tree, self.trees, base_commit, end, context))

    def contains(self, commit: str, tip: str) -> bool:
        """Return True if the history of `tip` holds the commit."""
        return self._tree.contains(commit, tip)

    def message_of(self, commit: str) -> str:
        """Return the message of a commit with its trailers; undecodable bytes are replaced."""
        return changes.message_of(self._tree, commit)

    def text_at(self, commit: str, path: str) -> str:
        """Return the text of a path in a commit, "" if it has no file there; undecodable bytes are replaced."""
        return changes.text_at(self._tree, self.trees, commit, to_git(self._prefix, path))

    def commit_paths(
        self,
        paths: Sequence[str],
        message: str,
        session_id: str,
        known: Collection[str] = (),
        left_out: Sequence[str] = (),
        base_commit: str = "",
        contents: Mapping[str, str] | None = None,
    ) -> str:
        """Commit exactly these paths with the session's trailer.

        If someone else has committed them already (HEAD is none of the `known` commits), the commit is empty and only
        records that they were reviewed. The commit restores `left_out` from the base commit; the work tree keeps them.
        A path whose mode and object are not as `contents` says is not committed: the commit fails.
        """
        return commit.commit_paths(
            self._tree,
            all_to_git(self._prefix, paths),
            message,
            session_id,
            known,
            all_to_git(self._prefix, left_out),
            base_commit,
            keys_to_git(self._prefix, contents or {}),
        )

    def fold(self, task_branch: str, session_id: str) -> tuple[str, str] | None:
        """Make the session's newest commits one; return it and the trash ref of the others, None if there is one."""
        return commit.fold(self._tree, task_branch, session_id)

    def session_commits(self, base_commit: str, session_id: str) -> list[str]:
        """List the commits since the base that carry the session's trailer, newest first."""
        return commit.session_commits(self._tree, base_commit, session_id)

    def branch_status(self, task_branch: str, base: str, reviewed: str, since: str) -> BranchStatus:
        """Compare a task branch with the reviewed commit, in a session that began at the commit `since`."""
        tips = self.tips(task_branch, base)
        found = branch_status.branch_status(self._tree, tips, task_branch, reviewed, since)
        lists = (found.own, found.late, found.settings)
        own, late, settings = (tuple(to_project(self._prefix, path) for path in paths) for paths in lists)
        return replace(found, own=own, late=late, settings=settings)

    def landed(self, reviewed: str) -> bool:
        """Return True if HEAD contains the reviewed commit, as it is or squashed."""
        return merge.landed(self._tree, reviewed)

    def tips(self, branch: str, base: str) -> Tips:
        """Return the tips of a session's branch and base; the checked out one is the commit at HEAD."""
        found = self.trees.once(f"tips {branch} {base}", lambda: branch_status.tips(self._tree, branch, base))
        if found.is_checked_out and found.branch:
            self.trees.note("head", found.branch)
        return found

    def followed(self, base_commit: str, branch: str, base: str) -> str:
        """Return the newest commit of the session's base that HEAD contains."""
        return branch_status.followed(self._tree, base_commit, branch, base)

    def commits_between(self, old: str, new: str) -> tuple[str, ...]:
        """List the newest commits that `new` contains and `old` does not, by short id and subject."""
        return branch_status.commits_between(self._tree, new, old)

    def commits_since(self, tips: Sequence[str]) -> tuple[str, ...]:
        """List the newest commits that the base contains and none of the tips does, by short id and subject.

        The base is HEAD, or the base of a task branch that is checked out.
        """
        here = self.current_branch() or ""
        base = (self.base_of(here) or here) if here.startswith(TASK_PREFIX) else ""
        start = (self.branch_head(base) if base else None) or self.head_commit()
        return () if base == here else branch_status.commits_between(self._tree, start, *tips)

    def keep_tip(self, branch: str) -> str:
        """Record the tip of a branch; return the trash ref of commits it lost since the last check, or ""."""
        return branch_status.keep_tip(self._tree, branch)

    def discard(self, paths: Sequence[str], base_commit: str, session_id: str) -> str:
        """Restore paths from the base commit; return the trash ref that keeps their present versions."""
        return discard.discard(self._tree, self.trees, all_to_git(self._prefix, paths), base_commit, session_id)

    def merge(
        self,
        task_branch: str,
        base: str,
        mode: str,
        session_id: str,
        message: str,
        *,
        verified: bool = False,
        doubts: int = 0,
    ) -> str:
        """Merge the task branch, switch to the base, delete the task branch; return the base's commit.

        `verified` says that the branch's tree is: a merge commit with the very same tree names it in a trailer, and the
        number of doubts in another one.
        """
        try:
            return merge.merge(
                self._tree, task_branch, base, mode, session_id, message, verified=verified, doubts=doubts
            )
        except MergeConflict as fault:
            raise MergeConflict([to_project(self._prefix, path) for path in fault.paths]) from fault

    def settings(self) -> snapshot.Settings:
        """Return what git's settings are now."""
        return snapshot.read_settings(self._tree)

    def replaced(self) -> dict[str, str]:
        """Return the objects that `git replace` shows in the place of others, by the refs that say so."""
        return self._tree.replaced()

    def undo_list(self) -> list[dict[str, str]]:
        """List the trash refs, newest first: `ref`, `name`, `commit`, `date`, `subject`."""
        return refs.undo_list(self._tree)

    def undo(self, ref: str) -> str:
        """Restore a trash ref as a branch; return the branch's name."""
        return refs.undo(self._tree, ref)
