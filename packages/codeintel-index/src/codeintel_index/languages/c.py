"""C and C++, whose headers share a suffix."""

import re

from codeintel_index.languages.language import ImportRules, Language, StubRules
from codeintel_index.languages.resolution import Link, Project, Target, folder_of, joined, link_if
from codeintel_index.results import Import

_STRINGS = ("string_literal", "char_literal", "system_lib_string", "raw_string_literal")
_WRAPPERS = ("template_declaration", "linkage_specification")
# Macros that mark linkage or locks, and those that open and close a namespace: no grammar can tell what they stand for.
# The first alternative takes the lines of the preprocessor out of it.
_BLANKED = re.compile(
    rb"^[ \t]*#(?:[^\n\\]|\\[\s\S])*"
    rb"|((?=[A-Z])\b(?:"
    rb"[A-Z][A-Z0-9_]*_(?:API|EXPORTS?|DECL|(?:ALWAYS_|FORCE_?|NO)?INLINE|CONSTEXPR\d*|CONSTEVAL\d*|NORETURN|NODISCARD"
    rb"|DEPRECATED|UNUSED|COLD|HOT|PURE|EXPLICIT|FUNC)_?\b(?=[ \t\n]+[\w~:\[])"
    rb"|[A-Z][A-Z0-9_]*_VISIBILITY\([^()\n]*\)(?=[ \t\n]+\w)"
    rb"|(?:(?<=\bclass )|(?<=\bstruct ))[A-Z][A-Z0-9_]{2,}(?= +\w+\s*(?:final\s*)?[:{])"
    # A calling convention, or where a variable lies: `int LIB_CALL main(void)`, `void *(LIB_CALL *allocate)(size_t)`.
    rb"|(?:(?<=\bint )|(?<=\b(?:void|char|long|bool) )|(?<=_t )|(?<=\*)|(?<=\* ))[A-Z][A-Z0-9_]{2,}"
    rb"(?=[ \t]+\w+[ \t]*[(\[=])"
    rb"|(?<=\()[A-Z][A-Z0-9_]{2,}(?=[ \t]*\*[ \t]*\w+\)[ \t]*\()"
    rb"|(?:[A-Z]+_)*(?:GUARDED_BY|LOCKS?_(?:EXCLUDED|REQUIRED)|REQUIRES|EXCLUDES)_?\([^()\n]*\)(?=\s*[{;]))"
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
_LIBRARY = re.compile(
    r"(?:assert|ctype|errno|fcntl|float|inttypes|limits|locale|math|pthread|setjmp|signal|stdarg|stdbool|stddef|stdint"
    r"|stdio|stdlib|strings?|time|unistd|wchar)\.h"
)
_HEADERS = ("h", "hh", "hpp", "hxx")


def _resolve(importer: str, each: Import, target: Target, project: Project) -> Link:
    """`"net/tcp.h"` from the file's folder, else from a folder on the compiler's include path.

    Whoever includes a header may use what the source of the same name defines.
    """
    wanted = target.path
    header = _counterpart(wanted, project)
    if header and _resolve(importer, each, Target(header), project):
        return Link.PACKAGE
    beside = "/".join(joined(folder_of(importer), each.module.split("/")))
    if beside == wanted or beside in project.paths:
        return link_if(beside == wanted)
    if _LIBRARY.fullmatch(each.module):
        return Link.NONE
    plain = "/".join(part for part in each.module.split("/") if part not in (".", ".."))
    return link_if(wanted == plain or wanted.endswith(f"/{plain}"))


def _counterpart(path: str, project: Project) -> str:
    """The header beside a source file, or of its name anywhere when there is one alone."""
    stem, _, suffix = path.rpartition(".")
    if suffix in _HEADERS:
        return ""
    beside = [f"{stem}.{each}" for each in _HEADERS if f"{stem}.{each}" in project.paths]
    named = [each for each in project.files_of_stem(stem.rpartition("/")[2]) if each.rpartition(".")[2] in _HEADERS]
    return beside[0] if beside else named[0] if len(named) == 1 else ""


_IMPORTS = ImportRules(resolve=_resolve, family="c")
_STUBS = StubRules(
    no_ops=(";", "empty_statement", "access_specifier"),
    blocks=("compound_statement",),
    calls=("call_expression", "binary_expression"),
    wrappers=("expression_statement", "parenthesized_expression"),
    bases=("base_class_clause",),
    boilerplate=("preproc_def", "preproc_function_def", "preproc_call", "using_declaration"),
    # Behind a macro the grammar takes an initialiser list for an error.
    intended=("field_initializer_list", "destructor_name", "ERROR"),
)


C = Language(
    id="c",
    name="C",
    finds="struct, union, enum, type, function, macro; test: what `TEST(suite, name)` makes",
    suffixes=(".c", ".h"),
    alternative=(_ONLY_CPP, "cpp"),
    grammar=("tree_sitter_c", "language"),
    queries=("c.scm",),
    comments=("comment",),
    strings=_STRINGS,
    blanked=_BLANKED,
    wrappers=_WRAPPERS,
    imports=_IMPORTS,
    stubs=_STUBS,
)

CPP = Language(
    id="cpp",
    name="C++",
    finds="struct, union, enum, class, type, function, method, macro, namespace; test: what `TEST(suite, name)` makes",
    suffixes=(".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx"),
    grammar=("tree_sitter_cpp", "language"),
    queries=("c.scm", "cpp.scm"),
    comments=("comment",),
    strings=_STRINGS,
    blanked=_BLANKED,
    wrappers=_WRAPPERS,
    separator="::",
    imports=_IMPORTS,
    stubs=_STUBS,
)
