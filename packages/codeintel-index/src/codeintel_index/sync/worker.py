"""From files on disk to the rows that stand for them: the only place that decides what is stored of a file.

A full sync runs it in child processes, `python -m codeintel_index.sync.worker`. A child reads pickled (Request,
seconds) from stdin and answers with a Batch each on stdout, both pipes of the parent that started it; it ends when
stdin does, so it never outlives its parent, and when a request takes more than its seconds of processor time, even
within a parser that never returns. Universal Ctags gives the symbols of files that no grammar reads, in one call for
all files of a request. The default model's vectors are made here too, in a tenth of the time that parsing takes.
"""

import gc
import hashlib
import json
import os
import pickle
import signal
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from codeintel_index.errors import ToolTimeout
from codeintel_index.languages.table import has_no_grammar
from codeintel_index.paths import MAX_BYTES, is_binary
from codeintel_index.project_file import read_file
from codeintel_index.results import Symbol
from codeintel_index.store.rows import (
    MAX_LINES_PER_NAME,
    MAX_NAME,
    UNREADABLE,
    Batch,
    FileStat,
    Prepared,
    Request,
    symbol_rows,
)
from codeintel_index.syntax.unfit import give_up
from codeintel_index.text.redaction import masked
from codeintel_index.tools.ctags import tags_of

PR_SET_PDEATHSIG = 1


def prepare(root: Path, stat: FileStat, max_tokens: int, known: bytes = b"", unfit: bool = False) -> Prepared:
    """Read, hash and parse one file. `known` is the digest on record: an equal one ends the work early (no rows)."""
    now = time.time_ns()
    try:
        data = read_file(root, stat.path, MAX_BYTES)
    except FileNotFoundError as error:
        return Prepared(stat, 0, b"", skipped="gone", error=f"{stat.path}: {error.strerror}")
    except OSError as error:
        return Prepared(stat, 0, b"", skipped=UNREADABLE, error=f"{stat.path}: {error.strerror or error}")
    digest = hashlib.sha256(data).digest()
    if digest == known:
        return Prepared(stat, now, digest)
    if is_binary(data):
        return Prepared(stat, now, digest, skipped="binary")
    data = masked(data)
    if unfit:
        give_up(data)
    return _parsed(stat, now, digest, data, max_tokens)


def _parsed(stat: FileStat, now: int, digest: bytes, data: bytes, max_tokens: int) -> Prepared:
    from codeintel_index.syntax.parsing import parse  # late: it loads tree-sitter

    parsed = parse(stat.path, data, max_tokens=max_tokens)
    chunks = list({chunk.id: chunk for chunk in parsed.chunks}.values())
    return Prepared(
        stat,
        now,
        digest,
        language=parsed.language,
        symbols=symbol_rows(stat.path, parsed.language, parsed.symbols),
        names=_names(parsed.names),
        imports=[(each.module, json.dumps(each.names), each.line) for each in parsed.imports],
        bases=list(parsed.bases),
        chunks=[(c.id, c.start_line, c.end_line, c.kind, c.symbol, c.parent, c.text) for c in chunks],
    )


def _names(uses: Mapping[str, tuple[int, ...]]) -> list[tuple[str, str]]:
    """Each name with its first lines."""
    return sorted(
        (name, ",".join(map(str, at[:MAX_LINES_PER_NAME]))) for name, at in uses.items() if len(name) <= MAX_NAME
    )


def with_tags(root: Path, files: Iterable[Prepared]) -> list[Prepared]:
    """Add the symbols that ctags finds, if it is installed, to files without a grammar; the order stays."""
    prepared = list(files)
    wanted = [each.stat.path for each in prepared if _lacks_symbols(each)]
    try:
        found = tags_of(root, wanted)
    except ToolTimeout as late:  # the rows are good but for the symbols: the report says so once a request
        error = f"{wanted[0]}: {late}"
        return [replace(each, error=error) if each.stat.path == wanted[0] else each for each in prepared]
    return [_tagged(each, found.get(each.stat.path, [])) for each in prepared]


def _lacks_symbols(each: Prepared) -> bool:
    return bool(each.chunks) and not each.symbols and has_no_grammar(each.stat.path)


def _tagged(each: Prepared, symbols: list[Symbol]) -> Prepared:
    return replace(each, symbols=symbol_rows(each.stat.path, each.language, symbols)) if symbols else each


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until there are no more."""
    while True:
        try:
            request, seconds = pickle.load(requests)
        except EOFError:
            return
        _end_after(seconds)
        answered = answer(request)
        _end_after(0)
        pickle.dump(answered, answers, protocol=pickle.HIGHEST_PROTOCOL)
        answers.flush()
        gc.collect(0)


def _end_after(seconds: float) -> None:
    """Have the system end this process after so much processor time; never for 0, nor on Windows."""
    if sys.platform != "win32":
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, seconds)


def answer(request: Request, unfit: bool = False) -> Batch:
    """Prepare the files of one request, in order; if they are `unfit`, no grammar sees them now or later."""
    root, known = Path(request.root), request.known
    found = (prepare(root, stat, request.max_tokens, known.get(stat.path, b""), unfit) for stat in request.stats)
    files = with_tags(root, found)
    if not any(each.chunks for each in files):
        return Batch(files)
    return _with_words(files, request.embedded)


def _with_words(files: list[Prepared], embedded: bool) -> Batch:
    """Add the full text of all chunks and, if they will be `embedded`, their vectors: both count the same words."""
    import numpy as np  # late, as all that follows is, for whoever only opens an index

    from codeintel_index.text.bags import Bags
    from codeintel_index.text.postings import postings

    filled = [each for each in files if each.chunks]
    paths = [each.stat.path for each in filled]
    bodies = Bags.of(f"{symbol} {parent} {text}" for each in filled for *_, symbol, parent, text in each.chunks)
    file = np.repeat(np.arange(len(filled)), [len(each.chunks) for each in filled])
    batch = Batch(files, *postings(paths, bodies, file))
    if not embedded:
        return batch
    from codeintel_index.embedding.static import default
    from codeintel_index.vectors.local import pack

    model = default()
    packed = iter(pack(model.embed_bags(bodies.beside(Bags.of(paths), file), len(file))))
    vectors = [replace(each, vector_of=model.name, vectors=[next(packed) for _ in each.chunks]) for each in files]
    return replace(batch, files=vectors)


def main() -> None:
    """Keep the real stdout for answers and send whatever libraries print to stderr."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    if sys.platform == "linux":  # else it would end the batch first, which may take a minute
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    gc.disable()  # the nodes of a tree would set it off again and again; once a request is enough
    serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
