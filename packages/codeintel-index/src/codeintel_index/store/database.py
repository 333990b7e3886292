"""One SQLite file, one connection a thread. Readers never create, repair or delete anything; the writer may.

A reader that finds no usable database (absent, other schema, damaged) gets an empty one in memory, so that every
query has an answer; the next sync, which holds the writer's lock, rebuilds the file and says so in `notices`.
"""

import contextlib
import sqlite3
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from codeintel_index.store.schema import SCHEMA, fingerprint

BUSY_MS = 10_000
CACHE_KB = 8_000  # of each thread; the system's own cache holds the rest, and searches are not slower
BUILDING_CACHE_KB = 32_000  # of the thread that makes the file
LONGEST_LOG = 1_000_000  # bytes; above it, or above the share of the file below, a checkpoint empties the log
LOG_SHARE = 4  # a small edit is not worth flushing the disk for
_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the error says that the file itself is broken (as opposed to locked, full or a wrong statement)."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGE


class _Connections(threading.local):
    """What one thread has open, and the lock it holds while it uses any of it."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.inode = 0
        self.connection: sqlite3.Connection | None = None
        self.frozen: sqlite3.Connection | None = None
        self.memory: sqlite3.Connection | None = None
        self.pinned: sqlite3.Connection | None = None
        self.found = ""


class Database:
    """The file `path`, for rows of `chunk_max_tokens`. Safe to share between threads, also `close`."""

    def __init__(self, path: Path, chunk_max_tokens: int) -> None:
        self.path = path
        self._chunk_max_tokens = chunk_max_tokens
        self.notices: list[str] = []
        self._local = _Connections()
        self._open: list[tuple[threading.Thread, threading.RLock, sqlite3.Connection]] = []
        self._guard = threading.Lock()
        self._condemned = 0  # inode of a file found damaged

    def usable(self) -> bool:
        """Whether a database of this schema is there."""
        with self._using() as local:
            return self._reader(local) is not local.memory

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Use this thread's connection, or an empty database in memory where there is no usable file.

        Fetch all rows before the block ends: `close` may close the connection then, and not before.
        """
        with self._using() as local:
            yield self._reader(local)

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[None]:
        """Have all that this thread reads within the block be of one state of the rows. Nothing may be written."""
        with self._using() as local:
            connection = local.pinned = self._reader(local)
            local.found = ""
            connection.execute("BEGIN")
            try:
                yield
            finally:
                local.pinned = None
                if connection.in_transaction:  # damage may have ended it
                    connection.execute("ROLLBACK")

    def once_in_snapshot(self, make: Callable[[], str]) -> str:
        """Return what `make` finds; within a snapshot, what the first one found."""
        with self._using() as local:
            if local.pinned is None:
                return make()
            local.found = local.found or make()
            return local.found

    @contextlib.contextmanager
    def _using(self) -> Iterator[_Connections]:
        """Hold what this thread has open: to close a connection that another thread is using ends the process."""
        local = self._local
        with local.lock:
            if local is self._local:
                yield local
                return
        with self._using() as local:  # `close` came between
            yield local

    def _reader(self, local: _Connections) -> sqlite3.Connection:
        if local.pinned is not None:
            return local.pinned
        try:
            return self._usable(local) or self._memory(local)
        except sqlite3.OperationalError:  # no room or no right for the files that SQLite keeps beside an open one
            return self._frozen(local) or self._memory(local)

    def _usable(self, local: _Connections) -> sqlite3.Connection | None:
        inode = self.inode()
        if inode == 0 or inode == self._condemned:
            return None
        if local.inode != inode:
            connection = self._connect_existing(local)
            if connection is None:
                return None
            local.connection, local.inode = connection, inode
        return local.connection

    def _frozen(self, local: _Connections) -> sqlite3.Connection | None:
        """The file as it is, for this one query; None if its newest part is in a log that cannot be read now."""
        if local.frozen is not None:
            local.frozen.close()
        log = self.path.with_name(self.path.name + "-wal")
        if log.exists() and log.stat().st_size:
            return None
        address = f"{self.path.as_uri()}?immutable=1"
        local.frozen = sqlite3.connect(address, uri=True, check_same_thread=False, isolation_level=None)
        version = local.frozen.execute("PRAGMA user_version").fetchone()[0]
        return local.frozen if version == self._recipe() else None

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction: committed when the block ends, rolled back when it raises."""
        with self._using() as local:
            connection = self._reader(local)
            if connection is local.memory:
                raise sqlite3.OperationalError("no database to write to")
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'")
            except BaseException:  # an interrupt too must not leave the transaction open
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def checkpoint(self) -> None:
        """Move a log that has grown into the file and empty it, as far as that is possible without waiting.

        A reader or writer at work is left alone: what it holds back stays in the log until the next call.
        """
        log = _size(self.path.with_name(f"{self.path.name}-wal"))
        if log <= min(LONGEST_LOG, _size(self.path) // LOG_SHARE):
            return
        with self._using() as local:
            self._checkpoint(local)

    def _checkpoint(self, local: _Connections) -> None:
        connection = self._usable(local)
        if connection is None:
            return
        connection.execute("PRAGMA busy_timeout = 0")
        try:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            self.condemn()
        finally:
            connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")

    def prepare(self) -> None:
        """Make the file ready for writing. Call with the writer's lock held: an unusable file is replaced."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._using() as local:
            if not self._usable(local):
                self._make(local)

    def _make(self, local: _Connections) -> None:
        spare: list[tuple[str, str, bytes]] = []
        if self.path.exists():
            self.notices.append(f"{self.path.name} was {self._why_unusable()} and has been rebuilt")
            spare = _slow_vectors(self.path)
            self.discard()
            self._condemned = 0  # the new file may be given the old one's inode
        connection = self._connect(local)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA cache_size = -{BUILDING_CACHE_KB}")
        connection.executescript(f"BEGIN IMMEDIATE; {SCHEMA} PRAGMA user_version = {self._recipe()}; COMMIT;")
        connection.executemany("INSERT INTO spare_vectors VALUES (?, ?, ?)", spare)
        local.connection, local.inode = connection, self.inode()

    def condemn(self) -> None:
        """Remember that the present file is damaged: readers treat it as absent until it is rebuilt."""
        self._condemned = self.inode()

    def discard(self) -> None:
        """Delete the file. Connections that other threads still hold keep reading the old one until their next use."""
        for suffix in ("", "-wal", "-shm"):
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
        self._local.inode = 0

    def close(self) -> None:
        """Close every connection; further use opens new ones."""
        with self._guard:
            connections, self._open = self._open, []
        self._local = _Connections()
        for _, lock, connection in connections:
            with lock:
                connection.close()

    def inode(self) -> int:
        """Return the number of the file, 0 if it is not there; another file has another one."""
        try:
            found = self.path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return 0
        return found.st_ino if stat.S_ISREG(found.st_mode) else 0

    def _recipe(self) -> int:
        return fingerprint(self._chunk_max_tokens)

    def _why_unusable(self) -> str:
        return "damaged" if self._condemned == self.inode() else "made in another way"

    def _memory(self, local: _Connections) -> sqlite3.Connection:
        if local.memory is None:
            memory = self._remember(local, sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None))
            memory.executescript(SCHEMA)
            local.memory = memory
        return local.memory

    def _connect_existing(self, local: _Connections) -> sqlite3.Connection | None:
        try:
            connection = self._connect(local)
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            connection.execute("SELECT count(*) FROM (SELECT 1 FROM files LIMIT 1)")
        except sqlite3.DatabaseError as error:
            if is_damage(error):
                self.condemn()
            elif "no such table" not in str(error):
                raise
            return None
        return connection if version == self._recipe() else None

    def _connect(self, local: _Connections) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path, timeout=BUSY_MS / 1000, check_same_thread=False, isolation_level=None, cached_statements=256
        )
        self._remember(local, connection)
        connection.executescript(
            "PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 4000;"
            f"PRAGMA cache_size = -{CACHE_KB};"
        )
        return connection

    def _remember(self, local: _Connections, connection: sqlite3.Connection) -> sqlite3.Connection:
        """Keep a connection to be closed, and close those of threads that have ended: a server has many in its life."""
        with self._guard:
            ended = [each for thread, _, each in self._open if not thread.is_alive()]
            self._open = [each for each in self._open if each[0].is_alive()]
            self._open.append((threading.current_thread(), local.lock, connection))
        for each in ended:
            each.close()
        return connection


def _slow_vectors(place: Path) -> list[tuple[str, str, bytes]]:
    """(chunk id, model, vector) of a file that is replaced, as far as it can be read. The default model's are left out:
    they are made with the rows.
    """
    sql = "SELECT c.chunk_id, c.vector_of, v.packed FROM chunks c JOIN vectors v ON v.chunk = c.id"
    try:
        with contextlib.closing(sqlite3.connect(place)) as old:
            return old.execute(f"{sql} WHERE c.vector_of NOT LIKE 'static-%'").fetchall()
    except sqlite3.Error:
        return []


def _size(place: Path) -> int:
    try:
        return place.stat().st_size
    except FileNotFoundError:
        return 0
