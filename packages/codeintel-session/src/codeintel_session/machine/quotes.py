"""Compare a slot with the request: its quotes must be there, its value is the agent's own wording.

A quote that was never written is a lie, so quotes are checked. Values are not: an honest paraphrase needs words that
the request does not hold, and no list of words tells it from a lie. What a value plainly adds comes back as a warning:
a name of code that the request does not hold, a loss that it does not ask for, or several words that are neither
common nor the request's own nor similar to one of them.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping

from codeintel_session.machine.common_words import COMMON, FUNCTION, LOSSES

NEAR = 0.2
"""A word this similar to one of the request means something related."""
STRANGE = 2
"""This many words unrelated to the request are more than a paraphrase."""
TELLING = 8
"""English text of this many words has a function word among them, and at least one in this many."""
STEM = 6
"""The letters in which words of one family agree."""

_SIGN = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # scripts without spaces: every character is a word
_WORD = re.compile(rf"[{_SIGN}]|[^\W_{_SIGN}]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_TOKEN = re.compile(r"[\w./:#~>-]+(?:\(\))?")
_CODE = re.compile(r"_|\w\.[A-Za-z]|\w(?:::|->|#)\w|\(\)$|[a-z][A-Z]|^--[a-z]")  # what marks a token as a name of code
_SIGNS = re.compile(r"[{}<>=*/\\|&%$#@+~^]")
_PLURAL = (("ies", "y"), ("es", ""), ("s", ""))
_VERBAL = (("ied", "y"), ("ing", ""), ("ed", ""))


def fold(text: str) -> str:
    """Fold NFKC, case and white space."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def words(text: str) -> list[str]:
    """Return the words of a folded text; identifiers are split at case and underscores."""
    return _WORD.findall(fold(_HUMP.sub(" ", unicodedata.normalize("NFKC", text))))


def occurs_in(quote: str, request: str) -> bool:
    """Return whether the folded quote is a piece of the request that starts and ends at word borders."""
    piece, whole = fold(quote), fold(request)
    if not piece:
        return False
    border = rf"(?<!\w){re.escape(piece)}(?!\w)" if piece.isascii() else re.escape(piece)
    return re.search(border, whole) is not None


def content_words(text: str) -> list[str]:
    """Return the distinct words of a text without function words."""
    return [word for word in dict.fromkeys(words(text)) if word not in FUNCTION]


def has_content(quote: str) -> bool:
    """Return whether a quote holds a content word or a sign of code."""
    return bool(content_words(quote)) or _SIGNS.search(quote) is not None


def added(value: str, request: str, nearness: Mapping[str, float], *, is_fault: bool = False) -> list[str]:
    """Return what a value plainly adds to the request: names of code, a loss, words that have nothing to do with it.

    A value that describes a fault (`is_fault`) may speak of a loss in its own words: it asks for none.
    """
    known = _stems(words(request))
    names = [token.rstrip(".:") for token in _TOKEN.findall(value)]
    if foreign := [name for name in names if _CODE.search(name) and _is_foreign(name, known)]:
        return foreign
    new = new_words(value, request)
    losses = [word for word in new if _stem(word) in _LOSSES and not is_fault]
    if len(losses) >= STRANGE or (losses and not known & _LOSSES):
        return losses
    strange = [word for word in new if nearness.get(word, 0.0) < NEAR]
    return strange if len(strange) >= STRANGE else []


def _is_foreign(name: str, known: set[str]) -> bool:
    """Return whether a name of code has a part that the request lacks, or nothing of the request at all."""
    parts = [part for part in content_words(name) if len(part) > 1]
    is_new = len(words(name)) > 1 and bool(parts) and not known.intersection(_stems(parts))
    return fold(name) not in COMMON and (is_new or bool(_unknown(parts, known)))


def new_words(value: str, request: str) -> list[str]:
    """Return the words of a value that are neither common nor the request's; none where the request is not English."""
    said = words(request)
    if len(said) >= TELLING and sum(word in FUNCTION for word in said) < len(said) / TELLING:
        return []
    return list(dict.fromkeys(_unknown(words(value), _stems(said))))


def _unknown(parts: Iterable[str], known: set[str]) -> list[str]:
    return [word for word in parts if not (word.isdigit() or len(word) == 1 or _stem(word) in known | _COMMON)]


def _stems(parts: Iterable[str]) -> set[str]:
    return {_stem(word) for word in parts}


def _stem(word: str) -> str:
    """Cut what inflection adds: stop, stopping; class, classes; encode, encodings; config, configuration."""
    for endings in (_PLURAL, _VERBAL):
        for ending, instead in endings:
            if word.endswith(ending) and len(word) - len(ending) + len(instead) >= 3:
                word = word[: -len(ending)] + instead
                break
    word = word.rstrip("e") if len(word) > 3 else word
    return (word[:-1] if len(word) > 3 and word[-1] == word[-2] else word)[:STEM]


_COMMON = _stems(COMMON)
_LOSSES = _stems(LOSSES)
