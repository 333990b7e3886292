"""Text search: patterns in, matches out, in an order that does not change from call to call.

A search that ends below the cap is complete: it is sorted and its total is exact. One that does not is run again in
path order (slower per file, but it stops early), so that pages still fit together; its total is then a minimum.
"""

import concurrent.futures
import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from codeintel_index.errors import BadArgument, BadPattern, NotAFile
from codeintel_index.globs import Matcher, compile_glob
from codeintel_index.paths import confine, read_source
from codeintel_index.results import GrepResult, Match
from codeintel_index.text.redaction import is_private, mask_text
from codeintel_index.tools import python_engine, ripgrep
from codeintel_index.tools.binaries import find_rg
from codeintel_index.tools.ripgrep import RawLine, Search, in_order

CAP = 2000
MAX_CONTEXT = 20  # lines on either side of a match
MAX_TEXT = 400
MAX_PATTERN = 10_000
MAX_GROUP = 10_000  # lines of one file held together
_KEY_LINE = re.compile(r"\s*[\"']?[A-Za-z0-9+/]{40,}={0,2}\S{0,4}")
_PLAIN_TYPE = re.compile(r"[a-z0-9+#-]+", re.IGNORECASE)


def grep(root: Path, patterns: Sequence[str], search: Search, limit: int, offset: int) -> list[GrepResult]:
    """Run all patterns at once. A bad one takes nothing from the others: its result says why it was refused.

    Raises BadPattern if all are bad, BadArgument, PathOutsideProject, ToolTimeout.
    """
    if not 0 <= search.context <= MAX_CONTEXT:
        raise BadArgument("context_lines", f"must be between 0 and {MAX_CONTEXT}, not {search.context}")
    search = replace(search, path=confine(root, search.path))
    if search.file_type and not _PLAIN_TYPE.fullmatch(search.file_type):
        raise BadArgument("file_type", f"{search.file_type!r} is none; use names such as py, js, rust")
    _check_text(search.glob)
    wanted = compile_glob(search.glob) if search.glob else None
    with concurrent.futures.ThreadPoolExecutor(max(1, len(patterns))) as pool:
        found = list(pool.map(lambda pattern: _one(root, pattern, search, wanted, limit, offset), patterns))
    if found and all(one.refused for one in found):
        raise BadPattern(found[0].pattern, found[0].refused)
    return found


def lines_naming(root: Path, names: Sequence[str], search: Search) -> Generator[RawLine, None, None]:
    """Find lines that hold any of the words."""
    return text_lines(root, names, replace(search, fixed=True, word=True))


def files_naming(root: Path, names: Sequence[str], search: Search) -> list[str]:
    """Find files that hold any of the words, shallow ones first: the order in which a definition is likely."""
    search = replace(search, fixed=True, word=True)
    rg = find_rg()
    found: Iterable[str] = (
        ripgrep.files_with(rg, root, names, search)
        if rg
        else {line.path for line in python_engine.run(root, names, search) if line.starts}
    )
    return sorted((path for path in found if not is_private(path)), key=lambda path: (path.count("/"), path))


def _check(pattern: str) -> None:
    if not pattern:
        raise BadPattern(pattern, "an empty pattern matches everything")
    if "\0" in pattern or len(pattern) > MAX_PATTERN:
        raise BadPattern(pattern[:80], "NUL in a pattern" if "\0" in pattern else f"longer than {MAX_PATTERN}")
    if "\n" in pattern:
        raise BadPattern(pattern[:80], "more than one line; each line is searched by itself")
    _check_text(pattern)


def _check_text(text: str) -> None:
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise BadPattern(text.encode("utf-8", "backslashreplace").decode()[:80], "half a character")


def _one(root: Path, pattern: str, search: Search, wanted: Matcher | None, limit: int, offset: int) -> GrepResult:
    end = offset + limit
    try:
        _check(pattern)
        found, complete = _collect(root, pattern, search, wanted, max(CAP, end))
        counted = len(found)
        if not complete:
            found, complete = _collect(root, pattern, replace(search, ordered=True), wanted, end + 1)
    except BadPattern as fault:
        return GrepResult(fault.pattern, (), 0, False, refused=fault.why)
    found.sort(key=lambda match: (in_order(match.path), match.line, match.column))
    engine = "ripgrep" if find_rg() else "python-re"
    total = max(counted, len(found))
    return GrepResult(pattern, _merged(found[offset:end]), total, total > end, engine, not complete)


