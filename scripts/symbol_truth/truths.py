"""The table of truths: for each language another parser, and which kinds of symbols the two have in common."""

import json
import re
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import in_python

HERE = Path(__file__).parent


class Fact(NamedTuple):
    """A definition. `line` is that of its name, 0 where the truth does not tell."""

    path: str
    name: str
    line: int
    group: str


@dataclass(frozen=True)
class Language:
    """One truth: what it is called, how it is asked, and the group of each kind that is compared."""

    by: str
    ask: Callable[[list[str]], Iterable[Mapping[str, object]]]
    groups: Mapping[str, str]
    ids: tuple[str, ...]
    clauses: bool = False
    lines: bool = True
    names: bool = True

    def fact(self, path: str, name: str, line: int, group: str) -> Fact:
        """A fact with what this truth can tell, escapes in names left out."""
        return Fact(path, name.replace("\\", "") if self.names else "", line if self.lines else 0, group)

    def read(self, paths: list[str]) -> tuple[dict[str, list[Fact]], set[str]]:
        """The facts by path, and the paths that could not be read."""
        facts: defaultdict[str, list[Fact]] = defaultdict(list)
        unread: set[str] = set()
        for each in self.ask(paths):
            path, group = str(each["path"]), str(each.get("group", ""))
            if "error" in each or group == "error":
                unread.add(path)
            elif group in self.groups.values():
                facts[path].append(self.fact(path, str(each["name"]), int(str(each["line"])), group))
        return facts, unread


def _program(*command: str) -> Callable[[list[str]], Iterable[Mapping[str, object]]]:
    """A program that reads paths from stdin and answers one JSON object or one line with tabs for each fact."""

    def ask(paths: list[str]) -> Iterable[Mapping[str, object]]:
        text = "\n".join(paths) + "\n"
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
        for line in done.stdout.splitlines():
            if line.startswith("{"):
                yield json.loads(line)
            elif line.count("\t") == 3:
                path, name, number, group = line.split("\t")
                yield {"path": path, "name": name.strip('"'), "line": number, "group": group}

    return ask


def _arguments(*command: str) -> Callable[[list[str]], Iterable[Mapping[str, object]]]:
    """A program that takes the paths as arguments."""
    return lambda paths: _program(*command, *paths)([])


def _shfmt(paths: list[str]) -> Iterable[Mapping[str, object]]:
    for path in paths:
        text = Path(path).read_text(encoding="utf-8", errors="replace")
        dialect = "bats" if path.endswith(".bats") else "bash"
        done = subprocess.run(["shfmt", "-ln", dialect, "--to-json"], input=text, capture_output=True, text=True)
        if done.returncode:
            yield {"path": path, "error": done.stderr}
        else:
            yield from ({"path": path, **each} for each in _shell_functions(json.loads(done.stdout)))


def _shell_functions(node: object) -> Iterable[Mapping[str, object]]:
    if isinstance(node, dict):
        if node.get("Type") == "FuncDecl":
            yield {"name": node["Name"]["Value"], "line": node["Name"]["Pos"]["Line"], "group": "function"}
        node = list(node.values())
    if isinstance(node, list):
        for each in node:
            yield from _shell_functions(each)


def _ctags(
    language: str, groups: Mapping[str, str], wrong: re.Pattern[str]
) -> Callable[[list[str]], Iterable[Mapping[str, object]]]:
    """Universal Ctags, asked for one language. `groups` maps its kinds; tags on lines that are `wrong` are none."""
    options = ["--options=NONE", f"--language-force={language}", "--output-format=json", "--fields=+nK", "--sort=no"]

    def ask(paths: list[str]) -> Iterable[Mapping[str, object]]:
        command = ["ctags", *options, "-L", "-", "-f", "-"]
        done = subprocess.run(command, input="\n".join(paths), capture_output=True, text=True, check=True)
        for line in done.stdout.splitlines():
            tag = json.loads(line)
            if (
                tag["kind"] in groups
                and not tag["name"].startswith(("<", "__anon"))
                and not wrong.search(tag["pattern"])
            ):
                name = tag["name"].strip("`").replace("operator ", "operator")
                yield {"path": tag["path"], "name": name, "line": tag["line"], "group": groups[tag["kind"]]}

    return ask


def _same(group: str, *kinds: str) -> dict[str, str]:
    return dict.fromkeys(kinds, group)


