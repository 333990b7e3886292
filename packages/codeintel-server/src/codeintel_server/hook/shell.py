"""What a shell command line would write: a conservative reading, command by command.

`writes` gives paths that the line changes for certain, and git commands that must not run. What it is not sure of it
leaves out: a wrong block stops honest work, and what is let through is found when the session compares.
"""

import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from codeintel_server.hook import gitwords, inline
from codeintel_server.hook.lexer import MAX_DEPTH, Command, Unreadable, Word, parse
from codeintel_server.hook.patches import patched
from codeintel_server.hook.writers import WRITERS

SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "ash", "fish"})
_WRAPPERS = (
    "sudo doas nohup time nice ionice stdbuf setsid command builtin exec unbuffer timeout env busybox eval xargs"
)
_KEYWORDS = "then do else if while until ! {"
PREFIXES = frozenset([*_WRAPPERS.split(), "parallel", *_KEYWORDS.split()])
_OPTION_VALUES = frozenset("-u -n -s -k -I -P -L -d -C -a -g -p -S -E -i".split())
MAX_PATHS = 200


@dataclass(frozen=True, slots=True)
class Write:
    """A path that would be changed, seen from `folder`; or, with `git`, why a git command must not run."""

    folder: Path
    path: str
    how: str
    git: str = ""


def writes(line: str, folder: Path) -> list[Write]:
    """What a command line would change; nothing for a line that cannot be read."""
    home = os.environ.get("HOME", "")
    variables = {"HOME": home, "PWD": str(folder), "TMPDIR": os.environ.get("TMPDIR", "/tmp"), "USER": ""}
    try:
        return list(_Walk(folder, variables, 0).line(line))[:MAX_PATHS]
    except Unreadable:
        return []


