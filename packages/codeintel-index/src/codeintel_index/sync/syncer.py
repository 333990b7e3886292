"""Bringing the rows up to date with the files: one writer at a time (a lock), each file's rows whole or absent.

Changes are found by stat calls; content is read only where they leave a doubt. A stat triple proves nothing for a file
that was hashed within two seconds of being written, as it may have been written again within the clock's grain: such
files are hashed once more, as git does. So are files that could not be read.

Rows are committed in batches, and only a run that saw every file sets `synced_at`: a run that is killed leaves a
consistent older state that the next one completes.
"""

import contextlib
import datetime
import hashlib
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from codeintel_index.config import DATA_DIR, IndexConfig
from codeintel_index.errors import IndexUnwritable
from codeintel_index.files import Files
from codeintel_index.languages.table import missing_grammars
from codeintel_index.paths import MAX_BYTES
from codeintel_index.project_file import read_file
from codeintel_index.results import SyncReport
from codeintel_index.store import locks, writer
from codeintel_index.store.database import Database, is_damage
from codeintel_index.store.reader import FileRow, Reader
from codeintel_index.store.rows import UNREADABLE, Batch, FileStat, Prepared
from codeintel_index.sync.workers import prepare_all
from codeintel_index.syntax import unfit

RACY_NS = 2_000_000_000


@dataclass(frozen=True, slots=True)
class Changes:
    """Files to look at again and files that are gone. `suspects` are known files whose stat triple has changed."""

    added: tuple[FileStat, ...]
    suspects: tuple[FileStat, ...]
    deleted: tuple[str, ...]
    unchanged: int

    def __len__(self) -> int:
        return len(self.added) + len(self.suspects) + len(self.deleted)

    @property
    def size(self) -> int:
        """Bytes that must be read, and parsed where they are new."""
        return sum(min(stat.size, MAX_BYTES) for stat in (*self.added, *self.suspects))


def find_changes(
    root: Path, disk: Mapping[str, FileStat], known: Mapping[str, FileRow], force: bool = False
) -> Changes:
    """Compare the files on disk with those on record; `force` suspects all of them."""
    added = tuple(stat for path, stat in disk.items() if path not in known)
    suspects = tuple(
        stat for path, stat in disk.items() if path in known and (force or _differs(root, stat, known[path]))
    )
    deleted = tuple(path for path in known if path not in disk)
    return Changes(added, suspects, deleted, len(disk) - len(added) - len(suspects))


def _differs(root: Path, stat: FileStat, row: FileRow) -> bool:
    if stat != row.stat:
        return True
    if stat.changed_ns < row.hashed_at - RACY_NS:
        return False
    try:
        return hashlib.sha256(read_file(root, stat.path, MAX_BYTES)).digest() != row.digest
    except OSError:
        return row.skipped != UNREADABLE


Progress = Callable[[int, int], None]
BATCHES_A_COMMIT = 8  # twice as many take 2 % less time, and 30 MB that a server would not give back
FULL_WAIT_S = 600.0


