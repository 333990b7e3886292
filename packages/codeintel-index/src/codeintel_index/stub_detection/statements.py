"""The verdict on one callable: its body is empty if every statement does nothing or admits that work is missing."""

import re
from dataclasses import dataclass
from enum import Enum

from tree_sitter import Node

from codeintel_index.languages.language import StubRules
from codeintel_index.stub_detection.words import (
    admits_missing,
    calls_missing,
    is_trivial,
    leaves_to_others,
    says_why,
    stands_in,
    throws_missing,
)
from codeintel_index.syntax.definitions import Definition
from codeintel_index.syntax.symbols import body_of, docstring_in
from codeintel_index.syntax.tree import SyntaxTree

_SILENCING = re.compile(
    r"\(void\)\s*\w+|_\s*=\s*&?\w+|let\s+_\w*\s*=\s*&?\w+|void\s+\w+|del\s+\w+(?:\s*,\s*\w+)*"
    r"|private|protected|public|module_function|extend self"  # what Ruby says of the methods that follow
)
_FAILS = ("throw ", "raise ", "raise(", "fail ")
_MISSING_ERROR = re.compile(r"\bErr\w*(?:NotImplemented|Unimplemented)\b")


class Verdict(Enum):
    """What a statement contributes."""

    NOTHING = "nothing"
    STUB = "stub"  # says that work is missing
    FILLER = "filler"  # a plain value: nothing beside a stub or a comment that calls it one, work on its own
    WORK = "work"