def _merged(matches: Sequence[Match]) -> tuple[Match, ...]:
    """Leave out context that another match of the same file already shows: each line is given once."""
    merged: list[Match] = []
    shown = 0  # the last line of the present file that is given
    for at, match in enumerate(matches):
        if at == 0 or matches[at - 1].path != match.path:
            shown = 0
        before = match.before[max(0, shown - (match.line - len(match.before)) + 1) :]
        following = matches[at + 1] if at + 1 < len(matches) else None
        after = match.after
        if following is not None and following.path == match.path:
            after = after[: max(0, following.line - match.line - 1)]
        merged.append(replace(match, before=before, after=after))
        shown = match.line + len(after)
    return tuple(merged)


def _collect(root: Path, pattern: str, search: Search, wanted: Matcher | None, cap: int) -> tuple[list[Match], bool]:
    """Matches, at most `cap`, and whether there are no more."""
    found: list[Match] = []
    lines = text_lines(root, [pattern], search)
    for group in _by_file(lines):
        path = group[0].path
        if is_private(path) or (wanted is not None and not wanted(path)):
            continue
        found.extend(_with_context(_hidden(root, group), search.context))
        if len(found) > cap:
            lines.close()
            return found[:cap], False
    return found, True


def text_lines(root: Path, patterns: Sequence[str], search: Search) -> Generator[RawLine, None, None]:
    """Find lines that match any of the patterns, in the order in which the engine finds them."""
    rg = find_rg()
    return ripgrep.run(rg, root, patterns, search) if rg else python_engine.run(root, patterns, search)


def _by_file(lines: Iterator[RawLine]) -> Iterator[list[RawLine]]:
    group: list[RawLine] = []
    for line in lines:
        if group and (line.path != group[0].path or len(group) >= MAX_GROUP):
            yield group
            group = []
        group.append(line)
    if group:
        yield group


def _hidden(root: Path, group: list[RawLine]) -> list[RawLine]:
    """The lines of one file with secrets masked; only the whole file shows what is inside of a key."""
    texts = [line.text for line in group]
    shown = mask_text("\n".join(texts)).split("\n")
    if any(map(_KEY_LINE.fullmatch, texts)):
        shown = _as_in_file(root, group, shown)
    if shown == texts:
        return group
    return [replace(line, text=text) for line, text in zip(group, shown, strict=True)]


def _as_in_file(root: Path, group: list[RawLine], shown: list[str]) -> list[str]:
    try:
        lines = read_source(root, group[0].path)[1].decode("utf-8", "replace").split("\n")
    except NotAFile:  # above a megabyte, or gone since
        return shown
    inside = {line.number for line in group if line.number <= len(lines)}
    return [
        lines[line.number - 1].rstrip("\r") if line.number in inside else text
        for line, text in zip(group, shown, strict=True)
    ]


def _with_context(group: list[RawLine], context: int) -> Iterator[Match]:
    texts = {line.number: line.text for line in group} if context else {}
    for line in group:
        if line.starts:
            before = _around(texts, range(line.number - context, line.number))
            after = _around(texts, range(line.number + 1, line.number + context + 1))
            yield Match(line.path, line.number, line.starts[0] + 1, cut_line(line.text, line.starts[0]), before, after)


def _around(texts: dict[int, str], numbers: range) -> tuple[str, ...]:
    return tuple(cut_line(texts[number]) for number in numbers if number in texts)


def cut_line(text: str, at: int = 0) -> str:
    """Shorten a line to about 400 characters: the part around a match."""
    if len(text) <= MAX_TEXT:
        return text
    start = max(0, min(at - MAX_TEXT // 4, len(text) - MAX_TEXT))
    return ("…" if start else "") + text[start : start + MAX_TEXT] + ("…" if start + MAX_TEXT < len(text) else "")
