"""Java, and the imports of all languages on its virtual machine."""

from codeintel_index.languages.language import ALL_FOLDERS, ImportRules, Language, StubRules
from codeintel_index.languages.resolution import Link, Project, Target, ends
from codeintel_index.results import Import

_ALL = ("*", "_", "given")


def _resolve(importer: str, each: Import, target: Target, project: Project) -> Link:
    """`com.shop.Order`, one of its members, a function of its package, or the package with `*`.

    Packages are compared with folders, of which the first may be left out.
    """
    parts = tuple(each.module.split("."))
    names = [name for name in each.names if name not in _ALL]
    least = min(2, len(target.segments))
    for found in ((*parts, name) for name in names) if names else [parts]:
        if ends(found, target.segments, least) or ends(found[:-1], target.segments, least):
            return Link.FILE
        if found[-1] in target.names and ends(found[:-1], target.folder, 1):
            return Link.FILE
    return Link.PACKAGE if not names and ends(parts, target.folder, least) else Link.NONE


JVM_IMPORTS = ImportRules(resolve=_resolve, family="jvm", shared_folders=ALL_FOLDERS)


JAVA = Language(
    id="java",
    name="Java",
    finds="class, interface, enum, record, annotation, method, constructor, constant",
    suffixes=(".java",),
    grammar=("tree_sitter_java", "language"),
    queries=("java.scm",),
    comments=("line_comment", "block_comment"),
    strings=("string_literal", "character_literal"),
    interpolations=("string_interpolation",),
    imports=JVM_IMPORTS,
    stubs=StubRules(
        no_ops=(";",),
        blocks=("block", "constructor_body"),
        calls=("method_invocation", "object_creation_expression"),
        bases=("superclass", "super_interfaces", "extends_interfaces"),
        boilerplate=("package_declaration",),
        any_attribute=True,
    ),
)
