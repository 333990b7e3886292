"""A work tree, and the queries that every operation needs: its folders, HEAD, refs and commits.

Revisions are always named by full ref name or object id, so that no name can be taken for an option or for another kind
of ref.
"""

import os
import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from codeintel_contract import read_file
from codeintel_session.git.faults import GitFault, HeadDetached, NoCommit, NotARepository, WorkTreeElsewhere
from codeintel_session.git.names import HEADS, OWN_FOLDER
from codeintel_session.git.process import GitProcess

_OBJECT = re.compile(r"[0-9a-f]{4,64}")
_UNFIT = re.compile(r"^[-/]|[\0-\x20\x7f~^:?*[\\]|\.\.|@{|//|(?:^|/)\.|\.lock(?:/|\Z)|[/.]\Z")
"""What `git check-ref-format` refuses in the name of a branch, and the sign of an option."""
_SYMBOLIC = "ref: "
_REF_BYTES = 5000
_PACKED_BYTES = 4_000_000  # git looks through a longer one in less time
_REPLACE = "refs/replace/"
# Files that exist in the git directory while an operation of the user is under way.
_UNDER_WAY = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
}


@dataclass(frozen=True, slots=True)
class WorkTree:
    """One work tree: its top level, its own git directory, and the one it shares with linked work trees."""

    root: Path
    git_dir: Path
    common_dir: Path
    index: Path
    objects: Path
    git: GitProcess
    prefix: str = ""
    """The project's folder below the top, "" if the project is the whole work tree."""
    id_width: int = 40
    """The digits of an object's id: 64 in a repository with SHA-256."""
    _known: set[str] = field(default_factory=set, compare=False, repr=False)
    """Ids of commits that git has named: what they are never changes."""

    @classmethod
    def at(cls, start: Path) -> "WorkTree":
        """Open the work tree that holds `start`."""
        git = GitProcess(start if start.is_dir() else start.parent)
        asked = ("--show-toplevel", "--git-dir", "--git-common-dir", "--git-path", "index", "--git-path", "objects")
        found = git.probe("rev-parse", "--path-format=absolute", *asked, "--show-object-format")
        if found.status != 0 or not found.text:  # without a work tree the first question fails
            raise NotARepository(start, found.err.strip())
        *lines, kind = found.text.split("\n")
        part = len(lines) // 5  # more than one line each if the root's name has line breaks
        paths = [Path("\n".join(lines[at : at + part])) for at in range(0, len(lines), part)]
        if len(paths) != 5 or not all(path.is_dir() for path in paths[:3]):
            raise GitFault(f"a folder of the repository has a line break in its name: {found.text!r}")
        root, git_dir, common_dir, index, objects = paths
        top = next((each for each in (git.at, *git.at.parents) if os.path.lexists(each / ".git")), root)
        if not top.samefile(root):
            raise WorkTreeElsewhere(top, root)
        return cls(root, git_dir, common_dir, index, objects, GitProcess(root), id_width=40 if kind == "sha1" else 64)

    def for_project(self, folder: Path) -> "WorkTree":
        """Return this work tree for a project in one of its folders."""
        prefix = GitProcess(folder).read("rev-parse", "--show-prefix").text.rstrip("/")
        return replace(self, prefix=prefix)

    def inner(self, path: str) -> "WorkTree | None":
        """Open the submodule or nested repository at a path; None if there is none."""
        try:
            found = WorkTree.at(self.root / path)
        except (NotARepository, WorkTreeElsewhere):
            return None
        return None if found.root.samefile(self.root) else found  # the outer one: `.git` is not a repository

    @property
    def own_folder(self) -> str:
        """The server's own folder, as git spells it."""
        return f"{self.prefix}/{OWN_FOLDER}" if self.prefix else OWN_FOLDER

    @property
    def all_but_own(self) -> tuple[str, ...]:
        """What makes a command speak of everything but the server's own folder."""
        return ("--", ".", f":(exclude,literal){self.own_folder}")

    def is_own(self, path: str) -> bool:
        """Return True if a path of git lies in the server's own folder."""
        return path == self.own_folder or path.startswith(f"{self.own_folder}/")

    def objects_in(self, folder: Path) -> dict[str, str]:
        """Return the environment in which git keeps new objects in a folder, and finds those of the repository."""
        # Quoted, so that neither a colon nor a quote splits a list of paths.
        alternate = str(self.objects).replace("\\", "\\\\").replace('"', '\\"')
        return {"GIT_OBJECT_DIRECTORY": str(folder), "GIT_ALTERNATE_OBJECT_DIRECTORIES": f'"{alternate}"'}

    def commit(self, revision: str) -> str | None:
        """Resolve `HEAD`, a full ref name or an object id to a commit; None if there is none."""
        if revision != "HEAD" and not revision.startswith("refs/") and not is_object(revision):
            raise GitFault(f"not a commit: {revision!r}")
        found = self.git.probe("rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}")
        if found.status != 0:
            return None
        self._known.add(found.text)
        return found.text

    def known_commit(self, revision: str) -> str:
        """Resolve as `commit` does. Raises GitFault: there is no such commit."""
        if revision in self._known:
            return revision
        found = self.commit(revision)
        if found is None:
            raise GitFault(f"no such commit: {revision!r}")
        return found

    def head(self) -> str:
        """Return the commit at HEAD."""
        found = self.commit("HEAD")
        if found is None:
            raise NoCommit(self.root)
        return found

    def branch(self) -> str | None:
        """Return the branch that is checked out, None if HEAD is detached.

        Git is asked only if HEAD is not a file that names a branch, or if that branch is another name for a ref.
        """
        ref = _named_in(self.git_dir / "HEAD")
        branch = ref.removeprefix(HEADS)
        if branch != ref and self.fit(branch) and not _named_in(self.common_dir / ref):
            return branch
        name = self.git.probe("symbolic-ref", "--quiet", "HEAD")
        return name.text.removeprefix(HEADS) if name.status == 0 else None

    def attached(self) -> str:
        """Return the branch that is checked out. Raises HeadDetached: there is none."""
        name = self.branch()
        if name is None:
            raise HeadDetached("HEAD is detached")
        return name

    def tip(self, branch: str) -> str | None:
        """Return the commit of a local branch, None if there is no such branch or the name is not valid."""
        if not self.fit(branch):
            return None
        return self.commit(HEADS + branch)

    def symbolic(self, branch: str) -> str:
        """Return the ref for which a branch is another name, "" for one with a commit of its own or none."""
        return _named_in(self.common_dir / (HEADS + branch)) if self.fit(branch) else ""

    def fit(self, branch: str) -> bool:
        """Return True if a text can be the name of a branch."""
        return bool(branch) and not _UNFIT.search(branch)

    def refs(self, under: str) -> dict[str, str]:
        """List the refs below a prefix with the objects they point to."""
        listed = self.git.read("for-each-ref", "--format=%(objectname) %(refname)", under).text
        pairs = (line.split(" ", 1) for line in listed.splitlines())
        return {name: commit for commit, name in pairs}

    def branches(self) -> dict[str, str]:
        """List the local branches with their commits."""
        return {name.removeprefix(HEADS): commit for name, commit in self.refs(HEADS).items()}

    def replaced(self) -> dict[str, str]:
        """List the refs of `git replace` with the objects they point to.

        Git is asked only if its files show that there may be some: a folder, a line of packed refs, or refs that are
        kept in another way.
        """
        is_usual = (self.common_dir / HEADS).is_dir() and not (self.common_dir / _REPLACE).exists()
        return {} if is_usual and not _is_packed(self.common_dir, _REPLACE) else self.refs(_REPLACE)

    def contains(self, ancestor: str, descendant: str) -> bool:
        """Return True if `ancestor` is reachable from `descendant`."""
        return self.git.probe("merge-base", "--is-ancestor", ancestor, descendant).status == 0

    def elsewhere(self, branch: str) -> str | None:
        """Return the other work tree in which a branch is checked out, None if there is none."""
        if not (self.common_dir / "worktrees").is_dir():
            return None
        listed = os.fsdecode(self.git.read("worktree", "list", "--porcelain", "-z").out)
        for block in listed.split("\0\0"):
            lines = block.split("\0")
            place = Path(lines[0].removeprefix("worktree "))
            if f"branch {HEADS}{branch}" in lines and not (place.exists() and place.samefile(self.root)):
                return str(place)
        return None

    def signing(self) -> list[str]:
        """Return the option by which a new commit is signed, if the user's are."""
        wanted = self.git.probe("config", "--type=bool", "--get", "commit.gpgSign").text
        return ["-S"] if wanted == "true" else []

    def under_way(self) -> str | None:
        """Return the operation of the user that is under way (a merge, a rebase), None if there is none."""
        return next((what for name, what in _UNDER_WAY.items() if (self.git_dir / name).exists()), None)


def _named_in(file: Path) -> str:
    """Return the ref that the file of a symbolic ref names, "" for any other file or none."""
    try:
        text = os.fsdecode(read_file(None, file, _REF_BYTES))
    except OSError:
        return ""
    return text.removeprefix(_SYMBOLIC).strip() if text.startswith(_SYMBOLIC) else ""


def _is_packed(folder: Path, under: str) -> bool:
    """Return True if the file of packed refs may hold one below a prefix."""
    try:
        return f" {under}".encode() in read_file(None, folder / "packed-refs", _PACKED_BYTES)
    except FileNotFoundError:
        return False
    except OSError:
        return True


def is_object(text: str) -> bool:
    """Return True if a text can be the id of an object."""
    return _OBJECT.fullmatch(text) is not None
