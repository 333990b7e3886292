"""A row of the table of programs, and the words of a command parsed by it."""

from __future__ import annotations

from codeintel_server.guard.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence


class Program:
    """What a program does with its words. Options are given as text: `-o --output`.

    Args:
        writes: the operands it changes: `all`, `rest` (all but the first), `first`, `second`, `last` (into it, if it
            is a folder), `moved` (all of them, into the last), `new` (the last, if it is not there yet), `tree` (all,
            and a folder with everything below it; without an operand the one it is in), `here` (the tree it is in,
            whatever its operands are), or a file name that it writes whatever its operands are.
        values: options that take the next word.
        to: options that name a file it writes; `into`: a folder it writes into.
        only: options without which it writes no operand; `free`: options with which it writes nothing.
        runs: how many operands stand before the command that it runs; -1 if it runs none.
        code: options that take a command line.
        says: the message against it, whatever it would write.
        is_long: its options of one dash have long names.
        at: options that name the folder in which it runs a command.
    """

    __slots__ = ("at", "code", "free", "into", "is_long", "only", "runs", "says", "to", "values", "writes")

    def __init__(
        self,
        writes: str = "",
        *,
        values: str = "",
        to: str = "",
        into: str = "",
        only: str = "",
        free: str = "",
        runs: int = -1,
        code: str = "",
        says: str = "",
        is_long: bool = False,
        at: str = "",
    ) -> None:
        self.writes = writes
        self.at = frozenset(at.split())
        self.to = frozenset(to.split())
        self.into = frozenset(into.split())
        self.code = frozenset(code.split())
        self.values = frozenset(values.split()) | self.to | self.into | self.code | self.at
        self.only = frozenset(only.split())
        self.free = frozenset(free.split())
        self.runs = runs
        self.says = says
        self.is_long = is_long

    def full_name(self, name: str) -> str:
        """Return the long option that a name is short for: `--out` of `--output`."""
        known = self.values | self.only | self.free
        if name[:2] != "--" or len(name) < 5 or name in known:
            return name
        return min((option for option in known if option.startswith(name)), default=name)


class Parsed:
    """The words after a program's name, by its row: flags, options with their values, operands."""

    __slots__ = ("flags", "given", "operands")

    def __init__(self, row: Program, words: Sequence[Word]) -> None:
        self.flags: set[str] = set()
        self.given: dict[str, list[Word]] = {}
        self.operands: list[Word] = []
        rest = list(words)
        while rest:
            word = rest.pop(0)
            text = word.text
            if text == "--" or (row.runs >= 0 and text[:1] != "-" and len(self.operands) == row.runs):
                self.operands += rest if text == "--" else [word, *rest]
                break
            self._take(row, word, rest) if text[:1] == "-" and len(text) > 1 else self.operands.append(word)
            if text == "-":
                self.flags.add(text)

    def _take(self, row: Program, word: Word, rest: list[Word]) -> None:
        name, equals, value = word.text.partition("=")
        name = row.full_name(name)
        self.flags |= {name, word.text}
        if name in row.values:
            self._give(name, word.with_text(value) if equals else rest.pop(0) if rest else Word())
        elif not (name.startswith("--") or row.is_long):
            for at, letter in enumerate(word.text[1:], 2):
                self.flags.add(f"-{letter}")
                if f"-{letter}" in row.values:
                    tail = word.text[at:]
                    self._give(f"-{letter}", word.with_text(tail) if tail else rest.pop(0) if rest else Word())
                if f"-{letter}" in row.values or not letter.isalnum():
                    break

    def _give(self, option: str, word: Word) -> None:
        self.given.setdefault(option, []).append(word)

    def values(self, options: Collection[str]) -> list[Word]:
        """Return what was given to any of some options, in the order in which these were first given."""
        return [word for option, words in self.given.items() if option in options for word in words]
