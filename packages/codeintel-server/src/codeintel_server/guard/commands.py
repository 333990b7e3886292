"""Read a command line with bash's grammar: the programs that run, and the files that redirections write.

The walk follows the line as a shell would, as far as the text tells: variables, loops, functions, folders, pipes and
here-documents. What is known at run time only makes a word `is_open`, and nothing is guessed about it. What a word may
be (the values of a loop, the files that a search lists) counts as what it is.
"""

from __future__ import annotations

import os
import re
from itertools import islice

from codeintel_server.guard.grammar import parser
from codeintel_server.guard.words import MAX_PATHS, Word, braced, either, joined, spelled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    Run = Callable[["Shell", list[Word], Word | None], Word | None]

MAX_DEPTH = 12
MAX_LINE = 400_000
_WRITING = (">", ">>", ">|", "&>", "&>>", ">&", "<>")
_ESCAPED = re.compile(r"\\(\n|.)", re.DOTALL)
_ESCAPED_IN_QUOTES = re.compile(r'\\([\n"\\$`])')
_WHOLE_LIST = re.compile(r'"?\$\{(\w+)\[[@*]\]\}"?$')
_CHANGED = re.compile(r"\$\{\w+(##?|%%?|//?|,,|\^\^|:(?=\d+(?::\d+)?\}))([^$`{}]*)\}$")


class Unreadable(ValueError):
    """A line that is too long or nested too deeply to be followed."""


class Write:
    """A path that would be changed, seen from `folder`.

    Attributes:
        says: the message against a git command, which is refused whatever it writes.
        is_tree: whether everything below the folder may be rewritten, as a formatter does.
    """

    __slots__ = ("folder", "how", "is_tree", "path", "says")

    def __init__(self, folder: str, path: str, how: str, says: str = "", is_tree: bool = False) -> None:
        self.folder = folder
        self.path = path
        self.how = how
        self.says = says
        self.is_tree = is_tree


