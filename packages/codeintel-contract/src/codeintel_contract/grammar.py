"""Parse the pseudo-schema, the strings under `expected_payload`, into a frozen tree.

    field  := type ["?"] ["(" comment ")"]
    type   := one ("|" one)*
    one    := "str" | "int" | "bool" | "dict" | "str" ":" quoted ("|" quoted)* | "list" "[" type "]" | record
    record := "{" member ("," member)* "}"
    member := name ["?"] [":" type]

A member without a type takes any value. A comment that begins with `if` names a condition, so it makes a field
optional as `?` does: `list[str] (if passed=false)`. `str(tree)` is the canonical spelling and parses to the same
tree. This module does not check data; `pseudo_schema` does.
"""

import re
from dataclasses import dataclass

from .wording import did_you_mean

MAX_DEPTH = 12
"""Maximum nesting of lists and records; the default contract needs four."""

PLAIN = ("str", "int", "bool", "dict")

CONDITION = "if "
"""How a comment begins that says when a field is needed."""

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_QUOTED = re.compile(r"'([^']*)'")


class PseudoSchemaError(Exception):
    """Report a string that does not match the grammar. `column` counts from 1 within `text`."""

    def __init__(self, text: str, column: int, problem: str) -> None:
        super().__init__(f"{problem} (column {column})")
        self.text = text
        self.column = column
        self.problem = problem


def quoted(values: tuple[str, ...], between: str) -> str:
    """Join the values of an enumeration as the grammar spells them."""
    return between.join(f"'{value}'" for value in values)


def is_word(name: str) -> bool:
    """Return whether the grammar accepts `name` as the name of a field."""
    return _WORD.fullmatch(name) is not None


@dataclass(frozen=True, slots=True)
class Plain:
    """Accept a value of one of the `PLAIN` types."""

    kind: str

    def __str__(self) -> str:
        return self.kind


@dataclass(frozen=True, slots=True)
class Choice:
    """Accept one of the given strings."""

    values: tuple[str, ...]

    def __str__(self) -> str:
        return "str: " + quoted(self.values, " | ")


@dataclass(frozen=True, slots=True)
class ListOf:
    """Accept a list whose elements have one type."""

    item: "Node"

    def __str__(self) -> str:
        return f"list[{self.item}]"


@dataclass(frozen=True, slots=True)
class Member:
    """Describe a field of a record; `type` None takes any value."""

    name: str
    optional: bool = False
    type: "Node | None" = None

    def __str__(self) -> str:
        return self.name + "?" * self.optional + (f": {self.type}" if self.type else "")


@dataclass(frozen=True, slots=True)
class Record:
    """Accept an object with the named members and no others."""

    members: tuple[Member, ...]

    def __str__(self) -> str:
        return f"{{{', '.join(map(str, self.members))}}}"


@dataclass(frozen=True, slots=True)
class Either:
    """Accept any of two or more types, none of them a union."""

    options: "tuple[Plain | Choice | ListOf | Record, ...]"

    def __str__(self) -> str:
        return " | ".join(map(str, self.options))


One = Plain | Choice | ListOf | Record
Node = One | Either


def kind_of(node: One) -> str:
    """Return the name of the Python type of the values a node accepts."""
    match node:
        case Plain(kind):
            return kind
        case Choice():
            return "str"
        case ListOf():
            return "list"
        case _:
            return "dict"


@dataclass(frozen=True, slots=True)
class FieldType:
    """Hold the type of a top-level field. The comment is for the reader, unless it names a condition."""

    type: Node
    optional: bool = False
    comment: str = ""

    def __str__(self) -> str:
        return str(self.type) + "?" * self.optional + (f" ({self.comment})" if self.comment else "")


def parse(text: str) -> FieldType:
    """Read one string of the pseudo-schema.

    Raises PseudoSchemaError: names the column at which the text no longer matches the grammar.
    """
    return _Parser(text).field()


