"""Truths that Python can tell by itself, or with PyYAML and markdown-it-py. Facts are plain mappings."""

import ast
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path

Found = Iterable[Mapping[str, object]]


def _texts(paths: list[str]) -> Iterator[tuple[str, str]]:
    for path in paths:
        yield path, Path(path).read_bytes().decode("utf-8", "replace")


def _fact(path: str, name: str, line: int, group: str) -> dict[str, object]:
    return {"path": path, "name": name, "line": line, "group": group}


def python(paths: list[str]) -> Found:
    """Classes and functions by `ast`."""
    for path in paths:
        try:
            tree = ast.parse(Path(path).read_bytes())
        except (SyntaxError, ValueError) as error:
            yield {"path": path, "error": str(error)}
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                yield _fact(path, node.name, node.lineno, "type")
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield _fact(path, node.name, node.lineno, "function")


_SWIFT_SKIPPED = re.compile(
    r"//[^\n]*|/\*.*?\*/|#*\"\"\".*?\"\"\"#*|\"(?:\\\((?:[^()\"]|\"[^\"\n]*\"|\((?:[^()]|\([^()]*\))*\))*\)|\\.|[^\"\\\n])*\"",
    re.DOTALL,
)
_SWIFT = re.compile(
    r"^[ \t]*(?:@\w+(?:\([^()\n]*\))?\s+|(?:public|private|fileprivate|internal|open|package|static|final|override"
    r"|mutating|nonmutating|required|convenience|indirect|lazy|weak|nonisolated|dynamic|prefix|postfix|infix|class(?=\s+func)"
    r"|(?:private|public|internal|fileprivate|package)\(set\)|nonisolated\(unsafe\)|isolated|distributed)\s+)*"
    r"(?:(?P<type>class|struct|enum|protocol|actor)\s+(?P<a>\w+)|(?P<alias>typealias|associatedtype)\s+(?P<b>\w+)"
    r"|(?P<extension>extension)\s+(?:\w+\.)*(?P<c>\w+)|func\s+(?P<d>`?\w+`?|[^\s\w(]+)\s*[(<]|(?P<e>init)[?!]?\s*[(<]"
    r"|(?P<f>subscript)\s*[(<]|(?P<g>deinit)\b)",
    re.MULTILINE,
)


def swift(paths: list[str]) -> Found:
    """Declarations by the words that lines begin with, comments and strings blanked. No parser: read what differs."""
    for path, text in _texts(paths):
        plain = _SWIFT_SKIPPED.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
        for found in _SWIFT.finditer(plain):
            name = next(filter(None, found.group("a", "b", "c", "d", "e", "f", "g"))).strip("`")
            groups = [group for group in ("type", "alias", "extension") if found[group]]
            line = plain.count("\n", 0, found.end()) + 1
            yield _fact(path, name, line, groups[0] if groups else "function")


class _Ids(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value for name, value in attrs if name == "id" and value]


def html(paths: list[str]) -> Found:
    """Ids by the standard library's parser."""
    for path, text in _texts(paths):
        parser = _Ids()
        parser.feed(text)
        yield from (_fact(path, name, 0, "id") for name in parser.found)


def json_keys(paths: list[str]) -> Found:
    """Keys of the document and of the objects right below it, as often as they are written."""
    for path, text in _texts(paths):
        try:
            pairs = json.loads(text, object_pairs_hook=lambda found: found)
        except (ValueError, RecursionError) as error:
            yield {"path": path, "error": str(error)}
            continue
        for key, value in pairs if text.lstrip()[:1] == "{" else ():
            yield _fact(path, key, 0, "key")
            if isinstance(value, list) and value and all(isinstance(each, tuple) for each in value):
                yield from (_fact(path, inner, 0, "key") for inner, _ in value)


def yaml_keys(paths: list[str]) -> Found:
    """Keys of each document and of the block mappings right below it."""
    import yaml

    for path, text in _texts(paths):
        try:
            documents = [each for each in yaml.compose_all(text) if each is not None]
        except yaml.YAMLError as error:
            yield {"path": path, "error": str(error)}
            continue
        for document in documents:
            for key, value in document.value if isinstance(document, yaml.MappingNode) else ():
                yield _fact(path, str(key.value), key.start_mark.line + 1, "key")
                if isinstance(value, yaml.MappingNode) and not value.flow_style:
                    for inner, _ in value.value:
                        yield _fact(path, str(inner.value), inner.start_mark.line + 1, "key")


def toml_keys(paths: list[str]) -> Found:
    """Keys and tables as they are written, by name alone."""
    import tomlkit
    from tomlkit.exceptions import ParseError

    for path, text in _texts(paths):
        try:
            yield from (_fact(path, name, 0, "key") for name in _toml_names(tomlkit.parse(text).body))
        except ParseError as error:
            yield {"path": path, "error": str(error)}


def _toml_names(body: Iterable[tuple[object, object]]) -> Iterator[str]:
    from tomlkit.items import AoT, Table

    for key, item in body:
        if isinstance(item, AoT):
            for each in item.body:
                yield key.key
                yield from _toml_names(each.value.body)
        elif isinstance(item, Table):
            if not item.is_super_table():
                yield key.key
            yield from _toml_names(item.value.body)
        elif key is not None:
            yield key.key


_FRONT_MATTER = re.compile(r"\A---\n.*?^---\n", re.DOTALL | re.MULTILINE)


def markdown(paths: list[str]) -> Found:
    """Headings by markdown-it."""
    from markdown_it import MarkdownIt

    for path, text in _texts(paths):
        plain = _FRONT_MATTER.sub(lambda found: "\n" * found[0].count("\n"), text)
        tokens = MarkdownIt("commonmark").parse(plain)
        for at, token in enumerate(tokens):
            if token.type == "heading_open" and token.map and tokens[at + 1].content:
                yield _fact(path, "", token.map[0] + 1, "section")
