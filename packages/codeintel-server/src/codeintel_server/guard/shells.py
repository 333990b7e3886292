"""Shells inside a line, the words a shell knows itself, and what plain programs print."""

from __future__ import annotations

import os
import re

from codeintel_server.guard.commands import Shell
from codeintel_server.guard.row import Parsed, Program
from codeintel_server.guard.searches import script
from codeintel_server.guard.words import Word, joined

_LINES = re.compile(r"\\([nt0\\])")


def shell(shell: Shell, name: str, words: list[Word], fed: Word | None) -> Word | None:
    parsed = Parsed(Program(values="-o -O --rcfile --init-file -ExecutionPolicy"), words)
    operands, first = parsed.operands, parsed.operands[0] if parsed.operands else None
    inner = shell.copy(Word(name), *operands[1:])
    is_fed = "-s" in parsed.flags or first is None or first.text in ("-", "/dev/stdin")
    is_line = first is not None and bool(parsed.flags & {"-c", "-Command", "-command"})
    if (is_line and _is_untold(first)) or (is_fed and fed and (_is_untold(fed) or fed.listed)):
        shell.write_tree(name)
    if is_line and first is not None:
        inner = shell.copy(*operands[1:])
        return inner.lines([first])
    written = script(shell, first if not is_fed else fed and fed.inner)
    if written is not None:
        return inner.lines([written])
    if "-s" in parsed.flags:
        inner = shell.copy(Word(name), *operands)
    return inner.lines([fed]) if is_fed and fed is not None and "-n" not in parsed.flags else None


def _is_untold(line: Word | None) -> bool:
    """Say whether nothing of a command line can be read, because a filter makes it of other text."""
    return line is not None and line.is_hidden and not line.text.strip()


def source(shell: Shell, _: str, words: list[Word], fed: Word | None) -> Word | None:
    known = script(shell, words[0]) if words else None
    if words and words[0].text in ("/dev/stdin", "-"):
        known = fed
    return shell.lines([known]) if known is not None else None


def evaluate(shell: Shell, name: str, words: list[Word], fed: Word | None) -> Word | None:
    if any(_is_untold(word) for word in words[:1]):
        shell.write_tree(name)
    return shell.lines([joined(words, " ")], fed) if words and not any(word.is_open for word in words) else None


def cd(shell: Shell, name: str, words: list[Word], _: Word | None) -> None:
    operands = [word for word in words if word.text[:1] != "-" or word.text == "-"]
    if name == "popd":
        shell.move(Word(shell.pushed.pop()) if shell.pushed else Word(is_open=True))
        return
    if name == "pushd":
        shell.pushed.append(shell.folder or os.curdir)
    shell.move(operands[0] if operands else None)


def alias(shell: Shell, _: str, words: list[Word], __: Word | None) -> None:
    for word in words:
        name, equals, value = word.text.partition("=")
        if equals:
            shell.values[f"alias {name}"] = Word(value)


def trap(shell: Shell, _: str, words: list[Word], fed: Word | None) -> None:
    shell.copy().lines([word for word in words if word.text[:1] != "-"][:1], fed)


def read(shell: Shell, name: str, words: list[Word], fed: Word | None) -> None:
    """Let `read`, `mapfile` give their variable every line of what they are fed."""
    parsed = Parsed(Program(values="-d -p -n -N -u -i -a -O -s -C -c" + (" -t" if name == "read" else "")), words)
    operands = parsed.operands
    value = Word(is_open=True)
    if fed is not None and not fed.is_open:
        value = Word(*(line for text in fed.texts for line in text.splitlines()), listed=fed.listed)
    for word in operands or [Word("REPLY" if name == "read" else "MAPFILE")]:
        shell.values[word.text] = value
    arrays = parsed.values(("-a",)) if name == "read" else operands
    for word in arrays if not (value.is_open or value.listed) else ():
        parts = value.text.split() if name == "read" else value.texts
        shell.values[word.text], shell.lists[word.text] = value, [Word(part) for part in parts]


