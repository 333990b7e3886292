"""Rows of the languages that browsers are given."""

from codeintel_index.languages.row import MOST_KEYS, LanguageRow

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
    interpreters=("node", "nodejs"),
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

HTML = LanguageRow(
    id="html",
    suffixes=(".html", ".htm", ".xhtml"),
    grammar=("tree_sitter_html", "language"),
    queries=("html.scm",),
    comments=("comment",),
    strings=("text", "quoted_attribute_value"),
    is_data=True,
    most=MOST_KEYS,
)

CSS = LanguageRow(
    id="css",
    suffixes=(".css",),
    grammar=("tree_sitter_css", "language"),
    queries=("css.scm",),
    comments=("comment", "js_comment"),
    strings=("string_value",),
    is_data=True,
)
