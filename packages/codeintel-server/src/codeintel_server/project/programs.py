"""Which programs of a verifier's command are not there, as far as that is known without running the command.

Nothing of the project is started: of its own virtual environment only the folders are looked at.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from codeintel_contract import read_file
from codeintel_server.verification.runner import own_programs

ASSIGNED = re.compile(r"\w+=")
SCRIPT = re.compile(r"[\w.+-]+(?:/[\w.+-]+)+\.(?:sh|bash|py|js|mjs|cjs|ts|rb|pl|php)")
"""A word behind the program that is taken for a script of the project."""
ENTERS = re.compile(r"cd ('[^']*'|[\w./-]+) && ")
ADDS = re.compile(r'PATH="\$PWD/([\w./-]+):\$PATH" && ')
"""The begin of a line that finds programs in a folder of the project first."""
MODULE = re.compile(r"(?:^|&& )(python[\d.]*) -m (\w+)")
"""A Python module that the line runs."""
SCRIPT_RUNNER = re.compile(r"(?:^|\s)(npm|pnpm|yarn|bun)\s")
SHELL_WORDS = frozenset(
    {"cd", "exec", "export", "for", "if", "set", "source", "time", "trap", "ulimit", "umask", "while"}
)
"""Words of the shell itself behind which nothing can be checked."""
WAIT_S = 20
MAX_BYTES = 100_000


def install_or_change(verifier: str) -> str:
    """Return what to do about a verifier whose program is missing."""
    return f"install it, or change command in .code-intel/verifiers/{verifier}"


def missing_words(root: Path, command: str, is_prepared: bool = False) -> list[str]:
    """List the programs, scripts and packages of a shell line that are not there, as a verifier would run it.

    Of a line that first enters a folder of the project, the rest is checked there. Where the line uses other words of
    the shell, what follows is not checked. If a line of setup prepares the checkout, packages are not looked for.
    """
    path = own_programs(root).get("PATH", os.environ.get("PATH", ""))
    place, line = root, command
    if (inside := ENTERS.match(command)) and (root / shlex.split(inside[1])[0]).is_dir():
        place, line = root / shlex.split(inside[1])[0], command[inside.end() :]
    if adds := ADDS.match(line):
        path = f"{place / adds[1]}{os.pathsep}{path}"
    missing = _missing_programs(place, line, path)
    if missing or is_prepared:
        return missing
    if (found := MODULE.search(line)) and _lacks_module(root, *found.groups()):
        missing.append(f"{found[2]} (a module of {found[1]})")
    if (found := SCRIPT_RUNNER.search(line)) and _lacks_packages(root, place):
        missing.append(f"node_modules ({found[1]} install)")
    return missing


def _missing_programs(place: Path, line: str, path: str) -> list[str]:
    words = shlex.shlex(line, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    missing: list[str] = []
    is_program = True
    try:
        for word in words:
            if word in SHELL_WORDS:
                break
            if set(word) <= set("();<>|&"):
                is_program = "<" not in word and ">" not in word
            elif not (is_program and ASSIGNED.match(word)):
                if _is_missing(place, word, is_program, path):
                    missing.append(word)
                is_program = False
    except ValueError:  # a quotation that does not end: the shell will say it
        return missing
    return missing


def _is_missing(place: Path, word: str, is_program: bool, path: str) -> bool:
    if not re.fullmatch(r"[\w./+-]+", word):
        return False
    if is_program and "/" not in word:
        return shutil.which(word, path=path) is None
    return (is_program or bool(SCRIPT.fullmatch(word))) and not (place / word).exists()


def _lacks_module(root: Path, python: str, module: str) -> bool:
    """Say whether a Python has no such module: the project's environment by its folders, another by asking it."""
    if module in sys.stdlib_module_names or any(root.glob(f"{module}*")):
        return False
    if home := own_programs(root).get("VIRTUAL_ENV"):
        sites = [*Path(home).glob("lib/python*/site-packages"), *Path(home).glob("Lib/site-packages")]
        return bool(sites) and not _sees_others(root, home) and not any(any(site.glob(f"*{module}*")) for site in sites)
    asks = f"import importlib.util as look; print(look.find_spec({module!r}) is None)"
    return output_of(python, "-I", "-c", asks) == "True"  # anything else: not known


def output_of(*command: str) -> str:
    """Return what a program prints, "" if it cannot be run, fails, or takes too long."""
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            check=False,
            timeout=WAIT_S,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _lacks_packages(root: Path, place: Path) -> bool:
    """Say whether a JavaScript package names others and has no folder for them, nor has one above it."""
    try:
        found = json.loads(read_file(root, place / "package.json", MAX_BYTES))
    except (OSError, ValueError):
        return False  # not known
    needs = isinstance(found, dict) and (found.get("dependencies") or found.get("devDependencies"))
    homes = [place, *(folder for folder in place.parents if folder.is_relative_to(root))]
    return bool(needs) and not any((home / name).exists() for home in homes for name in ("node_modules", ".pnp.cjs"))


def _sees_others(root: Path, home: str) -> bool:
    try:
        said = read_file(root, Path(home) / "pyvenv.cfg", MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return True  # not known
    return re.search(r"include-system-site-packages\s*=\s*true", said) is not None
