"""What the index answers with: frozen, typed, paths relative with `/`, lines 1-based and inclusive."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, is_dataclass
from typing import Self, TypeVar

from codeintel_index.errors import BadArgument

T = TypeVar("T")

MAX_READ = 1000  # lines of one answer


class Page(tuple[T, ...]):
    """Some items of a list, in order, as a tuple. `total` counts all; `total_is_minimum` where counting ended early.

    Of a lookup by name, `matched` is `last_name` where only the last part of a qualified name fits, `inherited` where
    a base class has it, `data` where only keys or headings bear it; `nearest` lists names like one that nothing bears.
    """

    total: int
    total_is_minimum: bool
    matched: str
    nearest: tuple[str, ...]

    def __new__(
        cls,
        items: Iterable[T],
        total: int,
        total_is_minimum: bool = False,
        matched: str = "",
        nearest: tuple[str, ...] = (),
    ) -> Self:
        """Make a page of items of a list with `total` items."""
        page = super().__new__(cls, items)
        page.total, page.total_is_minimum, page.matched, page.nearest = total, total_is_minimum, matched, nearest
        return page

    @classmethod
    def of(cls, whole: Sequence[T], limit: int | None, offset: int, matched: str = "") -> Self:
        """Cut a page out of the whole list; without `limit` it reaches to the end."""
        start = max(0, offset)
        return cls(whole[start : None if limit is None else start + max(0, limit)], len(whole), matched=matched)


@dataclass(frozen=True, slots=True)
class Symbol:
    """A definition. `parent` is the dotted name of what encloses it ("" at the top of the file)."""

    name: str
    kind: str  # class, function, method, interface, type, enum, struct, trait, constant, variable, module, macro, ...
    path: str
    line: int
    end_line: int
    parent: str = ""
    signature: str = ""
    doc: str = ""  # first line of its documentation
    source: str = "tree-sitter"  # or "ctags"
    start_line: int | None = None  # where decorators, attributes or a return type begin, if above `line`

    @property
    def first_line(self) -> int:
        """The first line that belongs to the definition."""
        return self.start_line or self.line


@dataclass(frozen=True, slots=True)
class Chunk:
    """A searchable piece of one file. `id` is a digest of path, range and content."""

    id: str
    path: str
    start_line: int
    end_line: int
    kind: str  # function, method, class, module, text, merged, ...
    symbol: str
    parent: str
    language: str
    text: str


@dataclass(frozen=True, slots=True)
class Import:
    """`module` as written in the source, e.g. `..store.db`, `./util`, `crate::net`, `<stdio.h>` without brackets."""

    module: str
    names: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """Everything one parse yields. `language` is "" where no grammar fits; chunks are then made by lines.

    `names` are the identifiers in use, definitions left out, each with its lines (1-based, in order).
    """

    language: str
    symbols: tuple[Symbol, ...] = ()
    chunks: tuple[Chunk, ...] = ()
    names: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    imports: tuple[Import, ...] = ()
    bases: tuple[tuple[str, str], ...] = ()  # (type, what it derives from or mixes in), both by their last names


@dataclass(frozen=True, slots=True)
class Structure:
    """The outline of a file."""

    path: str
    language: str
    lines: int
    doc: str
    imports: tuple[Import, ...]
    exports: tuple[str, ...]
    symbols: tuple[Symbol, ...]
    total_symbols: int = 0  # of the file, of which `symbols` may be one page


@dataclass(frozen=True, slots=True)
class FunctionAt:
    """The innermost definition around a line with its text, and the definitions around it, outermost first.

    The text begins with line `start_line` of the file, that of its decorators if it has any. `truncated` says that
    lines at its end are left out; lines are never cut.
    """

    symbol: Symbol
    text: str
    start_line: int = 1
    truncated: bool = False
    enclosing: tuple[Symbol, ...] = ()

    @property
    def numbered(self) -> str:
        """The text with the number of each line."""
        return number_lines(self.text.split("\n"), self.start_line)


@dataclass(frozen=True, slots=True)
class FileLines:
    """Lines of a file from `start_line` on. `total` counts those of the file; `last` is the last that was wanted."""

    path: str
    start_line: int
    lines: tuple[str, ...]
    total: int
    last: int

    @classmethod
    def of(cls, path: str, lines: Sequence[str], start: int, end: int | None) -> Self:
        """Take a range of a file's lines, as many as one answer holds. Raises BadArgument if no line is in it."""
        if start < 1:
            raise BadArgument("start_line", f"must be at least 1, not {start}")
        if end is not None and end < start:
            raise BadArgument("end_line", f"must be at least start_line, {start}, not {end}")
        if start > max(1, len(lines)):
            raise BadArgument("start_line", f"must be at most {len(lines)}, the last line of {path}")
        last = len(lines) if end is None else min(end, len(lines))
        return cls(path, start, tuple(lines[start - 1 : min(last, start - 1 + MAX_READ)]), len(lines), last)

    @property
    def end_line(self) -> int:
        """The last line that is here; below `start_line` where the file is empty."""
        return self.start_line + len(self.lines) - 1

    @property
    def truncated(self) -> bool:
        """Whether wanted lines are left out; they begin after `end_line`."""
        return self.end_line < self.last

    @property
    def numbered(self) -> str:
        """The lines with their numbers."""
        return number_lines(self.lines, self.start_line)


