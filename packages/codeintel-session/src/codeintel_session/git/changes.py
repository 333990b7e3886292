"""The session's changes: the present work tree compared with the commit the session started from.

Commits, staged and unstaged changes and untracked files count together, as one difference of two trees. It is computed
away from the user's repository, whose attributes and settings could call a text binary or have a program show another
one. For files that were dirty before the session, the entries recorded then decide: untouched since (`preexisting`) or
changed further (`touched_preexisting`). Names are parsed only from git's NUL-separated formats; from a patch only hunks
are read, file by file in the order of the raw rows, so no name is ever taken from a patch.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from codeintel_session.git.faults import GitFault
from codeintel_session.git.index import raw_sides
from codeintel_session.git.names import names_in
from codeintel_session.git.process import TEXT_BYTES
from codeintel_session.git.trees import LINK, SessionTrees
from codeintel_session.git.worktree import WorkTree, is_object
from codeintel_session.machine.facts import STAGED, Changed
from codeintel_session.machine.naming import is_prose

_HUNK = re.compile(rb"^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@.*\n", re.MULTILINE)
_PLAIN = ("--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=none", "--inter-hunk-context=0")
GONE = "deleted"
CONTEXT = 3
"""Unchanged lines that a diff shows around a change."""


class Difference(NamedTuple):
    """One changed file of a comparison, as git lists it."""

    letter: str  # A, D, M, R or T
    path: str
    old_path: str
    old_mode: str
    new_mode: str
    old_id: str
    new_id: str
    added: int
    removed: int
    binary: bool

    @property
    def module(self) -> bool:
        """True if either side is a submodule."""
        return LINK in (self.old_mode, self.new_mode)

    @property
    def content(self) -> str:
        """Mode and object of the new side, "" for none."""
        return "" if self.letter == "D" else f"{self.new_mode} {self.new_id}"


def diff_tree(trees: SessionTrees, base: str, end: str, *options: str, paths: tuple[str, ...] = ()) -> bytes:
    """Run `git diff-tree` from the base to a tree, for some paths or for all but the server's own."""
    renames = () if "--no-renames" in options else ("-M", "--no-rename-empty")
    command = ["diff-tree", "-r", *_PLAIN, *renames, *options, base, end]
    if paths:
        return trees.alone("--literal-pathspecs", *command, "--", *paths)
    return trees.alone(*command, *trees.all_but_own)


def differences(trees: SessionTrees, base: str, end: str, *, renames: bool) -> list[Difference]:
    """List the files that differ between the base and a tree."""
    options = () if renames else ("--no-renames",)
    found = diff_tree(trees, base, end, "--raw", "--numstat", "--no-abbrev", "-z", *options)
    pending = iter(names_in(found))
    raw: list[list[str]] = []
    counts: list[list[str]] = []
    for word in pending:
        if word.startswith(":"):
            facts = word[1:].split(" ")
            old_path = next(pending) if facts[-1].startswith("R") else ""
            raw.append([*facts, old_path, next(pending)])
        else:
            *count, name = word.split("\t", 2)
            counts.append(count)
            if not name:  # the two of a rename follow
                next(pending)
                next(pending)
    return [_difference(row, count) for row, count in zip(raw, counts, strict=True)]


def _difference(row: list[str], count: list[str]) -> Difference:
    old_mode, new_mode, old_id, new_id, letter, old_path, path = row
    binary = count[0] == "-"
    added, removed = (0, 0) if binary else map(int, count)
    return Difference(letter[0], path, old_path, old_mode, new_mode, old_id, new_id, added, removed, binary)


@dataclass(frozen=True, slots=True)
class Hunk:
    """The first line and the length of a hunk on the new side, and whether it changes more than white space."""

    first: int
    count: int
    is_blank: bool


def edited_hunks(
    trees: SessionTrees, base: str, end: str, found: list[Difference], *, renames: bool
) -> dict[str, list[Hunk]]:
    """Read the new-side hunks of modified and renamed files."""
    parts = with_patches(trees, base, end, found, "MR", "-U0", *(() if renames else ("--no-renames",)))
    return {one.path: list(_hunks(part, is_prose(one.path))) for one, part in parts}


def with_patches(
    trees: SessionTrees, base: str, end: str, found: Iterable[Difference], letters: str, *options: str
) -> list[tuple[Difference, bytes]]:
    """Return the differences of some kinds, each with its patch. All patches come from one comparison."""
    wanted = [one for one in found if one.letter in letters]
    patch = diff_tree(trees, base, end, "-p", f"--diff-filter={letters}", *options) if wanted else b""
    # Content cannot look like the header of a file: each of its lines begins with a sign.
    parts = [b"diff --git " + part for part in re.split(rb"^diff --git ", patch, flags=re.MULTILINE)[1:]]
    if len(parts) != len(wanted):
        raise GitFault(f"{len(wanted)} files differ, but the patch shows {len(parts)}")
    return list(zip(wanted, parts, strict=True))


