"""What rows are made with, as one number: another schema, other code, other grammars or settings give another number.

A database with another number is rebuilt. That keeps rows of two makings apart without anybody having to remember to
raise a version, and lets full-text rows be taken out by making their words again.
"""

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from codeintel_index.languages import LANGUAGES

PACKAGE = Path(__file__).parents[1]
MAKERS = (
    "chunking",
    "languages",
    "masking.py",
    "parsing.py",
    "secret_kinds.py",
    "store/prepared.py",
    "store/schema.py",
    "tokens.py",
)


@cache
def recipe(chunk_max_tokens: int) -> int:
    """The number for rows made here and now, 31 bits. Reads some dozens of small files the first time."""
    digest = hashlib.sha256(str(chunk_max_tokens).encode())
    for place in _sources():
        digest.update(place.read_bytes())
    for module in sorted({row.grammar[0] for row in LANGUAGES} | {"tree_sitter"}):
        digest.update(f"{module} {_installed(module)}".encode())
    return int.from_bytes(digest.digest()[:4], "big") >> 1


def _sources() -> Iterator[Path]:
    for maker in MAKERS:
        place = PACKAGE / maker
        found = sorted(place.rglob("*")) if place.is_dir() else [place]
        yield from (each for each in found if each.suffix in {".py", ".scm"})


def _installed(module: str) -> str:
    try:
        return version(module.replace("_", "-"))
    except PackageNotFoundError:
        return "absent"
