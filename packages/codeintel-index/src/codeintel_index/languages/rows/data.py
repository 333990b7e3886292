"""Rows of the languages that hold data, settings and prose; SQL stands here for its tables, which are definitions."""

import re

from codeintel_index.languages.row import MOST_KEYS, LanguageRow

JSON = LanguageRow(
    id="json",
    suffixes=(".json", ".jsonc", ".json5"),
    grammar=("tree_sitter_json", "language"),
    queries=("json.scm",),
    comments=("comment",),
    strings=("string",),
    is_data=True,
    most=MOST_KEYS,
)

YAML = LanguageRow(
    id="yaml",
    suffixes=(".yaml", ".yml"),
    grammar=("tree_sitter_yaml", "language"),
    queries=("yaml.scm",),
    comments=("comment",),
    strings=("double_quote_scalar", "single_quote_scalar", "block_scalar"),
    is_data=True,
    most=MOST_KEYS,
)

TOML = LanguageRow(
    id="toml",
    suffixes=(".toml",),
    grammar=("tree_sitter_toml", "language"),
    queries=("toml.scm",),
    comments=("comment",),
    strings=("string",),
    is_data=True,
    most=MOST_KEYS,
)

MARKDOWN = LanguageRow(
    id="markdown",
    suffixes=(".md", ".markdown", ".mdx"),
    grammar=("tree_sitter_markdown", "language"),
    queries=("markdown.scm",),
    comments=(),
    strings=(),
    is_data=True,
)

# A statement ends with its semicolon, or at a line that is a command of a client; what is quoted has no ends in it.
_SQL_STATEMENTS = re.compile(
    rb"(;|^(?:GO|/)[ \t]*$|^\\\w[^\n]*$|^#[^\n]*$)|--[^\n]*|/\*.*?\*/|'[^']*'|\"[^\"]*\"|(\$\w*\$).*?\2",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)

SQL = LanguageRow(
    id="sql",
    suffixes=(".sql", ".ddl"),
    grammar=("tree_sitter_sql", "language"),
    queries=("sql.scm",),
    statements=_SQL_STATEMENTS,
    comments=("comment", "marginalia"),
    strings=("literal",),
    extra="languages",
)
