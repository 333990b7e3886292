"""A shell command line taken apart: simple commands with their words and redirections, in the order they would run.

It reads what a shell would do as far as that can be told from the text: quotes, escapes, operators, substitutions,
process substitutions, here-documents and comments. What depends on the run (the value of an unknown variable, the
output of a substitution) makes a word `open`: nothing is guessed about it.
"""

from __future__ import annotations

import re

from codeintel_server.hook.events import Command, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

OPERATORS = ("&&", "||", ";;", "|&", ";", "&", "|", "(", ")", "\n")
REDIRECTIONS = ("&>>", "<<<", "<<-", ">>", ">|", "&>", ">&", "<<", "<>", "<&", ">", "<")
WRITING = frozenset({"&>>", ">>", ">|", "&>", ">", "<>", ">&"})
TESTS = {"((": "))", "[[": "]]"}
MAX_DEPTH = 8
_HERE = re.compile(r"<<(?P<strip>-?)\s*(['\"]?)(?P<mark>\w+)\2")


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
        self.patterns: set[str] = set()
        self.level = 0
        self.inner: list[Command] = []
        self.waiting: list[tuple[Command, str, bool]] = []

    def commands(self) -> Iterator[Command]:
        """Commands are held back to the end of their line: their here-documents follow it."""
        ready: list[Command] = []
        command = Command()
        while self.at < len(self.line):
            if not command.words and self._is_test():
                continue
            operator = self._operator()
            if operator:
                ready += self._finished(command)
                self.level = max(0, self.level + (operator == "(") - (operator == ")"))
                command = Command(level=self.level, is_piped=operator in ("|", "|&"))
                if operator == "\n":
                    self._here_documents()
                    yield from ready
                    ready = []
            elif not self._space():
                try:
                    self._element(command)
                except Unreadable:
                    yield from ready
                    raise
        self.waiting = []
        yield from [*ready, *self._finished(command)]

    def _is_test(self) -> bool:
        """Pass over `[[ a > b ]]` and `(( a > b ))`: comparisons, not redirections."""
        end = TESTS.get(self.line[self.at : self.at + 2])
        stop = self.line.find(end, self.at) if end else -1
        if stop < 0:
            return False
        self.at = stop + 2
        return True

    def _finished(self, command: Command) -> list[Command]:
        done, self.inner = self.inner, []
        if command.words or command.targets:
            self._loop(command.words)
            while command.words and self._assigned(command.words[0]):
                command.words.pop(0)
            done.append(command)
        return done

    def _loop(self, words: list[Word]) -> None:
        """The variable of `for name in words` stands for all of them; after `cd` the folder is another."""
        names = [word.text for word in words[:3]]
        if names[:1] == ["for"] and names[2:] == ["in"]:
            self.variables.pop(names[1], None)
            if not any(word.is_open for word in words[3:]):
                texts = [word.text for word in words[3:]]
                self.variables[names[1]] = "{" + ",".join(texts) + "}" if len(texts) > 1 else "".join(texts)
                self.patterns.add(names[1])
        elif names[:1] == ["read"]:
            for word in words[1:]:
                self.variables.pop(word.text, None)
        elif names[:1] in (["cd"], ["pushd"], ["popd"]):
            self.variables.pop("PWD", None)

    def _assigned(self, word: Word) -> bool:
        """Take `name=value` at the head of a command into the variables."""
        name, equals, value = word.text.partition("=")
        if not equals or not name.isidentifier():
            return False
        self.patterns.discard(name)
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
        elif kind == "<" and not word.is_open:
            command.source = word.text
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
                word.text += self.line[self.at : self.at + 1].replace("\n", "")
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
                self._expansion(word, sign, is_inside=True)
            else:
                word.text += sign
        if self.at >= len(self.line):
            raise Unreadable("a quote is not closed")
        self.at += 1

    def _expansion(self, word: Word, sign: str, is_inside: bool = False) -> None:
        after = self.line[self.at : self.at + 1]
        if sign == "`":
            self._substitute(self._until("`", plain=True))
            word.is_open = True
        elif after == "'" and not is_inside:
            self._ansi(word)
        elif after == "(":
            self.at += 1
            inner = self._until(")")
            if not inner.startswith("("):  # arithmetic runs nothing
                self._substitute(inner)
            word.is_open = True
        elif after == "{":
            self.at += 1
            self._variable(word, self._until("}", plain=True))
        elif after and after in "@*#?$!-0123456789":
            self.at += 1
            word.is_open = True
        else:
            start = self.at
            while self.at < len(self.line) and (self.line[self.at].isalnum() or self.line[self.at] == "_"):
                self.at += 1
            self._variable(word, self.line[start : self.at])

    def _ansi(self, word: Word) -> None:
        found = re.compile(r"'((?:[^'\\]|\\.)*)'", re.DOTALL).match(self.line, self.at)
        if found is None:
            raise Unreadable("a quote is not closed")
        self.at = found.end()
        word.text += found[1].encode("latin-1", "backslashreplace").decode("unicode_escape", "replace")

    def _variable(self, word: Word, name: str) -> None:
        if not name:
            word.text += "$"
        elif name in self.variables:
            word.text += self.variables[name]
            word.is_quoted = word.is_quoted and name not in self.patterns
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
            elif sign == "<" and (found := _HERE.match(self.line, self.at - 1)) and self.line[self.at - 2] != "<":
                self._skip_here(found)
            elif sign in "()":
                level += 1 if sign == "(" else -1
                if level == 0:
                    return self.line[start : self.at - 1]
        raise Unreadable(f"{end} is missing")

    def _skip_quote(self, sign: str) -> None:
        while self.at < len(self.line) and self.line[self.at] != sign:
            self.at += 2 if self.line[self.at] == "\\" and sign == '"' else 1
        self.at += 1

    def _skip_here(self, found: re.Match[str]) -> None:
        """A here-document inside a substitution: quotes and brackets in its text mean nothing."""
        tabs = r"\t*" if found["strip"] else ""
        end = re.compile(rf"^{tabs}{re.escape(found['mark'])}$", re.MULTILINE).search(self.line, found.end())
        self.at = end.end() if end else found.end()
