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
    r"|target(?=[-_]dir)|extract|save|log|html|xml|csv|svg|sarif|trace|dump|record|store|prof)"
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
_BEGINS = re.compile(r"(?:init|new|(?:[\w-]+-)?quickstart)$")
_MAKES = re.compile(
    r"(?:clone|init|new|create|rec(?:ord)?|\w*venv|\w*virtualenv|export|extract|download|fetch|pull|save|dump|screenshot"
    r"|pdf|gen(?:erate)?|scaffold|setup|convert|degit|get)(?:-\w+)*$"
)
"""Verbs whose object is not there before."""
_SOURCE = re.compile(
    r"\.(?:[cm]?[jt]sx?|py|rb|rs|go|c|cc|cpp|h|hpp|java|kt|scala|swift|zig|php|lua|ex|exs|md|ya?ml|sh|nim)$"
)
_DATA = re.compile(
    r"\.(?:txt|json[l5]?|xml|html?|csv|tsv|svg|png|jpe?g|gif|pdf|db|sqlite\d?|duckdb|dat|data|bin|prof|pstats|profraw|jsa|sarif"
    r"|trace|gpx|tar|t?gz|zip|whl|jar|ya?ml|toml|ini|po|pot|mo|cast|mp4|webm|dot|gv|md|rst|keys?|pem|cover|dump|rdb|dict)$"
)
_DATABASE = re.compile(r"\.(?:db|sqlite\d?|duckdb)$")
_CHANGES = frozenset(("insert", "upsert", "convert", "transform", "drop", "import", "delete", "update", "create-table"))
_FORMATS = re.compile(r"(?:json\w*|ya?ml|xml|te?xt|table|wide|name|[ct]sv|html|md|plain|value|auto|lcov|long|short)$")
SQL = re.compile(r"(?i)\s*(?:delete\s+from|select|insert\s+into|update\s+\w+\s+set)\s")
"""A statement whose comparison `>` would be a redirection of a command."""
_PLACE = re.compile(r"(?i)(?:[-_](?:file|dir|path|folder)|trace)$")
_FIXERS = re.compile(r"(?:\wfmt|-fmt|format(?:ter)?|fix(?:er)?)$")
CHECKS = frozenset(
    ("--check", "--diff", "--dry-run", "-n", "--list-different", "--help", "-c", "-d", "-l", "-", "--stdout", "--list")
)
_SAYS = re.compile(r"--?(?:m|t|b|title|body|message|description|notes|subject|comment|text)$")
"""Options whose value is prose."""
FIXES = re.compile(
    r"--(?:(?:auto-?)?fix(?:-errors)?|write|in-?place|overwrite|auto-?correct|replace|rewrite|reformat|accept-all)$"
)
SNAPSHOTS = re.compile(
    r"--(?:(?:update|accept|write|overwrite|regen\w*|bless|record)-?(?:snapshots?|goldens?|fixtures?|baselines?|expected"
    r"|references?|cassettes?)|snapshot-update|force-regen|regen-all|inline-snapshot=(?:fix|create|update|trim))$",
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
    if any(_BEGINS.match(text) for text in (how, *(word.text for word in operands[:1]))):
        shell.write_tree(how)
    if _makes(shell, how, words, operands):
        note_new(shell, operands[-1], how)
    for before, word in pairs(words):
        if before.text == "-o" and is_made(shell, word.text) and not _FORMATS.match(word.text):
            shell.make(how, word)
    if _FIXERS.search(how) and not CHECKS & parsed.flags:
        shell.write(how, *operands, must_exist=True)
    is_change = any(word.text in _CHANGES for word in operands[:1])
    for word in operands if is_change else ():
        if _DATABASE.search(word.text):
            shell.write(how, word, must_exist=not is_made(shell, word.text))
    if any(FIXES.match(flag) for flag in parsed.flags):
        shell.write(how, *operands, must_exist=True)
    if any(SNAPSHOTS.match(flag) for flag in parsed.flags):
        shell.write_tree(how)
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
    lines = [word for word in words if " " in word.text and first(word.text) in ACTING and not SQL.match(word.text)]
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
        is_folder = False
        option, value = split_name(word.text.partition("=")[0]), re.sub(r"^\w+:///", "", word.text)
        if value[:1] == "-" and ("/" in value or "=" in value) and not _INPUT.match(option):
            value = re.split(r"[=:,]", value)[-1] if re.search(r"[=:,]", value) else re.sub("^--?[A-Za-z]", "", value)
            if not _OUTPUT.match(option) and (_SOURCE.search(value) or not _FILE.search(value)):
                continue
        elif _names_file(row, before.text, value):
            is_folder = ":" in value
            option, value = split_name(before.text), re.split("[=:]", value)[-1]
        else:
            continue
        is_short = word.text[:1] != "-" and option[:2] != "--" and not _OUTPUT.match(option)
        if option in row.values or before.text in row.values or (is_short and not is_new(shell, value)):
            continue
        note_new(shell, word.with_text(value), how, is_folder=is_folder or _PLACE.search(option) is not None)


def note_new(shell: Shell, word: Word, how: str, is_folder: bool = False) -> None:
    """Note a path that is not there yet: in a folder of the project, or a file of data beside it."""
    if is_new(shell, word.text):
        shell.write(how, word)
    elif is_made(shell, word.text) and (is_folder or _DATA.search(word.text)):
        shell.make(how, word)


def is_made(shell: Shell, text: str) -> bool:
    """Say whether a text names what is not there in a folder of the project, be it its root."""
    path = _inside(shell, text)
    return path is not None and re.fullmatch(r"\.?\w[\w.-]*", os.path.basename(path)) is not None


def is_new(shell: Shell, text: str) -> bool:
    """Say whether a text names what is not there, in a folder of the project below its root."""
    path = _inside(shell, text) if "/" in text else None
    return path is not None and os.path.dirname(path) != (repository_of(shell.folder or "") or shell.folder)


def _inside(shell: Shell, text: str) -> str | None:
    """Return the path of what is not there, in a folder of the project that is; None for another text."""
    if not shell.folder or re.search(r"[*?\[{}$\s:]|\.\.\.|^-|/$", text):
        return None
    path = os.path.normpath(os.path.join(shell.folder, os.path.expanduser(text)))
    folder, root = os.path.dirname(path), repository_of(shell.folder) or shell.folder
    is_there = os.path.lexists(path) or not os.path.isdir(folder)
    return None if is_there or not f"{folder}/".startswith(f"{root}/") else path


def write_output(shell: Shell, how: str, word: Word) -> None:
    """Note an output that is there, is a file by its name, or lies in a folder that is there.

    Others are a folder of their own, or a program that a build leaves where it was started.
    """
    name = os.path.dirname(os.path.expanduser(word.text).rstrip("/"))
    is_dir = os.path.isdir(os.path.join(shell.folder or os.curdir, name))
    shell.write(how, word, must_exist=not (is_dir and (name not in ("", ".") or _FILE.search(word.text))))


def assigned(words: list[Word]) -> list[Word]:
    """Return what words such as `dest=x` or `DESTDIR=x` name."""
    return [word.with_text(found["value"]) for word in words for found in _ASSIGNED.finditer(word.text)]


def _outputs(parsed: Parsed, words: list[Word]) -> list[Word]:
    """Return what options name as outputs."""
    found = [*parsed.values(UNKNOWN.values - UNKNOWN.code), *assigned(words)]
    found += [word.with_text(match["value"]) for word in words if (match := _ATTACHED.match(word.text))]
    for at, word in enumerate(words):
        text = split_name(word.text.partition("=")[0]) + "".join(word.text.partition("=")[1:])
        if (match := _OUTPUT.match(text)) is None or word.text == "-o":
            continue
        if match["value"]:
            found.append(word.with_text(match["value"]))
        elif at + 1 < len(words) and words[at + 1].text[:1] != "-":
            found.append(words[at + 1])
    return found


def split_name(option: str) -> str:
    """Return an option's name with a dash between its words: `--outDir` is `--out-Dir`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", option)


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
