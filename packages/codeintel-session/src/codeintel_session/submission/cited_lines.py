"""The lines that evidence stands for, what they hold, and the names of a request that no code holds.

Evidence may name a definition, or a file alone. When the work is reported as complete, a name in a comment or a test
shows no work; a name that a changed file held before may have been removed on request.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from codeintel_session.git import GitRepository
from codeintel_session.git.session_diff import text_before
from codeintel_session.machine.checklist import parse_evidence, plain_path
from codeintel_session.machine.facts import Changed, FileFact
from codeintel_session.machine.naming import is_prose
from codeintel_session.machine.state import SessionState
from codeintel_session.machine.test_files import is_test
from codeintel_session.ports import Ports
from codeintel_session.storage.project_files import file_fact, paths_in, text_of

_MARKED = re.compile(
    r"`(?:(?P<path>[^`\s:]+):(?!:))?(?P<name>#?[^\W\d]\w*(?:(?:\.#?|::|#|->)\w+)*[?!]?)(?:\([^`]*\))?`"
)
"""A definition that an item names as code, with its file or without, and perhaps with what it is called with."""
MAX_PLACES = 20
"""Ranges that the name of a file alone stands for."""
MAX_COMMENT = 100
"""Lines above a definition in which its comment is looked for."""


def find_places(ports: Ports, given: Iterable[str], changes: Iterable[Changed]) -> dict[str, tuple[str, ...]]:
    """Return the lines of evidence that names a definition, or a file alone; what names neither is left out.

    A change without lines, such as that of a deleted or a binary file or of a link, is line 0 of its path; so is the
    old path of what git takes for moved.
    """
    changed = {change.path: change for change in changes if not change.preexisting}
    moved = {change.old_path for change in changed.values() if change.status == "renamed"}
    found: dict[str, tuple[str, ...]] = {}
    for text in given:
        place = parse_evidence(text)
        path = plain_path(text) if place is None else place.path
        if place is not None and not (path in changed and changed[path].is_link):
            continue
        if path in moved or (path in changed and not changed[path].has_lines):
            found[text] = (f"{path}:0",)
            continue
        fact, name = file_fact(ports.root, path), ""
        if not fact.exists:
            path, _, name = text.partition(":")
            fact = file_fact(ports.root, plain_path(path))
        if fact.lines and (ranges := _ranges(ports, fact, name.strip(), changed.get(fact.path))):
            found[text] = tuple(f"{fact.path}:{start}-{end}" for start, end in ranges)
    return found


def find_evident(ports: Ports, items: Iterable[str], changes: Iterable[Changed]) -> dict[str, tuple[str, ...]]:
    """Return the evidence that the server sees itself, by item: definitions that it marks as code and that changed.

    They are looked for in the changed files that the item names, if it names any. Of a name that changed in several
    places each is shown: all that the item may mean did change. Where the comment above a definition changed alone, it
    is shown.
    """
    changed = [change for change in changes if not change.preexisting and change.status != "deleted"]
    found: dict[str, tuple[str, ...]] = {}
    for item in items:
        named = {plain_path(path) for path in paths_in(item)}
        near = [one for one in changed if one.path in named] or changed
        places: dict[str, None] = {}
        for path, name in dict.fromkeys(_MARKED.findall(item)):
            for one in (one for one in changed if one.path == plain_path(path)) if path else near:
                for start, end in ports.code.lines_of(one.path, name, strict=True):
                    if not one.meets_more_than_space(start, end):
                        start, end = _comment_above(ports, one, start), start - 1
                    if one.meets_more_than_space(start, end):
                        places[f"{one.path}:{start}-{end}"] = None
        if places:
            found[item] = tuple(places)[:MAX_PLACES]
    return found


def _comment_above(ports: Ports, change: Changed, line: int) -> int:
    """Return the first line of the comment that ends above a line; the line if there is none, or it is far away."""
    first = line
    if change.meets_more_than_space(max(line - MAX_COMMENT, 1), line - 1):
        while first > max(line - MAX_COMMENT, 1) and _is_comment(ports, change, first - 1):
            first -= 1
    return first


def _is_comment(ports: Ports, change: Changed, line: int) -> bool:
    return ports.code.kind_of_lines(change.path, line, line, change.hunks) == "documentation"


def _ranges(ports: Ports, fact: FileFact, name: str, change: Changed | None) -> list[tuple[int, int]]:
    """Return the lines of a definition, of several those that changed; without a name the changed lines of the file."""
    if name:
        known = list(ports.code.lines_of(fact.path, name))
        return [lines for lines in known if change is not None and change.meets_more_than_space(*lines)] or known
    if change is None or change.whole:
        return [(1, fact.lines)]
    solid = [hunk for hunk in change.hunks if hunk not in change.blank_hunks] or change.hunks
    return [(start, min(end, fact.lines)) for start, end in solid if start <= fact.lines][:MAX_PLACES]


def find_kinds(
    ports: Ports, files: Mapping[str, FileFact], texts: Iterable[str], changes: Iterable[Changed]
) -> Iterator[tuple[str, str]]:
    """Tell what the lines of each piece of evidence hold, as far as there are such lines.

    Lines without a word, such as blank ones and marks of comments, are read with what is around them: what was
    removed leaves one, or was beside it. A line that stands for a change of the mode holds nothing of it.
    """
    ranges = {change.path: change.ranges for change in changes}
    modes = {change.path for change in changes if change.status == "mode"}
    for text in texts:
        evidence = parse_evidence(text)
        fact = files.get(evidence.path) if evidence else None
        if fact is not None and fact.path in modes:
            continue
        if evidence is not None and fact is not None and 1 <= evidence.start <= evidence.end <= fact.lines:
            lines = text_of(ports.root, fact.path).split("\n")[: fact.lines]
            cited = _widened(lines, evidence.start, evidence.end)
            yield text, ports.code.kind_of_lines(fact.path, *cited, ranges.get(fact.path, ()))


def find_commented(
    ports: Ports, state: SessionState, kinds: Mapping[str, str], changes: Iterable[Changed]
) -> frozenset[str]:
    """Return the cited files in which comments and docstrings alone changed, if code that is not of tests did, too."""
    cited = {place.path for text, kind in kinds.items() if kind == "documentation" and (place := parse_evidence(text))}
    git = ports.git
    if not cited or git is None:
        return frozenset()
    own = [change for change in changes if not change.preexisting and change.status != "mode"]
    same = {change.path for change in own if change.status == "modified" and _has_same_code(ports, git, state, change)}
    is_code = any(change.path not in same and not is_prose(change.path) and not is_test(change.path) for change in own)
    return frozenset(same & cited) if is_code else frozenset()


def _has_same_code(ports: Ports, git: GitRepository, state: SessionState, change: Changed) -> bool:
    now, before = text_of(ports.root, change.path), text_before(git, state, change)
    return ports.code.has_same_code(change.path, now, before)


_ANY_WORD = re.compile(r"\w")


def _widened(lines: Sequence[str], start: int, end: int) -> tuple[int, int]:
    """Return the lines `start` to `end`, with those around them up to the next with a word if none of them has one."""
    if any(map(_ANY_WORD.search, lines[start - 1 : end])):
        return start, end
    before = (number for number in range(start - 1, 0, -1) if _ANY_WORD.search(lines[number - 1]))
    after = (number for number in range(end + 1, len(lines) + 1) if _ANY_WORD.search(lines[number - 1]))
    return next(before, start), next(after, end)


_PLAIN_NAME = re.compile(r"(?<![\w.`/:-])[a-z]\w*_\w+(?![\w`/:-]|\.\w)")
"""A name in an item that no mark shows to be code, and that prose does not hold."""


def find_apart(ports: Ports, item: str, changes: Iterable[Changed]) -> list[str]:
    """Return the plain names of an item that changed code defines, and in which nothing occurs that changed."""
    if not (names := _PLAIN_NAME.findall(item)):
        return []
    code = [one for one in changes if not one.preexisting and one.hunks and not is_test(one.path)]
    around = {
        name.rpartition(".")[2]
        for one in code
        for start, end in one.hunks
        for name in ports.code.definitions_at(one.path, start, end)
    }
    lines = {one.path: text_of(ports.root, one.path).split("\n") for one in code}
    found = []
    for name in names:
        texts = [
            text
            for path in lines
            for start, end in ports.code.lines_of(path, name)
            for text in lines[path][start - 1 : end]
        ]
        if texts and around.isdisjoint(_WORD.findall("\n".join(texts))):
            found.append(name)
    return found


_NAME = re.compile(r"`(?:[\w.:]*[.:])?([^\W\d]\w{2,})(\([^`()]*\))?`")
"""A name in code marks, of a qualified one the last part, and what it takes if it is written as a call."""
_WORD = re.compile(r"[^\W\d]\w*")


def find_absent(ports: Ports, state: SessionState, changes: Iterable[Changed]) -> tuple[str, ...]:
    """Return the names the request marks as code that no code holds, no changed file held before, and no file bears."""
    asked = [one for one in _NAME.finditer(state.query) if not file_fact(ports.root, one[0].strip("`")).is_there]
    names = {one[1] + "()" * bool(one[2]): one[1] for one in asked if not one[1].startswith("test")}
    held = ports.code.in_code(list(names)) if names else {}
    absent = {name for written, name in names.items() if held.get(written) is False}
    if not absent or ports.git is None:
        return ()
    special = ports.code.in_code([f"__{name}__" for name in absent])  # `abs` is made as `__abs__`
    absent -= {written.strip("_") for written, is_held in special.items() if is_held}
    absent -= {PurePosixPath(path).stem for path in state.explored}
    for change in changes:
        absent -= {*_WORD.findall(text_before(ports.git, state, change))}
    return tuple(dict.fromkeys(name for name in names.values() if name in absent))
