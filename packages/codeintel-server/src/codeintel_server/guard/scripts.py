"""What a line gives programs to run: code, variables, files that it has written or that lie among temporary files."""

from __future__ import annotations

import os
import re

from codeintel_server.guard.gate import repository_of
from codeintel_server.guard.row import Parsed
from codeintel_server.guard.searches import beginning_of, script as script_of
from codeintel_server.guard.table import TABLE
from codeintel_server.guard.unknown import (
    ACTING,
    SQL,
    bare,
    first,
    followed,
    is_new,
    note_new,
    pairs,
    run_acting,
    run_lines,
    run_unknown,
    write_output,
)
from codeintel_server.guard.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from codeintel_server.guard.commands import Shell

_LEAVES = re.compile(
    r"(?:LOG|TRACE\w*|HIST|COVERAGE|REPORT|RESULTS?|DUMP|OUTPUT|KEYLOG|DEPENDENCIES)(?:_?(?:FILE|PATH|DIR))?$"
)
"""Variables that name what a program leaves behind."""
_READ = re.compile(r"(?i)PATH$|CONFIG|CFG|SETTING|ROOT|MODULE|INCLUDE|SRC|SOURCE|INPUT|ENV")
"""Variables that name what is read."""
_CODE = re.compile(r"(?:python|perl|ruby|node)|\.(?:[cm]?[jt]sx?|py|rb|pl|pm|php|lua|go|java|rs|R|jl|el|vim|ex|exs)$")
_SHELL = re.compile(r"(?:^[^.]+|\.(?:ba|z|k)?sh)$")
_NAMES_OUTPUT = re.compile(r"""(?m)\bout(?:put|file)?\s*[=: ]\s*["']?(?P<path>[\w./-]+\.\w+)""")
_TAKES_LINE = re.compile(r"-(?![cmtb]$)\w+$")
_PATH = re.compile(r"(?<![\w.])[/~][\w./+-]+")
_PARTS = re.compile(r"[=\s'\"\[\](){},;|]+")
_BRANCHES = re.compile(r"(?m)^\s*(?:if|elif|case|while|until|function|def|class|async|trap|exit|return)\b|\(\)\s*\{|=>")
_INTERPRETERS = frozenset(
    ("sh", "bash", "dash", "zsh", "ksh", "source", ".", "python", "node", "ruby", "perl", "php", "lua")
)
_HANDLE_FILES = """
cat chmod mkdir ls test [ diff cmp wc head tail grep rg echo printf cd file stat sed awk git gh code read
shellcheck mypy pyright flake8 pylint sha256sum md5sum gcc g++ clang find xargs parallel
"""
_KEEPERS = frozenset(_HANDLE_FILES.split())
"""Programs that run no file that they are given, or whose command is followed by itself. Of others those that have a
row and write what they are given."""
_RUNNERS = frozenset(["perl", "ruby", "emacs", "script", "git"])


def read_code(shell: Shell, how: str, texts: Iterable[str], arguments: list[Word] | None = None) -> None:
    """Follow code: what it writes and the command lines that it runs. `arguments` are what it is given."""
    for given in texts:
        from codeintel_server.guard import code  # late: its patterns take longer than all of the guard

        text = code.with_arguments(given, [word.text for word in arguments or []])
        text = code.with_settings(text, {name: word.text for name, word in shell.values.items() if word.texts})
        written = code.written(text)
        shell.write(how, *written)
        said = [Word(string) for string in code.strings(text)]
        for path in code.touched(text):
            if not code.is_elsewhere(text):
                note_new(shell, Word(path), how)
            shell.write(how, Word(path, is_pattern=True), must_exist=True)
        for word in () if code.may_look(text) else said:
            if word.text[:1] != "." and is_new(shell, word.text):
                shell.write(how, word)
        run_acting(shell, said)
        run_lines(shell, said)
        if code.is_hidden(text) or (not written and code.is_untold(text)):
            shell.write_tree(how)
        for folder in code.unpacked(text):
            shell.write_tree(how, Word(folder))
        shell.copy().lines([Word(line) for line in code.commands(text) if not SQL.match(line)])


