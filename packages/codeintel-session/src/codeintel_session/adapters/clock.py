"""The real clock and the real randomness."""

import secrets
from datetime import UTC, datetime


class SystemClock:
    """Time in UTC and random tokens."""

    def now(self) -> datetime:
        """The time."""
        return datetime.now(UTC)

    def token(self) -> str:
        """Four hex digits."""
        return secrets.token_hex(2)
