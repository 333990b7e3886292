"""Python."""

import re
import sys

from codeintel_index.languages.language import ImportRules, Language, StubRules
from codeintel_index.languages.resolution import Link, Project, Target, ends_like, folder_of, joined, link_if, same
from codeintel_index.results import Import


def _resolve(importer: str, each: Import, target: Target, project: Project) -> Link:
    """`..store.db`, `pkg.db` with the names taken from it, any of which may be a module."""
    module = each.module
    rest = tuple(part for part in module.lstrip(".").split(".") if part)
    if dots := len(module) - len(module.lstrip(".")):
        exact = joined(folder_of(importer), [*[".."] * (dots - 1), *rest])
        return link_if(any(same(found, target.segments) for found in (exact, *((*exact, name) for name in each.names))))
    if len(rest) == 1 and not each.names and rest[0] in sys.stdlib_module_names:
        return Link.NONE
    spellings = (rest, *((*rest, name) for name in each.names))
    return link_if(any(ends_like(importer, found, target.segments) for found in spellings))


def _packages(target: Target) -> list[str]:
    """Spell the packages around a target, from any folder above that may be the root, or relative."""
    folders = target.folder
    names = [".".join(folders[start:end]) for end in range(len(folders), 0, -1) for start in range(end)][:20]
    return [f"{dots}{name}" for dots in ("", ".", "..") for name in names]


PYTHON = Language(
    id="python",
    name="Python",
    finds="class, function, method, type; top-level constant, variable; attribute of a class or its instances",
    suffixes=(".py", ".pyi", ".pyw"),
    grammar=("tree_sitter_python", "language"),
    queries=("python.scm",),
    comments=("comment",),
    strings=("string",),
    interpolations=("interpolation",),
    wrappers=("decorated_definition", "expression_statement"),
    file_names=("SConstruct", "SConscript", "wscript"),
    class_bindings=True,
    docstrings=True,
    public_names=re.compile(r"[^_]"),
    interpreters=("python",),
    imports=ImportRules(
        resolve=_resolve,
        names_the_file=True,
        headless=(".", "..", "..."),
        packages=_packages,
        package_head="__init__.py",
    ),
    stubs=StubRules(
        no_ops=("pass_statement", "ellipsis", "string", "concatenated_string"),
        blocks=("block",),
        calls=("call",),
        throws=("raise_statement", "assert_statement"),
        wrappers=("expression_statement", "await", "parenthesized_expression"),
        bases=("argument_list",),
        boilerplate=("decorator", "future_import_statement"),
        # Command groups and event hooks of the usual frameworks do their work in the decorator.
        declaring_decorators=re.compile(r"\b(?:overload|abstract\w*)\b|\.(?:group|callback)\b"),
        contracts=re.compile(r"\b(?:Protocol|Interface)\b"),
        declaring_condition="TYPE_CHECKING",
        declaring_suffixes=(".pyi",),
    ),
)
