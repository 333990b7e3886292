"""SQL, which is a language of code, not of data, because of its tables."""

import re

from codeintel_index.languages.language import Language

# A statement ends with its semicolon, or at a line that is a command of a client; what is quoted has no ends in it.
_STATEMENTS = re.compile(
    rb"(;|^(?:GO|/)[ \t]*$|^\\\w[^\n]*$|^#[^\n]*$)|--[^\n]*|/\*.*?\*/|'[^']*'|\"[^\"]*\"|(\$\w*\$).*?\2",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)


SQL = Language(
    id="sql",
    name="SQL",
    finds="table, view, function, trigger, index, type, sequence",
    suffixes=(".sql", ".ddl"),
    grammar=("tree_sitter_sql", "language"),
    queries=("sql.scm",),
    statement_ends=_STATEMENTS,
    comments=("comment", "marginalia"),
    strings=("literal",),
    extra="languages",
)