def script(shell: Shell, name: str, words: list[Word], content: Word) -> None:
    """Follow a script by its first line or its name; one in a language of its own counts where it names commands."""
    head = content.text.partition("\n")[0]
    kind = _CODE.search(head if head[:2] == "#!" else name)
    if kind is None and (head[:2] == "#!" or _SHELL.search(name)):
        shell.copy(Word(name), *words).lines([content])
    read_code(shell, name, content.texts, words)
    for text in content.texts if kind is None else ():
        for found in _NAMES_OUTPUT.finditer(text):
            shell.write(name, Word(found["path"]))
        for line in text.splitlines():
            run_acting(shell, [Word(part) for part in _PARTS.split(line)])


def run_mentioned(shell: Shell, name: str, words: list[Word], is_elsewhere: bool) -> None:
    """Follow the scripts and lines that the words of a command name, unless it only handles files.

    A program that runs its words elsewhere runs here only what an option says.
    """
    if name in _KEEPERS:
        return
    row = TABLE.get(name)
    inner = len(Parsed(row, words).operands[row.runs :]) if row and row.runs >= 0 else 0  # which is followed by itself
    own = words[: len(words) - inner]
    given = [word for before, word in pairs(own) if not is_elsewhere and _TAKES_LINE.match(before.text)]
    run_lines(shell, given + [word for word in words if "=" in word.text])
    first_operand = next((at for at, word in enumerate(words) if word.text[:1] != "-"), len(words))
    is_check = any(word.text in ("-n", "-c", "-l", "--check") for word in words[:first_operand])
    if name in _INTERPRETERS and first_operand < len(words) and not is_check:
        run_project(shell, name, words[first_operand], words[first_operand + 1 :])
    for path, content in () if row and row.writes and name not in _RUNNERS else _mentioned(shell, words):
        if path not in shell.followed:
            shell.followed.add(path)
            script(shell, os.path.basename(path), [], content)
            shell.followed.discard(path)


def run_project(shell: Shell, name: str, word: Word, words: list[Word]) -> None:
    """Follow a script of the project that runs from its first line to its last; another may do less than it says."""
    path = os.path.join(shell.folder or os.curdir, word.text)
    root = repository_of(os.path.realpath(os.path.dirname(path)))
    if not word.text or not root or path in shell.followed:
        return
    text = beginning_of(path)
    if text is not None and not _BRANCHES.search(text):
        shell.followed.add(path)
        as_project(shell, lambda inner: script(inner, os.path.basename(path), words, Word(text)))
        shell.followed.discard(path)


def as_project(shell: Shell, way: Callable[[Shell], object]) -> None:
    """Follow what the project itself says. What it changes of the project is in the way only while nothing may be."""
    inner = shell.copy()
    inner.found = []
    way(inner)
    root = repository_of(os.path.realpath(shell.folder or os.curdir)) + os.sep
    for write in inner.found:
        if write.says or os.path.realpath(os.path.join(write.folder, os.path.expanduser(write.path))).startswith(root):
            write.is_tree = True
            shell.found.append(write)


def _mentioned(shell: Shell, words: list[Word]) -> Iterator[tuple[str, Word]]:
    said = " ".join(text for word in words for text in word.texts)
    for path, content in list(shell.kept.items()):
        folder, base = os.path.split(path)
        stem = base.partition(".")[0]
        parts = (path, base, *([folder] if folder.count("/") > 1 else []))
        if any(part in said for part in parts) or re.search(rf"\b{re.escape(stem)}\b", said):
            yield path, content
    for path in _PATH.findall(said):
        found = script_of(shell, Word(path)) if path not in shell.kept else None
        if found is not None:
            yield path, found


def run_setting(shell: Shell, how: str, words: list[Word], fed: Word | None) -> None:
    """Follow the variables that programs get: a file to write, options, a command line, code."""
    for word in words:
        name, _, value = word.text.partition("=")
        given, line = word.with_text(value), word.with_text(bare(value))
        if "/" in value and (_LEAVES.search(name) or (is_new(shell, value) and not _READ.search(name))):
            write_output(shell, name, given)
        elif not _READ.search(name) or _LEAVES.search(name):
            note_new(shell, given, name, is_folder=bool(_LEAVES.search(name)) and name.endswith(("FILE", "DIR")))
        if value[:1] == "-":
            run_unknown(shell, name, [given.with_text(part) for part in value.split()], None)
            continue
        if first(value) in ACTING:
            shell.copy().lines([line])
        elif " " in value:
            followed(shell, lambda inner, line=line: inner.lines([line]))  # type: ignore[misc]
        read_code(shell, name, [value] if re.search(r"[\"'(]", value) else [])