class Shell:
    """A shell that runs nothing: it follows a line and collects in `found` what it would write, as `run` says."""

    def __init__(self, folder: str, run: Run, found: list[Write] | None = None, depth: int = 0) -> None:
        self.folder: str | None = folder
        self._follow = run
        self.before = folder
        self.found: list[Write] = [] if found is None else found
        self.depth = depth
        self.pushed: list[str] = []
        self.values: dict[str, Word] = {}
        self.lists: dict[str, list[Word]] = {}
        self.functions: dict[str, Any] = {}
        self.kept: dict[str, Word] = {}
        self.links: dict[str, str] = {}  # that the line makes: where they lead
        self.followed: set[str] = set()
        self._targets: list[Word] = []

    def copy(self, *arguments: Word) -> Shell:
        """Return a shell inside this one, whose changes of folder and variables stay there."""
        inner = Shell(self.folder or "", self._follow, self.found, self.depth + 1)
        inner.folder, inner.before, inner.pushed = self.folder, self.before, list(self.pushed)
        inner.kept, inner.links, inner.followed = self.kept, self.links, self.followed
        inner.functions, inner.values, inner.lists = dict(self.functions), dict(self.values), dict(self.lists)
        if arguments:
            inner.give(arguments)
        return inner

    def give(self, arguments: Iterable[Word]) -> None:
        """Set `$0`, `$1` and so on, and all of them but the first as `$@`."""
        listed = list(arguments)
        self.values |= {str(at): word for at, word in enumerate(listed)}
        self.values["@"] = self.values["*"] = either(listed[1:])

    def line(self, text: str, fed: Word | None = None) -> Word | None:
        """Follow a line; returns what it prints.

        Raises Unreadable: it is too long, or nested too deeply.
        """
        data = text.encode("utf-8", "surrogateescape")
        if len(data) > MAX_LINE or self.depth > MAX_DEPTH:
            raise Unreadable("the command line is too long or nested too deeply")
        return self._run(parser().parse(data).root_node, fed)

    def lines(self, words: Iterable[Word], fed: Word | None = None) -> Word | None:
        """Follow texts as command lines, one level deeper."""
        printed = None
        self.depth += 1
        for word in words:
            for text in () if word.listed else word.texts:
                printed = self.line(text, fed)
        self.depth -= 1
        return printed

    def run(self, words: list[Word], fed: Word | None) -> Word | None:
        """Follow a command; returns what it prints, None if that is not known."""
        return self._follow(self, words, fed)

    def run_words(self, words: list[Word], fed: Word | None) -> Word | None:
        """Follow what a program runs: words, or one word that is a line."""
        while words and re.match(r"\w+=", words[0].text):
            self.run([Word("export"), words[0]], None)
            words = words[1:]
        is_line = len(words) == 1 and " " in words[0].text
        return self.copy().lines(words, fed) if is_line else self.run(words, fed)

    def write(self, how: str, *words: Word, must_exist: bool = False) -> list[Write]:
        """Note that the paths of words are written; returns what was noted."""
        found, folder = [], self.folder or os.curdir
        for path in (path for word in words for path in islice(word.paths(folder), MAX_PATHS)):
            if path in ("", "-") or not (self.folder or os.path.isabs(os.path.expanduser(path))):
                continue
            full = os.path.join(folder, path)
            if link := next((link for link in self.links if f"{full}/".startswith(f"{link}/")), ""):
                path = self.links[link] + full[len(link) :]
            if not must_exist or os.path.lexists(os.path.join(folder, os.path.expanduser(path))):
                found.append(Write(folder, path, how))
        self.found += found
        return found

    def keep(self, words: Iterable[Word], content: Word | None) -> None:
        """Remember what the line puts into files: it may run them."""
        if content is not None and content.texts:
            self.kept |= {os.path.join(self.folder or "", text): content for word in words for text in word.texts}

    def _with_content(self, word: Word) -> Word:
        """Return a word that names a file with what the line has put into it."""
        known = self.kept.get(os.path.join(self.folder or "", word.text)) if self.kept and word.inner is None else None
        if known is not None:
            word = Word(*word.texts, is_pattern=word.is_pattern, inner=known)
        return word

    def write_tree(self, how: str, *words: Word) -> None:
        """Note that a formatter or an archive writes files, and folders with all below them; without any, this one."""
        for write in self.write(how, *(words or [Word(os.curdir)])):
            name = os.path.join(write.folder, os.path.expanduser(write.path))
            # A glob that names no file is one that the program reads itself.
            is_open = write.path.endswith("...") or any(sign in write.path for sign in "*{")
            write.is_tree = is_open or os.path.isdir(name)

    def make(self, how: str, word: Word) -> None:
        """Note what a program makes for itself, as a build does: it is in the way only while nothing may be changed."""
        for write in self.write(how, word):
            write.is_tree = True

    def move(self, word: Word | None) -> None:
        """Change the folder; one that is not known makes the relative paths after it unknown."""
        here, text = self.folder, word.text if word else "~"
        is_known = word is None or not (word.is_open or word.listed)
        if text == "-":
            self.folder = self.before
        elif is_known and (here or os.path.isabs(text)):
            self.folder = os.path.normpath(os.path.join(here or "/", os.path.expanduser(text)))
        else:
            self.folder = None
        self.before = here or self.before

    def _run(self, node: Any, fed: Word | None = None) -> Word | None:
        way = _WAYS.get(node.type)
        if way is not None:
            return way(self, node, fed)
        printed = [self._run(child, fed) for child in node.named_children]
        return _sequence(printed)

    def _pipeline(self, node: Any, fed: Word | None) -> Word | None:
        for child in node.named_children:
            fed = self.copy()._run(child, fed)
        return fed

    def _substitution(self, node: Any, fed: Word | None) -> Word | None:
        inner = self.copy()
        if inner.depth > MAX_DEPTH:
            raise Unreadable("the command line is nested too deeply")
        return _sequence([inner._run(child, fed) for child in node.named_children])

    def _command(self, node: Any, fed: Word | None, more: Iterable[Word] = ()) -> Word | None:
        words: list[Word] = []
        for child in node.named_children:
            if child.type.endswith("_redirect"):
                fed, extra = self._redirect(child, fed)
                more = [*more, *extra]
            elif child.type == "variable_assignment":
                self._assign(child, None)
                self._export(child)
            else:
                words += self._words(child.named_children[0] if child.type == "command_name" else child)
        if words and words[0].is_pattern and "{" in words[0].text:
            words = [Word(text) for text in braced(words[0].text)] + words[1:]
        return self.run([self._with_content(word) for word in (*words, *more)], fed)

    def _redirected(self, node: Any, fed: Word | None) -> Word | None:
        body: Any = None
        more: list[Word] = []
        after: list[Any] = []
        is_written = False
        self._targets = []
        for child in node.named_children:
            if not child.type.endswith("_redirect"):
                body = child
                while body.type == "list":  # the redirection is its last command's, after what comes before
                    *first, body = body.named_children
                    for part in first:
                        self._run(part, fed)
                continue
            fed, extra = self._redirect(child, fed)
            more += extra
            after += [part for part in child.named_children if _is_after(part)]
            is_written = is_written or any(part.type in _WRITING for part in child.children)
        targets, self._targets = self._targets, []
        is_command = body is not None and body.type == "command"
        printed = self._command(body, fed, more) if is_command else body is not None and self._run(body, fed)
        self.keep(targets, printed or None)
        for part in after:
            printed = self._run(part, printed or None)
        return None if is_written and not after else printed or None

    def _redirect(self, node: Any, fed: Word | None) -> tuple[Word | None, list[Word]]:
        """Take a redirection; returns the input it leaves, and the words that the grammar counts to it."""
        kind = next((child.type for child in node.children if not child.is_named), "")
        parts = [child for child in node.named_children if child.type not in ("file_descriptor", "ERROR")]
        if kind == "<" and any(child.type == "ERROR" for child in node.children):
            kind = "<>"  # which the grammar does not know
        if node.type == "heredoc_redirect":
            words = [word for part in parts if part.type in _WORDS for word in self._words(part)]
            for part in parts:
                if part.type in ("file_redirect", "herestring_redirect"):
                    fed, extra = self._redirect(part, fed)
                    words += extra
                elif part.type == "heredoc_body":
                    self._run(part)
                    fed = Word(_text(part))
            return fed, words
        words = [word for part in parts for word in self._words(part)]
        if not words:
            return fed, []
        target = words[0]
        if node.type == "herestring_redirect":
            return joined(words, " "), []
        if kind in _WRITING and not (kind == ">&" and (target.text.isdigit() or target.text == "-")):
            if not target.inner:
                self.write(">", target)
                self._targets.append(target)
        elif kind == "<":
            fed = self._with_content(target).inner or Word(is_open=True, inner=target)  # the name, to look into it
        if any(child.type == "ERROR" and _text(child) in ("|", "|&") for child in node.children):
            self.run(words[1:], Word(is_open=True))  # of `<<EOF 2>&1 | tee x`: another command
            return fed, []
        return fed, words[1:]

    def _assign(self, node: Any, _: Word | None) -> None:
        name, *values = node.named_children
        words = [word for value in values for word in self._words(value, is_quoted=True)]
        if name.type == "subscript":
            self._run_inside(name)
        if name.type == "variable_name":
            self.values[_text(name)] = either(words) if words else Word("")
            self.lists.pop(_text(name), None)
            if values and values[0].type == "array":
                self.lists[_text(name)] = words
        return None

    def _declare(self, node: Any, fed: Word | None) -> None:
        for child in node.named_children:
            self._run(child, fed)
            if child.type == "variable_assignment" and _text(node).startswith(("export", "declare -x", "typeset -x")):
                self._export(child)

    def _export(self, node: Any) -> None:
        """Follow a variable that programs get: they may write where it says, or run what it says."""
        name = _text(node.named_children[0])
        if name in self.values:
            self.run([Word("export"), joined([Word(f"{name}="), self.values[name]])], None)

    def _for(self, node: Any, fed: Word | None) -> Word | None:
        variable, *rest = node.named_children
        words = [self._spelled_out(word) for part in rest if part.type != "do_group" for word in self._words(part)]
        self.values[_text(variable)] = either(words) if words else self.values.get("@", Word(is_open=True))
        return _sequence([self._run(part, fed) for part in rest if part.type == "do_group"])

    def _spelled_out(self, word: Word) -> Word:
        """Return a word whose pattern is replaced by what it matches here, as a loop does before its body quotes it."""
        return Word(*word.paths(self.folder or os.curdir)) if word.is_pattern and not word.is_open else word

    def _function(self, node: Any, _: Word | None) -> None:
        name, *body = node.named_children
        self.functions[_text(name)] = body

    def call(self, name: str, arguments: Iterable[Word], fed: Word | None) -> Word | None:
        """Follow a function of the line."""
        body = self.functions[name]
        inner = self.copy(Word(name), *arguments)
        inner.functions.pop(name)  # one that calls itself tells nothing new
        printed = _sequence([inner._run(part, fed) for part in body if not part.type.endswith("_redirect")])
        for part in body:
            if part.type.endswith("_redirect"):
                self._redirect(part, fed)
        self.folder = inner.folder
        return printed

    def _broken(self, node: Any, fed: Word | None) -> Word | None:
        """Read a part that the grammar could not: the words in it may be a command."""
        if any(child.type in ("word", "command_name") for child in node.named_children):
            return self._command(node, fed)
        return _sequence([self._run(child, fed) for child in node.named_children])

    def _words(self, node: Any, is_quoted: bool = False) -> list[Word]:
        """Return the words that a node becomes."""
        if node.type == "array":
            return [word for child in node.named_children for word in self._words(child)]
        listed = _WHOLE_LIST.match(_text(node))
        if listed and listed[1] in self.lists:
            return list(self.lists[listed[1]])
        word = self._word(node)
        is_split = node.type in ("simple_expansion", "expansion", "command_substitution")
        return word.split() if is_split and not is_quoted else [word]

    def _word(self, node: Any) -> Word:
        kind, text = node.type, _text(node)
        if kind in ("string", "translated_string"):
            return self._string(node)
        if kind == "raw_string":
            return Word(text[1:-1])
        if kind == "ansi_c_string":
            return Word(text[2:-1].encode("latin-1", "backslashreplace").decode("unicode_escape", "replace"))
        if kind == "concatenation":
            return joined(self._word(child) for child in node.children)
        if kind == "simple_expansion":
            return self._value(text[1:])
        if kind == "expansion":
            return self._expansion(node)
        if kind == "command_substitution":
            printed = self._substitution(node, None)
            if printed is None:
                return Word(is_open=True)
            texts = (part.rstrip("\n") for part in printed.texts)
            return Word(*texts, is_open=printed.is_open, listed=printed.listed, is_hidden=printed.is_hidden)
        if kind == "process_substitution":
            return Word("/dev/fd/63", inner=self._substitution(node, None) or Word(is_open=True))
        if kind == "arithmetic_expansion":
            self._run_inside(node)
            return Word(is_open=True)
        if node.named_child_count:  # brace_expression and the like
            self._run_inside(node)
        is_pattern = any(sign in "*?[{~" for sign in _ESCAPED.sub("", text))
        return Word(_ESCAPED.sub(lambda found: found[1].strip("\n"), text), is_pattern=is_pattern)

    def _string(self, node: Any) -> Word:
        parts, data, at = [], node.text, 1
        start = node.start_byte
        for child in node.named_children:
            if child.type == "string_content":
                continue
            parts += [_plain(data[at : child.start_byte - start]), self._word(child)]
            at = child.end_byte - start
        end = len(data) - 1 if data[-1:] == b'"' else len(data)
        found = joined([*parts, _plain(data[at:end])])
        found.is_pattern = False
        return found

    def _expansion(self, node: Any) -> Word:
        """Read `${name}`, `${name:-default}` and `${!name}`; anything else in the braces makes it open."""
        inner = node.named_children
        if _text(node) == "${!#}":
            return self._value(max(filter(str.isdigit, self.values), default="1"))
        if not inner:
            return Word(is_open=True)
        if _text(node)[:3] == "${!":
            return self._value(self._value(_text(inner[0])).text)
        name = inner[0].named_children[0] if inner[0].type == "subscript" else inner[0]
        value = self._value(_text(name))
        defaults = [self._word(child) for child in inner[1:]]
        signs = {child.type for child in node.children if not child.is_named} - {"${", "}"}
        found = _CHANGED.match(_text(node))
        if found and not (value.is_open or value.listed):
            return Word(*(spelled(text, found[1], found[2]) for text in value.texts))
        if signs & {":-", "-", ":=", "="} and value.is_open and defaults:
            if signs & {":=", "="}:
                self.values[_text(name)] = joined(defaults)
            return joined(defaults)
        return Word(is_open=True, listed=value.listed) if signs - {":-", "-", ":=", "=", "[", "]"} else value

    def _value(self, name: str) -> Word:
        if name in self.values:
            return self.values[name]
        known = {"PWD": self.folder, "OLDPWD": self.before, "HOME": os.path.expanduser("~")}
        text = known.get(name) or (os.environ.get(name, "/tmp") if name == "TMPDIR" else None)
        return Word(is_open=True) if text is None else Word(text)

    def _run_inside(self, node: Any) -> None:
        for child in node.named_children:
            self._run(child)


