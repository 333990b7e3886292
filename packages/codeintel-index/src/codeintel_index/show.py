"""How the command line shows results: one line a finding, `path:line` first so that editors can follow it.

Only text in, text out. `at` says how a path is written, as that depends on where the user stands; JSON is made from the
result types as they are, with paths from the project's root.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, is_dataclass

from codeintel_index.results import (
    GrepResult,
    Impact,
    ImpactItem,
    IndexStats,
    Reference,
    SearchPage,
    Structure,
    Symbol,
    SyncReport,
)

At = Callable[[str], str]


def as_json(value: object) -> str:
    """One line of JSON for a result, or for a list or dict of them."""
    return json.dumps(value, default=_plain, ensure_ascii=False)


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def symbols(found: Iterable[Symbol], at: At) -> Iterator[str]:
    """`path:line  kind  name  signature`."""
    for each in found:
        name = f"{each.parent}.{each.name}" if each.parent else each.name
        yield f"{at(each.path)}:{each.line}-{each.end_line}  {each.kind} {name}  {each.signature}".rstrip()


def references(found: Iterable[Reference], at: At) -> Iterator[str]:
    """`path:line  [where]  text  (enclosing)`."""
    for each in found:
        around = f"  (in {each.enclosing})" if each.enclosing else ""
        yield f"{at(each.path)}:{each.line}  [{each.where}]  {each.text}{around}"


def matches(results: Iterable[GrepResult], at: At) -> Iterator[str]:
    """As grep: context lines with `-`, then what was left out."""
    for result in results:
        for each in result.matches:
            path, first = at(each.path), each.line - len(each.before)
            yield from (f"{path}-{first + n}-{line}" for n, line in enumerate(each.before))
            yield f"{path}:{each.line}:{each.column}:{each.text}"
            yield from (f"{path}-{each.line + 1 + n}-{line}" for n, line in enumerate(each.after))
        if result.truncated:
            shown = len(result.matches)
            yield f"… {shown} of at least {result.total} matches of {result.pattern!r}; see --limit, --offset"


def page(found: SearchPage, at: At) -> Iterator[str]:
    """A heading and the snippet for each hit."""
    for each in found.hits:
        name = f"{each.parent}.{each.symbol}" if each.parent else each.symbol
        where = f"{at(each.path)}:{each.start_line}-{each.end_line}"
        yield f"{where}  {each.kind} {name}  ({each.score:.2f} {each.collection})"
        yield from (f"    {line}" for line in each.snippet.split("\n"))
    if found.stale_files:
        yield f"{found.stale_files} changed files are not indexed yet"


def outline(found: Structure, at: At) -> Iterator[str]:
    """Imports, then symbols indented by nesting."""
    yield f"{at(found.path)}  {found.language or 'text'}, {found.lines} lines  {found.doc}".rstrip()
    if found.imports:
        yield "imports " + ", ".join(dict.fromkeys(each.module for each in found.imports))
    if found.exports:
        yield "exports " + ", ".join(found.exports)
    for each in found.symbols:
        depth = each.parent.count(".") + 1 if each.parent else 0
        doc = f"  # {each.doc}" if each.doc else ""
        yield f"{'    ' * depth}{each.line}-{each.end_line}  {each.signature or f'{each.kind} {each.name}'}{doc}"


def impact(found: Impact, at: At, limit: int) -> Iterator[str]:
    """Groups with their files, at most so many in each."""
    for title, items in (
        ("must verify", found.must_verify),
        ("should verify", found.should_verify),
        ("tests", found.tests),
        ("markup", found.markup if found.mode == "code" else ()),
    ):
        if items:
            yield f"{title} ({len(items)})"
            yield from (f"  {_item(item, at)}" for item in items[:limit])
            if len(items) > limit:
                yield f"  … {limit} of {len(items)}; see --limit"
    yield f"mode {found.mode}; {found.counts.get('depth_2', 0)} files in the second degree"


def _item(item: ImpactItem, at: At) -> str:
    lines = ",".join(map(str, item.lines[:12])) + (",…" if len(item.lines) > 12 else "")
    names = f"  ({', '.join(item.symbols[:6])})" if item.symbols else ""
    return f"{at(item.path)}{':' if lines else ''}{lines}  {item.note or item.reason}{names}"


def stats(found: IndexStats) -> Iterator[str]:
    """One screen."""
    age = "never synced" if found.age_s is None else f"synced {found.age_s:.0f} s ago"
    yield f"{found.state}, {age}: {found.files} files, {found.chunks} chunks, {found.symbols} symbols"
    waiting = f", {found.pending} chunks wait for vectors" if found.pending else ""
    yield f"embedder {found.embedder}{waiting}{f'; {found.dense}' if found.dense else ''}"
    yield from (f"note: {each}" for each in found.notices)


def report(found: SyncReport) -> Iterator[str]:
    """What a sync did."""
    yield (
        f"{found.files} files, {found.chunks} chunks in {found.seconds:.1f} s: {found.added} added,"
        f" {found.modified} modified, {found.deleted} deleted, {found.unchanged} unchanged"
    )
    yield from (f"not indexed: {each}" for each in found.errors)
    yield from (f"note: {each}" for each in found.notices)