@dataclass(frozen=True, slots=True)
class Reference:
    """A place that names a symbol. `where` is code, comment, string or docs; `enclosing` the definition around it.

    `certainty` is likely or possible for code: whether it means the symbol, and not another one of its name.
    """

    path: str
    line: int
    text: str
    enclosing: str
    where: str
    certainty: str = ""


@dataclass(frozen=True, slots=True)
class Match:
    """A hit of a text search. `column` is 1-based, in characters."""

    path: str
    line: int
    column: int
    text: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GrepResult:
    """Matches of one pattern. `total` counts all, or at least those seen before the search was stopped.

    Of lines of context that two matches share each is given once, with the match it is nearest to. `refused` is why
    this one of several patterns was not searched.
    """

    pattern: str
    matches: tuple[Match, ...]
    total: int
    truncated: bool
    engine: str = "ripgrep"
    total_is_minimum: bool = False
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that answers a query. `score` is 0..1, comparable within one collection."""

    path: str
    start_line: int
    end_line: int
    symbol: str
    kind: str
    score: float
    snippet: str
    chunk_id: str
    collection: str
    parent: str = ""  # dotted name of what encloses the symbol


@dataclass(frozen=True, slots=True)
class SearchPage:
    """Hits, best first, of `total`. `dense` is "" when vectors took part, else why not, or how many are pending."""

    hits: tuple[Hit, ...]
    shortcut: bool
    fresh_as_of: str  # ISO 8601, UTC
    stale_files: int = 0
    dense: str = ""
    total: int = 0


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a sync did. `errors` are `path: reason`; `notices` say which languages' grammars are not installed."""

    files: int
    added: int
    modified: int
    deleted: int
    unchanged: int
    chunks: int
    seconds: float
    errors: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ImpactItem:
    """A file a change may reach, with the lines and enclosing symbols that say why."""

    path: str
    reason: str  # reference, import, test, tested, history, name, used, factory, migration, config, docs, markup
    lines: tuple[int, ...] = ()
    symbols: tuple[str, ...] = ()
    note: str = ""  # e.g. how often it changed together with a target


@dataclass(frozen=True, slots=True)
class Impact:
    """What a change of `targets` may reach. `mode` is `code` or `relaxed_markup`.

    `must_verify` are the files that most certainly use a changed definition (`counts` tells how many do);
    `in_targets` are the lines of the targets themselves that do, if it is known what changes;
    `likely_to_change` are code and tests, the likeliest first. `symbols` are the definitions taken for changed.
    """

    targets: tuple[str, ...]
    mode: str
    must_verify: tuple[ImpactItem, ...]
    should_verify: tuple[ImpactItem, ...]
    likely_to_change: tuple[ImpactItem, ...]
    tests: tuple[ImpactItem, ...]
    docs: tuple[ImpactItem, ...]
    markup: tuple[ImpactItem, ...]
    symbols: tuple[str, ...]
    depth_2: tuple[str, ...] = ()
    in_targets: tuple[ImpactItem, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MapEntry:
    """Something learned: `term` (natural language) was about `symbol` in `path`.

    `similarity` is how sure the session was of it (0..1); `learned_at` is ISO 8601. `verified_by` and `evidence` say
    why it is believed. `marks` are words of the definition as it was then, by which it is known again.
    """

    term: str
    symbol: str
    path: str
    similarity: float
    session_id: str
    intent: str
    learned_at: str
    successes: int = 1
    failures: int = 0
    verified_by: str = ""
    evidence: str = ""
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IndexStats:
    """State of the index. `state` is ready, syncing or absent. `pending` chunks still wait for their vectors.

    `dense` is "" when vectors can take part in a search, else why not; `notices` are things the user should know
    (an index that was rebuilt, a model that was replaced). `age_s` is None before the first complete sync. `vectors`
    says where the vectors are and how many of them are made.
    """

    state: str
    files: int
    chunks: int
    symbols: int
    age_s: float | None
    embedder: str
    pending: int = 0
    dense: str = ""
    notices: tuple[str, ...] = ()
    vectors: str = ""


@dataclass(frozen=True, slots=True)
class Freshness:
    """How far behind the files the index may be. `as_of` is ISO 8601, UTC, "" before the first look."""

    as_of: str
    stale_files: int = 0


def as_json(value: object) -> str:
    """Write a result, or a list or dict of them, as one line of JSON."""
    return json.dumps(value, default=_plain, ensure_ascii=False)


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def number_lines(lines: Iterable[str], first: int) -> str:
    """Write lines one below the other, each behind its number and a tab."""
    return "\n".join(f"{number}\t{line}" for number, line in enumerate(lines, first))


def lines_of(data: bytes) -> list[str]:
    """Split the bytes of a file into lines without their ends; bytes that are not UTF-8 become U+FFFD.

    What follows the last line break counts only if there is something.
    """
    lines = [line.removesuffix("\r") for line in data.decode("utf-8", "replace").split("\n")]
    return lines if lines[-1] else lines[:-1]
