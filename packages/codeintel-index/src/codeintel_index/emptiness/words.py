"""Judgement of text: does a message admit that something is missing, does a comment say why nothing is done.

Both are heuristics over words; they lean towards calling a stub a stub, since a comment is always a way out.
"""

import re
from collections.abc import Iterable

_MISSING = re.compile(
    r"\bnot?[\s_-]*(?:yet[\s_-]*)?(?:been[\s_-]*)?implement|unimplemented|not[\s_-]+(?:yet[\s_-]+supported"
    r"|supported[\s_-]+yet|done[\s_-]+yet)|\bimplementation\s+(?:missing|pending)|\bto\s+be\s+implemented"
    r"|\bimplement\s+(?:me|this|it|here|later)\b|\bto-?do\b|\bfixme\b|\bxxx\b|\bstub(?:bed)?\b|\bplaceholder\b"
    r"|\bcoming\s+soon\b|\bwork\s+in\s+progress\b|\bwip\b",
    re.IGNORECASE,
)
_PUT_OFF = re.compile(
    r"\bhack\b|\blater\b|\bfor\s+now\b|\bunfinished\b|\btemporar|\byour\s+code\b|\bfill\s+(?:this\s+)?in\b"
    r"|\bimplement(?:ed|ation|s)?\b|\btbd\b",
    re.IGNORECASE,
)
_MISSING_NAME = re.compile(r"not_?(?:yet_?)?implemented|unimplemented|\btodo\b", re.IGNORECASE)
_REFUSING_NAME = re.compile(r"unsupported_?operation|not_?supported", re.IGNORECASE)
_UNFINISHED_CALL = re.compile(r"(?:^|[.:])(?:todo|unimplemented)!?$", re.IGNORECASE)
_FAILING_CALL = re.compile(
    r"err|exception|reject|fail|panic|abort|fatal|assert|throw|raise|bail|anyhow|unreachable|\bexit\b", re.IGNORECASE
)
_PRINTING_CALL = re.compile(
    r"^(?:e?println!|e?print!|dbg!|print(?:ln|f)?|fprintf|f?puts|warn|warnings\.warn|console\.\w+|fmt\.F?[Pp]rint\w*"
    r"|System\.(?:out|err)\.print\w*|(?:\w+\.)*log(?:ger|ging)?\.\w+)$",
    re.IGNORECASE,
)

_MARKS = re.compile(r"^\s*(?:/[/*]+!?|\*+(?!/)|#+!?|--+)|\*+/\s*$")
_DIRECTIVE = re.compile(
    r"^\s*(?:type:|noqa|pragma|pylint|ruff:|fmt:|mypy:|pyright:|isort:|eslint|istanbul|prettier|tslint|biome|@ts-"
    r"|nolint|noinspection|c8 |v8 |coverage|cppcheck|clang-|nosonar|nosec|region|endregion)",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"[;{}]\s*$|^\s*[\w.]+\(.*\)\s*$|\s[:+-]?=\s|^\s*(?:return|import|from|if|for|def|fn|func)\b.*(?:[(:=+*]|\w\.\w)"
)
_WORD = re.compile(r"[^\W\d_]{2,}")
_FEWEST_WORDS = 3
_FEWEST_LETTERS = 10
_FEWEST_IDEOGRAMS = 6


def admits_missing(message: str) -> bool:
    """Whether a message says that what it stands for is not there yet: "not implemented", "TODO", …"""
    return bool(_MISSING.search(message))


def throws_missing(head: str, messages: list[str]) -> bool:
    """Whether a throw is of the "not implemented" kind. `head` is its text without strings.

    An error of the refusing kind ("unsupported operation") that gives a reason is a decision, without one it is not.
    """
    if _MISSING_NAME.search(head) or any(map(admits_missing, messages)):
        return True
    return bool(_REFUSING_NAME.search(head)) and not messages


def calls_missing(callee: str, head: str, messages: list[str]) -> bool:
    """Whether a call stands for missing code: `todo!()`, `panic("TODO")`, `errors.New("not implemented")`, a print."""
    if _UNFINISHED_CALL.search(callee):
        return True
    if _PRINTING_CALL.search(callee):
        return any(map(admits_missing, messages))
    return bool(_FAILING_CALL.search(callee)) and throws_missing(head, messages)


def says_why(comments: Iterable[str]) -> bool:
    """Whether the comments in a body, read as one text, are a sentence that gives a reason.

    At least three words; no tool directive, no code put into a comment, and nothing put off to later.
    """
    lines = [_MARKS.sub("", _MARKS.sub("", line)) for comment in comments for line in comment.splitlines()]
    text = " ".join(line.strip() for line in lines if not _DIRECTIVE.search(line) and not _CODE.search(line))
    if _MISSING.search(text) or _PUT_OFF.search(text):
        return False
    words = _WORD.findall(text)
    letters = sum(map(len, words))
    if sum(character > "\u2e80" for word in words for character in word) >= _FEWEST_IDEOGRAMS:
        return True  # scripts that put no space between words
    return len(words) >= _FEWEST_WORDS and letters >= _FEWEST_LETTERS
