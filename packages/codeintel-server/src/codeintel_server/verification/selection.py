"""Limit a verifier's command to some test files, where its runner can select them.

A runner is a row of `_RUNNERS`: its program in a command line, and what returns the line that runs these files alone.
Only a plain line is understood, `cd FOLDER && LINE` and `LINE && LINE` included; everything else is run as a whole.
"""

import json
import os
import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath

from codeintel_contract import read_file

Words = list[str]
"""A command line as its words, quotes kept."""
_FOLDER = re.compile(
    r"(?P<open>\(\s*)?cd\s+(?P<folder>'[^']+'|[^\s&;|'\"]+)\s*&&\s*(?P<line>.+)(?(open)\)\s*)", re.DOTALL
)
_TOLD = re.compile(r' *> *"\$CODEINTEL_JUNIT"(?: 2>&1)?\s*$')
"""The end of a line whose output is its report."""
_COMPOUND = re.compile(r"[;&|<>`\n]|\$\(")
MAX_BYTES = 1_000_000
PROGRAMS = "node_modules/.bin"
DEEPEST = 3
"""How many scripts of a package.json may call one another."""


def narrow(root: Path, command: str, files: Sequence[str]) -> str:
    """Return the command that runs these test files alone; "" if its runner cannot select them or is not known."""
    inside = _FOLDER.fullmatch(command.strip())
    if inside:
        folder = shlex.split(inside["folder"])[0].rstrip("/")
        own = [path[len(folder) + 1 :] for path in files if path.startswith(f"{folder}/")]
        line = narrow(root / folder, inside["line"].strip(), own) if own else ""
        return f"(cd {inside['folder']} && {line})" if line else ""
    parts = command.split(" && ") if "(" not in command else [command]
    for at, part in enumerate(parts if len(parts) > 1 else ()):
        if line := narrow(root, part, files):
            return " && ".join([*parts[:at], line])  # what comes after does not test
    if told := _TOLD.search(command):
        line = narrow(root, command[: told.start()], files)
        return line and f"{f'({line})' if _COMPOUND.search(line) else line}{told[0]}"
    if not files or _COMPOUND.search(command):
        return ""
    try:
        words = shlex.split(command, posix=False)
    except ValueError:
        return ""
    return _narrowed(root, words, files, DEEPEST)


def _narrowed(root: Path, words: Words, files: Sequence[str], depth: int) -> str:
    for at, word in enumerate(words):
        name = PurePosixPath(_bare(word)).name
        if name in _RUNNERS:
            return _RUNNERS[name](root, words, at, files)
        if name in _MANAGERS and depth:
            return _script(root, words, at, files, depth)
    return ""


def _bare(word: str) -> str:
    return word.strip("\"'")


def _join(words: Sequence[str], files: Sequence[str]) -> str:
    plain = (f"./{path}" if path.startswith("-") else path for path in files)
    return " ".join([*words, *map(shlex.quote, plain)])


_TAKES_FILE = frozenset(
    {
        "-c", "-r", "--basetemp", "--config", "--confcutdir", "--cov", "--cov-config", "--file", "--format", "--ignore",
        "--import", "--loader", "--out", "--project", "--require", "--rootdir", "--tsconfig",
    }
)  # fmt: skip
"""Options whose value may be a file or a folder that holds no tests to run."""


def _without_paths(root: Path, words: Sequence[str]) -> Words:
    """Leave out the words that name existing files or folders: they would be run as well."""
    return [
        word
        for before, word in zip(["", *words], words, strict=False)
        if word.startswith("-") or before in _TAKES_FILE or not (root / _bare(word).split("::")[0]).exists()
    ]


def _unittest(root: Path, words: Words, at: int, files: Sequence[str]) -> str:
    head, rest = words[: at + 1], words[at + 1 :]
    if "discover" not in rest:
        return _join([*head, *(word for word in rest if word.startswith("-"))], files)
    lines = [_join([*head, *rest, "-p"], [PurePosixPath(path).name]) for path in files]
    return " && ".join(lines)


def _by_path(root: Path, words: Words, at: int, files: Sequence[str], *options: str) -> str:
    return _join([*words[: at + 1], *_without_paths(root, words[at + 1 :]), *options], files)


def _pytest(root: Path, words: Words, at: int, files: Sequence[str]) -> str:
    """Return the line without a limit of failures (`-x` of the command or the settings): each test is asked for."""
    return _by_path(root, words, at, files, "--maxfail=0")


def _jest(root: Path, words: Words, at: int, files: Sequence[str]) -> str:
    return _by_path(root, words, at, files, "--runTestsByPath")


