"""Write the report of every session that ends, beside its archived checkpoint.

Implements `codeintel_session.ports.Reports`.
"""

import logging
from pathlib import Path

from codeintel_session import SessionState

SESSIONS = ".code-intel/sessions"
ARCHIVE = f"{SESSIONS}/archive"

log = logging.getLogger(__name__)


class SessionReports:
    """Write the reports of one project; remove those whose checkpoint has left the archive."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def place(self, session_id: str) -> str:
        """Return the page's path, relative to the root."""
        return f"{ARCHIVE}/{session_id}.html"

    def write(self, state: SessionState) -> None:
        """Write the page. Log a failure: the session has ended, and `codeintel report` can write the page again."""
        from codeintel_session import write_atomically

        try:
            from codeintel_server.report.gather import gather
            from codeintel_server.report.page import as_html

            write_atomically(self.root / self.place(state.session_id), as_html(gather(self.root, state)).encode())
            for page in (self.root / ARCHIVE).glob("*.html"):
                if not page.with_suffix(".json").exists():
                    page.unlink()
        except (OSError, ValueError, KeyError) as error:
            log.error("the report of session %s was not written: %s", state.session_id, error)