_FUNCTIONS = _same("function", "function", "method", "constructor")
_TYPES = _same(
    "type", "class", "interface", "type", "enum", "struct", "trait", "union", "record", "object", "annotation"
)
_ANY = re.compile(r"(?!)")
_MACROS = re.compile(r"\^\s*(?:static )?[A-Z][A-Z0-9_]+\(")  # ctags gives what a macro makes the macro's name
# Kinds of ctags that are compared, by language.
_CTAGS = {
    **_same("type", "class", "interface", "struct", "enum", "union", "trait", "typedef", "module"),
    **_same("function", "function", "method", "singletonMethod"),
}
_KOTLIN = {
    "class": "type", "interface": "type", "object": "type", "typealias": "alias", "method": "function",
}  # fmt: skip
# ctags calls lambdas and their parameters methods, and companions without a name objects.
_NO_KOTLIN = re.compile(
    r"^(?!.*\b(?:fun|class|interface|object|typealias)\b)|companion object\s*[:{]|companion object\$"
)
_SQL = {"table": "table", "view": "view", "function": "function", "procedure": "function", "index": "index"}

TRUTHS = {
    "python": Language("ast", in_python.python, {**_FUNCTIONS, **_same("type", "class")}, ("python",)),
    "typescript": Language(
        "TypeScript", _program("node", str(HERE / "typescript.cjs")), {**_FUNCTIONS, **_TYPES}, ("typescript", "tsx")
    ),
    "javascript": Language(
        "TypeScript", _program("node", str(HERE / "typescript.cjs")), {**_FUNCTIONS, **_TYPES}, ("javascript",)
    ),
    "go": Language(
        "go/parser",
        _program("go", "run", str(HERE / "golang.go")),
        {**_FUNCTIONS, **_TYPES, **_same("value", "constant", "variable")},
        ("go",),
    ),
    "elixir": Language(
        "Elixir",
        _program("elixir", str(HERE / "elixir.exs")),
        {**_same("function", "function", "method"), **_same("type", "module", "protocol")}
        | {"macro": "macro", "test": "test", "type": "alias"},
        ("elixir",),
        clauses=True,
    ),
    "haskell": Language(
        "GHC",
        _program("runghc", "--ghc-arg=-package", "--ghc-arg=ghc", str(HERE / "Haskell.hs")),
        {**_same("function", "function", "method"), **_same("type", "class", "data", "newtype", "type")}
        | {"constructor": "constructor"},
        ("haskell",),
        clauses=True,
    ),
    "lua": Language("luaparse", _program("node", str(HERE / "lua.cjs")), _FUNCTIONS, ("lua",)),
    "scala": Language(
        "scalameta", _program("node", str(HERE / "scala.cjs")), {**_FUNCTIONS, **_TYPES, "type": "alias"}, ("scala",)
    ),
    "zig": Language(
        "std.zig.Ast",
        _arguments("zig_truth"),
        {
            **_same("function", "function", "method"),
            **_same("type", "struct", "enum", "union", "error"),
            "test": "test",
        },
        ("zig",),
    ),
    "bash": Language("shfmt", _shfmt, _FUNCTIONS, ("bash",)),
    "kotlin": Language(
        "ctags",
        _ctags("Kotlin", _KOTLIN, _NO_KOTLIN),
        {**_same("function", "function", "method"), **_TYPES, "type": "alias"},
        ("kotlin",),
    ),
    "swift": Language(
        "lines",
        in_python.swift,
        {**_FUNCTIONS, **_TYPES} | {"protocol": "type", "actor": "type", "type": "alias", "extension": "extension"},
        ("swift",),
    ),
    "sql": Language("ctags", _ctags("SQL", _SQL, _ANY), _SQL, ("sql",)),
    **{
        name: Language(
            "ctags",
            _ctags(parser, {kind: group for kind, group in _CTAGS.items() if kind not in without}, wrong),
            {kind: group for kind, group in {**_FUNCTIONS, **_TYPES, "module": "type"}.items() if kind not in without},
            (name,),
        )
        for name, parser, without, wrong in (
            ("java", "Java", (), re.compile(r"\^\s*[A-Z_]+(?:\(.*\))? \{")),  # constants with a body
            ("c", "C", ("typedef", "type"), _MACROS),
            ("cpp", "C++", ("typedef", "type"), _MACROS),
            ("rust", "Rust", (), _ANY),
            ("csharp", "C#", ("typedef",), _ANY),
            ("php", "PHP", (), _ANY),
            ("ruby", "Ruby", (), _ANY),
        )
    },
    "css": Language(
        "postcss",
        _program("node", str(HERE / "css.cjs")),
        {"selector": "selector", "keyframes": "keyframes", "variable": "value"},
        ("css",),
        lines=False,
    ),
    "html": Language("html.parser", in_python.html, {"id": "id"}, ("html",), lines=False),
    "json": Language("json", in_python.json_keys, {"key": "key"}, ("json",), lines=False),
    "yaml": Language("PyYAML", in_python.yaml_keys, {"key": "key"}, ("yaml",)),
    "toml": Language("tomlkit", in_python.toml_keys, {"key": "key"}, ("toml",), lines=False),
    "markdown": Language("markdown-it", in_python.markdown, {"section": "section"}, ("markdown",), names=False),
}
