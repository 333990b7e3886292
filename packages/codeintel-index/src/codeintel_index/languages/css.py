"""CSS."""

from codeintel_index.languages.language import ImportRules, Language
from codeintel_index.languages.resolution import Link, Project, Target, folder_of, joined, link_if
from codeintel_index.results import Import


def resolve_sheet(importer: str, each: Import, target: Target, project: Project) -> Link:
    """Resolve `@import 'base'` of style sheets, `src` and `href` of pages."""
    parts = each.module.partition("?")[0].partition("#")[0].split("/")
    exact = joined(() if each.module.startswith("/") else folder_of(importer), parts)
    partial = (*exact[:-1], f"_{exact[-1]}") if exact else ()
    return link_if("/".join(exact) == target.path or target.segments in (exact, partial))


CSS = Language(
    id="css",
    name="CSS",
    finds="selector (class or id, its first rule), keyframes, custom property",
    suffixes=(".css",),
    grammar=("tree_sitter_css", "language"),
    queries=("css.scm",),
    comments=("comment", "js_comment"),
    strings=("string_value",),
    is_data=True,
    imports=ImportRules(resolve=resolve_sheet, also_imported_by=("script",)),
)
