"""The one dialect of globs, wcmatch's: `*` and `?` stay in one folder, `**` crosses folders, `{a,b}` and `[a-z]` work.

`!` before a pattern turns it: it fits what the pattern does not, and what is not below a folder that it fits, as in
ripgrep and git.

A pattern without `/` is about file names at any depth; one with `/` starts at the project root. wcmatch reads the parts
of a path, without ever going back in one; `**` between them is matched here, because its own expression for a whole
path tries every way: 21 s for four of them on a path of 500 characters (docs/adr/0014).
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from codeintel_index.errors import BadPattern

MAX_LENGTH = 1000
MAX_STARS = 4  # in one part of a path
MAX_CROSSING = 4  # `**` in a pattern
MAX_WAYS = 256  # alternatives of all braces, multiplied
_CROSSING = re.compile(r"\*{2,}")
_NOTHING = "(?!)"  # what wcmatch makes of a set that no character is in

Matcher = Callable[[str], bool]
Part = Callable[[str], object] | None
"""How one part of a path is matched; None is `**`, any number of folders."""


def compile_glob(pattern: str) -> Matcher:
    """Compile a glob to a function of relative paths; behind `!` it says what does not fit. Raises BadPattern."""
    if pattern.startswith("!"):
        without = compile_glob(pattern[1:].rstrip("/") or pattern[1:])
        return lambda path: path != "" and not any(map(without, _with_folders(path)))  # nothing is not a file
    if not pattern or "\0" in pattern:
        raise BadPattern(pattern, "an empty glob" if not pattern else "NUL in a glob")
    plain = re.sub(r"\\.", "", pattern)
    why = "a { without its }" if plain.count("{") > plain.count("}") else too_costly(pattern)
    if why:
        raise BadPattern(pattern[:80], why)
    return _compile(pattern)


def _with_folders(path: str) -> Iterator[str]:
    """Yield a path and each folder above it."""
    while path:
        yield path
        path = path.rpartition("/")[0]


def expand_glob(root: Path, pattern: str) -> list[str]:
    """Look for the files that a glob fits from the root on, ignored ones too, without following links to folders."""
    from wcmatch import glob

    compile_glob(pattern)
    return glob.glob(
        pattern, flags=glob.GLOBSTAR | glob.BRACE | glob.DOTGLOB | glob.NODIR, root_dir=root, limit=MAX_WAYS
    )


def too_costly(pattern: str) -> str:
    """Say why matching a pattern could take too long; "" if it cannot."""
    if len(pattern) > MAX_LENGTH:
        return f"longer than {MAX_LENGTH} characters"
    if len(_CROSSING.findall(pattern)) > MAX_CROSSING:
        return f"more than {MAX_CROSSING} times **"
    if any(_CROSSING.sub("", part).count("*") > MAX_STARS for part in pattern.split("/")):
        return f"more than {MAX_STARS} stars in one part of the path"
    return "" if _expanded(pattern) else f"more than {MAX_WAYS} ways to read its braces"


def _expanded(pattern: str) -> list[str]:
    """The pattern once for each way to read its braces; nothing if there are too many."""
    if "{" not in pattern:
        return [pattern]
    import bracex  # late, as most patterns have none

    try:
        return bracex.expand(pattern, keep_escapes=True, limit=MAX_WAYS)
    except (bracex.ExpansionLimitException, RecursionError):  # too many, or one in another hundreds of times
        return []


@lru_cache(maxsize=256)
def _compile(pattern: str) -> Matcher:
    rooted = pattern.removeprefix("./").removeprefix("/") if "/" in pattern else f"**/{pattern}"
    # Braces around whole parts are read one by one; those inside of a part are one expression.
    inside = all(part.count("{") == part.count("}") for part in rooted.split("/"))
    ways = [_parts(pattern, way) for way in ([rooted] if inside else _expanded(rooted))]
    return lambda path: any(_fits(parts, path) for parts in ways)


def _parts(pattern: str, way: str) -> Sequence[Part]:
    from wcmatch import fnmatch

    found: list[Part] = []
    for part in (way + "**" * way.endswith("/")).split("/"):
        if part == "**":
            found.append(None)
            continue
        wanted = fnmatch.translate(part, flags=fnmatch.CASE | fnmatch.DOTMATCH | fnmatch.BRACE, limit=MAX_WAYS)[0]
        if any(_NOTHING in each for each in wanted):
            raise BadPattern(pattern, "not a glob: a range that ends before it begins")
        found.append(re.compile("|".join(wanted)).match)
    return found if found[-1] is not None else [*found, re.compile(".").match]  # below a folder, not the folder itself


def _fits(parts: Sequence[Part], path: str) -> bool:
    """Match the name first, which settles most, then the folders above it."""
    folder, _, name = path.rpartition("/")
    *above, last = parts
    if not name or last is None or not last(name):  # nothing is not a file
        return False
    return above == [None] or _fits_folders(above, folder.split("/") if folder else [])


def _fits_folders(parts: Sequence[Part], names: Sequence[str]) -> bool:
    """Match part by part; what does not fit behind `**` is tried one folder on, and never behind an earlier `**`."""
    at = name = 0
    crossing, resume = -1, 0
    while name < len(names):
        part = parts[at] if at < len(parts) else _end
        if part is None:
            crossing, resume, at = at, name, at + 1
        elif part(names[name]):
            at, name = at + 1, name + 1
        elif crossing >= 0:
            at, name = crossing + 1, resume + 1
            resume = name
        else:
            return False
    return all(part is None for part in parts[at:])


def _end(_: str) -> None:
    """Match nothing: what follows the last part."""
