"""YAML."""

from codeintel_index.languages.language import MAX_KEYS, Language

YAML = Language(
    id="yaml",
    name="YAML",
    finds="key, the first two levels, at most 200 a file",
    suffixes=(".yaml", ".yml"),
    grammar=("tree_sitter_yaml", "language"),
    queries=("yaml.scm",),
    comments=("comment",),
    strings=("double_quote_scalar", "single_quote_scalar", "block_scalar"),
    is_data=True,
    max_symbols=MAX_KEYS,
)