@dataclass(frozen=True, slots=True)
class Reader:
    """A tree, the rules that tells how to read it, and the comments in it."""

    tree: SyntaxTree
    rules: StubRules
    comments: list[Node]

    def body_of(self, node: Node) -> Node | None:
        """Find the body of a definition, also where the grammar gives it no name."""
        body = body_of(node)
        return body or next((child for child in _values(node) if child.type in self.rules.bodies), None)

    def verdict_of(self, node: Node, body: Node | None) -> Verdict:
        """Judge NOTHING, STUB or WORK for all statements in the body of the definition `node` together."""
        verdicts = self._verdicts(body) if body else {Verdict.NOTHING}
        if Verdict.WORK in verdicts:
            return Verdict.WORK
        if Verdict.FILLER in verdicts and Verdict.STUB not in verdicts:
            return Verdict.STUB if stands_in(self.remarks(node, body)) else Verdict.WORK
        return Verdict.STUB if Verdict.STUB in verdicts else Verdict.NOTHING

    def _verdicts(self, body: Node) -> set[Verdict]:
        if body.type in self.tree.language.strings:
            return {Verdict.FILLER}  # the value of an arrow function, not a docstring
        return {self.verdict(each) for each in self.statements(body)}

    def throws(self, body: Node | None) -> bool:
        """Whether the only statement of a body, a docstring aside, fails without any words of its own."""
        if body is None:
            return False
        said = [each for each in self.statements(body) if self.verdict(each) is not Verdict.NOTHING]
        return len(said) == 1 and self._is_wordless(said[0])

    def _is_wordless(self, node: Node) -> bool:
        while node.type in self.rules.wrappers and node.named_child_count == 1:
            node = node.named_children[0]
        fails = node.type in (*self.rules.throws, *self.rules.calls) and self.tree.text(node).startswith(_FAILS)
        return fails and not self._strings(node)

    def statements(self, body: Node) -> list[Node]:
        """List the statements of a body in order, those of bare inner blocks included; an expression is its own."""
        found: list[Node] = []
        open_nodes = [body]
        while open_nodes:
            node = open_nodes.pop()
            if node.type in self.rules.blocks:
                # Some grammars leave `this` without a name, which makes it the last child of an expression's clause.
                within = node.children[-1:] if node.type in self.rules.bodies and not node.named_children else []
                open_nodes.extend(within if _is_word(within) else reversed(node.named_children))
            elif node.type not in self.tree.language.comments:
                found.append(node)
        return found

    def verdict(self, node: Node) -> Verdict:
        """Judge what a single statement or expression contributes."""
        while node.type in self.rules.wrappers and node.named_child_count == 1:
            node = node.named_children[0]
        text = self.tree.text(node).rstrip(";").strip()
        if node.type in self.rules.no_ops or not text or _SILENCING.fullmatch(text):
            return Verdict.NOTHING
        if text == "yield" or is_trivial(text) or node.type in self.tree.language.strings:
            return Verdict.FILLER
        if node.type in self.rules.returns:
            return self._verdict_of_return(node)
        return Verdict.STUB if self._admits(node) else Verdict.WORK

    def _verdict_of_return(self, node: Node) -> Verdict:
        values = [value for child in node.named_children for value in _listed(child)]
        if not values and _is_word(node.children[1:2]):
            return Verdict.WORK
        if all(value.type in self.rules.no_ops and not value.type.endswith("string") for value in values):
            return Verdict.NOTHING
        if any(map(self._admits, values)):
            return Verdict.STUB
        return Verdict.FILLER if all(map(self._is_plain, values)) else Verdict.WORK

    def _is_plain(self, value: Node) -> bool:
        return value.type in self.tree.language.strings or is_trivial(self.tree.text(value))

    def _admits(self, node: Node) -> bool:
        if node.type not in self.rules.calls and node.type not in self.rules.throws:
            return node.type != "call" and bool(_MISSING_ERROR.fullmatch(self.tree.text(node)))
        head, messages = self._head_and_messages(node)
        if node.type == "assert_statement":
            return head.split()[1:2] in (["False"], ["False,"], ["0,"]) and any(map(admits_missing, messages))
        if node.type in self.rules.throws:
            return throws_missing(head, messages)
        return calls_missing(head.partition("(")[0].strip("; \n"), head, messages)

    def _head_and_messages(self, node: Node) -> tuple[str, list[str]]:
        """The text of `node` without its strings, and the strings."""
        head: list[str] = []
        messages: list[str] = []
        at = node.start_byte
        for string in self._strings(node):
            head.append(self.tree.data[at : string.start_byte].decode())
            messages.append(self.tree.text(string))
            at = string.end_byte
        head.append(self.tree.data[at : node.end_byte].decode())
        return "".join(head), messages

    def _strings(self, node: Node) -> list[Node]:
        found: list[Node] = []
        open_nodes = [node]
        while open_nodes:
            each = open_nodes.pop()
            if each.type in self.tree.language.strings:
                found.append(each)
            else:
                open_nodes.extend(reversed(each.children))
        return found

    def gives_reason(self, node: Node, body: Node | None) -> bool:
        """Whether a comment in the body, or behind it on its last line, says why nothing is done."""
        return says_why(map(self.tree.text, self._comments_in(node, body)))

    def leaves_to_others(self, each: Definition, body: Node | None) -> bool:
        """Whether the messages in a body, or the texts about it, say that another class is to do the work."""
        rows = range(each.first - 1, each.outer.start_point.row)
        above = [comment for comment in self.comments if comment.start_point.row in rows]
        messages = self._strings(body) if body else []
        return leaves_to_others(map(self.tree.text, (*above, *messages, *self._comments_in(each.node, body))))

    def remarks(self, node: Node, body: Node | None) -> list[str]:
        """Collect the texts of the comments in a body and of its docstring."""
        documented = self.tree.language.docstrings and docstring_in(body)
        documents = [documented] if documented else []
        return [self.tree.text(each) for each in (*documents, *self._comments_in(node, body))]

    def _comments_in(self, node: Node, body: Node | None) -> list[Node]:
        """The comments from the head of a definition to its end or, behind it, to the end of its last line."""
        before = body.prev_sibling if body else None
        while before is not None and before.type in self.tree.language.comments:
            before = before.prev_sibling
        start = before.end_byte if before is not None else (body or node).start_byte
        whole = node if body is None or node.type in self.rules.bodiless else body
        last = whole.end_point.row
        return [
            each
            for each in self.comments
            if start <= each.start_byte and (each.start_byte < whole.end_byte or each.start_point.row == last)
        ]


def _is_word(nodes: list[Node]) -> bool:
    return any(node.type.isalpha() and not node.is_named for node in nodes)


def _listed(node: Node) -> list[Node]:
    return node.named_children if node.type in {"expression_list", "argument_list"} else [node]


def _values(node: Node) -> list[Node]:
    """The children of a definition, those it is bound to and what is called on these."""
    bound = node.child_by_field_name("value")
    return [*node.named_children, *(bound.named_children if bound else ())]
