"""Globs as users write them: `*` and `?` stay in one folder, `**` crosses folders, `{a,b}` and `[a-z]` work.

A pattern without `/` is about file names at any depth; one with `/` starts at the project root. How many stars and
alternatives one may have is bounded: each star multiplies the ways in which a name can be tried.
"""

import re
from functools import lru_cache

from codeintel_index.errors import BadPattern

MAX_LENGTH = 1000
MAX_STARS = 4  # in one part of a path
MAX_CROSSING = 4  # `**` in a pattern
MAX_WAYS = 256  # alternatives of all braces, multiplied
_CROSSING = re.compile(r"\*{2,}")
_BRACES = re.compile(r"\{([^{}]*)\}")


def compile_glob(pattern: str) -> re.Pattern[str]:
    """A regular expression for `fullmatch` against relative paths. Raises BadPattern."""
    if not pattern or "\0" in pattern:
        raise BadPattern(pattern, "an empty glob" if not pattern else "NUL in a glob")
    if why := too_costly(pattern):
        raise BadPattern(pattern[:80], why)
    return _compile(pattern.removeprefix("./").removeprefix("/") if "/" in pattern else f"**/{pattern}")


def too_costly(pattern: str) -> str:
    """Why trying a glob on a name could take too long; "" if it cannot."""
    if len(pattern) > MAX_LENGTH:
        return f"longer than {MAX_LENGTH} characters"
    if len(_CROSSING.findall(pattern)) > MAX_CROSSING:
        return f"more than {MAX_CROSSING} times **"
    if any(_CROSSING.sub("", part).count("*") > MAX_STARS for part in pattern.split("/")):
        return f"more than {MAX_STARS} stars in one part of the path"
    if _ways(pattern) > MAX_WAYS:
        return f"more than {MAX_WAYS} ways to read its braces"
    return ""


def _ways(pattern: str) -> int:
    ways = 1
    while (braces := _BRACES.search(pattern)) is not None and ways <= MAX_WAYS:
        ways *= braces[1].count(",") + 1
        pattern = pattern[: braces.start()] + pattern[braces.end() :]
    return ways * (pattern.count("{") + 1)


@lru_cache(maxsize=256)
def _compile(pattern: str) -> re.Pattern[str]:
    if pattern.endswith("/"):
        pattern += "**"
    try:
        return re.compile("(?=.)" + _translate(pattern), re.DOTALL)  # nothing is not a file: `/`, `{}`
    except re.error as error:
        raise BadPattern(pattern, f"not a glob: {error}") from error


def _translate(pattern: str) -> str:
    out: list[str] = []
    depth = position = 0
    while position < len(pattern):
        text, step = _token(pattern, position, depth)
        depth += {"(?:": 1, ")": -1}.get(text, 0)
        out.append(text)
        position += step
    if depth:
        raise BadPattern(pattern, "a { without its }")
    return "".join(out)


def _token(pattern: str, at: int, depth: int) -> tuple[str, int]:
    """The expression for what stands at `at`, and how many characters it took."""
    if pattern.startswith("**/", at) and (at == 0 or pattern[at - 1] == "/"):
        return "(?:.*/)?", 3
    if pattern.startswith("**", at):
        return ".*", 2
    character = pattern[at]
    simple = {"*": "[^/]*", "?": "[^/]", "{": "(?:"}
    if character in simple:
        return simple[character], 1
    if depth and character in ",}":
        return ("|" if character == "," else ")"), 1
    if character == "[":
        return _set(pattern, at)
    if character == "\\" and at + 1 < len(pattern):
        return re.escape(pattern[at + 1]), 2
    return re.escape(character), 1


def _set(pattern: str, at: int) -> tuple[str, int]:
    end = pattern.find("]", at + 2)
    if end < 0:
        return r"\[", 1
    body = pattern[at + 1 : end].replace("\\", r"\\").replace("[", r"\[").replace("&&", r"&\&")
    negated = body[:1] in "!^"
    return f"[{'^/' if negated else ''}{body[1:] if negated else body}]", end + 1 - at
