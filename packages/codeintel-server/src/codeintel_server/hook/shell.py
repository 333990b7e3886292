"""What a shell command line would write: a conservative reading, command by command.

`writes` gives paths that the line changes for certain, and git commands that must not run. What it is not sure of it
leaves out: a wrong block stops honest work, and what is let through is found when the session compares.
"""

from __future__ import annotations

import os

from codeintel_server.hook import gitwords
from codeintel_server.hook.events import Command, Word, Write
from codeintel_server.hook.lexer import MAX_DEPTH, Unreadable, parse
from codeintel_server.hook.wrappers import expanded, option_value, unwrapped
from codeintel_server.hook.writers import COPIERS, DELETERS, WRITERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "ash", "fish"})
INTERPRETERS = ("python", "pypy", "node", "deno", "bun", "perl", "ruby", "php", "lua", "Rscript", "osascript")
CODE_OPTIONS = frozenset(["-c", "-e", "-r", "-E", "--eval", "-p", "--print", "-pe", "-ne", "-le"])
SHELL_CODE = frozenset(["-c", "-lc", "-ec", "-xc", "-euc", "-ic", "-cx", "-ce", "-exc", "-lic", "-qc"])
MAX_PATHS = 200


def writes(line: str, folder: str) -> list[Write]:
    """What a command line would change; nothing from where on it cannot be read."""
    home = os.environ.get("HOME", "")
    variables = {"HOME": home, "PWD": folder, "TMPDIR": os.environ.get("TMPDIR", "/tmp")}
    found: list[Write] = []
    try:
        for write in _Walk(folder, variables, 0).line(line):
            found.append(write)
            if len(found) >= MAX_PATHS:
                break
    except Unreadable:
        return found
    return found


