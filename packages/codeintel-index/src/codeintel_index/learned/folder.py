"""The folder of agreements: the source of truth of the Map. Files are replaced whole, under a lock."""

import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from codeintel_index import locks
from codeintel_index.learned import agreement
from codeintel_index.learned.agreement import Agreement, BadAgreement
from codeintel_index.masking import mask_text
from codeintel_index.results import MapEntry

WAIT_S = 10.0


class Folder:
    """All agreements of a project. What is read is kept until a file of the folder changes."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._place = data_dir / "agreements"
        self._seen: tuple[tuple[str, int, int], ...] = ()
        self._read: dict[str, tuple[Path, Agreement]] = {}
        self.problems: list[str] = []

    def all(self) -> dict[str, Agreement]:
        """Every readable agreement by key; files that are none are named in `problems`."""
        return {key: each for key, (_, each) in self._load().items()}

    def learn(self, entries: Sequence[MapEntry]) -> None:
        """Add entries or merge them into what is known. A session's newer word on the same replaces its older one."""
        locks.make_data_dir(self._data_dir)
        self._place.mkdir(exist_ok=True)
        with locks.held(self._data_dir, locks.AGREEMENTS, WAIT_S):
            for entry in (replace(each, term=mask_text(each.term)) for each in entries):
                new = agreement.of(entry)
                known = self._load().get(new.key)
                place = known[0] if known else self._place / new.file_name
                _write(place, agreement.merged(known[1], entry) if known else new)

    def forget(self, session_id: str) -> int:
        """Take back what a session contributed; what nobody else vouches for is deleted. How many were touched."""

        def change(old: Agreement) -> Agreement | None:
            left = {session: counts for session, counts in old.outcomes.items() if session != session_id}
            return agreement.counted(old.entry, left) if left else None

        return self._change(session_id, change)

    def judge(self, session_id: str, succeeded: bool) -> int:
        """Count what a session contributed as a success or a failure, as it turned out. How many were touched."""
        word = (1, 0) if succeeded else (0, 1)

        def change(old: Agreement) -> Agreement:
            return agreement.counted(old.entry, {**old.outcomes, session_id: word})

        return self._change(session_id, change)

    def _change(self, session_id: str, change: Callable[[Agreement], Agreement | None]) -> int:
        if not self._place.is_dir():
            return 0
        with locks.held(self._data_dir, locks.AGREEMENTS, WAIT_S):
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
        seen = tuple((file.name, file.stat().st_mtime_ns, file.stat().st_ino) for file in files)
        if seen != self._seen:
            self._read, self.problems = _read_all(files)
            self._seen = seen
        return self._read


def _read_all(files: list[Path]) -> tuple[dict[str, tuple[Path, Agreement]], list[str]]:
    found: dict[str, tuple[Path, Agreement]] = {}
    problems: list[str] = []
    for file in files:
        try:
            read = agreement.loads(file.read_text(encoding="utf-8"))
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
            file.write(agreement.dumps(new))
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, place)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
