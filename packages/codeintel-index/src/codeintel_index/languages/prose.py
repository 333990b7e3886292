"""Which files without a grammar are text for readers or plain data, and which are code all the same."""

from pathlib import PurePosixPath

# fmt: off
_SUFFIXES = frozenset({
    ".md", ".markdown", ".mdx", ".rst", ".txt", ".text", ".adoc", ".asciidoc", ".org", ".tex", ".textile", ".wiki",
    ".pod", ".man", ".log",
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