class _Walk:
    def __init__(self, folder: Path, variables: dict[str, str], depth: int) -> None:
        self.folder = folder
        self.variables = variables
        self.depth = depth

    def line(self, text: str) -> Iterator[Write]:
        if self.depth > MAX_DEPTH:
            return
        for command in parse(text, self.variables, self.depth):
            for target in command.targets:
                yield from self._paths([target], ">")
            yield from self._command(command)

    def _nested(self, text: str) -> Iterator[Write]:
        yield from _Walk(self.folder, dict(self.variables), self.depth + 1).line(text)

    def _command(self, command: Command) -> Iterator[Write]:
        words = _unwrapped(command.words)
        if not words:
            return
        name, rest = words[0].text.rpartition("/")[2], words[1:]
        plain = [word.text for word in rest]
        if name in ("cd", "pushd") and rest and not rest[0].is_open:
            self.folder = Path(os.path.normpath(self.folder / os.path.expanduser(rest[0].text)))
        elif name in SHELLS:
            yield from self._shell(plain, command.fed)
        elif name == "git":
            yield from self._git(plain, command.fed)
        elif name == "find":
            yield from self._find(rest)
        elif name == "patch":
            yield from self._patch(plain, command.fed)
        elif inline.INTERPRETERS.match(name):
            yield from self._code(name, plain, command.fed)
        if name in WRITERS:
            yield from self._paths(_same(rest, WRITERS[name](plain)), name)
        if name in ("awk", "gawk", "mawk"):
            yield from self._named(inline.written_by_awk(" ".join(plain)), name)

    def _shell(self, words: Sequence[str], fed: str) -> Iterator[Write]:
        code = _after(words, {"-c", "-lc", "-ec", "-xc", "-euc", "-ic", "-cx", "-ce"})
        if code is not None:
            yield from self._nested(code)
        elif fed:
            yield from self._nested(fed)

    def _code(self, name: str, words: Sequence[str], fed: str) -> Iterator[Write]:
        code = _after(words, inline.CODE_OPTIONS)
        text = "\n".join(part for part in (code or "", fed) if part)
        yield from self._named(inline.written(text), name)
        for line in inline.commands(text):
            yield from self._nested(line)

    def _git(self, words: Sequence[str], fed: str) -> Iterator[Write]:
        where, name, rest = gitwords.split(words)
        folder = self.folder / where if where else self.folder
        if why := gitwords.forbidden(name, rest):
            yield Write(folder, "", f"git {name}", why)
            return
        for path in gitwords.changed(name, rest):
            yield Write(folder, path, f"git {name}")
        if name == "apply" and not {"--check", "--stat", "--numstat"} & set(rest):
            known = patched([folder / word for word in rest if not word.startswith("-")], fed)
            for path in known or ["."]:  # a patch from elsewhere may change anything
                yield Write(folder, path, "git apply")

    def _find(self, words: Sequence[Word]) -> Iterator[Write]:
        plain = [word.text for word in words]
        start = []
        for word in plain:
            if word.startswith(("-", "(", "!")):
                break
            start.append(word)
        if "-delete" in plain:
            yield from self._named(start or ["."], "find -delete")
        for option in ("-exec", "-execdir", "-ok", "-okdir"):
            if option in plain:
                inner = [word for word in words[plain.index(option) + 1 :] if word.text not in (";", "+")]
                yield from self._executed(inner, start or ["."])
        for option in ("-fprint", "-fprintf", "-fls"):
            if option in plain:
                yield from self._named(plain[plain.index(option) + 1 :][:1], f"find {option}")

    def _executed(self, words: Sequence[Word], start: Sequence[str]) -> Iterator[Write]:
        """A command run on what find finds: {} stands for the folder it looks in."""
        for folder in start:
            put = [Word(word.text.replace("{}", folder), word.is_open, True) for word in words]
            yield from self._command(Command(put))

    def _patch(self, words: Sequence[str], fed: str) -> Iterator[Write]:
        given = _after(words, {"-i", "--input"})
        operands = [word for word in words if not word.startswith("-")]
        yield from self._named(patched([self.folder / given] if given else [], fed) or operands[:1] or ["."], "patch")

    def _named(self, paths: Sequence[str], how: str) -> Iterator[Write]:
        for path in paths:
            yield Write(self.folder, path, how)

    def _paths(self, words: Sequence[Word], how: str) -> Iterator[Write]:
        for word in words:
            if word.is_open or not word.text or word.text in ("-", "/dev/stdout", "/dev/stderr"):
                continue
            for path in self._expanded(word):
                yield Write(self.folder, path, how)

    def _expanded(self, word: Word) -> list[str]:
        if word.is_quoted or not glob.has_magic(word.text):
            return [word.text]
        found = glob.glob(word.text, root_dir=self.folder, recursive=True)
        return found[:MAX_PATHS] or [word.text]


def _unwrapped(words: Sequence[Word]) -> list[Word]:
    """The command behind `sudo`, `env A=b`, `timeout 5`, `xargs -n 1` and the like."""
    rest = list(words)
    while rest and rest[0].text.rpartition("/")[2] in PREFIXES:
        name = rest.pop(0).text.rpartition("/")[2]
        while rest and (rest[0].text.startswith("-") or (name == "env" and "=" in rest[0].text)):
            option = rest.pop(0).text
            if option in _OPTION_VALUES and name != "env" and rest:
                rest.pop(0)
        if name == "timeout" and rest:
            rest.pop(0)
        if name == "eval":
            return [Word("bash"), Word("-c"), Word(" ".join(word.text for word in rest))] if rest else []
    return rest


def _after(words: Sequence[str], options: "frozenset[str] | set[str]") -> str | None:
    """The word after the first of some options."""
    for at, word in enumerate(words[:-1]):
        if word in options:
            return words[at + 1]
    return None


def _same(words: Sequence[Word], texts: Sequence[str]) -> list[Word]:
    """The words that have these texts, so that it stays known which parts are open or patterns."""
    known = {word.text: word for word in words}
    return [known.get(text, Word(text, is_quoted=True)) for text in texts]
