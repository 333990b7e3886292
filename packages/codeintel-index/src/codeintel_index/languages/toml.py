"""TOML."""

from codeintel_index.languages.language import MAX_KEYS, Language

TOML = Language(
    id="toml",
    name="TOML",
    finds="key, the first two levels, at most 200 a file",
    suffixes=(".toml",),
    grammar=("tree_sitter_toml", "language"),
    queries=("toml.scm",),
    comments=("comment",),
    strings=("string",),
    is_data=True,
    max_symbols=MAX_KEYS,
)
