"""From a file on disk to the rows that will stand for it: the only place that decides what is stored of a file.

It runs in worker processes during a full sync, so what it returns is plain data that pickles.
"""

import hashlib
import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from codeintel_index.masking import masked
from codeintel_index.paths import is_binary
from codeintel_index.results import Symbol
from codeintel_index.tokens import path_tokens, spelled

MAX_LINES_PER_NAME = 64
MAX_NAME = 120
UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class FileStat:
    """What a stat call says about a file; equal triples mean that it need not be read.

    `changed_ns` is the later of the times of content and entry: tools set the first one back, none the second.
    """

    path: str
    changed_ns: int
    size: int
    inode: int


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
    chunks: list[tuple[object, ...]] = field(default_factory=list)
    words: list[tuple[str, str]] = field(default_factory=list)


def prepare(root: Path, stat: FileStat, max_tokens: int, known: bytes = b"") -> Prepared:
    """Read, hash and parse one file. `known` is the digest on record: an equal one ends the work early (no rows)."""
    now = time.time_ns()
    try:
        data = (root / stat.path).read_bytes()
    except FileNotFoundError as error:
        return Prepared(stat, 0, b"", skipped="gone", error=f"{stat.path}: {error.strerror}")
    except OSError as error:
        return Prepared(stat, 0, b"", skipped=UNREADABLE, error=f"{stat.path}: {error.strerror or error}")
    digest = hashlib.sha256(data).digest()
    if digest == known:
        return Prepared(stat, now, digest)
    if is_binary(data):
        return Prepared(stat, now, digest, skipped="binary")
    return _parsed(stat, now, digest, masked(data), max_tokens)


def _parsed(stat: FileStat, now: int, digest: bytes, data: bytes, max_tokens: int) -> Prepared:
    from codeintel_index.parsing import parse  # late: it loads tree-sitter

    parsed = parse(stat.path, data, max_tokens=max_tokens)
    chunks = list({chunk.id: chunk for chunk in parsed.chunks}.values())
    return Prepared(
        stat,
        now,
        digest,
        language=parsed.language,
        symbols=symbol_rows(parsed.symbols),
        names=_names(parsed.names),
        imports=[(each.module, json.dumps(each.names), each.line) for each in parsed.imports],
        chunks=[(c.id, c.start_line, c.end_line, c.kind, c.symbol, c.parent, c.text) for c in chunks],
        words=words_of(stat.path, ((c.symbol, c.parent, c.text) for c in chunks)),
    )


def symbol_rows(symbols: Iterable[Symbol]) -> list[tuple[object, ...]]:
    """Symbols of one file as their rows."""
    return [(s.name, s.kind, s.line, s.end_line, s.parent, s.signature, s.doc, s.source) for s in symbols]


def _names(uses: Mapping[str, tuple[int, ...]]) -> list[tuple[str, str]]:
    """Each name with its first lines."""
    return sorted(
        (name, ",".join(map(str, at[:MAX_LINES_PER_NAME]))) for name, at in uses.items() if len(name) <= MAX_NAME
    )


def words_of(path: str, chunks: Iterable[tuple[str, str, str]]) -> list[tuple[str, str]]:
    """The full-text rows (path, body) of chunks of a file, given as (symbol, parent, text)."""
    in_path = " ".join(path_tokens(path))
    return [(in_path, spelled(f"{symbol} {parent} {text}")) for symbol, parent, text in chunks]