def _hunks(patch: bytes, is_text: bool) -> Iterator[Hunk]:
    heads = list(_HUNK.finditer(patch))
    ends = [*(one.start() for one in heads[1:]), *([len(patch)] if heads else [])]
    for head, end in zip(heads, ends, strict=True):
        lines = patch[head.end() : end].split(b"\n")
        old, new = ([_tokens(line[1:], is_text) for line in lines if line[:1] == sign] for sign in (b"-", b"+"))
        is_blank = list(filter(None, old)) == list(filter(None, new))
        yield Hunk(int(head[1]), int(head[2] or b"1"), is_blank)


_QUOTED_OR_SPACE = re.compile(rb"""("[^"]*"|'[^']*'|`[^`]*`)|\s+""")


def _tokens(line: bytes, is_text: bool) -> bytes:
    """Return a line without the white space that cannot mean anything.

    Its indentation means something, what is in quotes, and in a text whether there is any between two words.
    """
    packed = b" ".join(line.split()) if is_text else _QUOTED_OR_SPACE.sub(lambda part: part[1] or b"", line)
    return line[: len(line) - len(line.lstrip(b" \t"))] + packed if packed else b""


_STATUS = {"A": "added", "D": "deleted", "M": "modified", "R": "renamed", "T": "type_changed"}
SHOWN = "ADMR"
"""Kinds of change that have one patch each; a path that changed its type has two."""
Hunks = Mapping[str, list[Hunk]]


def changes(
    tree: WorkTree, trees: SessionTrees, base_commit: str, dirty_at_start: Mapping[str, str], end: str = ""
) -> list[Changed]:
    """List every path in which the work tree, or the tree `end`, differs from the base, sorted by path.

    A pure deletion is represented by the line that now follows it.
    """
    base, end = tree.known_commit(base_commit), _end(trees, end)
    found = differences(trees, base, end, renames=True)
    renames = not any(_straddles(one, dirty_at_start) for one in found)
    if not renames:
        found = differences(trees, base, end, renames=False)
    hunks = edited_hunks(trees, base, end, found, renames=renames)
    now = {one.old_path: "" for one in found} | {one.path: one.content for one in found}
    listed = [_change(trees, one, hunks, dirty_at_start, now) for one in found]
    return sorted(listed, key=lambda change: change.path)


def _end(trees: SessionTrees, end: str) -> str:
    """Return the id of the tree or commit to compare with: that of the work tree for ""."""
    if end and not is_object(end):
        raise GitFault(f"not a tree: {end!r}")
    return end or trees.take()


def dirty(tree: WorkTree, trees: SessionTrees) -> dict[str, str]:
    """Return mode and object of every path that differs from HEAD, in the work tree or in the user's index."""
    head = trees.head() or trees.empty()
    listed = {after.path: after.text or GONE for _, after in trees.sides(head, trees.take())}
    # Of the index alone: the work tree is in its tree already, and would be read again.
    return {path: STAGED for path in staged(trees) if not tree.is_own(path)} | listed


def staged(trees: SessionTrees) -> dict[str, str]:
    """Return mode and object, "" for a missing one, of every path that differs from HEAD in the user's index."""
    words = ("diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", "--ignore-submodules=none")

    def ask() -> dict[str, str]:
        head = trees.head() or trees.empty()
        listed = trees.git(*words, "--ita-invisible-in-index", head, "--").out
        return {after.path: after.text for _, after in raw_sides(listed)}

    return trees.once("staged", ask)


def diff_text(
    tree: WorkTree,
    trees: SessionTrees,
    base_commit: str,
    path: str,
    old_path: str = "",
    end: str = "",
    context: int = CONTEXT,
) -> str:
    """Return the unified diff of one path from the base to the work tree, or to the tree `end`."""
    base, end = tree.known_commit(base_commit), _end(trees, end)
    if not old_path:
        old_path = _renamed_from(tree, trees, base, end, path)
    paths = (path, old_path) if old_path else (path,)
    patch = diff_tree(trees, base, end, "-p", f"-U{context}", paths=paths)
    return _readable(trees, base, end, patch, paths)


def patches(
    tree: WorkTree, trees: SessionTrees, base_commit: str, end: str = "", context: int = CONTEXT
) -> dict[str, str]:
    """Return the unified diff of every added, deleted, modified or renamed path.

    All come from one comparison, of the base with the commit or tree `end`, or with the work tree for "".
    """
    base, end = tree.known_commit(base_commit), _end(trees, end)
    found = differences(trees, base, end, renames=True)
    texts: dict[str, str] = {}
    for one, patch in with_patches(trees, base, end, found, SHOWN, f"-U{context}"):
        paths = (one.path, one.old_path) if one.old_path else (one.path,)
        texts[one.path] = _readable(trees, base, end, patch, paths)
    return texts


_BINARY = re.compile(rb"^Binary files .* differ$", re.MULTILINE)


