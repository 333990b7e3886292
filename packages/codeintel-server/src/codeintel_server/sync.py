"""The sync that runs behind a session: started when the index is old, never waited for, its state always known."""

import logging
import threading
from typing import Any

from codeintel_server.code import IndexedCode

log = logging.getLogger(__name__)


class BackgroundSync:
    """At most one background sync of one project."""

    def __init__(self, code: IndexedCode) -> None:
        self._code = code
        self._thread: threading.Thread | None = None

    def start_if_old(self) -> None:
        """Start a sync unless one runs or the last one is younger than `sync_ttl_hours`."""
        if self._thread is not None and self._thread.is_alive():
            return
        age = self._code.index.stats().age_s
        if age is None or age > self._code.index.config.sync_ttl_hours * 3600:
            self._thread = threading.Thread(target=self._sync, name="codeintel-sync", daemon=True)
            self._thread.start()

    def _sync(self) -> None:
        from codeintel_index.errors import IndexFault

        try:
            self._code.index.sync()
        except (IndexFault, OSError) as fault:
            log.warning("background sync failed: %s", fault)

    def overview(self) -> dict[str, Any]:
        """`index` of a start_session reply."""
        stats = self._code.index.stats()
        busy = self._thread is not None and self._thread.is_alive()
        return {
            "state": "syncing" if busy else stats.state,
            "files": stats.files,
            "chunks": stats.chunks,
            "age_s": None if stats.age_s is None else round(stats.age_s),
        }
