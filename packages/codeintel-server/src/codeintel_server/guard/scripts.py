"""What a line gives programs to run: code, variables, files that it has written or that lie among temporary files."""

from __future__ import annotations

import os
import re

from codeintel_server.guard.searches import script as script_of
from codeintel_server.guard.table import TABLE
from codeintel_server.guard.unknown import (
    ACTING,
    bare,
    first,
    followed,
    is_new,
    pairs,
    run_acting,
    run_lines,
    run_unknown,
    write_output,
)
from codeintel_server.guard.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from codeintel_server.guard.commands import Shell

_LEAVES = re.compile(r"(?:LOG|TRACE\w*|HIST|COVERAGE|REPORT|RESULTS?|DUMP)(?:_?(?:FILE|PATH|DIR))?$")
"""Variables that name what a program leaves behind."""
_READ = re.compile(r"(?i)PATH$|CONFIG|CFG|SETTING|ROOT|MODULE|INCLUDE|SRC|SOURCE|INPUT|ENV")
"""Variables that name what is read."""
_CODE = re.compile(r"(?:python|perl|ruby|node)|\.(?:[cm]?[jt]sx?|py|rb|pl|pm|php|lua|go|java|rs|R|jl|el|vim|ex|exs)$")
_SHELL = re.compile(r"(?:^[^.]+|\.(?:ba|z|k)?sh)$")
_NAMES_OUTPUT = re.compile(r"""(?m)\bout(?:put|file)?\s*[=: ]\s*["']?(?P<path>[\w./-]+\.\w+)""")
_TAKES_LINE = re.compile(r"-(?![cmtb]$)\w+$")
_PATH = re.compile(r"(?<![\w.])[/~][\w./+-]+")
_PARTS = re.compile(r"[\s'\"\[\](){},;|]+")
_HANDLE_FILES = """
cat chmod mkdir ls test [ diff cmp wc head tail grep rg echo printf cd file stat sed awk git gh code read
shellcheck mypy pyright flake8 pylint sha256sum md5sum gcc g++ clang
"""
_KEEPERS = frozenset(_HANDLE_FILES.split())
"""Programs that run no file that they are given. Of others those that have a row and write what they are given."""
_RUNNERS = frozenset(["perl", "ruby", "emacs", "script", "git"])


def read_code(shell: Shell, how: str, texts: Iterable[str], arguments: list[Word] | None = None) -> None:
    """Follow code: what it writes and the command lines that it runs. `arguments` are what it is given."""
    for given in texts:
        from codeintel_server.guard import code  # late: its patterns take longer than all of the guard

        text = code.with_arguments(given, [word.text for word in arguments or []])
        text = code.with_settings(text, {name: word.text for name, word in shell.values.items() if word.texts})
        written = code.written(text)
        for word in written:
            shell.write(word, how)
        said = [Word(string) for string in code.strings(text)]
        for path in code.touched(text):
            shell.write(Word(path, is_pattern=True), how, must_exist=not is_new(shell, path))
        for word in () if code.may_look(text) else said:
            if is_new(shell, word.text):
                shell.write(word, how)
        run_acting(shell, said)
        run_lines(shell, said)
        if code.is_hidden(text) or (not written and code.is_untold(text)):
            shell.write_tree(Word(os.curdir), how)
        for folder in code.unpacked(text):
            shell.write_tree(Word(folder), how)
        shell.copy().lines([Word(line) for line in code.commands(text)])


def script(shell: Shell, name: str, words: list[Word], content: Word) -> None:
    """Follow a script by its first line or its name; one in a language of its own counts where it names commands."""
    head = content.text.partition("\n")[0]
    kind = _CODE.search(head if head[:2] == "#!" else name)
    if kind is None and (head[:2] == "#!" or _SHELL.search(name)):
        shell.copy(Word(name), *words).lines([content])
    read_code(shell, name, content.texts, words)
    for text in content.texts if kind is None else ():
        for found in _NAMES_OUTPUT.finditer(text):
            shell.write(Word(found["path"]), name)
        for line in text.splitlines():
            run_acting(shell, [Word(part) for part in _PARTS.split(line)])


def run_mentioned(shell: Shell, name: str, words: list[Word], is_elsewhere: bool) -> None:
    """Follow the scripts and lines that the words of a command name, unless it only handles files.

    A program that runs its words elsewhere runs here only what an option says.
    """
    if name in _KEEPERS:
        return
    given = [word for before, word in pairs(words) if not is_elsewhere and _TAKES_LINE.match(before.text)]
    run_lines(shell, given + [word for word in words if "=" in word.text])
    row = TABLE.get(name)
    for path, content in () if row and row.writes and name not in _RUNNERS else _mentioned(shell, words):
        if path not in shell.followed:
            shell.followed.add(path)
            script(shell, os.path.basename(path), [], content)
            shell.followed.discard(path)


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
        if value[:1] == "-":
            run_unknown(shell, name, [given.with_text(part) for part in value.split()], None)
            continue
        if first(value) in ACTING:
            shell.copy().lines([line])
        elif " " in value:
            followed(shell, lambda inner, line=line: inner.lines([line]))  # type: ignore[misc]
        read_code(shell, name, [value] if re.search(r"[\"'(]", value) else [])