def _sequence(printed: list[Word | None]) -> Word | None:
    """Return what commands print one after the other."""
    known = [word for word in printed if word is not None]
    if len(known) < 2:
        return known[0] if known else None
    return either([*known]) if any(word.listed or word.is_open for word in known) else joined(known, "\n")


def _plain(data: bytes) -> Word:
    return Word(_ESCAPED_IN_QUOTES.sub(lambda found: found[1].strip("\n"), data.decode("utf-8", "surrogateescape")))


def _text(node: Any) -> str:
    return str(node.text.decode("utf-8", "surrogateescape"))


def _is_after(node: Any) -> bool:
    """Say whether the grammar put a command into a here-document's head, because it follows on the same line."""
    return node.type not in ("heredoc_start", "heredoc_body", "heredoc_end", "file_descriptor", *_WORDS) and (
        not node.type.endswith("_redirect")
    )


_WORD_TYPES = """
word string raw_string ansi_c_string translated_string concatenation number simple_expansion expansion
command_substitution process_substitution arithmetic_expansion brace_expression
"""
_WORDS = frozenset(_WORD_TYPES.split())
_WAYS: dict[str, Callable[[Shell, Any, Word | None], Word | None]] = {
    "ERROR": Shell._broken,
    "command": Shell._command,
    "command_substitution": Shell._substitution,
    "declaration_command": Shell._declare,
    "for_statement": Shell._for,
    "function_definition": Shell._function,
    "pipeline": Shell._pipeline,
    "process_substitution": Shell._substitution,
    "redirected_statement": Shell._redirected,
    "subshell": Shell._substitution,
    "variable_assignment": Shell._assign,
}
