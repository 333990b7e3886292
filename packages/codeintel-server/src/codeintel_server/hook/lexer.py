"""A shell command line taken apart: simple commands with their words and redirections, in the order they would run.

It reads what a shell would do as far as that can be told from the text: quotes, escapes, operators, substitutions,
process substitutions, here-documents and comments. What depends on the run (the value of an unknown variable, the
output of a substitution) makes a word `open`: nothing is guessed about it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

OPERATORS = ("&&", "||", ";;", "|&", ";", "&", "|", "(", ")", "\n")
REDIRECTIONS = ("&>>", "<<<", "<<-", ">>", ">|", "&>", ">&", "<<", "<>", "<&", ">", "<")
WRITING = frozenset({"&>>", ">>", ">|", "&>", ">", "<>", ">&"})
MAX_DEPTH = 8


@dataclass(slots=True)
class Word:
    """A word. `open` if a part of it is only known at run time; `quoted` if no part of it may be a pattern."""

    text: str = ""
    is_open: bool = False
    is_quoted: bool = False


@dataclass(slots=True)
class Command:
    """A simple command: its words, the files it redirects to, and the text it is fed by a here-document."""

    words: list[Word] = field(default_factory=list)
    targets: list[Word] = field(default_factory=list)
    fed: str = ""

    def argv(self) -> list[str]:
        """The words as text."""
        return [word.text for word in self.words]


class Unreadable(ValueError):
    """A line that no shell would run either: an open quote, or nesting without end."""


def parse(line: str, variables: dict[str, str], depth: int = 0) -> Iterator[Command]:
    """The simple commands of a line, inner ones (substitutions) before the command that holds them.

    `variables` are used for `$name` and grow with assignments of the line itself.
    """
    if depth > MAX_DEPTH:
        raise Unreadable("nested too deeply")
    yield from _Reader(line, variables, depth).commands()


class _Reader:
    def __init__(self, line: str, variables: dict[str, str], depth: int) -> None:
        self.line = line
        self.at = 0
        self.variables = variables
        self.depth = depth
        self.inner: list[Command] = []
        self.waiting: list[tuple[Command, str, bool]] = []

    def commands(self) -> Iterator[Command]:
        command = Command()
        while self.at < len(self.line):
            operator = self._operator()
            if operator:
                yield from self._finished(command)
                command = Command()
                if operator == "\n":
                    self._here_documents()
            elif not self._space():
                self._element(command)
        yield from self._finished(command)

    def _finished(self, command: Command) -> Iterator[Command]:
        yield from self.inner
        self.inner = []
        if command.words or command.targets:
            while command.words and self._assigned(command.words[0]):
                command.words.pop(0)
            yield command

    def _assigned(self, word: Word) -> bool:
        """Take `name=value` at the head of a command into the variables."""
        name, equals, value = word.text.partition("=")
        if not equals or not name.isidentifier():
            return False
        if word.is_open:
            self.variables.pop(name, None)
        else:
            self.variables[name] = value
        return True

    def _operator(self) -> str:
        if self._redirection():
            return ""
        for operator in OPERATORS:
            if self.line.startswith(operator, self.at):
                self.at += len(operator)
                return operator
        return ""

    def _redirection(self) -> str:
        return next((text for text in REDIRECTIONS if self.line.startswith(text, self.at)), "")

    def _space(self) -> bool:
        if self.line.startswith("\\\n", self.at):
            self.at += 2
            return True
        if self.line[self.at] in " \t\r":
            self.at += 1
            return True
        if self.line[self.at] == "#":
            end = self.line.find("\n", self.at)
            self.at = len(self.line) if end < 0 else end
            return True
        return False

    def _element(self, command: Command) -> None:
        start = self.at
        while self.at < len(self.line) and self.line[self.at].isdigit():
            self.at += 1
        found = self._redirection()
        if not found:
            self.at = start
            command.words.append(self._word())
            return
        if found in ("<", ">") and self.line.startswith("(", self.at + 1):
            self.at += 2
            self._substitute(self._until(")"))
            command.words.append(Word("", is_open=True))
            return
        self.at += len(found)
        self._redirect(command, found)

    def _redirect(self, command: Command, kind: str) -> None:
        while self.at < len(self.line) and self.line[self.at] in " \t":
            self.at += 1
        word = self._word()
        if kind in ("<<", "<<-"):
            self.waiting.append((command, word.text, kind == "<<-"))
        elif kind == "<<<":
            command.fed += word.text + "\n"
        elif kind in WRITING and not (kind == ">&" and (word.text.isdigit() or word.text == "-")):
            command.targets.append(word)

    def _here_documents(self) -> None:
        for command, mark, strip in self.waiting:
            lines: list[str] = []
            while self.at < len(self.line):
                end = self.line.find("\n", self.at)
                end = len(self.line) if end < 0 else end
                text = self.line[self.at : end]
                self.at = min(end + 1, len(self.line))
                if (text.lstrip("\t") if strip else text) == mark:
                    break
                lines.append(text)
            command.fed += "\n".join(lines) + "\n"
        self.waiting = []

    def _word(self) -> Word:
        word = Word(is_quoted=True)
        while self.at < len(self.line):
            sign = self.line[self.at]
            if sign in " \t\r\n;&|()<>":
                break
            self.at += 1
            if sign == "'":
                word.text += self._until("'", plain=True)
            elif sign == '"':
                self._double(word)
            elif sign == "\\":
                word.text += self.line[self.at : self.at + 1]
                self.at += 1
            elif sign in "$`":
                self._expansion(word, sign)
            else:
                word.is_quoted = word.is_quoted and sign not in "*?[{~"
                word.text += sign
        return word

    def _double(self, word: Word) -> None:
        while self.at < len(self.line) and self.line[self.at] != '"':
            sign = self.line[self.at]
            self.at += 1
            if sign == "\\" and self.line[self.at : self.at + 1] in ('"', "\\", "$", "`", "\n"):
                word.text += self.line[self.at].replace("\n", "")
                self.at += 1
            elif sign in "$`":
                self._expansion(word, sign)
            else:
                word.text += sign
        if self.at >= len(self.line):
            raise Unreadable("a quote is not closed")
        self.at += 1

    def _expansion(self, word: Word, sign: str) -> None:
        if sign == "`":
            self._substitute(self._until("`", plain=True))
            word.is_open = True
        elif self.line.startswith("'", self.at):  # $'...'
            self.at += 1
            word.text += self._until("'", plain=True).encode().decode("unicode_escape", "replace")
        elif self.line.startswith("(", self.at):
            self.at += 1
            self._substitute(self._until(")"))
            word.is_open = True
        elif self.line.startswith("{", self.at):
            self.at += 1
            self._variable(word, self._until("}", plain=True))
        else:
            start = self.at
            while self.at < len(self.line) and (self.line[self.at].isalnum() or self.line[self.at] == "_"):
                self.at += 1
            self._variable(word, self.line[start : self.at])

    def _variable(self, word: Word, name: str) -> None:
        if name in self.variables:
            word.text += self.variables[name]
        else:
            word.is_open = True

    def _substitute(self, text: str) -> None:
        self.inner += parse(text, dict(self.variables), self.depth + 1)

    def _until(self, end: str, plain: bool = False) -> str:
        """The text up to a closing sign; with `plain` False, brackets and quotes inside it are counted."""
        start, level = self.at, 1
        while self.at < len(self.line):
            sign = self.line[self.at]
            self.at += 1
            if plain:
                if sign == end:
                    return self.line[start : self.at - 1]
            elif sign == "\\":
                self.at += 1
            elif sign in "'\"":
                self._skip_quote(sign)
            elif sign in "()":
                level += 1 if sign == "(" else -1
                if level == 0:
                    return self.line[start : self.at - 1]
        raise Unreadable(f"{end} is missing")

    def _skip_quote(self, sign: str) -> None:
        while self.at < len(self.line) and self.line[self.at] != sign:
            self.at += 2 if self.line[self.at] == "\\" and sign == '"' else 1
        self.at += 1
