"""Whether the lines of a log are those that were written: each fault is named by its line.

A line carries the digest of the line before it (`previous`) and, as its last member, its own (`own`). From the two
follows whether a line was edited, or whether one was taken out, put in or moved. Lines of a log that was cut at its
end still follow from each other; what is missing there only somebody who knows how much was written can tell.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DIGITS = 16
_OWN = b',"own":"'


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a line, counted from 1."""

    line: int
    problem: str

    def __str__(self) -> str:
        return f"line {self.line} {self.problem}"


def digest_of(line: bytes) -> str:
    """What the line after it carries as `previous`; "" before the first."""
    text = line.rstrip(b"\n")
    return hashlib.sha256(text).hexdigest()[:DIGITS] if text else ""


def link(entry: Mapping[str, Any], last: bytes) -> bytes:
    """The line of an entry that follows the line `last` ("" for none), without its line break."""
    text = json.dumps({**entry, "previous": digest_of(last)}, ensure_ascii=False, separators=(",", ":"))
    body = text.encode("utf-8", "surrogatepass")
    return body[:-1] + _OWN + digest_of(body).encode() + b'"}'


def entry_of(line: bytes) -> dict[str, Any] | None:
    """The entry a line holds, None if it is no JSON object."""
    try:
        entry = json.loads(line.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None


def faults_in(path: Path) -> list[Fault]:
    """Every fault of a log, in the order of its lines; an absent log has none."""
    if not path.is_file():
        return []
    with path.open("rb") as file:
        return faults_of(file)


def faults_of(lines: Iterable[bytes]) -> list[Fault]:
    """Every fault of these lines."""
    texts = list(lines)
    stands = {digest_of(line): number for number, line in enumerate(texts, start=1)}
    found: list[Fault] = []
    was_edited, before = False, b""
    for number, line in enumerate(texts, start=1):
        entry = entry_of(line)
        problem = _inside(line, entry)
        # After a line that was edited nothing can follow; saying it once is enough.
        if not problem and entry is not None and not was_edited and entry.get("previous") != digest_of(before):
            problem = _place(number, str(entry.get("previous", "")), stands)
        if problem:
            found.append(Fault(number, problem))
        was_edited, before = _is_edit(problem), line
    return found


_TORN = "is no whole line of the log: it was cut off or written over"
_EDITED = "was edited"


def _is_edit(problem: str) -> bool:
    return problem in (_TORN, _EDITED)


def _inside(line: bytes, entry: Mapping[str, Any] | None) -> str:
    if entry is None:
        return _TORN
    body, mark, own = line.rstrip(b"\n").rpartition(_OWN)
    if mark and own != digest_of(body + b"}").encode() + b'"}':
        return _EDITED
    return "" if mark or "own" not in entry else _EDITED


def _place(number: int, previous: str, stands: Mapping[str, int]) -> str:
    if previous == "":
        return "is the first line of a log, and others stand before it"
    at = stands.get(previous)
    if at is None:
        return "follows a line that is not there any more: it was removed"
    if at < number:
        return f"follows line {at}: what stands between them was inserted or moved there"
    return f"follows line {at}, which stands after it: the lines were reordered"
