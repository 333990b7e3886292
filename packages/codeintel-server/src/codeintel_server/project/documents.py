"""Find the documents that matter to a request: pages that name its words and symbols, and the guides for contributors.

Runs before the index is there and must not wait for it, so it reads the documents themselves: at most `MAX_FILES` of at
most `MAX_BYTES` each, ranked by BM25. A word that a name or a heading of a page holds counts more; a symbol of the
request, such as `res.send`, counts as a word of its own.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path, PurePosixPath

from codeintel_contract import read_file
from codeintel_index import Files, IndexConfig, IndexFault, compile_glob, confine
from codeintel_server.project.configuration import Context

MAX_FILES = 600
MAX_BYTES = 64 * 1024
OFFERED = 5
SUFFIXES = (".md", ".mdx", ".markdown", ".rst", ".rdoc", ".pod", ".adoc")
FOLDERS = ("doc", "docs", "documentation", "wiki", "site", "website", "content", "guide", "guides", "manual")
"""Folders that hold documents where context.yml names none: at the root, or in a part of the project."""
GUIDES = (("contributing", "hacking", "development"), ("changelog", "changes", "history", "news", "releases"))
"""What whoever changes the code has to know, whatever the request; one of each kind is offered."""
NEVER = ("license", "licence", "copying", "conduct", "code_of_conduct", "authors", "maintainers")
GUIDE_PLACES = ("", ".github", "doc", "docs")
TELLING = 0.25
"""Share of the best page's score that another page needs to be offered."""
NAME_WEIGHT = 6
HEADING_WEIGHT = 2
_WORD = re.compile(r"[^\W_]{3,}")
_SYMBOL = re.compile(r"[^\W\d][\w$]*(?:(?:\.|::|#)[^\W\d][\w$]*)*")
_PLAIN = re.compile(r"[A-Z]?[^\W_A-Z]+|[A-Z]+")
_HEADING = re.compile(r"^(?:#{1,6}|=+) +(.+)$|^(\S.*)\n[=~^*\-]{3,}$", re.MULTILINE)
_COMMON_WORDS = """
the and for with that this from into when what how why add are not should does its has have make only any all can but
also then them they will than was new use used using
"""
_COMMON = frozenset(_COMMON_WORDS.split())


def find_documents(root: Path, context: Context, query: str, *, with_guides: bool = True) -> tuple[str, ...]:
    """Return the paths of at most five documents: the pages nearest to the request, then the guides for a change."""
    paths = _candidates(root, context)
    guides = list(_guides(paths)) if with_guides else []
    stubs = {_kind(path) for path in guides} - {None}
    pages = [path for path in paths if path not in guides and (_kind(path) is None or _kind(path) not in stubs)]
    texts = {path: _bag(path, _text(root, path)) for path in pages}
    scores = _scores(texts, set(_terms(query)) - _COMMON)
    enough = TELLING * max(scores.values(), default=0.0)
    ranked = sorted((path for path in scores if scores[path] >= enough > 0), key=lambda path: (-scores[path], path))
    return (*ranked[: OFFERED - len(guides)], *guides)


def _candidates(root: Path, context: Context) -> list[str]:
    """List the documents: in the folders of context.yml by its patterns, in the usual folders, and at the root."""
    settings = context.file
    include = tuple(map(compile_glob, settings.document_search.include_patterns))
    below = tuple(folder for folder in map(partial(_confined, root), settings.doc_research.docs_path) if folder)
    is_told = "docs_path" in settings.doc_research.model_fields_set

    def is_document(path: str) -> bool:
        if is_left_out(context, path) or PurePosixPath(path).stem.casefold() in NEVER:
            return False
        if "./" in below or path.startswith(below):
            return any(fits(path) for fits in include)
        return path.casefold().endswith(SUFFIXES) and _is_usual_place(path, is_told=is_told)

    # The nearest to the root first: of a documentation of thousands of pages the first ones are read.
    listed = sorted(Files(root, IndexConfig()).listed(), key=lambda path: (path.count("/"), path))
    return list(islice(filter(is_document, listed), MAX_FILES))


def _is_usual_place(path: str, *, is_told: bool) -> bool:
    folders = path.casefold().split("/")[:-1]
    if not folders or (_kind(path) is not None and "/".join(folders) in GUIDE_PLACES):
        return True
    return not is_told and any(name in FOLDERS for name in folders[:3])


def _guides(paths: Sequence[str]) -> Iterator[str]:
    """Yield one document of each kind of guide, the one nearest to the root."""
    for kind in range(len(GUIDES)):
        near = (path for path in paths if _kind(path) == kind and path.casefold().rpartition("/")[0] in GUIDE_PLACES)
        yield from islice(near, 1)


def _kind(path: str) -> int | None:
    stem = PurePosixPath(path).stem.casefold()
    return next((number for number, names in enumerate(GUIDES) if stem in names), None)


def is_left_out(context: Context, path: str) -> bool:
    """Return whether context.yml leaves this document out."""
    return any(compile_glob(pattern)(path) for pattern in context.file.document_search.exclude_patterns)


def _confined(root: Path, folder: str) -> str:
    """Return a folder of documents as a path below the root, with its slash; "" if there is none inside the root."""
    try:
        path = confine(root, folder)
    except IndexFault:
        return ""
    return f"{path or '.'}/" if (root / path).is_dir() else ""


def _text(root: Path, path: str) -> str:
    if (root / path).is_symlink():
        return ""
    try:
        return read_file(root, path, MAX_BYTES, whole=False).decode("utf-8", "replace")
    except OSError:  # gone, or not for us to read: its name alone may tell
        return ""


def _bag(path: str, text: str) -> Counter[str]:
    bag = Counter(_terms(text))
    for found in _HEADING.finditer(text):
        bag.update(dict.fromkeys(_terms(found[1] or found[2]), HEADING_WEIGHT))
    bag.update(dict.fromkeys(_terms(path), NAME_WEIGHT))
    return bag


def _terms(text: str) -> Iterator[str]:
    """Yield the words of a text without their plural, and the symbols that are more than one word."""
    for found in _WORD.finditer(text):
        word = found[0].casefold()
        yield word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
    for found in _SYMBOL.finditer(text):
        if not _PLAIN.fullmatch(found[0]):
            yield found[0].casefold()


def _scores(texts: Mapping[str, Counter[str]], wanted: set[str]) -> dict[str, float]:
    """Return the BM25 score of each page."""
    lengths = {path: sum(bag.values()) for path, bag in texts.items()}
    mean = max(1.0, sum(lengths.values()) / max(1, len(lengths)))
    holding = {word: sum(word in bag for bag in texts.values()) for word in wanted}
    rarity = {word: math.log(1 + (len(texts) - held + 0.5) / (held + 0.5)) for word, held in holding.items()}
    return {
        path: sum(
            rarity[word] * bag[word] / (bag[word] + 1.2 * (0.25 + 0.75 * lengths[path] / mean))
            for word in wanted
            if bag[word]
        )
        for path, bag in texts.items()
    }