def _tape(root: Path, words: Words, at: int, files: Sequence[str]) -> str:
    """Leave out its patterns, which it reads itself."""
    rest = [word for word in words[at + 1 :] if "*" not in word]
    return _by_path(root, [*words[: at + 1], *rest], at, files)


def _node(root: Path, words: Words, at: int, files: Sequence[str]) -> str:
    return _by_path(root, words, at, files) if "--test" in words else ""


def _go(root: Path, words: Words, at: int, files: Sequence[str]) -> str:
    if words[at + 1 : at + 2] != ["test"]:
        return ""
    rest = [word for word in words[at + 2 :] if not _bare(word).startswith(("./", "..."))]
    folders = dict.fromkeys(f"./{PurePosixPath(path).parent}".removesuffix("/.") for path in files)
    return _join([*words[: at + 2], *rest], list(folders))


def _cargo(root: Path, words: Words, at: int, files: Sequence[str]) -> str:
    """Integration tests are programs of their own; tests beside the code are part of it."""
    paths = [PurePosixPath(path) for path in files]
    if words[at + 1 : at + 2] != ["test"] or any(path.parent.name != "tests" for path in paths):
        return ""
    return _join([*words[: at + 2], *(word for path in paths for word in ("--test", path.stem)), *words[at + 2 :]], ())


def _maven(root: Path, words: Words, at: int, files: Sequence[str]) -> str:
    """Surefire selects classes, which have the names of their files; a module without any of them does not fail."""
    selects = any(word.startswith("-Dtest=") for word in words)
    if selects or "test" not in words or any(not path.endswith(".java") for path in files):
        return ""
    names = ",".join(dict.fromkeys(PurePosixPath(path).stem for path in files))
    return _join([*words, f"-Dtest={names}", "-DfailIfNoTests=false", "-Dsurefire.failIfNoSpecifiedTests=false"], ())


def _rake(root: Path, words: Words, at: int, files: Sequence[str]) -> str:
    """Only for a task that reads `TESTOPTS`, which takes its files from `TEST`, a pattern."""
    given = any(word.startswith("TEST=") for word in words)
    return "" if given or "TESTOPTS=-v" not in words else _join(words, [f"TEST={{{','.join(files)}}}"])


def _rails(root: Path, words: Words, at: int, files: Sequence[str]) -> str:
    return _by_path(root, words, at + 1, files) if words[at + 1 : at + 2] == ["test"] else ""


_RUNNERS: dict[str, Callable[[Path, Words, int, Sequence[str]], str]] = {
    **dict.fromkeys(("pytest", "py.test"), _pytest),
    "unittest": _unittest,
    "jest": _jest,
    **dict.fromkeys(("vitest", "mocha", "rspec"), _by_path),
    "tape": _tape,
    "node": _node,
    "go": _go,
    "cargo": _cargo,
    **dict.fromkeys(("mvn", "mvnw"), _maven),
    "rake": _rake,
    "rails": _rails,
}
_MANAGERS = frozenset({"npm", "pnpm", "yarn", "bun"})


def _script(root: Path, words: Words, at: int, files: Sequence[str], depth: int) -> str:
    """Pass the files on to the script of package.json that a package manager runs, if its runner can select them.

    A script that names tests itself would run those as well: then what it runs is run with the files in their place.
    """
    rest = [word for word in words[at + 1 :] if word != "run"]
    name = _bare(rest[0]) if rest else ""
    text = _scripts(root).get("test" if name in ("t", "test") else name)
    if not isinstance(text, str) or _COMPOUND.search(text):
        return ""
    try:
        script = shlex.split(text, posix=False)
    except ValueError:
        return ""
    given = [word for word in rest[1:] if word != "--"]
    line = _narrowed(root, [*script, *given], files, depth - 1)
    if not line:
        return ""
    if not {*script} <= {*shlex.split(line, posix=False)}:
        program = next((_bare(word) for word in script if "=" not in word), "")
        if os.name == "nt" or not (program == "node" or (root / PROGRAMS / program).exists()):
            return ""
        return _join([*words[:at], f'PATH="$PWD/{PROGRAMS}:$PATH"', line], ())
    extra = ["--runTestsByPath"] if "--runTestsByPath" in line else []
    needs_dashes = _bare(words[at]) == "npm" and "--" not in words
    return _join([*words, *(["--"] if needs_dashes else []), *extra], files)


def _scripts(root: Path) -> dict[str, object]:
    try:
        found = json.loads(read_file(root, root / "package.json", MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    scripts = found.get("scripts") if isinstance(found, dict) else None
    return scripts if isinstance(scripts, dict) else {}
