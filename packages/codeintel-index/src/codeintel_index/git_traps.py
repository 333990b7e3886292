"""Find what git would wait for or read without end, before it is started in a repository that nobody has vetted.

git opens its own files, those that its configuration names, and the ignore rules of each folder, whatever they are: a
pipe keeps it waiting for good, a device or a file of 20 GB takes all memory. So a process walks a work tree and its git
folders once; later it looks again only at their tops, where most of those files are. A pipe that comes later elsewhere
costs a time limit. This text is in codeintel_contract and in codeintel_index, which must not import each other
(docs/adr/0013).
"""

import os
import re
import stat
from itertools import islice

from codeintel_index.project_file import read_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_RULES = frozenset((".gitignore", ".gitattributes", ".gitmodules", ".mailmap"))
_SMALL = frozenset(
    (
        *("HEAD", "config", "config.worktree", "commondir", "shallow"),
        *("alternates", "exclude", "attributes", "grafts", "sparse-checkout"),
    )
)
_LARGE_BYTES = 1_000_000_000
_LARGE = {"index": _LARGE_BYTES, "packed-refs": 50_000_000}  # a list of three million refs takes 1.3 GB and a minute
_IGNORED = frozenset((".gitignore", "exclude"))
_IGNORED_BYTES = 300_000  # of a million rules ripgrep makes 4 GB
_SMALL_BYTES = 10_000_000
_FOLDERS = 20_000  # the walk, by depth, gets no further: half a second
_INCLUDES = 10  # git follows no more, one in another
_LINE = re.compile(r"^[ \t]*(?:\[[^]\n]*\][ \t]*)?([\w-]+)[ \t]*=[ \t]*(.*)$", re.MULTILINE)
_READ_WHOLE = frozenset(("path", "excludesfile", "attributesfile", "orderfile", "file"))
_SWITCH = re.compile(r"true|false|[0-9]+")
_free: dict[str, object] = {}


def find_trap(folder: str) -> str:
    """Name the file that git could not get past in the work tree that holds a folder, "" if there is none."""
    top = os.path.realpath(folder)
    while not os.path.lexists(f"{top}/.git"):
        if os.path.dirname(top) == top:
            return ""
        top = os.path.dirname(top)
    marks = [_mark(f"{top}{name}") for name in ("", "/.git", "/.git/config", "/.git/info")]
    if _free.get(top) == marks:
        return ""
    found = next(_traps(top, top not in _free), "")
    if found:
        return os.path.relpath(found, top) if found.startswith(f"{top}/") else found
    _free[top] = marks
    return ""


def _mark(place: str) -> object:
    try:
        found = os.stat(place)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino


def _traps(top: str, is_deep: bool) -> "Iterator[str]":
    """Look at the rules of a work tree, at its git folders, and at those of repositories inside it."""
    walked: set[str] = set()
    for entry in _entries([top], is_deep):
        if entry.name == ".git":
            for place in _git_folders(entry.path):
                if place not in walked:
                    walked.add(place)
                    yield from _in_git_folder(place, os.path.dirname(entry.path), is_deep)
        elif entry.name in _RULES and (entry.name == ".gitmodules" or not entry.is_symlink()):
            most = _IGNORED_BYTES if entry.name in _IGNORED else _SMALL_BYTES
            yield from _trap(entry.path, most)  # git follows no link in the place of the others


def _git_folders(place: str) -> list[str]:
    """Return where a `.git` leads: the folder of a work tree's own files, and the one it shares with others."""
    if not os.path.isdir(place):
        place = os.path.join(os.path.dirname(place), _text(place).removeprefix("gitdir:").strip())
    common = _text(f"{place}/commondir").strip()
    shared = os.path.join(place, common)
    parts = (f"{place}/HEAD", f"{shared}/objects", f"{shared}/refs")
    is_used = all(map(os.path.exists, parts[1:])) and os.path.lexists(parts[0])
    return [os.path.realpath(each) for each in (place, *[shared] * bool(common))] if is_used else []


def _in_git_folder(folder: str, top: str, is_deep: bool) -> "Iterator[str]":
    """Look at a git folder: no file in it may be a pipe or a device, or lead to one."""
    for entry in _entries([folder, f"{folder}/info"], is_deep):
        is_small = entry.name in _SMALL or "/refs/" in entry.path
        if is_small or entry.name in _LARGE or not entry.is_file(follow_symlinks=False):
            usual = _SMALL_BYTES if is_small else _LARGE.get(entry.name, _LARGE_BYTES)
            most = _IGNORED_BYTES if entry.name in _IGNORED else usual
            yield from _trap(entry.path, most)
    for name in ("config", "config.worktree"):
        yield from _in_configuration(f"{folder}/{name}", top, _INCLUDES)


def _in_configuration(file: str, top: str, depth: int) -> "Iterator[str]":
    """Look at each file that a configuration names, whatever for."""
    for key, value in _LINE.findall(_text(file).replace("\\\n", "")):
        is_whole = key.lower() in _READ_WHOLE
        if _SWITCH.fullmatch(value) and not key.lower().endswith(("file", "path")):
            continue
        for written in {value.replace('"', "").strip(), re.split("[#;]", value.replace('"', ""))[0].strip()}:
            for base in {os.path.dirname(file), top} if written and "\0" not in written else ():
                place = os.path.join(base, os.path.expanduser(written))
                yield from _trap(place, _SMALL_BYTES if is_whole else 0)
                if key.lower() == "path" and depth and os.path.isfile(place):
                    yield from _in_configuration(place, top, depth - 1)


def _entries(pending: list[str], is_deep: bool) -> "Iterator[os.DirEntry[str]]":
    """Yield what folders hold, or a walk through them finds: all but folders, and each `.git`, which is not entered."""
    for folder in islice(pending, _FOLDERS):  # the walk adds to them
        try:
            entries = list(os.scandir(folder))
        except OSError:  # git cannot read it either
            continue
        for entry in entries:
            if entry.name == ".git" or not entry.is_dir(follow_symlinks=False):
                yield entry
            elif is_deep:
                pending.append(entry.path)


def _trap(place: str, most: int) -> "Iterator[str]":
    """Yield a place if it is a pipe or a device, or larger than a limit other than 0."""
    try:
        found = os.stat(place)
    except OSError:
        return
    kind = stat.S_IFMT(found.st_mode)
    is_plain = place == os.devnull or kind in (stat.S_IFREG, stat.S_IFDIR, stat.S_IFSOCK)
    if not is_plain or (kind == stat.S_IFREG and 0 < most < found.st_size):
        yield place


def _text(place: str) -> str:
    try:
        return read_file(None, place, _SMALL_BYTES).decode("utf-8", "surrogateescape")
    except OSError:
        return ""
