"""Keeping the index close to the files while it is used: small changes at once, large ones and vectors in the
background.

Every query looks at the disk when the last look is two seconds old. There is at most one background thread; it syncs
rows if they are wanted, empties the log of the store, brings the vectors up to date, has Chroma's folder follow, and
ends.
"""

import sqlite3
import threading
import time
from collections.abc import Callable

from codeintel_index.errors import IndexBusy, IndexUnwritable
from codeintel_index.results import Freshness, SyncReport
from codeintel_index.store import segments
from codeintel_index.sync.syncer import Changes, Progress, Syncer, utc_now
from codeintel_index.vectors.dense import Dense

LOOK_AGAIN_S = 2.0
LOOK_UP_S = 0.1  # how often whoever waits looks at the forecast
AT_ONCE, AT_ONCE_BYTES = 50, 2_000_000  # changed files, and what they hold: two megabytes may take 5 s
FIRST_SYNC_WAIT_S = 8.0
FORECAST_S = 2.0
"""After so long the speed of a first sync says whether waiting for it is worth while."""


class IndexUpdater:
    """Brings the index up to date when it is asked, at once or in a background thread."""

    def __init__(self, syncer: Syncer, dense: Dense) -> None:
        self._syncer = syncer
        self._dense = dense
        self._database = syncer.database
        self._looking = threading.Lock()
        self._looked = float("-inf")
        self._fresh = Freshness("")
        self._closing = threading.Event()
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None
        self._rows_wanted = False
        self._once_more = False
        self._rows_done = threading.Event()
        self._forecast = 0.0
        self.failure = ""

    def sync(self, force: bool, progress: Progress | None, stopped: Callable[[], bool]) -> SyncReport:
        """Sync everything now; vectors follow in the background."""
        report = self._full(force, progress, stopped)
        self.start_background()
        return report

    def refresh(self) -> Freshness:
        """Look at the disk if the last look is old, and act on what has changed."""
        with self._looking:
            if time.monotonic() - self._looked >= LOOK_AGAIN_S:
                self._look()
            return self._fresh

    def refresh_or_wait(self) -> Freshness:
        """Refresh, and wait up to 8 s for the first sync of an index that was never complete.

        There is no waiting for one that will not be done by then.
        """
        fresh = self.refresh()
        if self._syncer.complete():
            return fresh
        self.start_background(rows=True)
        until = time.monotonic() + FIRST_SYNC_WAIT_S
        while time.monotonic() < until and self._forecast < until and not self._rows_done.wait(LOOK_UP_S):
            pass
        return self.refresh() if self._syncer.complete() else fresh

    def start_background(self, rows: bool = False) -> None:
        """Have the background thread do what is outstanding: rows if `rows`, vectors always."""
        with self._guard:
            if rows and not self._rows_wanted:
                self._rows_wanted = True
                self._rows_done.clear()
            if self._closing.is_set():
                return
            if self._thread is not None and self._thread.is_alive():
                self._once_more = True  # it may be past what is asked of it now
                return
            self._thread = threading.Thread(target=self._run_background, name="codeintel-index", daemon=True)
            self._thread.start()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the background thread; True if it has nothing left to do."""
        with self._guard:
            thread = self._thread
        if thread is not None:
            thread.join(seconds)
        return thread is None or not thread.is_alive()

    def wait_dense(self, seconds: float | None, progress: Progress | None) -> int:
        """Wait until no vector is missing, at most `seconds`; returns how many still are."""
        self.start_background()
        until = float("inf") if seconds is None else time.monotonic() + seconds
        total = self._dense.pending()
        while not self.wait(min(0.1, max(0.0, until - time.monotonic()))) and time.monotonic() < until:
            if progress is not None:
                progress(total - min(total, self._dense.pending()), total)
        return self._dense.pending()

    def busy(self) -> bool:
        """Whether rows are being written in the background."""
        return self._rows_wanted

    def close(self) -> None:
        """Stop the background thread at its next batch and wait for it."""
        self._closing.set()
        self.wait()

    def _look(self) -> None:
        seen = utc_now()
        changes = self._syncer.changes()
        stale = len(changes)
        if stale > AT_ONCE or changes.size > AT_ONCE_BYTES:
            self.start_background(rows=True)
        elif stale or not self._syncer.complete():
            stale = self._small(changes)
        if self._looked < 0:
            self._dense.follow()  # a process before may have ended while it filled the folder
        self._fresh = Freshness(seen, stale)
        self._looked = time.monotonic()

    def _small(self, changes: Changes) -> int:
        """Write a few changes on the spot; what is still stale, as another writes or the disk refuses, is returned."""
        try:
            if self._syncer.complete():
                self._syncer.update(changes)
            else:
                self._syncer.sync(wait_s=0)
        except IndexBusy:
            return len(changes)
        except IndexUnwritable as error:
            self.failure = str(error)
            return len(changes)
        self.failure = ""
        self.start_background()
        return 0

    def _full(self, force: bool, progress: Progress | None, stopped: Callable[[], bool]) -> SyncReport:
        seen = utc_now()
        report = self._syncer.sync(force, progress, lambda: stopped() or self._closing.is_set())
        if not stopped():
            self._fresh, self._looked = Freshness(seen), time.monotonic()
        return report

    def _run_background(self) -> None:
        while not self._closing.is_set():
            self._once_more = False
            try:
                self._do_outstanding()
                self.failure = ""
            except (
                IndexBusy,
                IndexUnwritable,
                OSError,
                sqlite3.Error,
            ) as error:  # shown by stats(); the next look tries again
                self.failure = str(error)
            with self._guard:
                if not (self._rows_wanted or self._once_more) or self._closing.is_set():
                    self._thread = None
                    return

    def _do_outstanding(self) -> None:
        if self._rows_wanted:
            began = time.monotonic()

            def forecast(done: int, total: int) -> None:
                spent = time.monotonic() - began
                if spent > FORECAST_S:
                    self._forecast = began + spent * total / max(1, done)

            try:
                self._full(False, forecast, lambda: False)
            finally:
                self._forecast = 0.0
                self._rows_wanted = False
                self._rows_done.set()
        segments.merge(self._database)
        self._database.checkpoint()
        self._dense.catch_up(lambda: self._closing.is_set() or self._rows_wanted)
        self._database.checkpoint()
        self._dense.follow()
