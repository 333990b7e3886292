"""What a program may write that no row says, told by how command lines are commonly spelled.

Signs are: an option that names an output, one that says that files are rewritten, a path that is not there yet (who
reads, names what is there), and words that are a command of their own, which a program in front of it runs.
"""

from __future__ import annotations

import os
import re

from codeintel_server.guard.commands import Shell
from codeintel_server.guard.gate import repository_of
from codeintel_server.guard.row import Parsed, Program
from codeintel_server.guard.table import TABLE, UNKNOWN
from codeintel_server.guard.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_OUTPUT = re.compile(
    r"--?(?:(?!no-|std)[a-z]\w*?[-_])*(?:out(?:put)?|f?emit|dest|dist|site|export|report|install(?=[-_]root)"
    r"|target(?=[-_]dir)|extract|save|log|html|xml|csv|svg|sarif|trace|dump|record|store)"
    r"(?:[-_]?(?:file|filename|bin|dir|root|path|directory|folder|to|json|xml|html|log))?(?:=(?:\w+:)?(?P<value>.+))?$",
    re.I,
)
_ATTACHED = re.compile(r"-o(?:f|ut)?[:=]?(?P<value>[^\s:=-][^\s:=]*/[^:=]*)$")
_ASSIGNED = re.compile(r"(?:^|\s)(?:of|out|OUT|output|OUTPUT|outfile|dest|DESTDIR)=(?P<value>[^\s=]+)")
_FILE = re.compile(r"[^/]\.[A-Za-z]\w{0,7}$")
_INPUT = re.compile(
    r"--?(?:[\w-]*(?:clude|ignore|glob|filter|match|select|pattern|grep|ref|config|regex|name|skip|omit|only|cov|root|test)[\w-]*$|file$|[LIWD])"
)
"""Options whose value looks like a path and is none, or one that is read."""
_MAKES = re.compile(
    r"(?:clone|init|new|create|rec(?:ord)?|\w*venv|\w*virtualenv|export|extract|download|fetch|pull|save|dump|screenshot"
    r"|pdf|gen(?:erate)?|scaffold|setup|convert|degit|get)(?:-\w+)*$"
)
"""Verbs whose object is not there before."""
_SOURCE = re.compile(
    r"\.(?:[cm]?[jt]sx?|py|rb|rs|go|c|cc|cpp|h|hpp|java|kt|scala|swift|zig|php|lua|ex|exs|md|ya?ml|sh|nim)$"
)
_SAYS = re.compile(r"--?(?:m|t|b|title|body|message|description|notes|subject|comment|text)$")
"""Options whose value is prose."""
FIXES = re.compile(
    r"--(?:(?:auto-?)?fix(?:-errors)?|write|in-?place|overwrite|auto-?correct|replace|rewrite|reformat|accept-all)$"
)
SNAPSHOTS = re.compile(
    r"--(?:(?:update|accept|write|overwrite)-?snapshots?|snapshot-update|force-regen|regen-all"
    r"|inline-snapshot=(?:fix|create|update|trim))$",
    re.I,
)
ACTING = frozenset(
    name for name, row in TABLE.items() if row.writes in ("all", "last", "moved", "rest") and " " not in name
) | frozenset(["sh", "bash", "dash", "zsh", "python", "python3", "node", "perl", "ruby", "dd", "git"])


def run_unknown(shell: Shell, how: str, words: list[Word], fed: Word | None) -> None:
    """Note what a program without a row may write."""
    parsed = Parsed(UNKNOWN, words)
    for word in _outputs(parsed, words):
        write_output(shell, how, word)
    operands = [word for word in parsed.operands if word.text or word.listed]
    run_options(shell, how, UNKNOWN, words)
    if _makes(shell, how, words, operands) and is_new(shell, operands[-1].text):
        shell.write(operands[-1], how)
    if any(FIXES.match(flag) for flag in parsed.flags):
        for word in operands:
            shell.write(word, how, must_exist=True)
    if any(SNAPSHOTS.match(flag) for flag in parsed.flags):
        shell.write_tree(Word(os.curdir), how)
    followed(shell, lambda inner: inner.lines(parsed.values(UNKNOWN.code), fed))
    run_acting(shell, words, fed)
    run_lines(shell, [word for before, word in pairs(words) if not _SAYS.match(before.text)])


