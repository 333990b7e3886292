"""Quote verification: a slot's quote stands in the request, and its words carry the slot's value.

A quote alone proves nothing: "when" stands in many requests, and does not cover the value "delete the
production database when idle". So every word of the value, short function words aside, must occur in
the quote, up to simple inflection.
"""

import re
import unicodedata

_SIGN = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # scripts without spaces: every sign is a word
_WORD = re.compile(rf"[{_SIGN}]|[^\W_{_SIGN}]+")
_FILLER = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "to",
        "in",
        "on",
        "at",
        "by",
        "for",
        "with",
        "and",
        "or",
        "is",
        "are",
        "was",
        "be",
        "it",
        "its",
        "this",
        "that",
        "as",
        "from",
        "into",
    ]
)
_ENDINGS = (("ies", "y"), ("ied", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""))


def fold(text: str) -> str:
    """NFKC, case and white space folded."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def words(text: str) -> list[str]:
    """Words of a folded text; identifiers are split at case and underscores."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", unicodedata.normalize("NFKC", text))
    return _WORD.findall(fold(spaced))


def stands_in(quote: str, request: str) -> bool:
    """True if the quote, folded, is a piece of the request that starts and ends at word borders."""
    piece, whole = fold(quote), fold(request)
    if not piece:
        return False
    border = rf"(?<!\w){re.escape(piece)}(?!\w)" if piece.isascii() else re.escape(piece)
    return re.search(border, whole) is not None


def uncovered(value: str, quote: str) -> list[str]:
    """Words of the value that the quote does not carry."""
    said = [word for word in words(value) if word not in _FILLER]
    if not said:  # nothing but signs and function words: it must stand in the quote as it is
        return [] if stands_in(value, quote) else [value.strip()]
    carried = {_stem(word) for word in words(quote)}
    return [word for word in said if _stem(word) not in carried]


def _stem(word: str) -> str:
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) + len(instead) >= 3:
            word = word[: -len(ending)] + instead
            break
    word = word.rstrip("e") if len(word) > 3 else word
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word  # stop, stopping; class, classes
