"""What the query of a language found, sorted by the meaning of its capture names.

A pattern captures a definition under one of these roles, with `@name`:
- `@definition.KIND`;
- `@top.KIND`, kept only where no class or function encloses it;
- `@scope.KIND` gives its content a parent but is not a symbol;
- `@member.KIND` is declared within a type or an object;
- `@self.KIND` is assigned through the instance, so it belongs to the class around the method, once for each name;
- `@runner.KIND` is a callback handed to a test runner, by its title.
One that is outside of its place has `@receiver` (the type whose method it is) or `@owner` (a module or table that
holds it).

Other captures are `@import` with `@module` (one node, or the parts of a dotted name) and `@imported`; `@base` (a mixin
of the class around it); `@documented` (a definition) with `@doc` (text within it); `@export`, `@comment`, `@attribute`
(lines above a definition that belong to it), `@use` (an identifier) and `@words` (text whose words are identifiers).
Of two patterns that name the same node the one written first wins, but `@top` yields to the others.
"""

from dataclasses import dataclass, field

from tree_sitter import Node

from codeintel_index.syntax.tree import SyntaxTree

_DEFINING = ("definition", "top", "scope", "member", "self", "runner")


@dataclass(frozen=True, slots=True)
class Found:
    """A definition as captured. `role` is one of `_DEFINING`."""

    pattern: int
    role: str
    kind: str
    node: Node
    name: Node
    receiver: Node | None  # or the owner
    is_owned: bool

    @property
    def rank(self) -> tuple[bool, int]:
        """Which of two that name the same node is meant: the lower one."""
        return self.role == "top", self.pattern


@dataclass(frozen=True, slots=True)
class FoundImport:
    """One match of an import pattern; several matches may belong to one statement."""

    node: Node
    module: Node
    module_end: Node
    names: tuple[Node, ...]


@dataclass(slots=True)
class Captures:
    """All matches of one file. `definitions` is keyed by the first byte of the name."""

    definitions: dict[int, Found] = field(default_factory=dict)
    imports: list[FoundImport] = field(default_factory=list)
    exports: list[Node] = field(default_factory=list)
    comments: list[Node] = field(default_factory=list)
    attributes: list[Node] = field(default_factory=list)
    uses: list[Node] = field(default_factory=list)
    words: list[Node] = field(default_factory=list)
    bases: list[Node] = field(default_factory=list)
    docs: dict[int, Node] = field(default_factory=dict)  # by the first byte of what is documented


def sort_matches(tree: SyntaxTree) -> Captures:
    """Sort the matches of `tree` by meaning. A match that carries none of the known names is left out."""
    found = Captures()
    plain = {
        "use": found.uses,
        "words": found.words,
        "comment": found.comments,
        "attribute": found.attributes,
        "export": found.exports,
        "base": found.bases,
    }
    uses = found.uses
    for pattern, captured in tree.matches:
        if len(captured) == 1 and "use" in captured:  # nearly all of them
            uses += captured["use"]
            continue
        for name, nodes in captured.items():
            if name in plain:
                plain[name].extend(nodes)
        if "doc" in captured:
            found.docs.setdefault(captured["documented"][0].start_byte, captured["doc"][0])
        elif "module" in captured:
            _add_import(found, captured)
        elif "name" in captured:
            _add_definition(found, pattern, captured)
    return found


def _add_import(found: Captures, captured: dict[str, list[Node]]) -> None:
    module = captured["module"][0]
    statement = captured.get("import", [module])[0]
    found.imports.append(FoundImport(statement, module, captured["module"][-1], tuple(captured.get("imported", ()))))


def _add_definition(found: Captures, pattern: int, captured: dict[str, list[Node]]) -> None:
    for label, nodes in captured.items():
        role, _, kind = label.partition(".")
        if role not in _DEFINING:
            continue
        receiver = captured.get("receiver", captured.get("owner", [None]))[0]
        for name in captured["name"]:
            known = found.definitions.get(name.start_byte)
            made = Found(pattern, role, kind, nodes[0], name, receiver, "owner" in captured)
            if known is None or made.rank < known.rank:
                found.definitions[name.start_byte] = made
