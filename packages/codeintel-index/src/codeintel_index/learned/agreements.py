"""Agreements: what a session learned, one file each, in a folder that is the source of truth of the Map.

A file is a front matter of `key: value` lines with the evidence below it. A value is JSON where it starts like JSON (a
quoted text, a number, an object), else the plain text of the line; written values are always JSON, which is also YAML.
Unknown keys are ignored, a file that lacks a key is refused. Files are replaced whole, under a lock.
"""

import datetime
import hashlib
import json
import os
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from codeintel_index.project_file import read_file
from codeintel_index.results import MapEntry
from codeintel_index.store import locks
from codeintel_index.text.redaction import mask_text

DOC_TYPE = "agreement"
Outcomes = dict[str, tuple[int, int]]  # session -> successes, failures
_LINE = re.compile(r"([a-z_]+):(?:\s+(.*?))?\s*$")
_SLUG = re.compile(r"[^a-z0-9]+")


class BadAgreement(ValueError):
    """A file that does not hold an agreement; the text says why."""


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
    """Make the agreement of one session's entry."""
    return Agreement(entry, {entry.session_id: (entry.successes, entry.failures)})


def with_counts(entry: MapEntry, outcomes: Outcomes) -> Agreement:
    """Make an agreement whose counts are the sums over its sessions."""
    successes = sum(each[0] for each in outcomes.values())
    failures = sum(each[1] for each in outcomes.values())
    return Agreement(replace(entry, successes=successes, failures=failures), outcomes)


def merged(old: Agreement, new: MapEntry) -> Agreement:
    """Merge a session's entry into an agreement. Only the latest entry of a session counts."""
    outcomes = {**old.outcomes, new.session_id: (new.successes, new.failures)}
    kept = new if new.successes else replace(old.entry, session_id=new.session_id)
    return with_counts(replace(kept, similarity=max(old.entry.similarity, new.similarity)), outcomes)


def dumps(agreement: Agreement) -> str:
    """Write an agreement as the text of its file."""
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
    """Read the agreement in a file's text. Raises BadAgreement."""
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
    return with_counts(entry, _outcomes(values.get("outcomes", {entry.session_id: [1, 0]})))


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
    except (ValueError, RecursionError) as error:
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


WAIT_S = 10.0
MAX_BYTES = 100_000  # of one agreement


class AgreementStore:
    """All agreements of a project. What is read is kept until a file of the folder changes."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._place = data_dir / "agreements"
        self._seen: tuple[tuple[str, int, int], ...] = ()
        self._read: dict[str, tuple[Path, Agreement]] = {}
        self.problems: list[str] = []

    def all(self) -> dict[str, Agreement]:
        """Load every readable agreement by key; `problems` names the files that are not."""
        return {key: each for key, (_, each) in self._load().items()}

    def learn(self, entries: Sequence[MapEntry]) -> None:
        """Add entries or merge them into what is known. A later entry of the same session replaces its earlier one."""
        locks.make_data_dir(self._data_dir)
        self._place.mkdir(exist_ok=True)
        with locks.hold(self._data_dir, locks.AGREEMENTS, WAIT_S):
            for entry in (replace(each, term=mask_text(each.term)) for each in entries):
                new = of(entry)
                known = self._load().get(new.key)
                place = known[0] if known else self._place / new.file_name
                _write(place, merged(known[1], entry) if known else new)

    def forget(self, session_id: str) -> int:
        """Remove what a session contributed; what no other session contributed to is deleted. Returns how many were
        touched.
        """

        def change(old: Agreement) -> Agreement | None:
            left = {session: counts for session, counts in old.outcomes.items() if session != session_id}
            return with_counts(old.entry, left) if left else None

        return self._change(session_id, change)

    def judge(self, session_id: str, succeeded: bool) -> int:
        """Count what a session contributed as a success or a failure. Returns how many were touched."""
        word = (1, 0) if succeeded else (0, 1)

        def change(old: Agreement) -> Agreement:
            return with_counts(old.entry, {**old.outcomes, session_id: word})

        return self._change(session_id, change)

    def _change(self, session_id: str, change: Callable[[Agreement], Agreement | None]) -> int:
        if not self._place.is_dir():
            return 0
        with locks.hold(self._data_dir, locks.AGREEMENTS, WAIT_S):
            touched = [(place, old) for place, old in self._load().values() if session_id in old.outcomes]
            for place, old in touched:
                new = change(old)
                if new is None:
                    place.unlink(missing_ok=True)
                else:
                    _write(place, new)
        return len(touched)

    def _load(self) -> dict[str, tuple[Path, Agreement]]:
        files = sorted(self._place.glob("*.md")) if self._place.is_dir() else []
        seen = tuple((file.name, file.lstat().st_mtime_ns, file.lstat().st_ino) for file in files)
        if seen != self._seen:
            self._read, self.problems = _read_all(files)
            self._seen = seen
        return self._read


def _read_all(files: list[Path]) -> tuple[dict[str, tuple[Path, Agreement]], list[str]]:
    found: dict[str, tuple[Path, Agreement]] = {}
    problems: list[str] = []
    for file in files:
        try:
            read = loads(read_file(file.parent, file, MAX_BYTES).decode("utf-8"))
        except (BadAgreement, OSError, UnicodeDecodeError) as error:
            problems.append(f"agreements/{file.name}: {error}")
            continue
        found[read.key] = (file, read)
    return found, problems


def _write(place: Path, new: Agreement) -> None:
    """Replace the file in one step: a reader sees the old text or the new one."""
    handle, temporary = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=place.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(dumps(new))
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, place)
    except BaseException:  # an interrupt too leaves no half-written file behind
        Path(temporary).unlink(missing_ok=True)
        raise
