"""What the grammars call the parts of an empty implementation: one row per family of languages, no code."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EmptinessRow:
    """Node types of one family, and the marks by which it says that an empty body is meant to be one."""

    languages: tuple[str, ...]
    nothing: tuple[str, ...]  # statements and expressions that do nothing
    blocks: tuple[str, ...]  # what only groups statements
    calls: tuple[str, ...] = ("call_expression",)
    throws: tuple[str, ...] = ("throw_statement",)
    returns: tuple[str, ...] = ("return_statement",)
    wrappers: tuple[str, ...] = ("expression_statement", "await_expression", "parenthesized_expression")
    bases: tuple[str, ...] = ()  # children of a class that name what it derives from, or fields in its head
    bodies: tuple[str, ...] = ()  # children that are a body where the grammar names none
    bodiless: tuple[str, ...] = ()  # definitions in which the grammar leaves an empty body out
    frame: tuple[str, ...] = ()  # top-level nodes that are neither definition nor work
    intended: tuple[str, ...] = ()  # descendants of a callable's head that make an empty body right
    field_parameters: tuple[str, ...] = ()  # descendants of parameters that make them fields
    marks: re.Pattern[str] | None = None  # decorators that make an empty body right
    any_mark: bool = False  # any attribute is a reason for a class without members
    contract_kinds: tuple[str, ...] = ("interface", "trait", "annotation")  # whose members may do nothing by default
    contracts: re.Pattern[str] | None = None  # bases that make every member of a class a declaration
    declaring_condition: str = ""  # the name of a condition below which definitions serve type checkers alone
    declaring_suffixes: tuple[str, ...] = ()  # files that hold declarations only


_FRAME_C = ("access_specifier", "preproc_def", "preproc_function_def", "preproc_call", "using_declaration")

_REGIONS = ("preproc_region", "preproc_endregion", "preproc_nullable", "preproc_pragma", "preproc_define")

ROWS: tuple[EmptinessRow, ...] = (
    EmptinessRow(
        languages=("python",),
        nothing=("pass_statement", "ellipsis", "string", "concatenated_string"),
        blocks=("block",),
        calls=("call",),
        throws=("raise_statement", "assert_statement"),
        wrappers=("expression_statement", "await", "parenthesized_expression"),
        bases=("argument_list",),
        frame=("decorator", "future_import_statement"),
        # Command groups and event hooks of the usual frameworks do their work in the decorator.
        marks=re.compile(r"\b(?:overload|abstract\w*)\b|\.(?:group|callback)\b"),
        contracts=re.compile(r"\b(?:Protocol|Interface)\b"),
        declaring_condition="TYPE_CHECKING",
        declaring_suffixes=(".pyi",),
    ),
    EmptinessRow(
        languages=("javascript", "typescript", "tsx"),
        nothing=("empty_statement", "string", "undefined", "debugger_statement"),
        blocks=("statement_block",),
        calls=("call_expression", "new_expression"),
        bases=("class_heritage", "extends_clause", "implements_clause"),
        frame=("decorator", "hash_bang_line"),
        field_parameters=("accessibility_modifier", "readonly"),
    ),
    EmptinessRow(
        languages=("go",),
        nothing=("empty_statement",),
        blocks=("block", "statement_list"),
        frame=("package_clause",),
    ),
    EmptinessRow(
        languages=("rust",),
        nothing=("empty_statement", "unit_expression"),
        blocks=("block", "unsafe_block"),
        calls=("macro_invocation", "call_expression"),
        throws=(),
        returns=("return_expression",),
        frame=("attribute_item", "inner_attribute_item"),
    ),
    EmptinessRow(
        languages=("java",),
        nothing=(";",),
        blocks=("block", "constructor_body"),
        calls=("method_invocation", "object_creation_expression"),
        bases=("superclass", "super_interfaces", "extends_interfaces"),
        frame=("package_declaration",),
        any_mark=True,
    ),
    EmptinessRow(
        languages=("c", "cpp"),
        nothing=(";", "empty_statement"),
        blocks=("compound_statement",),
        calls=("call_expression", "binary_expression"),
        wrappers=("expression_statement", "parenthesized_expression"),
        bases=("base_class_clause",),
        frame=_FRAME_C,
        # Behind a macro the grammar takes an initialiser list for an error.
        intended=("field_initializer_list", "destructor_name", "ERROR"),
    ),
    EmptinessRow(
        languages=("csharp",),
        nothing=("empty_statement", *_REGIONS),
        blocks=("block", "arrow_expression_clause"),
        calls=("invocation_expression", "object_creation_expression"),
        throws=("throw_statement", "throw_expression"),
        bases=("base_list", "parameter_list"),
        bodies=("arrow_expression_clause",),
        frame=("using_directive", "file_scoped_namespace_declaration", "global_attribute"),
        intended=("constructor_initializer",),
        any_mark=True,
    ),
    EmptinessRow(
        languages=("php",),
        nothing=("empty_statement", "php_tag", "php_end_tag"),
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
        frame=("namespace_definition", "namespace_use_declaration", "declare_statement"),
        field_parameters=("property_promotion_parameter",),
        any_mark=True,
        contract_kinds=("interface",),
    ),
    EmptinessRow(
        languages=("ruby",),
        nothing=("empty_statement", "block_parameters"),
        blocks=("body_statement", "block_body", "do_block", "block", "begin"),
        calls=("call",),
        throws=(),
        returns=("return",),
        wrappers=("parenthesized_statements",),
        bases=("superclass",),
        bodies=("do_block", "block"),
        bodiless=("method", "singleton_method", "class", "module"),
        contract_kinds=(),
    ),
)

ROW_OF = {language: row for row in ROWS for language in row.languages}
