"""What a repository defines, by compilers and the languages' own parsers.

`ast` for Python, javac for Java, the TypeScript compiler, go/parser, prism for Ruby, libclang for C and C++.
Where none is at hand `rough_definitions` reads lines that declare something.
"""

import ast
import json
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
LARGEST = 1_000_000  # bytes; the index reads no larger file
SCRIPTS = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts")
SUFFIXES = {
    "python": (".py",),
    "script": SCRIPTS,
    "java": (".java",),
    "go": (".go",),
    "ruby": (".rb",),
    "cpp": (".h", ".hpp", ".cc", ".cpp", ".c"),
}
NEEDS_TOOL = ("script", "go", "ruby", "cpp")


class Row(NamedTuple):
    """One definition. `start` to `end` are its lines with decorators."""

    path: str
    line: int
    name: str
    kind: str
    start: int
    end: int
    callable: bool


def tracked(root: Path) -> list[str]:
    """List the files of a checkout."""
    done = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], check=True, capture_output=True, text=True)
    return [
        path
        for path in done.stdout.split("\0")
        if path and (root / path).is_file() and (root / path).stat().st_size < LARGEST
    ]


def definitions(root: Path, language: str, tools: Mapping[str, Path]) -> list[Row]:
    """List the definitions of a checkout in a language of `SUFFIXES`; `tools` are what its compiler needs (README)."""
    paths = [path for path in tracked(root) if path.endswith(SUFFIXES[language])]
    if language == "python":
        return [row for path in paths for row in python_rows(root, path)]
    tool, place = str(tools.get(language, "")), str(root)
    commands = {
        "java": ["java", str(HERE / "Truth.java"), place],
        "script": ["node", str(HERE / "truth.mjs"), tool, place],
        "go": [tool, "run", str(HERE / "truth.go"), place],
        "ruby": ["node", "--no-warnings", str(HERE / "truth_ruby.mjs"), tool, place],
        "cpp": [tool, str(HERE / "truth_cpp.py"), place],
    }
    wanted = [path for path in paths if not path.endswith(("-info.java", ".d.ts"))]
    done = subprocess.run(
        commands[language], input="\n".join(wanted), check=True, capture_output=True, text=True, cwd=HERE
    )
    return [Row(*json.loads(line)) for line in done.stdout.splitlines()]


def python_rows(root: Path, path: str) -> Iterator[Row]:
    """List the definitions of one Python file; a file that Python cannot parse has none."""
    try:
        tree = ast.parse((root / path).read_bytes())
    except (SyntaxError, ValueError):
        return
    yield from _bindings(path, tree.body, "variable", set())
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield _definition(path, node, "class", (root / path))
            yield from _bindings(path, node.body, "class attribute", set())
            yield from _instance_attributes(path, node)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield _definition(path, node, "function", (root / path))


def _definition(path: str, node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, kind: str, _: Path) -> Row:
    start = min([node.lineno, *(each.lineno for each in node.decorator_list)])
    return Row(path, node.lineno, node.name, kind, start, node.end_lineno or node.lineno, kind == "function")


def _bindings(path: str, body: list[ast.stmt], kind: str, seen: set[str]) -> Iterator[Row]:
    for node in body:
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign | ast.AugAssign):
            targets = [node.target]
        elif isinstance(node, ast.If | ast.Try | ast.With):
            for part in ("body", "orelse", "finalbody"):
                yield from _bindings(path, getattr(node, part, []), kind, seen)
            for handler in getattr(node, "handlers", []):
                yield from _bindings(path, handler.body, kind, seen)
        for target in targets:
            for name in ast.walk(target):
                if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store) and name.id not in seen | {"_"}:
                    seen.add(name.id)
                    yield Row(path, name.lineno, name.id, kind, node.lineno, node.end_lineno or node.lineno, False)


def _instance_attributes(path: str, owner: ast.ClassDef) -> Iterator[Row]:
    """`self.x = …` in a method: the first of each name that the class body does not declare."""
    seen = {row.name for row in _bindings(path, owner.body, "", set())}
    for method in owner.body:
        if not isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef) or not method.args.args:
            continue
        itself = method.args.args[0].arg
        found = [
            node
            for node in ast.walk(method)
            if isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Store)
            and isinstance(node.value, ast.Name)
            and node.value.id == itself == "self"
        ]
        for node in sorted(found, key=lambda each: (each.lineno, each.col_offset)):
            if node.attr not in seen:
                seen.add(node.attr)
                yield Row(path, node.lineno, node.attr, "instance attribute", node.lineno, node.lineno, False)


_ROUGH = {
    ".go": r"^func\s+(?:\([^)]*\)\s*)?(\w+)|^\t?(?:type|var|const)\s+(\w+)|^\t(\w+)\s+[\w*\[\].]+(?:\s+`.*)?$",
    ".rb": r"^\s*(?:def\s+(?:self\.)?|class\s+|module\s+)(?:\w+::)*([\w]+[?!=]?)|^\s*([A-Z]\w*)\s*=[^=~]"
    r"|^\s*attr_\w+\s+:(\w+)|^\s*(?:def_delegators?|define_method|alias_method|alias)\b.*?:(\w+[?!=]?)",
    ".h": r"^\s*#\s*define\s+(\w+)|\b(?:class|struct|enum class|enum|concept|namespace)\s+(?:[A-Z_]+\s+)?(\w+)\b"
    r"(?!\s*;)|^\s*using\s+(\w+)\s*=|\b(\w+)\([^;{}]*\)[^;{}]*\{",
}
_KEYWORDS = frozenset(
    {
        "if",
        "for",
        "while",
        "switch",
        "return",
        "operator",
        "sizeof",
        "int",
        "bool",
        "float",
        "char",
        "void",
        "self",
        "main",
    }
    | {"defined", "decltype", "noexcept", "alignas", "TEST", "TEST_F", "TYPED_TEST", "catch"}
)
_ROUGH |= dict.fromkeys((".c", ".cc", ".cpp", ".hpp"), _ROUGH[".h"])


def rough_definitions(root: Path) -> list[Row]:
    """Read what lines declare, for languages whose compiler is not here: good enough to know which names exist."""
    found: list[Row] = []
    for path in tracked(root):
        pattern = _ROUGH.get(Path(path).suffix)
        if pattern is None:
            continue
        text = (root / path).read_text("utf-8", "replace")
        for match in re.finditer(pattern, text, re.MULTILINE):
            name = match[match.lastindex or 0]
            if name in _KEYWORDS:
                continue
            line = text.count("\n", 0, match.start(match.lastindex or 0)) + 1
            found.append(Row(path, line, name, "rough", line, line, False))
    return found