def _readable(trees: SessionTrees, base: str, end: str, patch: bytes, paths: tuple[str, ...]) -> str:
    """Return a patch as text; a file that git takes for binary is shown if it is text with a NUL in it."""
    if _BINARY.search(patch) and b"\n@@ " not in patch and _are_small(trees, (base, end), paths):
        as_text = diff_tree(trees, base, end, "-p", "--text", paths=paths)
        try:
            return as_text.decode("utf-8")
        except UnicodeDecodeError:
            pass
    return "".join(map(_line, patch.splitlines(keepends=True)))


def _line(data: bytes) -> str:
    """Return a line of a patch as text, one that is not UTF-8 as Latin-1, in which no two bytes look alike."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _are_small(trees: SessionTrees, versions: tuple[str, str], paths: tuple[str, ...]) -> bool:
    """Return True if paths hold no more in two trees than is shown as text."""
    listed = (trees.alone("--literal-pathspecs", "ls-tree", "-r", "-l", "-z", one, "--", *paths) for one in versions)
    sizes = [row.split(b"\t")[0].split()[-1] for rows in listed for row in rows.split(b"\0")[:-1]]
    return all(size.isdigit() and int(size) <= TEXT_BYTES for size in sizes)


def text_at(tree: WorkTree, trees: SessionTrees, commit: str, path: str) -> str:
    """Return the text of a path in a commit, "" if the commit has no file there or one that is not read as text."""
    name = f"{tree.known_commit(commit)}:{path}"

    def ask() -> bytes:
        size = tree.git.probe("cat-file", "-s", name).text
        found = tree.git.probe("cat-file", "blob", name) if size.isdigit() and int(size) <= TEXT_BYTES else None
        if found is None or found.status != 0:
            raise LookupError(name)  # so that this is asked again
        return found.out

    try:
        return trees.kept(("cat-file", "blob", name), ask).decode("utf-8", "replace")
    except LookupError:
        return ""


def message_of(tree: WorkTree, commit: str) -> str:
    """Return the message of a commit."""
    if not is_object(commit):
        raise GitFault(f"not a commit: {commit!r}")
    return tree.git.read("show", "-s", "--format=%B", commit + "^{commit}", "--").text


def _straddles(one: Difference, dirty_at_start: Mapping[str, str]) -> bool:
    """Return True for a rename between a path that was dirty at the start and one that was not: it is two changes."""
    return one.letter == "R" and (one.path in dirty_at_start) != (one.old_path in dirty_at_start)


def _change(
    trees: SessionTrees, one: Difference, hunks: Hunks, dirty_at_start: Mapping[str, str], now: Mapping[str, str]
) -> Changed:
    paths = [one.path, one.old_path] if one.letter == "R" else [one.path]
    known = [path for path in paths if path in dirty_at_start]
    preexisting = bool(known) and all((now[path] or GONE) == dirty_at_start[path] for path in known)
    status = "mode" if one.letter == "M" and one.old_id == one.new_id else _STATUS[one.letter]
    edited = [] if one.module or one.binary else hunks.get(one.path, [])
    return Changed(
        path=one.path,
        status=status,
        old_path=one.old_path if one.letter == "R" else "",
        added=0 if one.module else one.added,
        removed=0 if one.module else one.removed,
        binary=one.binary,
        hunks=() if one.module or one.binary else _ranges(trees, one, edited),
        blank_hunks=_ranges(trees, one, [hunk for hunk in edited if hunk.is_blank]) if one.letter in "MR" else (),
        content=one.content,
        preexisting=preexisting,
        touched_preexisting=bool(known) and not preexisting,
    )


def _ranges(trees: SessionTrees, one: Difference, hunks: list[Hunk]) -> tuple[tuple[int, int], ...]:
    if one.letter in "MR":
        last = _line_count(trees, one) if any(not hunk.count for hunk in hunks) else 0
        return tuple(dict.fromkeys(_range(last, hunk) for hunk in hunks))
    lines = one.added if one.letter == "A" else _line_count(trees, one) if one.letter == "T" else 0
    return ((1, lines),) if lines else ()


def _range(last: int, hunk: Hunk) -> tuple[int, int]:
    if hunk.count:
        return hunk.first, hunk.first + hunk.count - 1
    # git names the line before a deletion; an agent that looks at the file may name the line after it as well.
    return max(1, min(hunk.first, last)), max(1, min(hunk.first + 1, last))


def _line_count(trees: SessionTrees, one: Difference) -> int:
    text = trees.alone("cat-file", "blob", one.new_id)
    return text.count(b"\n") + (not text.endswith(b"\n")) if text else 0


def _renamed_from(tree: WorkTree, trees: SessionTrees, base: str, end: str, path: str) -> str:
    """Return the old path of a renamed path, "" for any other; only a path new to the base needs the whole tree."""
    if tree.git.read("--literal-pathspecs", "ls-tree", "-z", base, "--", path).out:
        return ""
    found = differences(trees, base, end, renames=True)
    return next((one.old_path for one in found if one.letter == "R" and one.path == path), "")
