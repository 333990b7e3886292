"""Paths of the project: confined, normalized, counted. The only place that turns an agent's words into files."""

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from codeintel_contract import ContractViolation, read_file
from codeintel_session.machine.facts import FileFact, Target

MAX_BYTES = 8 * 1024 * 1024
"""Files larger than this have no lines that could be evidence."""


def confine(root: Path, path: str) -> Path:
    """The path resolved, inside `root`. Raises ContractViolation: `path_outside_project`."""
    resolved = _resolved(root, path)
    if resolved is None:
        raise ContractViolation("common_failures.path_outside_project", path=path, root=str(root))
    return resolved


def _resolved(root: Path, path: str) -> Path | None:
    """The path with links followed; None if it is outside, or none: NUL, half a character, a circle of links, too
    long."""
    try:
        found = (root / path.strip().replace("\\", "/")).resolve()
        found.exists()  # says so for names the system cannot hold
    except (OSError, ValueError, RuntimeError):
        return None
    return found if found.is_relative_to(root.resolve()) else None


def relative(root: Path, path: Path) -> str:
    """The path below the root, with `/`; "" is the root."""
    text = path.relative_to(root.resolve()).as_posix()
    return "" if text == "." else text


_USUAL = re.compile(r"[\w./-]+\.\w+")
_BETWEEN = re.compile(r"[\s`'\"<>|,;:]+")
_CALLED = re.compile(r"\w[(\[{]")
_COMMAND = re.compile(r"`[\w-]+\s[^`]*`")
"""A command in backticks, with what it is given."""


def paths_in(text: str) -> Iterator[str]:
    """Yield what may be a path in a text: names such as `src/a.py`, words such as `[id]/+page.ts` and `Makefile`."""
    yield from _USUAL.findall(text)
    for word in _BETWEEN.split(text):
        name = word.rstrip(".!?")
        while name[:1] + name[-1:] in ("()", "[]", "{}"):
            name = name[1:-1]
        is_like_path = "/" in name or "." in name or name[:1].isupper()
        if is_like_path and all(name.count(opening) == name.count(closing) for opening, closing in ("()", "[]", "{}")):
            yield name


def has_name_of_file(path: str) -> bool:
    """Whether a path that is not there can be meant as a new file: it has a folder and an extension, and no call."""
    return "/" in path and _USUAL.search(path) is not None and _CALLED.search(path) is None


def file_fact(root: Path, path: str) -> FileFact:
    """What is known of a path an agent named; never raises."""
    resolved = _resolved(root, path)
    if resolved is None:
        return FileFact(path, inside=False, exists=False)
    name = relative(root, resolved)
    try:
        if not (resolved.is_file() and _same_case(root, name)):
            return FileFact(name, inside=True, exists=False)
        large = resolved.stat().st_size > MAX_BYTES
        return FileFact(name, inside=True, exists=True, lines=0 if large else _lines(root, name))
    except OSError:  # no permission, or gone in between
        return FileFact(name, inside=True, exists=False)


def files_named(root: Path, text: str) -> Iterator[str]:
    """Files of the project that a text names by their whole path; what a command in backticks is given is not meant."""
    for name in dict.fromkeys(paths_in(_COMMAND.sub(" ", text))):
        fact = file_fact(root, name)
        if fact.is_there:
            yield fact.path


def _same_case(root: Path, name: str) -> bool:
    """On a file system that folds case, `A.py` is not evidence for `a.py`."""
    folder = root.resolve()
    for part in PurePosixPath(name).parts:
        if part not in os.listdir(folder):
            return False
        folder = folder / part
    return True


def text_of(root: Path, path: str) -> str:
    """Read the text of a file, undecodable bytes replaced; "" if it is gone, no file of the project, or too large."""
    try:
        return read_file(root, path, MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def _lines(root: Path, path: str) -> int:
    data = read_file(root, path, MAX_BYTES)
    return 0 if b"\0" in data[:8192] else len(data.splitlines())


def write_target(root: Path, path: str) -> Target:
    """The path as the write policy sees it."""
    resolved = _resolved(root, path)
    if resolved is None:
        return Target(path, inside=False, exists=False)
    parent = resolved if resolved == root.resolve() else resolved.parent
    while not parent.is_dir():
        parent = parent.parent
    return Target(relative(root, resolved), True, resolved.exists(), relative(root, parent))