def _names_file(row: Program, option: str, value: str) -> bool:
    """Say whether a word behind an option is a file, by the option or, where the program is not known, by its name."""
    if option[:1] != "-" or option == "--" or value[:1] == "-" or "=" in option or _INPUT.match(option):
        return False
    if _OUTPUT.match(option):
        return True
    is_output = bool(_FILE.search(value)) and not _SOURCE.search(value)
    return row is UNKNOWN and (is_output or re.match(r"-(?:d|o\w?)$", option) is not None)


def _makes(shell: Shell, how: str, words: list[Word], operands: list[Word]) -> bool:
    """Say whether the last of some operands is what a program makes: of another, or by a verb."""
    given = [word.text for before, word in pairs(words) if before.text[:1] == "-"]
    before = [word.text for word in operands[:-1] if word.text not in given]
    folder = shell.folder or os.curdir
    return bool(operands) and (
        any("://" in text or os.path.isfile(os.path.join(folder, text)) for text in before)
        or any(_MAKES.match(text) for text in (how, *before))
    )


def run_acting(shell: Shell, words: list[Word], fed: Word | None = None) -> None:
    """Follow the command that is among words: `chronic rm x`."""
    at = next((at for at, word in enumerate(words) if word.text.rpartition("/")[2] in ACTING), -1)
    if at >= 0:
        followed(shell, lambda inner: inner.run(words[at:], fed))


def run_lines(shell: Shell, words: list[Word]) -> None:
    """Follow words that are a whole command line: `ProxyCommand=rm x`."""
    lines = [word for word in words if " " in word.text and first(word.text) in ACTING]
    followed(shell, lambda inner: inner.lines([word.with_text(bare(word.text)) for word in lines]))


def pairs(words: list[Word]) -> list[tuple[Word, Word]]:
    """Return each word with the one before it."""
    return list(zip([Word(), *words], words, strict=False))


def bare(line: str) -> str:
    """Return a command line without the sign that says that it is one: `!rm x`, `|tee x`, `Option=rm x`."""
    return re.sub(r"^(?:[!|]|[\w.-]+=)+\s*", "", line)


def first(line: str) -> str:
    words = bare(line).split(maxsplit=1)
    return words[0].rpartition("/")[2] if words else ""


def run_options(shell: Shell, how: str, row: Program, words: list[Word]) -> None:
    """Note files that are not there yet, which options name that the program's row does not know."""
    for before, word in pairs(words):
        option, value = word.text.partition("=")[0], word.text
        if value[:1] == "-" and "/" in value and not _INPUT.match(option):
            value = re.split(r"[=:,]", value)[-1] if re.search(r"[=:,]", value) else re.sub("^--?[A-Za-z]", "", value)
            if not _OUTPUT.match(option) and (_SOURCE.search(value) or not _FILE.search(value)):
                continue
        elif _names_file(row, before.text, value):
            option, value = before.text, value.rpartition("=")[2]
        else:
            continue
        if option not in row.values and is_new(shell, value):
            shell.write(word.with_text(value), how)


def is_new(shell: Shell, text: str) -> bool:
    """Say whether a text names what is not there, in a folder of the project below its root."""
    if "/" not in text or not shell.folder or re.search(r"[*?\[{}$\s:]|\.\.\.|^-", text):
        return False
    path = os.path.normpath(os.path.join(shell.folder, os.path.expanduser(text)))
    folder, root = os.path.dirname(path), repository_of(shell.folder) or shell.folder
    return folder.startswith(root + os.sep) and os.path.isdir(folder) and not os.path.lexists(path)


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


def followed(shell: Shell, way: Callable[[Shell], object]) -> None:
    """Follow words that look like a command; what counts of it is a file that is there, or in a folder that is."""
    inner = shell.copy()
    inner.found = []
    way(inner)
    for write in inner.found:
        path = os.path.join(write.folder, os.path.expanduser(write.path))
        is_named = write.path not in (os.curdir, "") and (os.path.lexists(path) or is_new(shell, write.path))
        if write.says or is_named:
            shell.found.append(write)
