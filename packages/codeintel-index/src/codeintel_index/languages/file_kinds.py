"""What kind of file a path is, by its names alone. Ranking and impact analysis read the table of kinds."""

import re
from functools import lru_cache
from pathlib import PurePosixPath

# (kind, expression searched in "/" + lower-cased path); the first that fits decides.
ROWS = (
    (
        "generated",
        r"[._-](?:min|bundle|generated|gen|pb)\.[a-z]+$|_pb2(?:_grpc)?\.pyi?$|\.map$|\.lock$|[-.]lock\.(?:json|ya?ml)$",
    ),
    ("vendored", r"/(?:vendor|third[_-]?party|external|node_modules)/"),
    (
        "factory",
        r"/(?:factories|seeders?|seeds|fixtures)/|(?:factory|factories|seeder)\.[a-z]+$|/seeds?\.[a-z]+$",
    ),
    ("migration", r"/(?:migrations?|migrate|alembic)/"),
    (
        "test",
        r"/(?:_*tests?_*|testing|specs?|e2e|test-[a-z]+)/|/test_[^/]*$|/conftest\.py$"
        r"|[^/](?:_test|_spec|\.test|\.spec|\.cy)\.[a-z]+$",
    ),
    ("example", r"/(?:examples?|samples?|demos?|tutorials?|docs?_src|benchmarks?)/"),
    ("docs", r"/docs?/|\.(?:md|mdx|markdown|rst|rdoc|adoc|asciidoc|org|tex|textile|pod|txt)$"),
    ("legacy", r"/(?:legacy|compat|deprecated|_?compat)(?:/|\.)|[_-](?:legacy|compat|deprecated)\."),
    (
        "config",
        r"\.(?:json|ya?ml|toml|ini|cfg|conf|properties|xml)$|/config/|/(?:docker|make)file[^/]*$",
    ),
    ("stub", r"\.(?:pyi|d\.ts)$"),
    ("reexport", r"/(?:__init__\.py|package-info\.java|mod\.rs|index\.(?:js|ts|tsx|mjs))$"),
)
# JUnit and its relatives: told by case, so looked for before case is folded.
_CAMEL_TEST = re.compile(r"[a-z0-9](?:Tests?|Spec)\.[a-z]+$")
_ROWS = tuple((kind, re.compile(expression)) for kind, expression in ROWS)


@lru_cache(maxsize=100_000)
def kind_of(path: str) -> str:
    """Return one of the table's kinds, or "code"."""
    text = f"/{path.lower()}"
    if _CAMEL_TEST.search(path):
        return "test"
    return next((kind for kind, expression in _ROWS if expression.search(text)), "code")


# fmt: off
_SUFFIXES = frozenset({
    ".md", ".markdown", ".mdx", ".rst", ".txt", ".text", ".adoc", ".asciidoc", ".org", ".tex", ".textile", ".wiki",
    ".rdoc", ".pod", ".man", ".log",
    ".csv", ".tsv", ".json", ".jsonc", ".json5", ".jsonl", ".ndjson", ".yaml", ".yml", ".toml", ".ini", ".cfg",
    ".conf", ".properties", ".xml", ".svg", ".lock", ".po", ".pot", ".ipynb", ".diff", ".patch",
})
_NAMES = frozenset({
    "README", "LICENSE", "LICENCE", "COPYING", "NOTICE", "AUTHORS", "CONTRIBUTORS", "MAINTAINERS", "CHANGELOG",
    "CHANGES", "HISTORY", "NEWS", "TODO", "INSTALL", "VERSION", "CODEOWNERS",
})
# fmt: on


def is_prose(path: str) -> bool:
    """Whether the file at `path` is documentation or data by its name. An unknown suffix is taken for code."""
    name = PurePosixPath(path)
    return name.suffix.lower() in _SUFFIXES or (not name.suffix and name.name.upper() in _NAMES)
