"""What a program without a row may write, told by how command lines are commonly spelled.

Three signs count: an option that names an output, an option that says that files are rewritten, and words that are a
command of their own, which a program in front of it runs.
"""

from __future__ import annotations

import os
import re

from codeintel_server.guard.commands import Shell
from codeintel_server.guard.row import Parsed
from codeintel_server.guard.table import TABLE, UNKNOWN
from codeintel_server.guard.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_OUTPUT = re.compile(
    r"--?(?:(?!no-|std)[a-z]\w*?[-_])?(?:out(?:put)?|f?emit|dest|dist|site|export|report|install(?=[-_]root)|target(?=[-_]dir))"
    r"(?:[-_]?(?:file|filename|bin|dir|root|path|directory|folder))?(?:=(?:\w+:)?(?P<value>.+))?$",
    re.I,
)
_ATTACHED = re.compile(r"-o(?:f|ut)?[:=]?(?P<value>[^\s:=-][^\s:=]*/[^:=]*)$")
_ASSIGNED = re.compile(r"(?:^|\s)(?:of|out|OUT|output|OUTPUT|outfile|dest|DESTDIR)=(?P<value>[^\s=]+)")
_FILE = re.compile(r"[^/]\.[A-Za-z]\w{0,7}$")
FIXES = re.compile(
    r"--(?:(?:auto-?)?fix(?:-errors)?|write|in-?place|overwrite|auto-?correct|replace|rewrite|reformat|accept-all)$"
)
SNAPSHOTS = re.compile(
    r"--(?:(?:update|accept|write|overwrite)-?snapshots?|snapshot-update|force-regen|regen-all"
    r"|inline-snapshot=(?:fix|create|update|trim))$",
    re.I,
)
_ACTING = frozenset(
    name for name, row in TABLE.items() if row.writes in ("all", "last", "moved", "rest") and " " not in name
) | frozenset(["sh", "bash", "dash", "zsh", "python", "python3", "node", "perl", "ruby", "dd", "git"])


def run_unknown(shell: Shell, how: str, words: list[Word], fed: Word | None) -> None:
    """Note what a program without a row may write."""
    parsed = Parsed(UNKNOWN, words)
    for word in _outputs(parsed, words):
        write_output(shell, how, word)
    operands = [word for word in parsed.operands if word.text or word.listed]
    if any(FIXES.match(flag) for flag in parsed.flags):
        for word in operands:
            shell.write(word, how, must_exist=True)
    if any(SNAPSHOTS.match(flag) for flag in parsed.flags):
        shell.write_tree(Word(os.curdir), how)
    _followed(shell, lambda inner: inner.lines(parsed.values(UNKNOWN.code), fed))
    at = next((at for at, word in enumerate(words) if word.text.rpartition("/")[2] in _ACTING), -1)
    if at >= 0:
        _followed(shell, lambda inner: inner.run(words[at:], fed))


def write_output(shell: Shell, how: str, word: Word) -> None:
    """Note an output that is there, is a file by its name, or lies in a folder that is there.

    Others are a folder of their own, or a program that a build leaves where it was started.
    """
    name = os.path.dirname(os.path.expanduser(word.text).rstrip("/"))
    is_dir = os.path.isdir(os.path.join(shell.folder or os.curdir, name))
    shell.write(word, how, must_exist=not (is_dir and (name not in ("", ".") or _FILE.search(word.text))))


def assigned(words: list[Word]) -> list[Word]:
    """Return what words such as `dest=x` or `DESTDIR=x` name."""
    return [word.with_text(found["value"]) for word in words for found in _ASSIGNED.finditer(word.text)]


def _outputs(parsed: Parsed, words: list[Word]) -> list[Word]:
    """Return what options name as outputs."""
    found = [*parsed.values(UNKNOWN.values - UNKNOWN.code), *assigned(words)]
    found += [word.with_text(match["value"]) for word in words if (match := _ATTACHED.match(word.text))]
    for at, word in enumerate(words):
        text = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", word.text.partition("=")[0]) + "".join(word.text.partition("=")[1:])
        if (match := _OUTPUT.match(text)) is None or word.text == "-o":
            continue
        if match["value"]:
            found.append(word.with_text(match["value"]))
        elif at + 1 < len(words) and words[at + 1].text[:1] != "-":
            found.append(words[at + 1])
    return found


def _followed(shell: Shell, way: Callable[[Shell], object]) -> None:
    """Follow words that look like a command; what counts of it is a file that it names and that exists."""
    inner = shell.copy()
    inner.found = []
    way(inner)
    for write in inner.found:
        path = os.path.join(write.folder, os.path.expanduser(write.path))
        if write.says or (write.path not in (os.curdir, "") and os.path.lexists(path)):
            shell.found.append(write)
