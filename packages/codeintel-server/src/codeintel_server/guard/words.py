"""Words of a command line: the texts they may be, and the paths they mean."""

from __future__ import annotations

import os
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MAX_PATHS = 200
_MAGIC = re.compile(r"[*?[]")
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")


class Word:
    """A word, or what a command prints: the texts it may be.

    Attributes:
        texts: the texts; several after a loop over them.
        is_open: whether a part of it is known at run time only.
        is_pattern: whether braces and stars in it mean something.
        listed: what looks up the names that it stands for: the result of a search.
        inner: what a process substitution prints, or what the line has put into the file.
        is_hidden: whether a filter made it of other text: what it says was not there to be read.
    """

    __slots__ = ("inner", "is_hidden", "is_open", "is_pattern", "listed", "texts")

    def __init__(
        self,
        *texts: str,
        is_open: bool = False,
        is_pattern: bool = False,
        listed: Callable[[], Iterable[str]] | None = None,
        inner: Word | None = None,
        is_hidden: bool = False,
    ) -> None:
        self.texts = texts
        self.is_open = is_open
        self.is_pattern = is_pattern
        self.listed = listed
        self.inner = inner
        self.is_hidden = is_hidden

    @property
    def text(self) -> str:
        """The first text; "" if nothing is known."""
        return self.texts[0] if self.texts else ""

    def split(self) -> list[Word]:
        """Return the words that it becomes without quotes."""
        if self.listed or self.is_open or not any(len(text.split()) != 1 for text in self.texts):
            return [self]
        return [Word(part, is_pattern=self.is_pattern) for text in self.texts for part in text.split()]

    def paths(self, folder: str) -> Iterable[str]:
        """Return the paths that it means: braces, then patterns; one that matches nothing means itself."""
        if self.listed:
            return self.listed()
        if self.is_open:
            return ()
        if not self.is_pattern:
            return self.texts
        found: list[str] = []
        for text in (part for given in self.texts for part in braced(given)):
            found += (_matching(text, folder) if _MAGIC.search(text) else ()) or [text]
        return found

    def with_text(self, text: str) -> Word:
        """Return a word with another text and the same nature."""
        return Word(text, is_open=self.is_open, is_pattern=self.is_pattern)


def joined(parts: Iterable[Word], between: str = "") -> Word:
    """Return the word that parts make together."""
    texts, parts = [""], list(parts)
    for at, part in enumerate(parts):
        head = between if at else ""
        texts = [text + head + more for text in texts for more in (part.texts or ("",))][:MAX_PATHS]
    return Word(
        *texts,
        is_open=any(part.is_open for part in parts),
        is_pattern=any(part.is_pattern for part in parts),
        listed=next((part.listed for part in parts if part.listed), None),
        is_hidden=any(part.is_hidden for part in parts),
    )


def either(words: list[Word]) -> Word:
    """Return a word that may be any of some."""
    texts = [text for word in words for text in word.texts]
    lists = [word for word in words if word.listed]
    return Word(
        *texts[:MAX_PATHS],
        is_open=not texts and not lists,
        is_pattern=any(word.is_pattern for word in words),
        listed=(lambda: [name for word in lists for name in (word.listed or tuple)()] + texts) if lists else None,
    )


def braced(text: str) -> list[str]:
    """Return the words of `a{b,c}d`, inner braces first."""
    ready, found = [text], list[str]()
    while ready and len(found) + len(ready) <= MAX_PATHS:
        part = ready.pop(0)
        match = _BRACES.search(part)
        if match is None:
            found.append(part)
        else:
            ready += [part[: match.start()] + choice + part[match.end() :] for choice in match[1].split(",")]
    return found


def _matching(text: str, folder: str) -> list[str]:
    import glob
    from itertools import islice

    return list(islice(glob.iglob(os.path.expanduser(text), root_dir=folder, recursive=False), MAX_PATHS))


def spelled(text: str, sign: str, rest: str) -> str:
    """Return what `${name#pattern}`, `${name/old/new}`, `${name,,}`, `${name:from:length}` make of a text."""
    from fnmatch import fnmatchcase, translate

    if sign in (",,", "^^"):
        return text.lower() if sign == ",," else text.upper()
    if sign == ":":
        start, _, length = rest.partition(":")
        return text[int(start) :][: int(length) if length else None]
    if sign[0] == "/":
        old, _, new = rest.partition("/")
        pattern = translate(old).removeprefix("(?s:").rpartition(")")[0]
        return re.sub(pattern, lambda _: new, text, count=0 if sign == "//" else 1)
    ends = range(len(text) + 1)
    if sign[0] == "#":
        fits = [end for end in ends if fnmatchcase(text[:end], rest)]
        return text[(max(fits) if sign == "##" else min(fits)) :] if fits else text
    fits = [end for end in ends if fnmatchcase(text[end:], rest)]
    return text[: (min(fits) if sign == "%%" else max(fits))] if fits else text
