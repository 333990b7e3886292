"""JSON."""

from codeintel_index.languages.language import MAX_KEYS, Language

JSON = Language(
    id="json",
    name="JSON",
    finds="key, the first two levels, at most 200 a file",
    suffixes=(".json", ".jsonc", ".json5"),
    grammar=("tree_sitter_json", "language"),
    queries=("json.scm",),
    comments=("comment",),
    strings=("string",),
    is_data=True,
    max_symbols=MAX_KEYS,
)
