"""Text as the copier handles it: digests that survive a checkout, and an edit that can be reverted.

A merge into a file of another tool's is kept as the smallest replacement that made it. Taking exactly
that back restores the file byte for byte, which no parser and printer would.
"""

import hashlib
import json
from typing import Final

from pydantic import BaseModel, ConfigDict

BOM = "\ufeff"


class Absent:
    """The type of ABSENT."""


ABSENT: Final = Absent()
"""No value is at the keys asked for (which is not the same as a null)."""


class Unparsable(Exception):
    """A text is not what its format wants; the caller knows the path and makes a BrokenFile of it."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(line, why)
        self.line = line
        self.why = why


def digest(text: str) -> str:
    """Return the digest of a text, the same whether git checked it out with LF or CRLF."""
    return hashlib.sha256(text.replace("\r\n", "\n").encode()).hexdigest()


def digest_of(value: object) -> str:
    """Return the digest of a parsed value, whatever its layout."""
    return digest(json.dumps(value, sort_keys=True, default=str))


def split_bom(text: str) -> tuple[str, str]:
    """Return a leading byte order mark, which no parser takes, and the rest."""
    return (BOM, text[1:]) if text.startswith(BOM) else ("", text)


def newline(text: str) -> str:
    """Return the line ending a text uses."""
    return "\r\n" if "\r\n" in text else "\n"


class Edit(BaseModel):
    """At `at`, `old` was replaced by `new`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    at: int
    old: str
    new: str

    @classmethod
    def between(cls, before: str, after: str) -> "Edit":
        """Return the smallest edit that leads from one text to the other."""
        at = _common(before, after)
        tail = _common(before[at:][::-1], after[at:][::-1])
        return cls(at=at, old=before[at : len(before) - tail], new=after[at : len(after) - tail])

    def revert(self, text: str) -> str | None:
        """Return the text before the edit, or None where what it put is no longer in its place."""
        end = self.at + len(self.new)
        return text[: self.at] + self.old + text[end:] if text[self.at : end] == self.new else None


def _common(one: str, other: str) -> int:
    shared = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        shared += 1
    return shared
