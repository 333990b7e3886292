"""Searches whose result feeds another program: the names they give are looked up only if something writes them."""

from __future__ import annotations

import os
import re
from itertools import islice

from codeintel_server.guard import gate
from codeintel_server.guard.commands import Shell
from codeintel_server.guard.row import Parsed, Program
from codeintel_server.guard.words import MAX_PATHS, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MOST_READ = 1_000_000
MOST_OF_SCRIPT = 50_000
_NAMED = ("-name", "-iname", "-path", "-wholename", "-ipath")


def listing(shell: Shell, starts: list[str], globs: Sequence[str] = (), pattern: str = "") -> Word:
    """Return the names that a search gives: files of the project that git does not ignore, filtered as it would."""
    folder = shell.folder

    def look() -> Iterable[str]:
        if not folder:
            return
        listed = gate.git_says(folder, "--literal-pathspecs", "ls-files", "-zco", "--exclude-standard", "--", *starts)
        names = starts if listed is None else listed.decode("utf-8", "surrogateescape").split("\0")[:-1]
        if not names:  # git ignores what is there; the folder stands for it
            yield from (start for start in starts if os.path.normpath(start) != os.curdir)
        for name in names:
            parts = name.split("/")
            if (not globs or any(_fits(part, globs) for part in (name, *parts))) and _holds(folder, name, pattern):
                yield name

    return Word(listed=look)


def _fits(name: str, globs: Sequence[str]) -> bool:
    from fnmatch import fnmatch

    return any(fnmatch(name, glob) for glob in globs)


def _holds(folder: str, name: str, pattern: str) -> bool:
    """Say whether a file may hold a pattern; one that Python cannot read may match anything."""
    data = _beginning(os.path.join(folder, name), MOST_READ) if pattern else None
    try:
        return data is None or re.search(pattern.encode(), data) is not None
    except re.error:
        return True


def _beginning(path: str, most: int) -> bytes | None:
    """Return how a file begins; None where there is none, for a pipe, which would be waited for, or an error."""
    if not os.path.isfile(path):
        return None
    try:
        with open(path, "rb") as file:
            return file.read(most)
    except OSError:
        return None


def find(shell: Shell, _: str, words: list[Word], fed: Word | None) -> Word:
    plain = [word.text for word in words]
    end = next((at for at, text in enumerate(plain) if text[:1] in ("-", "(", "!")), len(plain))
    starts = [name for word in words[:end] for name in word.paths(shell.folder or os.curdir)] or [os.curdir]
    globs = [
        plain[at + 1].removeprefix("./")
        for at, text in enumerate(plain[:-1])
        if text in _NAMED and plain[at - 1] not in ("!", "-not")
    ]
    found = listing(shell, starts, globs)
    if "-delete" in plain:
        shell.write("find -delete", found)
    for at, text in enumerate(plain):
        if text in ("-exec", "-execdir", "-ok", "-okdir"):
            stop = next((end for end in range(at, len(plain)) if plain[end] in (";", "+", "\\;")), len(plain))
            shell.copy().run(filled(words[at + 1 : stop], "{}", found), None)
        elif text in ("-fprint", "-fprintf", "-fls", "-fprint0"):
            shell.write(f"find {text}", words[at + 1] if at + 1 < len(words) else Word())
    return found


def filled(words: list[Word], sign: str, value: Word) -> list[Word]:
    """Return words with a value in place of a sign; names that are only looked up are looked up for a longer word."""
    found = []
    for word in words:
        if sign not in word.text:
            found.append(word)
        elif value.listed and " " not in word.text:  # a path that is made of a name stands for what is named
            found.append(Word(listed=value.listed))
        elif value.is_open and not value.texts:  # what is before the sign tells the folder
            named = [re.sub(rf"(?<=[\w/.-]){re.escape(sign)}", "_", text) for text in word.texts]
            is_open = any(sign in text for text in named) and " " not in word.text
            found.append(Word(*(text.replace(sign, "${_}") for text in named), is_open=is_open))
        else:
            texts = islice(value.listed(), MAX_PATHS) if value.listed else value.texts
            found.append(Word(*(word.text.replace(sign, text) for text in texts), is_open=value.is_open))
    return found


