"""Editors without a person: what the commands write that they are given on the command line."""

from __future__ import annotations

import re

from codeintel_server.guard.row import Parsed, Program
from codeintel_server.guard.scripts import read_code
from codeintel_server.guard.table import TABLE
from codeintel_server.guard.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from codeintel_server.guard.commands import Shell

_VIM = Program(values="-c -S -u -U -i -p --cmd -T", free="-R -M -l --version --help")
_EDITS = frozenset(("vi", "vim", "nvim", "ex"))
"""These write the file that they are given; `view` and `less` do not."""
_WRITES = re.compile(
    r"(?:^|[|:])\s*(?:[\d$%,.]*w(?:rite)?|sav(?:eas)?|up(?:date)?|redir|mk\w+|hardcopy)!?\s+(?:>>?\s*)?([^\s|!]+)"
)
_RUNS = re.compile(r"(?:^|[|:])\s*(?:sil\w*!?\s+)?!\s*([^|]+)")
_IN_ALL_FILES = re.compile(r"\b(?:arg|buf|c|cf|l|lf|tab|win)do\b")
_PLACE = r"(?:[\d$.%]+|/(?:[^/\\|]|\\.)*/)"
_SHOW = r"(?:p(?:r(?:int)?)?|nu(?:mber)?|#|=)"
_READS = re.compile(
    rf"\s*(?:(?:{_PLACE}(?:,{_PLACE})?)?\s*(?:{_SHOW}|[gv]/(?:[^/\\|]|\\.)*/\s*{_SHOW}?)|qa?(?:ll|uit)?!?)?\s*"
)
_HARMLESS_FLAGS = frozenset(["-e", "-s", "-E", "-n", "-N", "-X", "-es", "-Es", "-c", "-u"])


def vim(shell: Shell, how: str, words: list[Word], fed: Word | None) -> None:
    """Follow the commands that an editor is given: `-c 'w! other'`, `+'!rm x'`.

    It writes its files as well, unless the commands are known and only print (`-c %p -c q`).
    """
    parsed = Parsed(_VIM, words)
    if fed is not None and "-l" in parsed.flags:
        read_code(shell, how, fed.texts)
    given = [text for word in parsed.values(("-c", "--cmd")) for text in word.texts]
    given += [text[1:] for word in parsed.operands for text in word.texts if text[:1] == "+"]
    for text in given:
        for path in _WRITES.findall(text):
            shell.write(how, Word(path))
        for line in _RUNS.findall(text):
            shell.copy().lines([Word(line)])
        if _IN_ALL_FILES.search(text):
            shell.write_tree(how)
    read_code(shell, how, given)
    if how in _EDITS and not _VIM.free & parsed.flags and not _only_reads(parsed, given, fed):
        shell.write(how, *parsed.operands)


def _only_reads(parsed: Parsed, given: list[str], fed: Word | None) -> bool:
    """Say whether all that an editor will do is known, and prints."""
    is_plain = parsed.flags <= _HARMLESS_FLAGS and {word.text for word in parsed.values(("-u",))} <= {"NONE", "NORC"}
    lines = [part for text in given for part in text.split("|")]
    return is_plain and fed is None and bool(lines) and all(_READS.fullmatch(line) for line in lines)


def emacs(shell: Shell, how: str, words: list[Word], _: Word | None) -> None:
    read_code(
        shell, how, [text for word in Parsed(TABLE["emacs"], words).given.get("--eval", []) for text in word.texts]
    )
