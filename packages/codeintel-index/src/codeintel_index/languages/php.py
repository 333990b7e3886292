"""PHP."""

import json
import re
from collections.abc import Iterator

from codeintel_index.languages.language import ALL_FOLDERS, ImportRules, Language, StubRules
from codeintel_index.languages.resolution import (
    Alias,
    Link,
    Parts,
    Project,
    Target,
    ends,
    folder_of,
    joined,
    link_if,
    parts_of,
)
from codeintel_index.results import Import

_FILE = re.compile(r"\.(?:php|inc|phtml)$")


def _resolve(importer: str, each: Import, target: Target, project: Project) -> Link:
    """`App\\Models\\User` by the namespace in the file, by composer's folders, or by how it ends; or a path."""
    if _FILE.search(each.module):
        parts = tuple(part for part in each.module.split("/") if part)
        beside = "/".join(joined(folder_of(importer), parts))
        plain = "/".join(part for part in parts if part not in (".", ".."))
        return link_if(target.path in (beside, plain) or (len(parts) > 1 and target.path.endswith(f"/{plain}")))
    parts = tuple(part for part in each.module.split("\\") if part)
    spellings = [(*parts, name) for name in each.names] or [parts]
    if any(".".join(found) in target.symbols for found in spellings):
        return Link.FILE
    folders = [path for found in spellings for path in project.named("php", found)]
    if target.segments in folders:
        return Link.FILE
    folded = tuple(part.lower() for part in target.segments)
    return link_if(any(len(found) > 1 and ends(_lower(found), folded, 2) for found in spellings) and not folders)


def _lower(parts: Parts) -> Parts:
    return tuple(part.lower() for part in parts)


def _composer(text: str, folder: Parts) -> Iterator[Alias]:
    document = json.loads(text)
    for section in ("autoload", "autoload-dev"):
        for prefix, places in document.get(section, {}).get("psr-4", {}).items():
            for place in places if isinstance(places, list) else [places]:
                yield Alias("php", tuple(filter(None, prefix.split("\\"))), (*folder, *parts_of(place)))


PHP = Language(
    id="php",
    name="PHP",
    finds="namespace, class, interface, trait, enum, function, method, constructor, property, constant",
    suffixes=(".php", ".phtml", ".php5", ".inc"),
    grammar=("tree_sitter_php", "language_php"),
    queries=("php.scm",),
    comments=("comment",),
    strings=("string", "encapsed_string", "heredoc", "nowdoc", "shell_command_expression", "text"),
    interpolations=(
        "variable_name",
        "dynamic_variable_name",
        "member_access_expression",
        "member_call_expression",
        "subscript_expression",
        "scoped_call_expression",
        "function_call_expression",
    ),
    wrappers=("const_declaration", "property_declaration", "expression_statement"),
    separator="\\",
    interpreters=("php",),
    imports=ImportRules(resolve=_resolve, shared_folders=ALL_FOLDERS, manifests=(("composer.json", _composer),)),
    stubs=StubRules(
        no_ops=("empty_statement", "php_tag", "php_end_tag"),
        blocks=("compound_statement",),
        calls=(
            "function_call_expression",
            "member_call_expression",
            "scoped_call_expression",
            "object_creation_expression",
            "echo_statement",
            "print_intrinsic",
            "exit_statement",
        ),
        throws=("throw_expression",),
        wrappers=("expression_statement", "parenthesized_expression"),
        bases=("base_clause", "class_interface_clause"),
        boilerplate=("namespace_definition", "namespace_use_declaration", "declare_statement"),
        field_parameters=("property_promotion_parameter",),
        any_attribute=True,
        contract_kinds=("interface",),
    ),
)