def fd(shell: Shell, _: str, words: list[Word], fed: Word | None) -> Word:
    plain = [word.text for word in words]
    at = next((at for at, text in enumerate(plain) if text in ("-x", "-X", "--exec", "--exec-batch")), len(plain))
    operands = Parsed(Program(values="-e -E -t -d -g"), words[:at]).operands
    found = listing(shell, [word.text for word in operands[1:]] or [os.curdir])
    if at < len(plain):
        command = words[at + 1 :]
        shell.copy().run(filled(command, "{}", found) if "{}" in plain[at:] else [*command, found], None)
    return found


def grep(shell: Shell, name: str, words: list[Word], fed: Word | None) -> Word | None:
    """A search prints names with -l; fed names it prints those that fit."""
    parsed = Parsed(Program(values="-e -f -m -A -B -C -g -t --include --exclude --exclude-dir --glob --type"), words)
    patterns = parsed.given.get("-e", []) or ([] if "--files" in parsed.flags else parsed.operands[:1])
    starts = parsed.operands[0 if "-e" in parsed.given or "--files" in parsed.flags else 1 :]
    pattern = "" if any(word.is_open for word in patterns) else "|".join(word.text for word in patterns)
    if fed is not None and fed.listed and not starts:
        before, is_without = fed.listed, "-v" in parsed.flags
        try:
            fits = re.compile(pattern.replace("\\|", "|"))
        except re.error:
            return fed
        return Word(listed=lambda: [one for one in before() if bool(fits.search(one)) != is_without])
    if not {"-l", "--files-with-matches", "--files", "--name-only"} & parsed.flags:
        return None
    globs = [word.text for word in parsed.values(("--include", "-g", "--glob")) if word.text[:1] != "!"]
    pattern = pattern.replace("\\|", "|").replace("\\b", "") if not {"-F", "-i", "-w"} & parsed.flags else ""
    return listing(shell, [word.text for word in starts] or [os.curdir], globs, pattern)


def ls(shell: Shell, _: str, words: list[Word], fed: Word | None) -> Word:
    operands = [word for word in words if word.text[:1] != "-"]
    return listing(shell, [name for word in operands for name in word.paths(shell.folder or os.curdir)] or [os.curdir])


def xargs(shell: Shell, name: str, words: list[Word], fed: Word | None) -> Word | None:
    parsed = Parsed(Program(values="-n -s -I -P -L -d -a -E -j --max-args --max-procs --delimiter", runs=0), words)
    command, sign = parsed.operands, {"parallel": "{}", "entr": "/_"}.get(name, "")
    plain = [word.text for word in command]
    if name == "parallel" and ":::" in plain:
        at = plain.index(":::")
        folder = shell.folder or os.curdir
        fed = Word(*(name for word in command[at + 1 :] for name in islice(word.paths(folder), MAX_PATHS)))
        command = command[:at]
    for word in parsed.given.get("-I", []):
        sign = word.text
    for word in parsed.given.get("-a", []):
        fed = script(shell, word) or fed
    if name == "parallel" and not command and fed is not None and not fed.listed:
        return shell.copy().lines([fed])
    if fed is None or (fed.is_open and not fed.listed):
        given: list[Word] = []
    elif fed.listed:
        given = [Word(listed=fed.listed)]
    else:
        given = [Word(part) for text in fed.texts for part in text.replace("\0", " ").split()]
    if sign and any(sign in word.text for word in command):
        for one in given or [Word(is_open=True)]:
            shell.copy().run_words(filled(command, sign, one), None)
        return None
    if name == "parallel" and len(command) == 1 and " " in command[0].text:
        command = [Word(part) for part in command[0].text.split()]
    return shell.copy().run_words([*command, *given], None) if command else fed


def script(shell: Shell, word: Word | None) -> Word | None:
    """Return what a script says that the line has written, or that lies among the temporary files, in no repository.

    An agent may write there, and have what it wrote there change the project. The project's own scripts are not read.
    """
    if word is None or word.inner is not None or word.is_open or not word.text:
        return word and word.inner
    path = os.path.realpath(os.path.join(shell.folder or os.sep, os.path.expanduser(word.text)))
    if not gate.is_scratch(path) or gate.repository_of(os.path.dirname(path)):
        return None
    text = beginning_of(path)
    return None if text is None else Word(text)


def beginning_of(path: str) -> str | None:
    """Return the beginning of a text file; None for what is not one or cannot be read."""
    data = _beginning(path, MOST_OF_SCRIPT)
    return None if data is None or b"\0" in data else data.decode("utf-8", "replace")


def existing(shell: Shell, words: list[Word]) -> list[str]:
    return [word.text for word in words if os.path.lexists(os.path.join(shell.folder or os.curdir, word.text))]
