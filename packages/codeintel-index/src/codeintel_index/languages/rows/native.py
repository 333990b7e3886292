"""Rows of the languages that are compiled to machine code."""

import re

from codeintel_index.languages.row import LanguageRow

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
    rb"|^[ \t]*(?:[A-Z][A-Z0-9_]*_(?:BEGIN|END)(?:_[A-Z_]+)?|Q_OBJECT|Q_GADGET|[A-Z][A-Z0-9_]*_FIELDS"
    rb"|PyObject_(?:VAR_)?HEAD)[ \t]*$"
    rb")",
    re.MULTILINE,
)
# Lines that no C header has: most C++ projects call their headers `.h` too.
_ONLY_CPP = re.compile(
    rb"^[ \t]*(?:namespace\s+\w|template\s*<|using\s+\w|class\s+\w[^;\n]*$|(?:public|private|protected)\s*:"
    rb"|#[ \t]*include[ \t]*<\w+>)",
    re.MULTILINE,
)

GO = LanguageRow(
    id="go",
    suffixes=(".go",),
    grammar=("tree_sitter_go", "language"),
    queries=("go.scm",),
    comments=("comment",),
    strings=("interpreted_string_literal", "raw_string_literal", "rune_literal"),
    wrappers=("type_declaration", "const_declaration", "var_declaration"),
    public=re.compile(r"[A-Z]"),
)

RUST = LanguageRow(
    id="rust",
    suffixes=(".rs",),
    grammar=("tree_sitter_rust", "language"),
    queries=("rust.scm",),
    comments=("line_comment", "block_comment"),
    strings=("string_literal", "raw_string_literal", "char_literal"),
    separator="::",
)

C = LanguageRow(
    id="c",
    suffixes=(".c", ".h"),
    otherwise=(_ONLY_CPP, "cpp"),
    grammar=("tree_sitter_c", "language"),
    queries=("c.scm",),
    comments=("comment",),
    strings=_C_STRINGS,
    unseen=_C_UNSEEN,
    wrappers=_C_WRAPPERS,
)

CPP = LanguageRow(
    id="cpp",
    suffixes=(".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx"),
    grammar=("tree_sitter_cpp", "language"),
    queries=("c.scm", "cpp.scm"),
    comments=("comment",),
    strings=_C_STRINGS,
    unseen=_C_UNSEEN,
    wrappers=_C_WRAPPERS,
    separator="::",
)

SWIFT = LanguageRow(
    id="swift",
    suffixes=(".swift",),
    grammar=("tree_sitter_swift", "language"),
    queries=("swift.scm",),
    comments=("comment", "multiline_comment"),
    strings=("line_string_literal", "multi_line_string_literal", "raw_string_literal"),
    holes=("interpolated_expression", "raw_str_interpolation"),
)

ZIG = LanguageRow(
    id="zig",
    suffixes=(".zig", ".zon"),
    grammar=("tree_sitter_zig", "language"),
    queries=("zig.scm",),
    comments=("comment",),
    strings=("string", "multiline_string", "character"),
    extra="languages",
)
