"""Judgement of one callable: its body is empty if every statement in it does nothing or admits that work is missing."""

import re
from dataclasses import dataclass
from enum import Enum

from tree_sitter import Node

from codeintel_index.emptiness.rows import EmptinessRow
from codeintel_index.emptiness.words import admits_missing, calls_missing, says_why, throws_missing
from codeintel_index.languages.tree import SyntaxTree

_SILENCING = re.compile(r"\(void\)\s*\w+|_\s*=\s*&?\w+|let\s+_\w*\s*=\s*&?\w+|void\s+\w+|del\s+\w+(?:\s*,\s*\w+)*")
_MISSING_ERROR = re.compile(r"\bErr\w*(?:NotImplemented|Unimplemented)\b")


class Verdict(Enum):
    """What a statement contributes."""

    NOTHING = "nothing"
    STUB = "stub"  # says that work is missing
    FILLER = "filler"  # nothing beside a stub, work on its own
    WORK = "work"


@dataclass(frozen=True, slots=True)
class Reader:
    """A tree, the row that tells how to read it, and the comments in it."""

    tree: SyntaxTree
    row: EmptinessRow
    comments: list[Node]

    def verdict_of_body(self, body: Node) -> Verdict:
        """NOTHING, STUB or WORK for all statements of a body together."""
        if body.type in self.tree.row.strings:
            return Verdict.WORK  # the value of an arrow function, not a docstring
        verdicts = {self.verdict(each) for each in self.statements(body)}
        if Verdict.WORK in verdicts or (Verdict.FILLER in verdicts and Verdict.STUB not in verdicts):
            return Verdict.WORK
        return Verdict.STUB if Verdict.STUB in verdicts else Verdict.NOTHING

    def statements(self, body: Node) -> list[Node]:
        """The statements of a body in order, those of bare inner blocks included; an expression is its own."""
        found: list[Node] = []
        open_nodes = [body]
        while open_nodes:
            node = open_nodes.pop()
            if node.type in self.row.blocks:
                open_nodes.extend(reversed(node.named_children))
            elif node.type not in self.tree.row.comments:
                found.append(node)
        return found

    def verdict(self, node: Node) -> Verdict:
        """What a single statement or expression contributes."""
        while node.type in self.row.wrappers and node.named_child_count == 1:
            node = node.named_children[0]
        text = self.tree.text(node).rstrip(";").strip()
        if node.type in self.row.nothing or not text or _SILENCING.fullmatch(text):
            return Verdict.NOTHING
        if node.type == "yield" and text == "yield":
            return Verdict.FILLER
        if node.type in self.row.returns:
            return self._verdict_of_return(node)
        return Verdict.STUB if self._admits(node) else Verdict.WORK

    def _verdict_of_return(self, node: Node) -> Verdict:
        values = [value for child in node.named_children for value in _listed(child)]
        if all(value.type in self.row.nothing and not value.type.endswith("string") for value in values):
            return Verdict.NOTHING
        return Verdict.STUB if any(map(self._admits, values)) else Verdict.WORK

    def _admits(self, node: Node) -> bool:
        if node.type not in self.row.calls and node.type not in self.row.throws:
            return node.type != "call" and bool(_MISSING_ERROR.fullmatch(self.tree.text(node)))
        head, messages = self._head_and_messages(node)
        if node.type == "assert_statement":
            return head.split()[1:2] in (["False"], ["False,"], ["0,"]) and any(map(admits_missing, messages))
        if node.type in self.row.throws:
            return throws_missing(head, messages)
        return calls_missing(head.partition("(")[0].strip(), head, messages)

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
            if each.type in self.tree.row.strings:
                found.append(each)
            else:
                open_nodes.extend(reversed(each.children))
        return found

    def gives_reason(self, body: Node) -> bool:
        """Whether a comment in the body, or behind it on its last line, says why nothing is done."""
        before = body.prev_sibling
        while before is not None and before.type in self.tree.row.comments:
            before = before.prev_sibling
        start = before.end_byte if before is not None else body.start_byte
        last = body.end_point.row
        within = [
            node
            for node in self.comments
            if start <= node.start_byte and (node.start_byte < body.end_byte or node.start_point.row == last)
        ]
        return says_why(map(self.tree.text, within))


def _listed(node: Node) -> list[Node]:
    return node.named_children if node.type == "expression_list" else [node]
