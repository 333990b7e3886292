"""The trees of a session: the work tree as git tree objects, taken again and again at little cost.

Interface. `take()` returns the id of a git tree that holds every tracked and untracked file that git does not ignore,
as it is now; `.code-intel` is left out. Within `one_moment()` it is taken once. `compare(old, new)` returns the paths
in which two trees differ. `as_committed(tree, commit, paths)` returns the tree as a commit on `commit` would hold it if
it left `paths` out: these and `.code-intel` are as in that commit. `env` is the environment in which any git command
can read such a tree: to materialize one elsewhere, run `read-tree TREE` with an index of your own, then
`checkout-index --all --prefix=FOLDER/`.
A submodule or nested repository is an entry of mode 160000; one whose own content is not committed has an id that names
no commit and stands for that content, so that a change in it changes the tree. `remove()` ends it all.

Index and objects belong to the session and lie in its folder. The user's object store is an alternate that is only
read: nothing of the user's untracked files lands in it. The index keeps git's cached file data, so that a second tree
costs two processes if nothing changed. It is built again if anyone else wrote to it, and follows the user's index,
which alone knows the files that are tracked although they are ignored.
"""

import hashlib
import os
import shutil
import stat
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from codeintel_contract import quote_name
from codeintel_session.git import content
from codeintel_session.git.content import Marks, marks
from codeintel_session.git.faults import GitFailed, GitFault
from codeintel_session.git.index import Entry, index_info, parse_entries, raw_sides
from codeintel_session.git.names import names_in, nul
from codeintel_session.git.process import KILLED, Outcome
from codeintel_session.git.snapshot import unmarking
from codeintel_session.git.worktree import WorkTree

