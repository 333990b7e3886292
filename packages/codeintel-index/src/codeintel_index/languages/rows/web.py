"""Rows of the languages that browsers are given."""

from codeintel_index.languages.row import LanguageRow

_SCRIPT_COMMENTS = ("comment", "html_comment", "hash_bang_line")
_SCRIPT_WRAPPERS = ("export_statement", "lexical_declaration", "variable_declaration", "expression_statement")
_TYPED_WRAPPERS = (*_SCRIPT_WRAPPERS, "ambient_declaration")
_SCRIPT_STRINGS = ("string", "template_string", "regex", "jsx_text")

JAVASCRIPT = LanguageRow(
    id="javascript",
    suffixes=(".js", ".jsx", ".mjs", ".cjs"),
    grammar=("tree_sitter_javascript", "language"),
    queries=("ecmascript.scm", "javascript.scm"),
    comments=_SCRIPT_COMMENTS,
    strings=_SCRIPT_STRINGS,
    holes=("template_substitution",),
    wrappers=_SCRIPT_WRAPPERS,
    file_names=("Jakefile",),
)

TYPESCRIPT = LanguageRow(
    id="typescript",
    suffixes=(".ts", ".mts", ".cts"),
    grammar=("tree_sitter_typescript", "language_typescript"),
    queries=("ecmascript.scm", "typescript.scm"),
    comments=_SCRIPT_COMMENTS,
    strings=_SCRIPT_STRINGS,
    holes=("template_substitution",),
    wrappers=_TYPED_WRAPPERS,
)

TSX = LanguageRow(
    id="tsx",
    suffixes=(".tsx",),
    grammar=("tree_sitter_typescript", "language_tsx"),
    queries=("ecmascript.scm", "typescript.scm"),
    comments=_SCRIPT_COMMENTS,
    strings=_SCRIPT_STRINGS,
    holes=("template_substitution",),
    wrappers=_TYPED_WRAPPERS,
)
