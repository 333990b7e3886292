"""The registry of languages: a language is a row here and a query file; order decides nothing.

The node types a row names are those of its grammar; what the grammar's queries can say stands in the `.scm` file.
"""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath


@dataclass(frozen=True, slots=True)
class LanguageRow:
    """One language: how its files are recognised and what its grammar calls things."""

    id: str
    suffixes: tuple[str, ...]  # lower case, with the dot
    grammar: tuple[str, str]  # module and function that hands out the grammar
    queries: tuple[str, ...]  # files in `queries/`, read one after the other
    comments: tuple[str, ...]  # node types
    strings: tuple[str, ...]  # node types
    holes: tuple[str, ...] = ()  # node types of code inside a string
    wrappers: tuple[str, ...] = ()  # node types around a definition that belong to its range
    file_names: tuple[str, ...] = ()  # whole names, for files without a telling suffix
    separator: str = "."  # between the parts of a qualified name
    docstrings: bool = False  # documentation is the first string of a body
    otherwise: tuple[re.Pattern[bytes], str] | None = None  # a file with this in it is of that language instead
    unseen: re.Pattern[bytes] | None = None  # what its group 1 matches is blank to the grammar
    public: re.Pattern[str] | None = None  # with nothing marked as exported, the top names that are


_SCRIPT_COMMENTS = ("comment", "html_comment", "hash_bang_line")
_SCRIPT_WRAPPERS = ("export_statement", "lexical_declaration", "variable_declaration", "expression_statement")
_TYPED_WRAPPERS = (*_SCRIPT_WRAPPERS, "ambient_declaration")
_SCRIPT_STRINGS = ("string", "template_string", "regex", "jsx_text")
_C_STRINGS = ("string_literal", "char_literal", "system_lib_string", "raw_string_literal")
_C_WRAPPERS = ("template_declaration", "linkage_specification")
# Macros that mark linkage or locks, and those that open and close a namespace: no grammar can tell what they stand for.
# The first alternative takes the lines of the preprocessor out of it.
_C_UNSEEN = re.compile(
    rb"^[ \t]*#(?:[^\n\\]|\\[\s\S])*"
    rb"|("
    rb"\b[A-Z][A-Z0-9]*_(?:API|EXPORT|EXPORTS|DECL|INLINE)_?\b(?=[ \t\n]+[\w~:])"
    rb"|(?<=\bclass )[A-Z][A-Z0-9_]{2,}(?= +\w+\s*(?:final\s*)?[:{])"
    rb"|(?<=\bstruct )[A-Z][A-Z0-9_]{2,}(?= +\w+\s*(?:final\s*)?[:{])"
    rb"|\b(?:[A-Z]+_)*(?:GUARDED_BY|LOCKS?_(?:EXCLUDED|REQUIRED)|REQUIRES|EXCLUDES)_?\([^()\n]*\)(?=\s*[{;])"
    rb"|^[ \t]*(?:[A-Z][A-Z0-9]*_(?:BEGIN|END)(?:_[A-Z_]+)?|Q_OBJECT|Q_GADGET)[ \t]*$"
    rb")",
    re.MULTILINE,
)
# Lines that no C header has: most C++ projects call their headers `.h` too.
_ONLY_CPP = re.compile(
    rb"^[ \t]*(?:namespace\s+\w|template\s*<|using\s+\w|class\s+\w[^;\n]*$|(?:public|private|protected)\s*:"
    rb"|#[ \t]*include[ \t]*<\w+>)",
    re.MULTILINE,
)

LANGUAGES: tuple[LanguageRow, ...] = (
    LanguageRow(
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
    ),
    LanguageRow(
        id="javascript",
        suffixes=(".js", ".jsx", ".mjs", ".cjs"),
        grammar=("tree_sitter_javascript", "language"),
        queries=("ecmascript.scm", "javascript.scm"),
        comments=_SCRIPT_COMMENTS,
        strings=_SCRIPT_STRINGS,
        holes=("template_substitution",),
        wrappers=_SCRIPT_WRAPPERS,
        file_names=("Jakefile",),
    ),
    LanguageRow(
        id="typescript",
        suffixes=(".ts", ".mts", ".cts"),
        grammar=("tree_sitter_typescript", "language_typescript"),
        queries=("ecmascript.scm", "typescript.scm"),
        comments=_SCRIPT_COMMENTS,
        strings=_SCRIPT_STRINGS,
        holes=("template_substitution",),
        wrappers=_TYPED_WRAPPERS,
    ),
    LanguageRow(
        id="tsx",
        suffixes=(".tsx",),
        grammar=("tree_sitter_typescript", "language_tsx"),
        queries=("ecmascript.scm", "typescript.scm"),
        comments=_SCRIPT_COMMENTS,
        strings=_SCRIPT_STRINGS,
        holes=("template_substitution",),
        wrappers=_TYPED_WRAPPERS,
    ),
    LanguageRow(
        id="go",
        suffixes=(".go",),
        grammar=("tree_sitter_go", "language"),
        queries=("go.scm",),
        comments=("comment",),
        strings=("interpreted_string_literal", "raw_string_literal", "rune_literal"),
        wrappers=("type_declaration", "const_declaration", "var_declaration"),
        public=re.compile(r"[A-Z]"),
    ),
    LanguageRow(
        id="rust",
        suffixes=(".rs",),
        grammar=("tree_sitter_rust", "language"),
        queries=("rust.scm",),
        comments=("line_comment", "block_comment"),
        strings=("string_literal", "raw_string_literal", "char_literal"),
        separator="::",
    ),
    LanguageRow(
        id="java",
        suffixes=(".java",),
        grammar=("tree_sitter_java", "language"),
        queries=("java.scm",),
        comments=("line_comment", "block_comment"),
        strings=("string_literal", "character_literal"),
        holes=("string_interpolation",),
    ),
    LanguageRow(
        id="c",
        suffixes=(".c", ".h"),
        otherwise=(_ONLY_CPP, "cpp"),
        grammar=("tree_sitter_c", "language"),
        queries=("c.scm",),
        comments=("comment",),
        strings=_C_STRINGS,
        unseen=_C_UNSEEN,
        wrappers=_C_WRAPPERS,
    ),
    LanguageRow(
        id="cpp",
        suffixes=(".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx"),
        grammar=("tree_sitter_cpp", "language"),
        queries=("c.scm", "cpp.scm"),
        comments=("comment",),
        strings=_C_STRINGS,
        unseen=_C_UNSEEN,
        wrappers=_C_WRAPPERS,
        separator="::",
    ),
)

_BY_SUFFIX = {suffix: row for row in LANGUAGES for suffix in row.suffixes}
_BY_ID = {row.id: row for row in LANGUAGES}
_BY_NAME = {name: row for row in LANGUAGES for name in row.file_names}


def row_of(path: str) -> LanguageRow | None:
    """The row of the language of `path`, by file name, then by suffix in any case; None where no row fits."""
    name = PurePosixPath(path).name
    return _BY_NAME.get(name) or _BY_SUFFIX.get(PurePosixPath(name).suffix.lower())


def row_for(path: str, data: bytes) -> LanguageRow | None:
    """As `row_of`, but with a look into the file where its name may stand for either of two languages."""
    row = row_of(path)
    if row is None or row.otherwise is None:
        return row
    sign, other = row.otherwise
    return _BY_ID[other] if sign.search(data) else row


def language_of(path: str) -> str:
    """The id of the language of `path`, "" where there is none.

    The name alone decides: a C++ header named `.h` is "c" here and "cpp" in what a parse of it yields.
    """
    row = row_of(path)
    return row.id if row else ""
