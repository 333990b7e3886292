"""C#."""

import re

from codeintel_index.languages.language import ALL_FOLDERS, ImportRules, Language, StubRules
from codeintel_index.languages.resolution import Link, Project, Target
from codeintel_index.results import Import

# Conditions may cut through any expression; the first branch is read, with the lines of the conditions taken out.
_BLANKED = re.compile(
    rb"("
    rb"^[ \t]*#[ \t]*el(?:se|if)\b(?:(?!^[ \t]*#[ \t]*(?:if|endif)\b)[\s\S])*?^[ \t]*#[ \t]*endif\b[^\n]*"
    rb"|^[ \t]*#[ \t]*(?:if|elif|else|endif)\b[^\n]*"
    rb"|(?<![\w)\]] )\*\(\w+\*\)(?=[\w(])"  # pointers at which the grammar loses the class
    rb")",
    re.MULTILINE,
)
_REGIONS = ("preproc_region", "preproc_endregion", "preproc_nullable", "preproc_pragma")


def _resolve(importer: str, each: Import, target: Target, project: Project) -> Link:
    """`using Shop.Models` takes in a namespace, `using static Shop.Models.Order` a class."""
    holders = {symbol.rpartition(".")[0] for symbol in target.symbols}
    if each.module in target.symbols:
        return Link.FILE
    return Link.PACKAGE if each.module in holders else Link.NONE


CSHARP = Language(
    id="csharp",
    name="C#",
    finds="namespace, class, interface, struct, record, enum, type (delegate), method, constructor, property, event, "
    "constant",
    suffixes=(".cs", ".csx"),
    grammar=("tree_sitter_c_sharp", "language"),
    queries=("csharp.scm",),
    comments=("comment",),
    strings=(
        "string_literal",
        "verbatim_string_literal",
        "raw_string_literal",
        "interpolated_string_expression",
        "character_literal",
    ),
    interpolations=("interpolation",),
    blanked=_BLANKED,
    wrappers=("global_statement",),
    imports=ImportRules(resolve=_resolve, names_symbols=True, shared_folders=ALL_FOLDERS),
    stubs=StubRules(
        no_ops=("empty_statement", *_REGIONS),
        blocks=("block", "arrow_expression_clause"),
        calls=("invocation_expression", "object_creation_expression"),
        throws=("throw_statement", "throw_expression"),
        bases=("base_list", "parameter_list"),
        bodies=("arrow_expression_clause",),
        boilerplate=("using_directive", "file_scoped_namespace_declaration", "global_attribute"),
        intended=("constructor_initializer",),
        any_attribute=True,
    ),
)