def set_arguments(shell: Shell, _: str, words: list[Word], __: Word | None) -> None:
    if words and words[0].text == "--":
        shell.give([Word(""), *words[1:]])


def which(_: Shell, name: str, words: list[Word], __: Word | None) -> Word | None:
    """Print the program itself: whoever asks where it is will run it."""
    operands = [word for word in words if word.text[:1] != "-"]
    return (
        operands[0] if len(operands) == 1 and (name in ("which", "realpath", "readlink") or len(words) == 2) else None
    )


def ssh(shell: Shell, _: str, words: list[Word], fed: Word | None) -> None:
    """Follow what this machine is asked to do for itself."""
    operands = Parsed(Program(runs=1, values="-p -i -o -l -F -J -L -R -D -E -b -c -m"), words).operands
    host = operands[0].text.rpartition("@")[2] if operands else ""
    if host in ("localhost", "127.0.0.1", "::1") and len(operands) > 1:
        inner = shell.copy()
        inner.folder = os.path.expanduser("~")
        inner.lines([joined(operands[1:], " ")], fed)


def echo(shell: Shell, name: str, words: list[Word], __: Word | None) -> Word | None:
    if name == "printf" and len(words) > 2 and words[0].text == "-v":
        shell.values[words[1].text] = echo(shell, name, words[2:], None) or Word(is_open=True)
        return None
    plain = [word for word in words if word.text not in ("-n", "-e", "-E", "-en", "-ne")]
    is_sentence = name == "printf" and bool(plain) and "%" in plain[0].text
    plain = _formatted(plain[0].text, plain[1:]) if is_sentence else plain
    found = joined(plain, "" if is_sentence else "\n" if name == "printf" else " ")
    signs = {"n": "\n", "t": "\t", "0": "\0", "\\": "\\"}
    found.texts = tuple(_LINES.sub(lambda sign: signs[sign[1]], text) for text in found.texts)
    return found


def _formatted(sentence: str, words: list[Word]) -> list[Word]:
    """Return what `printf` makes of its words: the sentence once for as many as it has places."""
    parts = re.split(r"%[-0-9.]*[sdibq]", sentence.replace("%%", "%"))
    count = len(parts) - 1
    if not count:
        return words
    rows = [words[at : at + count] for at in range(0, len(words), count)]
    between = [Word(part) for part in parts[1:]]
    return [
        joined([Word(parts[0]), *(each for pair in zip(row, between, strict=False) for each in pair)]) for row in rows
    ]


def pass_on(shell: Shell, name: str, words: list[Word], fed: Word | None) -> Word | None:
    """A filter prints some of the names that it is fed; of a text only what it prints whole is known."""
    flags = {word.text for word in words}
    if name == "tee":
        shell.keep([word for word in words if word.text[:1] != "-"], fed)
    if fed is None and name in _REWRITING:
        return Word(is_open=True, is_hidden=True)
    if fed is None or fed.listed or name in ("cat", "tee", "sort", "uniq", "head", "tail", "sponge"):
        return fed
    if name == "base64" and flags & {"-d", "-D", "--decode"}:
        import base64

        try:
            return Word(*(base64.b64decode(text).decode("utf-8", "replace") for text in fed.texts))
        except ValueError:
            return None
    return Word(is_open=True, is_hidden=True) if name in _REWRITING else None


_REWRITING = frozenset(("sed", "gsed", "awk", "gawk", "mawk", "nawk", "tr", "rev", "xxd"))


def pwd(shell: Shell, *_: object) -> Word:
    return Word(shell.folder) if shell.folder else Word(is_open=True)


def basename(_: Shell, name: str, words: list[Word], __: Word | None) -> Word | None:
    if len(words) != 1 or words[0].is_open or words[0].listed:
        return None
    return Word(*(os.path.basename(text) if name == "basename" else os.path.dirname(text) for text in words[0].texts))


def fed_lines(shell: Shell, _: str, __: list[Word], fed: Word | None) -> Word | None:
    """Follow what `at` is fed."""
    return shell.copy().lines([fed]) if fed is not None else None
