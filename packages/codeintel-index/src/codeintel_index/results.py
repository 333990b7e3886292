"""What the index answers with: frozen, typed, paths relative with `/`, lines 1-based and inclusive."""

from collections.abc import Mapping
from dataclasses import dataclass, field


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


@dataclass(frozen=True, slots=True)
class FunctionAt:
    """The innermost definition around a line, with its text."""

    symbol: Symbol
    text: str


@dataclass(frozen=True, slots=True)
class Reference:
    """A place that names a symbol. `where` is code, comment, string or docs; `enclosing` the definition around it."""

    path: str
    line: int
    text: str
    enclosing: str
    where: str


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
    """Matches of one pattern. `total` counts all matches seen before the limit stopped the search."""

    pattern: str
    matches: tuple[Match, ...]
    total: int
    truncated: bool
    engine: str = "ripgrep"


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
    """Hits, best first. `dense` is "" when vectors took part, else why they did not or how many are still pending."""

    hits: tuple[Hit, ...]
    shortcut: bool
    fresh_as_of: str  # ISO 8601, UTC
    stale_files: int = 0
    dense: str = ""


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
    reason: str  # reference, import, possible, test, tested, history, factory, migration, config, docs, markup
    lines: tuple[int, ...] = ()
    symbols: tuple[str, ...] = ()
    note: str = ""  # e.g. how often it changed together with a target


@dataclass(frozen=True, slots=True)
class Impact:
    """What a change of `targets` may reach. `mode` is `code` or `relaxed_markup`."""

    targets: tuple[str, ...]
    mode: str
    must_verify: tuple[ImpactItem, ...]
    should_verify: tuple[ImpactItem, ...]
    tests: tuple[ImpactItem, ...]
    docs: tuple[ImpactItem, ...]
    markup: tuple[ImpactItem, ...]
    symbols: tuple[str, ...]
    depth_2: tuple[str, ...] = ()
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
    (an index that was rebuilt, a model that was replaced). `age_s` is None before the first complete sync.
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


@dataclass(frozen=True, slots=True)
class Freshness:
    """How far behind the files the index may be. `as_of` is ISO 8601, UTC, "" before the first look."""

    as_of: str
    stale_files: int = 0
