"""Universal Ctags, if the user has it: symbols for files of languages that no grammar here reads.

`--options=NONE`: a project's own `.ctags.d` could leave files out or run anything. Paths go in on stdin, one a line, so
one with a line break cannot be asked about.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from codeintel_index.errors import ToolTimeout
from codeintel_index.results import Symbol
from codeintel_index.text.redaction import mask_text
from codeintel_index.tools.binaries import ask

VARIABLE = "CODEINTEL_CTAGS"
TIMEOUT_S = 30.0
MOST_SYMBOLS = 2000  # of one file
LONGEST = 200  # characters of a name or a signature
_OPTIONS = ("--options=NONE", "--quiet", "--links=no", "--output-format=json", "--fields=+neKSZ", "--sort=no")
_UNTOLD = ("__anon", "anonFunction", "anonymousFunction")  # how ctags calls what has no name


def find_ctags() -> str | None:
    """Find the ctags to run: the one named in the environment, else the one on PATH, if it is Universal Ctags with
    JSON.
    """
    named = os.environ.get(VARIABLE)
    place = shutil.which("ctags") if named is None else named
    return place if place and _is_universal(place) else None


@cache
def _is_universal(place: str) -> bool:
    def says(option: str) -> str:
        command = [place, "--options=NONE", "--quiet", option]
        return ask(command, TIMEOUT_S).stdout.decode("utf-8", "replace")

    try:
        return "Universal Ctags" in says("--version") and "json" in says("--list-features").split()
    except (OSError, subprocess.TimeoutExpired):
        return False  # not a program, or not one that answers: as good as none


def tags_of(root: Path, paths: Iterable[str]) -> dict[str, list[Symbol]]:
    """List the symbols of files by path, by line: nothing without ctags, nor of files it knows no language for.

    Raises ToolTimeout after 30 s.
    """
    asked = [path for path in paths if "\n" not in path and "\r" not in path]
    ctags = find_ctags() if asked else None
    if ctags is None:
        return {}
    text = "".join(f"./{path}\n" for path in asked)
    command = [ctags, *_OPTIONS, "-L", "-", "-f", "-"]
    try:
        done = ask(command, TIMEOUT_S, root=root, text=text.encode(errors="surrogateescape"))
    except subprocess.TimeoutExpired as error:
        raise ToolTimeout("ctags", TIMEOUT_S) from error
    found: dict[str, list[Symbol]] = {}
    for symbol in _symbols(done.stdout):
        of_file = found.setdefault(symbol.path, [])
        if len(of_file) < MOST_SYMBOLS:
            of_file.append(symbol)
    return {path: sorted(symbols, key=lambda each: (each.line, -each.end_line)) for path, symbols in found.items()}


def _symbols(output: bytes) -> Iterator[Symbol]:
    for line in output.split(b"\n"):
        if not line.startswith(b"{"):
            continue
        try:
            tag = json.loads(line.decode("utf-8", "replace"))
        except ValueError:
            continue  # ctags writes what it read: bytes that are not text can break a line of its output
        if tag.get("_type") == "tag" and tag.get("line") and not str(tag.get("name", "")).startswith(_UNTOLD):
            yield _symbol(tag)


def _symbol(tag: dict[str, Any]) -> Symbol:
    """A tag as a symbol; `end`, `scope`, `kind` and `pattern` may be missing."""
    line = int(tag["line"])
    # The pattern with which it is searched for is its line: `/^sub f {$/` → `sub f {`.
    pattern = str(tag.get("pattern", "")).removeprefix("/").removesuffix("/").removeprefix("^").removesuffix("$")
    written = " ".join(pattern.replace("\\/", "/").replace("\\\\", "\\").split())
    return Symbol(
        name=str(tag["name"])[:LONGEST],
        kind=str(tag.get("kind", "symbol")),
        path=str(tag["path"]).removeprefix("./"),
        line=line,
        end_line=max(line, int(tag.get("end", line))),
        parent=".".join(filter(None, str(tag.get("scope", "")).replace("::", ".").split(".")))[:LONGEST],
        signature=mask_text(written)[:LONGEST],
        source="ctags",
    )
