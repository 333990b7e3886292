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
    interpreters=("python",),
)

BASH = LanguageRow(
    id="bash",
    suffixes=(".sh", ".bash", ".bats", ".ksh", ".zsh", ".ebuild"),
    grammar=("tree_sitter_bash", "language"),
    queries=("bash.scm",),
    comments=("comment",),
    strings=("string", "raw_string", "ansi_c_string", "translated_string", "heredoc_body"),
    holes=("expansion", "simple_expansion", "command_substitution"),
    wrappers=("declaration_command",),
    file_names=(".bashrc", ".bash_profile", ".bash_aliases", ".profile", ".zshrc", "PKGBUILD", "APKBUILD"),
    interpreters=("bash", "sh", "dash", "ksh", "zsh", "bats"),
)

LUA = LanguageRow(
    id="lua",
    suffixes=(".lua",),
    grammar=("tree_sitter_lua", "language"),
    queries=("lua.scm",),
    comments=("comment",),
    strings=("string",),
    wrappers=("variable_declaration", "assignment_statement"),
    interpreters=("lua", "luajit"),
)