class Syncer:
    """Writes the rows of one project. All public methods may be called from any thread."""

    def __init__(self, root: Path, config: IndexConfig, files: Files, database: Database) -> None:
        self.root = root
        self.data_dir = config.data_dir or root / DATA_DIR
        self.files = files
        self.database = database
        self.reader = Reader(database)
        self._max_tokens = config.chunk_max_tokens
        self._embeds = config.embeds_while_parsing

    def complete(self) -> bool:
        """Whether a sync has ever seen every file."""
        return bool(self.reader.meta("synced_at"))

    def age(self) -> float | None:
        """Compute the seconds since the last complete sync, None before it."""
        at = self.reader.meta("synced_at")
        if not at:
            return None
        return (datetime.datetime.now(datetime.UTC) - datetime.datetime.fromisoformat(at)).total_seconds()

    def changes(self) -> Changes:
        """Find what has changed since the last sync, without writing anything."""
        unfit.load(self.reader.meta("unfit"))
        return find_changes(self.root, self.files.stats(), self.reader.files())

    def sync(
        self,
        force: bool = False,
        progress: Progress | None = None,
        stopped: Callable[[], bool] = lambda: False,
        wait_s: float = FULL_WAIT_S,
    ) -> SyncReport:
        """Bring everything up to date; `force` parses every file again.

        Raises IndexBusy after `wait_s`, IndexUnwritable; what was written before that stays.
        """
        started = time.monotonic()
        with self._writing(wait_s, stopped):
            try:
                return self._sync(force, progress, stopped, started)
            except sqlite3.DatabaseError as error:
                if not is_damage(error):
                    raise
                self.database.condemn()
                return self._sync(force, progress, stopped, started)

    def update(self, changes: Changes) -> SyncReport:
        """Write a few changes now. Raises IndexBusy if another writer is at work, IndexUnwritable."""
        started = time.monotonic()
        with self._writing(0):
            self.database.prepare()
            return self._apply(changes, self.reader.files(), None, lambda: False, started)

    @contextlib.contextmanager
    def _writing(self, wait_s: float, stopped: Callable[[], bool] = lambda: False) -> Iterator[None]:
        """Hold the writer's lock; what the disk refuses becomes IndexUnwritable."""
        try:
            locks.make_data_dir(self.data_dir)
            with locks.hold(self.data_dir, locks.ROWS, wait_s, stopped):
                yield
        except (sqlite3.OperationalError, OSError) as error:
            raise IndexUnwritable(str(error)) from error

    def _sync(self, force: bool, progress: Progress | None, stopped: Callable[[], bool], started: float) -> SyncReport:
        self.database.prepare()
        known = self.reader.files()
        changes = find_changes(self.root, self.files.stats(), known, force)
        if force:
            known = {path: row._replace(digest=b"") for path, row in known.items()}
            unfit.forget()
        else:
            unfit.load(self.reader.meta("unfit"))
        report = self._apply(changes, known, progress, stopped, started)
        if not stopped():
            with self.database.writing() as connection:
                writer.put_meta(connection, "synced_at", utc_now())
        return report

    def _apply(
        self,
        changes: Changes,
        known: Mapping[str, FileRow],
        progress: Progress | None,
        stopped: Callable[[], bool],
        started: float,
    ) -> SyncReport:
        tally = _SyncCounts(changes)
        if changes.deleted:
            with self.database.writing() as connection:
                for path in changes.deleted:
                    writer.remove(connection, path)
        work: list[FileStat] = [*changes.added, *changes.suspects]
        # Another process may have removed a row since the changes were found.
        digests = {stat.path: known[stat.path].digest for stat in changes.suspects if stat.path in known}
        note = self.data_dir / locks.PARSING
        batches = prepare_all(self.root, work, self._max_tokens, digests, self._embeds, stopped, note)
        batches = _counted(batches, len(work), progress)
        while some := list(islice(batches, BATCHES_A_COMMIT)):
            with self.database.writing() as connection:
                last = writer.last_chunk(connection)
                for prepared in chain.from_iterable(batch.files for batch in some):
                    tally.count(prepared, _store(connection, prepared, digests))
                writer.put_words(connection, some, last)
        given_up = unfit.dump()
        if given_up != self.reader.meta("unfit"):
            with self.database.writing() as connection:
                writer.put_meta(connection, "unfit", given_up)
        return tally.report(self.reader, time.monotonic() - started)


def _counted(batches: Iterable[Batch], total: int, progress: Progress | None) -> Iterator[Batch]:
    """Yield the batches, and report how many files are parsed: a commit holds several batches."""
    done = 0
    for batch in batches:
        done += len(batch.files)
        if progress is not None:
            progress(done, total)
        yield batch


def _store(connection: sqlite3.Connection, prepared: Prepared, digests: Mapping[str, bytes]) -> bool:
    """Write one file; True if its content is new."""
    if prepared.digest and prepared.digest == digests.get(prepared.stat.path):
        writer.touch(connection, prepared)
        return False
    if prepared.hashed_at or prepared.skipped == UNREADABLE:
        writer.replace(connection, prepared)
    else:  # gone meanwhile
        writer.remove(connection, prepared.stat.path)
    return bool(prepared.hashed_at)


class _SyncCounts:
    """Counts for the report."""

    def __init__(self, changes: Changes) -> None:
        self._new = {stat.path for stat in changes.added}
        self.added = self.modified = 0
        self.deleted = len(changes.deleted)
        self.unchanged = changes.unchanged
        self.errors: list[str] = []

    def count(self, prepared: Prepared, stored: bool) -> None:
        if prepared.error:
            self.errors.append(prepared.error)
        if not stored:
            self.unchanged += 0 if prepared.error else 1
        elif prepared.stat.path in self._new:
            self.added += 1
        else:
            self.modified += 1

    def report(self, reader: Reader, seconds: float) -> SyncReport:
        files, chunks, _ = reader.counts()
        notices = missing_grammars(reader.languages())
        return SyncReport(
            files=files,
            added=self.added,
            modified=self.modified,
            deleted=self.deleted,
            unchanged=self.unchanged,
            chunks=chunks,
            seconds=seconds,
            errors=tuple(self.errors),
            notices=tuple(notices),
        )


def utc_now() -> str:
    """Return the time, ISO 8601, UTC, to the millisecond."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
