"""Chunks get their text and id here; the id is a digest of path, range and content, so equal bodies never collide."""

from collections.abc import Iterable
from hashlib import sha256

from codeintel_index.chunking.cutting import cut, statement_borders, text_borders
from codeintel_index.chunking.joining import Label, join, label
from codeintel_index.chunking.pieces import pieces_of
from codeintel_index.chunking.sizes import Sizes
from codeintel_index.languages import language_of
from codeintel_index.languages.definitions import Definition
from codeintel_index.languages.margin import Margin
from codeintel_index.languages.tree import SyntaxTree
from codeintel_index.results import Chunk

ID_DIGITS = 20
_MODULE = Label("module", "", "")
_TEXT = Label("text", "", "")


def chunk_definitions(
    path: str, tree: SyntaxTree, margin: Margin, found: list[Definition], max_tokens: int
) -> tuple[Chunk, ...]:
    """The chunks of a parsed file, in order; none for a file of blank lines."""
    lines = _lines(tree.data)
    if not lines:
        return ()
    sizes = Sizes(lines)
    pieces = pieces_of(lines, found, sizes, max_tokens)
    if any(sizes.tokens(piece.start, piece.end) > max_tokens for piece in pieces):
        borders = statement_borders(tree.root, margin, sizes, max_tokens)
        pieces = [
            piece.part(*run) for piece in pieces for run in cut(piece.start, piece.end, borders, sizes, max_tokens)
        ]
    groups = join(pieces, lines, sizes, max_tokens)
    unowned = _TEXT if tree.row.is_data else _MODULE
    return _chunks(
        path, tree.row.id, lines, ((group[0].start, group[-1].end, label(group) or unowned) for group in groups)
    )


def chunk_lines(path: str, data: bytes, max_tokens: int) -> tuple[Chunk, ...]:
    """The chunks of a file without a tree, cut at blank lines. Bytes that are not UTF-8 show as U+FFFD."""
    lines = _lines(data)
    runs = cut(1, len(lines), text_borders(lines), Sizes(lines), max_tokens) if lines else []
    return _chunks(path, language_of(path), lines, ((start, end, _TEXT) for start, end in runs))


def _lines(data: bytes) -> list[str]:
    """The lines of a file without their ends; what follows the last line break counts only if there is something."""
    lines = [line.removesuffix("\r") for line in data.decode(errors="replace").split("\n")]
    return lines if lines[-1] else lines[:-1]


def _chunks(path: str, language: str, lines: list[str], ranges: Iterable[tuple[int, int, Label]]) -> tuple[Chunk, ...]:
    if not any(map(str.strip, lines)):
        return ()
    return tuple(
        _chunk(path, language, start, end, named, "\n".join(lines[start - 1 : end])) for start, end, named in ranges
    )


def _chunk(path: str, language: str, start: int, end: int, named: Label, text: str) -> Chunk:
    digest = sha256(f"{path}\0{start}-{end}\0{text}".encode(errors="surrogatepass")).hexdigest()
    return Chunk(
        id=digest[:ID_DIGITS],
        path=path,
        start_line=start,
        end_line=end,
        kind=named.kind,
        symbol=named.symbol,
        parent=named.parent,
        language=language,
        text=text,
    )
