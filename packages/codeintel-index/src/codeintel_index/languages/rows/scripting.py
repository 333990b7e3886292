"""Rows of the languages that scripts are written in."""

import re

from codeintel_index.languages.row import LanguageRow

PYTHON = LanguageRow(
    id="python",
    suffixes=(".py", ".pyi", ".pyw"),
    grammar=("tree_sitter_python", "language"),
    queries=("python.scm",),
    comments=("comment",),
    strings=("string",),
    holes=("interpolation",),
    wrappers=("decorated_definition", "expression_statement"),
    file_names=("SConstruct", "SConscript", "wscript"),
    docstrings=True,
    public=re.compile(r"[^_]"),
)
