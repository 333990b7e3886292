"""Globs as users write them: `*` and `?` stay in one folder, `**` crosses folders, `{a,b}` and `[a-z]` work.

A pattern without `/` is about file names at any depth; one with `/` starts at the project root.
"""

import re
from functools import lru_cache

from codeintel_index.errors import BadPattern


def compile_glob(pattern: str) -> re.Pattern[str]:
    """A regular expression for `fullmatch` against relative paths. Raises BadPattern."""
    if not pattern or "\0" in pattern:
        raise BadPattern(pattern, "an empty glob" if not pattern else "NUL in a glob")
    return _compile(pattern.removeprefix("./").removeprefix("/") if "/" in pattern else f"**/{pattern}")


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
