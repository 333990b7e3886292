"""HTML."""

from codeintel_index.languages.css import resolve_sheet
from codeintel_index.languages.language import MAX_KEYS, ImportRules, Language

HTML = Language(
    id="html",
    name="HTML",
    finds="id",
    suffixes=(".html", ".htm", ".xhtml"),
    grammar=("tree_sitter_html", "language"),
    queries=("html.scm",),
    comments=("comment",),
    strings=("text", "quoted_attribute_value"),
    is_data=True,
    max_symbols=MAX_KEYS,
    imports=ImportRules(resolve=resolve_sheet, family="script"),
)
