"""The rows that stand for a file: plain data that pickles, made by `sync.worker` and stored by `writer`."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from codeintel_index.languages.file_kinds import kind_of
from codeintel_index.languages.table import DATA_LANGUAGES, SECONDARY_KINDS
from codeintel_index.results import Symbol

if TYPE_CHECKING:
    from codeintel_index.text.postings import Postings  # it loads numpy

MAX_LINES_PER_NAME = 64
MAX_NAME = 120
UNREADABLE = "unreadable"


class FileStat(NamedTuple):
    """What a stat call says about a file; one equal to that on record means that it need not be read.

    `changed_ns` is the later of the times of content and entry: tools set the first one back, none the second.
    """

    path: str
    changed_ns: int
    size: int
    inode: int


ChunkRow = tuple[str, int, int, str, str, str, str]  # id, first and last line, kind, symbol, parent, text


@dataclass(frozen=True, slots=True)
class Prepared:
    """One file's rows. `skipped` says why there are none; `error` what went wrong, for the report."""

    stat: FileStat
    hashed_at: int
    digest: bytes
    language: str = ""
    skipped: str = ""
    error: str = ""
    symbols: list[tuple[object, ...]] = field(default_factory=list)
    names: list[tuple[str, str]] = field(default_factory=list)
    imports: list[tuple[object, ...]] = field(default_factory=list)
    bases: list[tuple[str, str]] = field(default_factory=list)
    chunks: list[ChunkRow] = field(default_factory=list)
    vector_of: str = ""  # the model that made `vectors`, one a chunk; "" where they are made later
    vectors: list[bytes] = field(default_factory=list)


class Request(NamedTuple):
    """Files to prepare. `known` are the digests on record, by path; `embedded`: with vectors of the default model."""

    root: str
    stats: list[FileStat]
    max_tokens: int
    known: dict[str, bytes]
    embedded: bool


@dataclass(frozen=True, slots=True)
class Batch:
    """Some files, and the full text of all their chunks in order, None where they have none: postings, and the number
    of terms of each chunk.
    """

    files: list[Prepared]
    words: "Postings | None" = None
    sizes: list[int] = field(default_factory=list)


_OF_KIND = {"property": 1, "event": 1, "field": 2, "attribute": 2, "enum_member": 2, "import": 3}
_TEST_TITLE = 4
IS_SECOND = "(s.rank >= 100 OR s.rank % 10 IN (2, 4))"  # what a search does not take for a definition
_ASIDE = frozenset({"test", "example", "generated", "vendored"})


def rank_of(path: str, language: str, kind: str) -> int:
    """Rank a symbol among those of its name, the lowest first.

    Ones tell functions and types from properties, fields, what is only bound, and titles of tests; tens code from
    tests, examples and the like; hundreds code from keys, headings, and what bears the name of something else.
    """
    is_script = kind == "test" and language not in ("c", "cpp")  # there a macro makes a function of it
    own = _TEST_TITLE if is_script else _OF_KIND.get(kind, 0)
    return own + 10 * (kind_of(path) in _ASIDE) + 100 * (language in DATA_LANGUAGES or kind in SECONDARY_KINDS)


def symbol_rows(path: str, language: str, symbols: Iterable[Symbol]) -> list[tuple[object, ...]]:
    """Turn the symbols of one file into rows."""
    ranks: dict[str, int] = {}
    for symbol in symbols:
        ranks.setdefault(symbol.kind, rank_of(path, language, symbol.kind))
    return [
        (s.name, s.kind, s.line, s.end_line, s.parent, s.signature, s.doc, s.source, s.start_line, ranks[s.kind])
        for s in symbols
    ]