class _Walk:
    def __init__(self, folder: str, variables: dict[str, str], depth: int) -> None:
        self.folders = [folder]
        self.pushed: list[str] = []
        self.variables = variables
        self.aliases: dict[str, str] = {}
        self.depth = depth
        self.is_lost = False
        self.printed = ""

    @property
    def folder(self) -> str:
        return self.folders[-1]

    def line(self, text: str) -> Iterator[Write]:
        if self.depth > MAX_DEPTH:
            return
        for command in parse(text, self.variables, self.depth):
            while len(self.folders) - 1 < command.level:
                self.folders.append(self.folder)
            del self.folders[command.level + 1 :]
            if command.is_piped and not command.fed:
                command.fed = self.printed
            yield from self._paths(command.targets, ">")
            yield from self._command(command)
            self.printed = _printed(command)

    def _nested(self, text: str) -> Iterator[Write]:
        if not self.is_lost:
            yield from _Walk(self.folder, dict(self.variables), self.depth + 1).line(text)

    def _command(self, command: Command) -> Iterator[Write]:
        words = unwrapped(command.words, command.fed if command.is_piped else "")
        if not words or words[0].is_open:
            return
        name, rest = words[0].text.rpartition("/")[2], words[1:]
        plain = [word.text for word in rest]
        if name in ("cd", "pushd", "popd"):
            self._moved(name, rest)
        elif name == "alias":
            self.aliases.update((word.partition("=")[::2]) for word in plain if "=" in word)
        elif name in self.aliases:
            yield from self._nested(" ".join([self.aliases.pop(name), *plain]))
        elif name in SHELLS or name == "script":
            yield from self._shell(plain, command.fed)
        elif name == "git":
            yield from self._git(plain, command)
        elif name == "find":
            yield from self._find(rest)
        elif name == "patch":
            yield from self._patch(plain, command)
        elif name.startswith(INTERPRETERS):
            yield from self._code(name, plain, command.fed)
        if name in WRITERS:
            yield from self._paths(_same(rest, WRITERS[name](plain)), name, plain)
        if name in ("awk", "gawk", "mawk"):
            from codeintel_server.hook.inline import written_by_awk

            yield from self._named(written_by_awk(" ".join(plain)), name)

    def _moved(self, name: str, rest: Sequence[Word]) -> None:
        """`cd`. A folder that is not known makes all relative paths after it unknown."""
        if name == "popd":
            target: str | None = self.pushed.pop() if self.pushed else None
        else:
            operands = [word for word in rest if not word.text.startswith("-") or word.text == "-"]
            is_known = bool(operands) and not operands[0].is_open and operands[0].text != "-"
            target = os.path.expanduser(operands[0].text) if is_known else None
            self.pushed.append(self.folder)
        self.is_lost = target is None
        if target is not None:
            self.folders[-1] = os.path.normpath(os.path.join(self.folder, target))

    def _shell(self, words: Sequence[str], fed: str) -> Iterator[Write]:
        code = option_value(words, SHELL_CODE)
        if code is not None:
            yield from self._nested(code)
        elif fed and not _operands(words):
            yield from self._nested(fed)

    def _code(self, name: str, words: Sequence[str], fed: str) -> Iterator[Write]:
        from codeintel_server.hook import inline

        code = option_value(words, CODE_OPTIONS)
        if code is None and not _operands(words):
            code = fed
        if code:
            yield from self._named(inline.written(code), name)
            for line in inline.commands(code):
                yield from self._nested(line)

    def _git(self, words: Sequence[str], command: Command) -> Iterator[Write]:
        where, name, rest = gitwords.split(words)
        folder = os.path.join(self.folder, where)
        if self.is_lost and not os.path.isabs(where):
            return
        if why := gitwords.forbidden(name, rest):
            yield Write(folder, "", f"git {name}", why)
            return
        for path in gitwords.changed(name, rest):
            yield Write(folder, path, f"git {name}")
        if name == "apply" and not {"--check", "--stat", "--numstat", "--summary"} & set(rest):
            known = self._patched(folder, [*_operands(rest), command.source], command.fed)
            for path in known or ["."]:  # a patch from elsewhere may change anything
                yield Write(folder, path, "git apply")

    def _find(self, words: Sequence[Word]) -> Iterator[Write]:
        plain = [word.text for word in words]
        start = _before(plain, ("-", "(", "!")) or ["."]
        if "-delete" in plain:
            yield from self._named(start, "find -delete")
        for option in ("-exec", "-execdir", "-ok", "-okdir"):
            if option in plain:
                inner = [word for word in words[plain.index(option) + 1 :] if word.text not in (";", "+")]
                for folder in start:  # {} stands for the folder it looks in
                    put = [Word(word.text.replace("{}", folder), word.is_open, True) for word in inner]
                    yield from self._command(Command(put))
        for option in ("-fprint", "-fprintf", "-fls"):
            if option in plain:
                yield from self._named(plain[plain.index(option) + 1 :][:1], f"find {option}")

    def _patch(self, words: Sequence[str], command: Command) -> Iterator[Write]:
        if "--dry-run" in words:
            return
        given = option_value(words, {"-i", "--input"})
        known = self._patched(self.folder, [given or "", command.source], command.fed)
        yield from self._named(known or _operands(words)[:1] or ["."], "patch")

    def _patched(self, folder: str, files: Sequence[str], fed: str) -> list[str]:
        from codeintel_server.hook.patches import patched

        return patched([os.path.join(folder, name) for name in files if name], fed)

    def _named(self, paths: Sequence[str], how: str) -> Iterator[Write]:
        for path in paths:
            if not self.is_lost or os.path.isabs(path):
                yield Write(self.folder, path, how)

    def _paths(self, words: Sequence[Word], how: str, given: Sequence[str] = ()) -> Iterator[Write]:
        for word in words:
            if word.is_open or not word.text or word.text in ("-", "/dev/stdout", "/dev/stderr"):
                continue
            for path in expanded(word, self.folder)[:MAX_PATHS]:
                at = os.path.join(self.folder, os.path.expanduser(path))
                if how in COPIERS and os.path.isdir(at) and len(_operands(given)) > 1:
                    names = (name.rstrip("/").rpartition("/")[2] for name in _operands(given)[:-1])
                    yield from self._named([f"{path}/{name}" for name in names], how)
                elif how not in DELETERS or os.path.lexists(at):
                    yield from self._named([path], how)


def _operands(words: Sequence[str]) -> list[str]:
    return [word for word in words if not word.startswith("-")]


def _before(words: Sequence[str], signs: tuple[str, ...]) -> list[str]:
    at = next((at for at, word in enumerate(words) if word.startswith(signs)), len(words))
    return list(words[:at])


def _printed(command: Command) -> str:
    """What a command prints, where that stands in the line: `echo`, `printf`, `cat` of a here-document, `find`."""
    words = command.words
    if not words or any(word.is_open for word in words):
        return ""
    name, texts = words[0].text, [word.text for word in words[1:]]
    if name in ("echo", "printf"):
        return " ".join(text for text in texts if text not in ("-n", "-e", "%s", "%s\\n"))
    if name in ("cat", "tee"):
        return command.fed
    return "\n".join(_before(texts, ("-", "(", "!"))) if name == "find" else ""


def _same(words: Sequence[Word], texts: Sequence[str]) -> list[Word]:
    """The words that have these texts, so that it stays known which parts are open or patterns."""
    known = {word.text: word for word in words}
    lost = {word.text for word in words if word.is_open}
    return [known.get(text, Word(text, any(part and text.startswith(part) for part in lost))) for text in texts]