LINK = "160000"
_QUICK = ("-c", "core.looseCompression=0", "-c", "core.compression=0", "-c", "core.createObject=rename")
_NO_ATTRIBUTES = ("-c", f"core.attributesFile={os.devnull}")
_QUIET_ENV = {"GIT_ATTR_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
_ANSWERS = 32
_ANSWERS_BYTES = 16_000_000
_TRUSTING_ALL_STAMPS = ("-c", "core.trustctime=true", "-c", "core.checkStat=default")
_AS_ONE_PACK = ("-c", "core.bigFileThreshold=1")
_LOOSE = ("-c", "core.bigFileThreshold=200m")
"""A larger file goes into a pack, which has to be digested too, and takes twice the time."""
_MANY = 200
"""So many new files are written as one pack: as loose objects 20,000 of them take four times as long."""
_AT_ONCE = 10_000
"""Of more git is asked again: to find out what its pack holds already, it goes through all that it wrote."""

_NEW_BYTES = 500_000_000
"""Of all new files of one tree: git digests and copies them, at 80 to 100 MB a second."""
_MOST_INSIDE = 200
"""Submodules and nested repositories: each takes several processes of git, and 2,000 took more than a minute."""

T = TypeVar("T")


class SessionTrees:
    """The trees of one work tree, with index and objects in a folder that no other process uses. Thread-safe.

    Without a folder they are temporary.
    """

    def __init__(self, tree: WorkTree, folder: Path | None = None) -> None:
        self._tree = tree
        self.all_but_own = tree.all_but_own
        self._end: weakref.finalize[..., SessionTrees] | None = None
        if folder is not None:
            self._folder = folder
        self._lock = threading.RLock()
        self._moment = threading.local()
        self._forget()

    @cached_property
    def _folder(self) -> Path:
        """Make a temporary folder where none is given, with the first tree: most objects take none."""
        folder = Path(tempfile.mkdtemp(prefix="codeintel-"))
        self._end = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return folder

    @property
    def _index(self) -> Path:
        return self._folder / "work-index"  # not "index", which git would read beside the objects

    def _forget(self) -> None:
        self._written: Marks = None
        self._user_index: Marks = None
        self._id = ""
        self._is_sparse = False
        self._gone: set[str] = set()  # missing tracked files: git does not list one that returns and is ignored
        self._links: dict[str, str] = {}  # submodules and nested repositories with the id that the index holds
        self._inner: dict[str, SessionTrees] = {}
        self._answers: dict[tuple[str, ...], bytes] = {}
        self._committed: dict[tuple[str, str, tuple[str, ...]], str] = {}

    @property
    def env(self) -> Mapping[str, str]:
        """The environment in which git reads these trees, and writes what it makes of them beside them."""
        return self._tree.objects_in(self._folder / "objects")

    def git(self, *args: str, stdin: bytes | None = None) -> Outcome:
        """Run a reading command that finds the objects of these trees."""
        self._make_folder()
        return self._tree.git.read(*args, stdin=stdin, env=self.env)

    def alone(self, *args: str) -> bytes:
        """Return what a command prints about objects, outside of the repository: its settings and attributes are not
        heard. The same words always give the same answer, so the last answers are kept."""
        return self.kept(args, lambda: self._ask_alone(*args))

    def kept(self, args: tuple[str, ...], ask: Callable[[], bytes]) -> bytes:
        """Return the answer to a question about objects, and keep it, as it never changes."""
        known = self._answers.get(args)
        if known is not None:
            return known
        answer = self._answers[args] = ask()
        while len(self._answers) > _ANSWERS or sum(map(len, self._answers.values())) > _ANSWERS_BYTES:
            del self._answers[next(iter(self._answers))]
        return answer

    def _ask_alone(self, *args: str) -> bytes:
        self._make_folder()
        words = (f"--git-dir={self._folder}", *_NO_ATTRIBUTES, *args)
        return self._tree.git.read(*words, env={**self.env, **_QUIET_ENV}).out

    @contextmanager
    def one_moment(self) -> Iterator[None]:
        """Read the work tree and HEAD once in here, so that all that is judged together is judged of one moment.

        It holds for the present thread. A moment within a moment is a part of it.
        """
        if getattr(self._moment, "read", None) is not None:
            yield
            return
        self._moment.read = {}
        try:
            yield
        finally:
            self._moment.read = None

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Read the work tree and HEAD each time they are asked for in here; after it another moment begins, if this is
        done in one."""
        is_moment = getattr(self._moment, "read", None) is not None
        self._moment.read = None
        try:
            yield
        finally:
            self._moment.read = {} if is_moment else None

    def once(self, name: str, read: Callable[[], T]) -> T:
        """Return what was read in this moment under a name; outside of one, read it."""
        known: dict[str, Any] | None = getattr(self._moment, "read", None)
        if known is None:
            return read()
        if name not in known:
            known[name] = read()
        found: T = known[name]
        return found

    def note(self, name: str, value: str) -> None:
        """Keep what another command has read in this moment, so that `once` need not read it."""
        known: dict[str, Any] | None = getattr(self._moment, "read", None)
        if known is not None:
            known.setdefault(name, value)

    def head(self) -> str:
        """Return the commit at HEAD as it is now, or was when this moment began; "" if there is none."""
        return self.once("head", lambda: self._tree.commit("HEAD") or "")

    def take(self) -> str:
        """Return the tree of the work tree as it is now, or was when this moment began."""
        return self.once("tree", self._take_safely)

    def _take_safely(self) -> str:
        with self._lock:
            try:
                return self._take()
            except GitFailed as fault:  # a lock of a process that was killed, an object that was removed
                if fault.status == KILLED:
                    raise  # it took too long, and would again
                self.remove()
                return self._take()

    def empty(self) -> str:
        """Return the empty tree."""
        return self.git("hash-object", "-w", "-t", "tree", "--stdin", stdin=b"").text

    def holds(self, tree: str) -> bool:
        """Return True if a tree can be read."""
        self._make_folder()
        return bool(tree) and self._tree.git.probe("cat-file", "-e", tree + "^{tree}", env=self.env).status == 0

    def compare(self, old: str, new: str) -> dict[str, str]:
        """Return the paths in which two trees or commits, by their ids, differ, each with the change's status:
        added, deleted, modified, mode or type_changed."""
        return {before.path: _status(before, after) for before, after in self.sides(old, new)}

    def sides(self, old: str, new: str) -> list[tuple[Entry, Entry]]:
        """Return the paths in which two trees or commits differ, each before and after."""
        if old == new:
            return []
        words = ("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--ignore-submodules=none")
        return raw_sides(self.alone(*words, old, new, *self.all_but_own))

    def as_committed(self, tree: str, commit: str, paths: Iterable[str] = ()) -> str:
        """Return the tree with `.code-intel` and these paths as they are in a commit."""
        key = (tree, commit, tuple(sorted(paths)))
        with self._lock:
            if key not in self._committed:
                found = self._committed[key] = self._graft(*key)
                self._committed[found, commit, ()] = found
            return self._committed[key]

    def leave(self) -> None:
        """Remove what is temporary; for a process that ends without what others do at their end."""
        if self._end is not None:
            self._end()

    def remove(self) -> None:
        """Remove index and objects; the next tree is built from nothing."""
        with self._lock:
            self._forget()
            shutil.rmtree(self._folder, ignore_errors=True)

    def _make_folder(self) -> None:
        """Make the folder, which is a bare repository without a commit."""
        if (self._folder / "HEAD").is_file():
            return
        for name in ("objects", "refs"):
            (self._folder / name).mkdir(parents=True, exist_ok=True, mode=0o700)
        version, extension = (0, "") if self._tree.id_width == 40 else (1, "[extensions]\n\tobjectFormat = sha256\n")
        settings = f"[core]\n\trepositoryFormatVersion = {version}\n\tbare = true\n{extension}"
        (self._folder / "config").write_text(settings, encoding="utf-8")
        (self._folder / "HEAD").write_text("ref: refs/heads/none\n", encoding="utf-8")

    def _run(self, *args: str, stdin: bytes | None = None, index: Path | None = None) -> Outcome:
        """Run a command on the session's index, or on another one."""
        if index is None and stdin is not None:
            self._id = ""  # entries change
        env = {**self.env, "GIT_INDEX_FILE": str(index or self._index)}
        return self._tree.git.read(*_TRUSTING_ALL_STAMPS, *args, stdin=stdin, env=env)

    def _take(self) -> str:
        user_index = marks(self._tree.index)
        if self._written is None or self._written != marks(self._index) or self._has_lost_a_link():
            self._build()
        elif user_index != self._user_index:
            self._follow()
        self._user_index = user_index
        self._stage_changes()
        if not self._id:
            self._id = self._run("write-tree", "--missing-ok").text
        self._written = marks(self._index)
        return self._id

    def _build(self) -> None:
        """Begin with a copy of the user's index, without the flags that hide changes."""
        self._forget()
        self._make_folder()
        for path in (self._index, self._index.with_suffix(".lock")):
            path.unlink(missing_ok=True)
        if self._tree.index.exists():
            # The copy keeps the time stamp: git trusts a cached entry only if it is older than its index.
            shutil.copy2(self._tree.index, self._index)
        listed = names_in(self._run("ls-files", "-v", "-s", "-z").out)
        entries = [(*facts.split(" "), path) for facts, _, path in (line.partition("\t") for line in listed)]
        self._is_sparse = any(tag in "Ss" for tag, *_ in entries)
        self._links = {path: "" for _, mode, *_, path in entries if mode == LINK}
        for option, paths in unmarking(self._tree.root, [(tag, path) for tag, *_, path in entries if tag != "H"]):
            self._run("update-index", option, "-z", "--stdin", stdin=nul(paths))
        self._drop([path for *_, path in entries if self._tree.is_own(path)])
        self._stage(dict.fromkeys(path for *_, stage, path in entries if stage != "0"))

    def _has_lost_a_link(self) -> bool:
        """Return True if a repository inside is none any more: git would not list the files in its place."""
        return any(link and not content.is_repository(self._tree.root, path) for path, link in self._links.items())

    def _follow(self) -> None:
        """Take over what the user's index has come to track, and drop ignored files that it no longer tracks."""
        if self._is_sparse:
            self._build()
            return
        theirs = set(names_in(self._tree.git.read("ls-files", "-z", *self.all_but_own).out))
        ours = set(names_in(self._run("ls-files", "-z").out))
        extra = [f"./{path}" for path in ours - theirs if path not in self._links]
        if extra:
            ignored = self._tree.git.probe("check-ignore", "--no-index", "-z", "--stdin", stdin=nul(extra)).out
            self._drop([path.removeprefix("./") for path in names_in(ignored)])
        self._stage(path for path in theirs - ours if content.exists(self._tree.root, path))

    def _stage_changes(self) -> None:
        """Bring the index up to date with the work tree."""
        untracked = self._words("ls-files", "-z", "-o", "--exclude-standard")
        # By their stamps alone: `ls-files -m` would read each file, and a touched one at every tree.
        tracked = self._words("diff-files", "-z", "--name-status", "--ignore-submodules=dirty")
        rows = list(zip(tracked[::2], tracked[1::2], strict=True))
        nested = [path.rstrip("/") for path in untracked if path.endswith("/")]
        missing = {path for status, path in rows if status == "D"}
        returned = {path for path in self._gone if content.exists(self._tree.root, path)}
        new = self._readable(path for path in untracked if not path.endswith("/"))
        edited = [path for status, path in rows if status != "D"]
        self._gone = (self._gone | missing) - returned
        self._add(new)
        self._stage(path for path in {*edited, *missing, *returned} if not self._is_linked(path))
        self._link({*self._links, *nested})

    def _readable(self, paths: Iterable[str]) -> list[str]:
        """Return the untracked files that can be read. Raises GitFault: they are too large together."""
        found = [path for path in paths if content.is_readable(self._tree.root, path)]
        sizes = {path: os.lstat(f"{self._tree.root}/{path}").st_size for path in found}
        total = sum(sizes.values())
        if total > _NEW_BYTES:
            largest = quote_name(max(sizes, key=lambda path: sizes[path]))
            raise GitFault(
                f"git would copy {total // 1_000_000} MB of new files, and at most {_NEW_BYTES // 1_000_000} MB are"
                f" copied at once. The largest is {largest}. Have git ignore what is not part of the project"
            )
        return found

    def _words(self, *command: str) -> list[str]:
        """Return what a command lists of the session's index and the work tree, without `.code-intel`."""
        return names_in(self._run(*command, *self.all_but_own).out)

    def _is_linked(self, path: str) -> bool:
        return path in self._links and content.is_repository(self._tree.root, path)

    def _stage(self, paths: Iterable[str]) -> None:
        """Stage the present versions of paths that may be of any kind; what git cannot hold is gone."""
        root, present, gone = self._tree.root, [], []
        for path in paths:
            if not content.exists(root, path):
                gone.append(path)
            elif content.is_repository(root, path):
                self._links.setdefault(path, "")
            elif stat.S_IFMT((root / path).lstat().st_mode) not in (stat.S_IFREG, stat.S_IFLNK):
                gone.append(path)
            elif content.is_readable(root, path):
                present.append(path)
        self._drop(gone)
        self._add(present)

    def _add(self, paths: Sequence[str]) -> None:
        for start in range(0, len(paths), _AT_ONCE):
            some = paths[start : start + _AT_ONCE]
            how = _AS_ONE_PACK if len(some) > _MANY else _LOOSE
            self._run(*_QUICK, *how, "update-index", "--add", "--remove", "--replace", "-z", "--stdin", stdin=nul(some))

    def _drop(self, paths: Sequence[str]) -> None:
        for path in paths:
            self._links.pop(path, None)
        if paths:
            self._run("update-index", "--force-remove", "-z", "--stdin", stdin=nul(paths))

    def _link(self, paths: Iterable[str]) -> None:
        """Enter the present state of submodules and nested repositories. Raises GitFault: there are too many."""
        inside = sorted(path for path in paths if content.is_repository(self._tree.root, path))
        if len(inside) > _MOST_INSIDE:
            raise GitFault(
                f"{len(inside)} repositories lie inside this one, the first is {quote_name(inside[0])}, and at most"
                f" {_MOST_INSIDE} are compared. Have git ignore those that are not submodules"
            )
        found = {path: self._state_of(path) for path in inside}
        changed = {path: link for path, link in found.items() if link and self._links.get(path) != link}
        self._links |= changed
        self._put(Entry(path, LINK, link) for path, link in changed.items())

    def _put(self, entries: Iterable[Entry], index: Path | None = None) -> None:
        listed = list(entries)
        if listed:
            given = index_info(listed, self._tree.id_width)
            self._run("update-index", "--add", "--replace", "-z", "--index-info", stdin=given, index=index)

    def _state_of(self, path: str) -> str:
        """Return the commit of a repository inside, or an id that stands for its content if that is not committed."""
        tree = None if path in self._inner else self._tree.inner(path)
        if tree is not None:
            folder = self._folder / "inner" / hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
            self._inner[path] = SessionTrees(tree, folder)
        inner = self._inner.get(path)
        if inner is None:
            return ""
        head, now = inner._tree.commit("HEAD") or "", inner.take()
        if head and not inner.compare(head, now):
            return head
        make = hashlib.sha1 if len(now) == 40 else hashlib.sha256
        return make(f"{head}:{now}".encode()).hexdigest()

    def _graft(self, tree: str, commit: str, paths: Sequence[str]) -> str:
        """Write a tree with some paths as they are in a commit."""
        words = ("ls-tree", "-r", "-z", "--full-tree", commit)
        entries = parse_entries(self.kept(words, lambda: self._tree.git.read(*words).out))
        own = [entry for path, entry in entries.items() if self._tree.is_own(path)]
        if not own and not paths:
            return tree
        self._make_folder()
        index = self._folder / "graft"
        index.unlink(missing_ok=True)
        self._run("read-tree", tree, index=index)
        self._put([*own, *(entries.get(path, Entry(path)) for path in paths)], index)
        return self._run("write-tree", "--missing-ok", index=index).text


def _status(before: Entry, after: Entry) -> str:
    if not before.mode:
        return "added"
    if not after.mode:
        return "deleted"
    if before.mode[:2] != after.mode[:2]:
        return "type_changed"
    return "mode" if before.id == after.id else "modified"
