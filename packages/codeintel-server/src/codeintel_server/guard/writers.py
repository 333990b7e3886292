"""Programs that write what no row of the table can say: by a script, an archive, a patch, or code."""

from __future__ import annotations

import os
import re

from codeintel_server.guard.commands import Shell
from codeintel_server.guard.shells import pass_on
from codeintel_server.guard.table import TABLE, Parsed, Program
from codeintel_server.guard.words import Word


def sed(shell: Shell, how: str, words: list[Word], fed: Word | None) -> Word | None:
    parsed = Parsed(TABLE["sed"], words)
    scripts = parsed.values(("-e", "--expression")) or parsed.operands[:1]
    for script in (text for word in scripts for text in word.texts):
        for found in re.finditer(
            r"(?:^|[;{}\n]|^\d+)\s*w\s+(\S+)|^(?:\d*)s(.).*\2.*\2\w*?w\s+(\S+)", script, re.MULTILINE
        ):
            shell.write(Word(found[1] or found[3]), "sed w", must_exist=True)
    return pass_on(shell, how, words, fed)


def awk(shell: Shell, how: str, words: list[Word], fed: Word | None) -> Word | None:
    from codeintel_server.guard import code

    parsed = Parsed(TABLE["awk"], words)
    if any(word.text == "inplace" for word in parsed.values(("-i", "--include"))):
        for word in parsed.operands[1:]:
            shell.write(word, how)
    given = dict(word.text.partition("=")[::2] for word in parsed.given.get("-v", []))
    for program in (text for word in parsed.operands[:1] for text in word.texts):
        for path in code.written_by_awk(program, given):
            shell.write(Word(path), how)
        shell.copy().lines([Word(line) for line in code.commands_of_awk(program)])
    return pass_on(shell, how, words, fed)


def dd(shell: Shell, how: str, words: list[Word], _: Word | None) -> None:
    for word in words:
        if word.text.startswith("of="):
            shell.write(word.with_text(word.text[3:]), how)


def curl(shell: Shell, how: str, words: list[Word], _: Word | None) -> None:
    parsed = Parsed(TABLE["curl"], words)
    folder = next((word.text for word in parsed.given.get("--output-dir", [])), os.curdir)
    if {"-O", "--remote-name", "--remote-name-all"} & parsed.flags:
        for word in parsed.operands:
            shell.write(word.with_text(f"{folder}/{word.text.rpartition('/')[2]}"), how)


def wget(shell: Shell, how: str, words: list[Word], _: Word | None) -> None:
    parsed = Parsed(TABLE["wget"], words)
    if (
        not parsed.given.keys() & {"-O", "--output-document", "-P", "--directory-prefix"}
        and "--spider" not in parsed.flags
    ):
        for word in parsed.operands:
            shell.write(word.with_text(word.text.rstrip("/").rpartition("/")[2]), how)


def tar(shell: Shell, how: str, words: list[Word], _: Word | None) -> None:
    """tar writes its archive, or a folder that is named; what it unpacks here is left to the comparison."""
    row = Program(values="-f -C -T -X --file --directory --exclude --strip-components --transform --xform")
    if words and words[0].text[:1] not in ("-", ""):
        words = [words[0].with_text(f"-{words[0].text}"), *words[1:]]
    parsed = Parsed(row, words)
    if {"-c", "-r", "-u", "--create", "--append", "--update"} & parsed.flags:
        for word in parsed.values(("-f", "--file")):
            shell.write(word, how)
    elif {"-x", "--extract", "--get"} & parsed.flags:
        for word in parsed.values(("-C", "--directory")):
            shell.write(word, how)


def patch(shell: Shell, how: str, words: list[Word], fed: Word | None) -> None:
    from codeintel_server.guard.patches import patched

    row = TABLE[how]
    parsed = Parsed(row, words)
    if row.free & parsed.flags:
        return
    sources = parsed.values(("-i", "--input")) or (parsed.operands if how == "git apply" else parsed.operands[1:2])
    if fed is not None and fed.inner is not None:
        sources = [*sources, fed.inner]
    files = [os.path.join(shell.folder or os.curdir, word.text) for word in sources]
    named = [] if how == "git apply" else [word.text for word in parsed.operands[:1]]
    text = "\n".join(fed.texts) if fed is not None and not fed.listed else ""
    for path in [*named, *parsed_paths] if (parsed_paths := patched(files, text)) else named or [os.curdir]:
        shell.write(Word(path), how)


def make(shell: Shell, _: str, words: list[Word], fed: Word | None) -> None:
    parsed = Parsed(Program(values="-f --file --makefile --eval -C -I -j -o -W"), words)
    texts = parsed.given.get("--eval", [])
    if fed is not None and any(word.text in ("", "-", "/dev/stdin") for word in parsed.values(("-f", "--file"))):
        texts = [*texts, fed]
    for rules in (text for word in texts for text in word.texts):
        for found in re.finditer(r"\$\(file\s*>>?\s*([^,)]+)", rules):
            shell.write(Word(found[1].strip()), "make")
        lines = [part for line in rules.splitlines() for part in ([line] if line[:1] == "\t" else line.split(";")[1:])]
        shell.copy().lines([Word(line.strip().lstrip("@-+")) for line in lines])


def interpreter(shell: Shell, how: str, words: list[Word], fed: Word | None) -> None:
    from codeintel_server.guard import code

    is_eval = bool(words) and words[0].text == "eval"
    words = words[1:] if is_eval else words
    row = Program(values="-c -e -r -E -p --eval --print -m -W -X -M -I --execute", is_long=True)
    plain = [word.text for word in words]
    if "-m" in plain[:3] and how == "python":
        shell.run(words[plain.index("-m") + 1 :], fed)
        return
    at = next((at for at, text in enumerate(plain) if _gives_code(text)), -1)
    texts = words[at + 1].texts if 0 <= at < len(words) - 1 else ()
    if at < 0 and fed is not None and not Parsed(row, words).operands:
        texts = fed.texts
    elif is_eval and words:
        texts = words[-1].texts
    for text in texts:
        for word in code.written(text):
            shell.write(word, how)
        shell.copy().lines([Word(line) for line in code.commands(text)])


def _gives_code(text: str) -> bool:
    """Say whether an option takes code: `-c`, `-e`, `-Bc`, `-pe`, `--eval`."""
    is_short = text[:1] == "-" and text[1:2] != "-" and text.isascii() and text[1:].isalnum() and len(text) < 6
    return text in ("--eval", "--print", "--execute", "-lne", "--evaluate") or (is_short and text[-1] in "ceErp")


def emacs(shell: Shell, how: str, words: list[Word], _: Word | None) -> None:
    for word in Parsed(TABLE["emacs"], words).given.get("--eval", []):
        for path in re.findall(r'write-(?:region|file)\b[^)]*"([^"]+)"\s*\)', word.text):
            shell.write(Word(path), how)


def sql(shell: Shell, how: str, words: list[Word], fed: Word | None) -> None:
    """Clients of databases that write files: `copy ... to 'x'`, `.output x`."""
    for text in (text for word in [*words, *([fed] if fed else [])] for text in word.texts):
        for path in re.findall(
            r"(?i)(?:\bto\s+|into\s+outfile\s+|^\.(?:output|once|backup|save)\s+)'?([\w./~-]+\.\w+)", text
        ):
            shell.write(Word(path), how)
