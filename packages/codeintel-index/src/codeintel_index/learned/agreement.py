"""One agreement as text: a front matter of `key: value` lines and the evidence below it. Nothing else knows the format.

A value is JSON where it starts like JSON (a quoted text, a number, an object), else the plain text of the line; written
values are always JSON, which is also YAML. Keys nobody knows are kept out, a file that lacks a key is refused.
"""

import datetime
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from codeintel_index.results import MapEntry

DOC_TYPE = "agreement"
Outcomes = dict[str, tuple[int, int]]  # session -> successes, failures
_LINE = re.compile(r"([a-z_]+):(?:\s+(.*?))?\s*$")
_SLUG = re.compile(r"[^a-z0-9]+")


class BadAgreement(ValueError):
    """A file that is no agreement; the text says why."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """An entry together with what each session contributed to its counts."""

    entry: MapEntry
    outcomes: Mapping[str, tuple[int, int]]

    @property
    def key(self) -> str:
        """Identifies what was learned: the same term, symbol and path have the same key."""
        text = "\0".join((self.entry.term.casefold(), self.entry.symbol, self.entry.path))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def file_name(self) -> str:
        """A readable and unique name for its file."""
        slug = _SLUG.sub("-", self.entry.term.lower()).strip("-")[:40]
        return f"{slug or 'agreement'}-{self.key}.md"


def of(entry: MapEntry) -> Agreement:
    """The agreement that one session's entry makes."""
    return Agreement(entry, {entry.session_id: (entry.successes, entry.failures)})


def counted(entry: MapEntry, outcomes: Outcomes) -> Agreement:
    """An agreement whose counts are the sums over its sessions."""
    successes = sum(each[0] for each in outcomes.values())
    failures = sum(each[1] for each in outcomes.values())
    return Agreement(replace(entry, successes=successes, failures=failures), outcomes)


def merged(old: Agreement, new: MapEntry) -> Agreement:
    """The old agreement with a session's newer word on it. A session has one word: its latest."""
    outcomes = {**old.outcomes, new.session_id: (new.successes, new.failures)}
    kept = new if new.successes else replace(old.entry, session_id=new.session_id)
    return counted(replace(kept, similarity=max(old.entry.similarity, new.similarity)), outcomes)


def dumps(agreement: Agreement) -> str:
    """The text of the file."""
    entry = agreement.entry
    values: dict[str, object] = {
        "doc_type": DOC_TYPE,
        "nl_term": entry.term,
        "symbol": entry.symbol,
        "path": entry.path,
        "similarity": entry.similarity,
        "session_id": entry.session_id,
        "intent": entry.intent,
        "learned_at": entry.learned_at,
        "verified_by": entry.verified_by,
        "outcomes": {session: list(counts) for session, counts in agreement.outcomes.items()},
        **({"marks": " ".join(entry.marks)} if entry.marks else {}),
    }
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in values.items()]
    return "\n".join(["---", *lines, "---", "", entry.evidence.strip(), ""])


def loads(text: str) -> Agreement:
    """The agreement in a file's text. Raises BadAgreement."""
    head, body = _parts(text)
    values = dict(map(_pair, head))
    if values.get("doc_type") != DOC_TYPE:
        raise BadAgreement(f"doc_type is not {DOC_TYPE}")
    entry = MapEntry(
        term=_text(values, "nl_term"),
        symbol=_text(values, "symbol"),
        path=_text(values, "path"),
        similarity=_share(values.get("similarity", 1.0)),
        session_id=_text(values, "session_id"),
        intent=str(values.get("intent", "")),
        learned_at=_time(_text(values, "learned_at")),
        verified_by=str(values.get("verified_by", "")),
        evidence=body,
        marks=tuple(str(values.get("marks", "")).split()),
    )
    return counted(entry, _outcomes(values.get("outcomes", {entry.session_id: [1, 0]})))


def _parts(text: str) -> tuple[list[str], str]:
    lines = text.split("\n")
    if lines[0].rstrip() != "---" or "---" not in [line.rstrip() for line in lines[1:]]:
        raise BadAgreement("no front matter between --- lines")
    end = [line.rstrip() for line in lines].index("---", 1)
    head = [line for line in lines[1:end] if line.strip() and not line.startswith("#")]
    return head, "\n".join(lines[end + 1 :]).strip()


def _pair(line: str) -> tuple[str, object]:
    found = _LINE.match(line)
    if found is None:
        raise BadAgreement(f"not a `key: value` line: {line[:80]!r}")
    text = found.group(2) or ""
    if not text.startswith(('"', "{", "[")) and not re.fullmatch(r"-?\d+(?:\.\d+)?", text):
        return found.group(1), text
    try:
        return found.group(1), json.loads(text)
    except json.JSONDecodeError as error:
        raise BadAgreement(f"{found.group(1)}: {error}") from error


def _text(values: Mapping[str, object], key: str) -> str:
    value = values.get(key)
    if value is None:
        raise BadAgreement(f"{key} is missing")
    return str(value)


def _share(value: object) -> float:
    if not isinstance(value, int | float) or not 0 <= value <= 1:
        raise BadAgreement(f"similarity must be between 0 and 1, not {value!r}")
    return float(value)


def _time(text: str) -> str:
    try:
        datetime.datetime.fromisoformat(text)
    except ValueError as error:
        raise BadAgreement(f"learned_at is not a time: {text!r}") from error
    return text


def _outcomes(value: object) -> Outcomes:
    if not isinstance(value, dict):
        raise BadAgreement("outcomes must be an object")
    found: Outcomes = {}
    for session, counts in value.items():
        if not (isinstance(counts, list) and len(counts) == 2 and all(isinstance(each, int) for each in counts)):
            raise BadAgreement(f"outcomes of {session!r} must be [successes, failures]")
        found[str(session)] = (counts[0], counts[1])
    return found