class _Parser:
    """Parse by recursive descent, with one method per rule of the grammar."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0

    def field(self) -> FieldType:
        node = self._type()
        optional = self._accept("?")
        comment = self._comment()
        if self._peek():
            raise self._unexpected("'|', '?', a (comment) or the end")
        return FieldType(node, optional or comment.startswith(CONDITION), comment)

    def _type(self) -> Node:
        options = [self._one()]
        while self._accept("|"):
            options.append(self._one())
        return options[0] if len(options) == 1 else Either(tuple(options))

    def _one(self) -> One:
        if self._depth == MAX_DEPTH:
            raise self._error(f"nested deeper than {MAX_DEPTH}")
        self._depth += 1
        node: One = self._record() if self._accept("{") else self._named()
        self._depth -= 1
        return node

    def _named(self) -> One:
        start = self._skip()
        word = self._word("a type (str, int, bool, dict, list[...] or {...})")
        if word == "list":
            return self._list()
        if word not in PLAIN:
            raise self._error(f"unknown type {word!r}{did_you_mean(word, (*PLAIN, 'list'))}", start)
        return self._choice() if word == "str" and self._accept(":") else Plain(word)

    def _list(self) -> ListOf:
        self._expect("[")
        item = self._type()
        self._expect("]")
        return ListOf(item)

    def _choice(self) -> Choice:
        values = [self._quoted()]
        while self._next_is_quoted():
            self._expect("|")
            values.append(self._quoted(values))
        return Choice(tuple(values))

    def _record(self) -> Record:
        members = [self._member([])]
        while self._accept(","):
            members.append(self._member(members))
        self._expect("}")
        return Record(tuple(members))

    def _member(self, before: list[Member]) -> Member:
        start = self._skip()
        name = self._word("a field name")
        if any(member.name == name for member in before):
            raise self._error(f"field {name!r} appears twice", start)
        optional = self._accept("?")
        return Member(name, optional, self._type() if self._accept(":") else None)

    def _comment(self) -> str:
        start = self._skip()
        if self._peek() != "(":
            return ""
        rest = self._text[start:].rstrip()
        if not rest.endswith(")"):
            raise self._error("the (comment) is not closed, or something follows it")
        self._at = len(self._text)
        return rest[1:-1].strip()

    def _quoted(self, before: list[str] | None = None) -> str:
        start = self._skip()
        found = _QUOTED.match(self._text, start)
        if found is None:
            raise self._unexpected("a value in single quotes")
        if found[1] in (before or ()):
            raise self._error(f"value {found[0]} appears twice")
        self._at = found.end()
        return found[1]

    def _next_is_quoted(self) -> bool:
        """Return whether `| '` follows: the bar then continues the enumeration, not the union."""
        return self._peek() == "|" and self._text[self._at + 1 :].lstrip().startswith("'")

    def _word(self, wanted: str) -> str:
        found = _WORD.match(self._text, self._skip())
        if found is None:
            raise self._unexpected(wanted)
        self._at = found.end()
        return found[0]

    def _expect(self, char: str) -> None:
        if not self._accept(char):
            raise self._unexpected(repr(char))

    def _accept(self, char: str) -> bool:
        taken = self._peek() == char
        self._at += taken
        return taken

    def _peek(self) -> str:
        start = self._skip()
        return self._text[start : start + 1]

    def _skip(self) -> int:
        while self._text[self._at : self._at + 1].isspace():
            self._at += 1
        return self._at

    def _unexpected(self, wanted: str) -> PseudoSchemaError:
        found = _WORD.match(self._text, self._skip())
        seen = found[0] if found else self._peek()
        return self._error(f"expected {wanted}, found {repr(seen) if seen else 'the end'}")

    def _error(self, problem: str, at: int | None = None) -> PseudoSchemaError:
        return PseudoSchemaError(self._text, (self._at if at is None else at) + 1, problem)
