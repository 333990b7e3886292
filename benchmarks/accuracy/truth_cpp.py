"""Definitions of C and C++ files, by libclang, as JSON lines: python truth_cpp.py ROOT < PATHS.

Needs `pip install libclang` and the headers of a C++ library. A row is [path, line, name, kind, start, end, callable];
both lines are inclusive. What a macro makes, or a branch of the preprocessor leaves out, is not there.
"""

import json
import subprocess
import sys
from pathlib import Path

from clang.cindex import Cursor, CursorKind, Index, TranslationUnit

CALLABLE = {
    CursorKind.FUNCTION_DECL,
    CursorKind.CXX_METHOD,
    CursorKind.CONSTRUCTOR,
    CursorKind.DESTRUCTOR,
    CursorKind.FUNCTION_TEMPLATE,
    CursorKind.CONVERSION_FUNCTION,
}
TYPES = {
    CursorKind.CLASS_DECL,
    CursorKind.STRUCT_DECL,
    CursorKind.UNION_DECL,
    CursorKind.ENUM_DECL,
    CursorKind.CLASS_TEMPLATE,
    CursorKind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION,
}
NAMED = {
    CursorKind.TYPEDEF_DECL: "alias",
    CursorKind.TYPE_ALIAS_DECL: "alias",
    CursorKind.FIELD_DECL: "field",
    CursorKind.ENUM_CONSTANT_DECL: "enum constant",
    CursorKind.MACRO_DEFINITION: "macro",
}
IN_A_CALLABLE = {*CALLABLE, CursorKind.LAMBDA_EXPR}


def main() -> None:
    """Print the rows of all files."""
    root = Path(sys.argv[1])
    shown = subprocess.run(["cc", "-xc++", "-E", "-v", "-"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    folders = shown.stderr.partition("search starts here:\n")[2].partition("End of search")[0].split("\n")
    system = [f"-isystem{each.strip()}" for each in folders if each.startswith(" ")]
    for path in filter(None, sys.stdin.read().split("\n")):
        own = [f"-I{root / 'include'}", f"-I{root / 'src'}", f"-I{root / 'test/gtest'}", f"-I{root}"]
        options = ["-x", "c" if path.endswith(".c") else "c++", "-std=c17" if path.endswith(".c") else "-std=c++20"]
        unit = Index.create().parse(
            str(root / path),
            [*options, "-ferror-limit=0", *own, *system],
            options=TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD,
        )
        _visit(unit.cursor, str(root / path), path, False)


def _visit(parent: Cursor, place: str, path: str, inside: bool) -> None:
    for each in parent.get_children():
        where = each.location
        if where.file is None or where.file.name != place:
            continue
        kind = _kind(each, inside)
        name = each.spelling.partition("<")[0] if each.kind in TYPES | CALLABLE else each.spelling
        # The place that expands a macro is all that is known of what it makes.
        is_written = name and _text_at(each) == name.split()[0].lstrip("~")
        if kind and is_written:
            extent = each.extent
            row = [path, where.line, name, kind, extent.start.line, extent.end.line, each.kind in CALLABLE]
            sys.stdout.write(f"{json.dumps(row)}\n")
        _visit(each, place, path, inside or each.kind in IN_A_CALLABLE)


def _kind(each: Cursor, inside: bool) -> str:
    if each.kind in CALLABLE:
        return "function" if each.is_definition() else "declaration"
    if each.kind in TYPES:
        return "type" if each.is_definition() and not each.is_anonymous() else ""
    if each.kind == CursorKind.VAR_DECL:
        return "" if inside else "variable"
    return NAMED.get(each.kind, "")


def _text_at(each: Cursor) -> str:
    """The first word that stands where a cursor is."""
    at = each.location
    lines = _lines(at.file.name)
    text = lines[at.line - 1][at.column - 1 :].decode("utf-8", "replace").lstrip("~")
    return text[: len(each.spelling.partition("<")[0].split()[0].lstrip("~"))]


_READ: dict[str, list[bytes]] = {}


def _lines(place: str) -> list[bytes]:
    if place not in _READ:
        _READ[place] = Path(place).read_bytes().split(b"\n")
    return _READ[place]


if __name__ == "__main__":
    main()
