"""The system's clock and random numbers."""

import secrets
from datetime import UTC, datetime


class SystemClock:
    """Time in UTC and random tokens."""

    def now(self) -> datetime:
        """Return the time."""
        return datetime.now(UTC)

    def token(self) -> str:
        """Return four random hex digits."""
        return secrets.token_hex(2)
