"""Find what a session changed: its own files with their diffs, the user's files apart, and its commits.

While a session runs, git tells. Once it has ended, the log of outcomes says which files were its own: the work tree
belongs to the user again, and what is in it now need not be the session's.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from codeintel_server.redaction import redacted_diff
from codeintel_server.report.model import Commit, DiffLine, FileRow
from codeintel_session import LOOKING, GitFault, GitRepository, SessionState, active_tags, changes_of, parse_evidence

MAX_FILES = 200
MAX_DIFFS = 60
"""Maximum number of files with a diff; the others are only named."""
MAX_COMMITS = 10
MAX_LINES = 80
"""Maximum number of lines of one diff in a report."""
MAX_CHARS = 300
"""Maximum length of one line."""
CONTEXT = 3
"""Number of lines shown around evidence."""

_HEADER = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@")


@dataclass(slots=True)
class Changes:
    """Hold the paths that the session changed, their diffs, the user's own paths, and what could not be found."""

    paths: list[str] = field(default_factory=list)
    own: list[str] = field(default_factory=list)
    diffs: dict[str, list[DiffLine]] = field(default_factory=dict)
    new: set[str] = field(default_factory=set)
    commits: tuple[Commit, ...] = ()
    missing: list[str] = field(default_factory=list)


def find_changes(root: Path, state: SessionState, logged: Sequence[str] | None) -> Changes:
    """Find the changes of a session; `logged` are those of one that has ended, None for one that runs."""
    found = Changes(paths=list(logged or ()), own=sorted(set(state.dirty_at_start) - set(logged or ())))
    if active_tags(state.flags, state.intent) & LOOKING:
        return Changes()
    if not state.base_commit:
        return found
    try:
        git = GitRepository.of_project(root)
        if logged is None:
            listed = changes_of(git, state)
            found.paths = [change.path for change in listed if not change.preexisting]
            found.own = [change.path for change in listed if change.preexisting]
        _read_patches(git, state, found, is_over=logged is not None)
        found.commits = tuple(_commits(git, state.commits))
    except GitFault as fault:
        found.missing.append(f"the changes: {fault}")
        found.commits = found.commits or tuple(map(Commit, state.commits))
    return found


def _read_patches(git: GitRepository, state: SessionState, found: Changes, *, is_over: bool) -> None:
    end = state.commits[-1] if state.commits and is_over else ""
    if is_over and not end and not found.paths:
        return  # the working tree would be read for nothing
    patches = git.patches(state.base_commit, end)
    if end:  # what is committed is the session's, whatever the log has kept
        found.paths = list(dict.fromkeys((*found.paths, *patches)))
    elif is_over and found.paths:
        found.missing.append("the changes as the session left them: those shown are of the working tree as it is now")
    wanted = set(found.paths)
    for path, patch in patches.items():
        if path in wanted:
            found.diffs[path] = list(read_patch(redacted_diff(path, patch)))
            if "\nnew file mode" in f"\n{patch[:2000]}".partition("\n@@")[0]:
                found.new.add(path)


def _commits(git: GitRepository, commits: Sequence[str]) -> Iterator[Commit]:
    """Yield the commits that the last one contains: those that were folded into one are left out."""
    for sha in commits[-MAX_COMMITS:]:
        try:
            if sha != commits[-1] and not git.contains(sha, commits[-1]):
                continue
            subject, _, body = git.message_of(sha).strip().partition("\n")
        except GitFault:  # collected since: its name is all that is left
            subject, body = "", ""
        yield Commit(sha, subject, body.strip())


def rows_of(state: SessionState, found: Changes) -> Iterator[FileRow]:
    """Yield the changed files, then the others that were explored."""
    explored, changed = set(state.explored), set(found.paths)
    places = (place for task in state.tasks for item in task.checklist for place in item.evidence)
    claimed = {evidence.path for place in places if (evidence := parse_evidence(place))}
    for at, path in enumerate(list(dict.fromkeys((*found.paths, *state.explored)))[:MAX_FILES]):
        lines = found.diffs.get(path, [])
        signs = Counter(line.sign for line in lines)
        yield FileRow(
            path=path,
            is_explored=path in explored,
            is_changed=path in changed,
            added=signs["+"],
            removed=signs["-"],
            diff=tuple(lines[:MAX_LINES]) if at < MAX_DIFFS else (),
            is_cut=len(lines) > MAX_LINES or (at >= MAX_DIFFS and bool(lines)),
            is_new=path in found.new,
            is_claimed=path in claimed,
        )


def lines_at(places: Iterable[str], diffs: Mapping[str, list[DiffLine]]) -> tuple[DiffLine, ...]:
    """Return the lines of the diffs that pieces of evidence cite."""
    parsed = (found for place in places if (found := parse_evidence(place)))
    return tuple(line for at in parsed for line in meant(diffs.get(at.path, []), at.start, at.end))


def read_patch(patch: str) -> Iterator[DiffLine]:
    """Yield the lines of all hunks of one file's patch, in order; a gap between hunks is a line with sign "…"."""
    number, inside = 0, False
    for line in patch.split("\n"):
        if (header := _HEADER.match(line)) is not None:
            if inside:
                yield DiffLine("…", 0, "")
            number, inside = int(header[1]), True
        elif inside and line[:1] in (" ", "+", "-"):
            yield DiffLine(line[0], 0 if line[0] == "-" else number, line[1:][:MAX_CHARS])
            number += line[0] != "-"


def meant(lines: list[DiffLine], start: int, end: int) -> tuple[DiffLine, ...]:
    """Return the lines from `start` to `end` of the new file with context; mark those in the range."""
    inside = [at for at, line in enumerate(lines) if start <= line.number <= end]
    if not inside:
        return ()
    first, last = max(0, inside[0] - CONTEXT), min(len(lines), inside[-1] + CONTEXT + 1)
    shown = lines[first:last][:MAX_LINES]
    return tuple(DiffLine(line.sign, line.number, line.text, start <= line.number <= end) for line in shown)
