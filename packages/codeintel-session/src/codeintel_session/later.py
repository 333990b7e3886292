"""A call put off: made once, when its time is over, unless it was called off before.

It waits in a thread that dies with the process, so nothing that is put off may be needed for a clean end.
"""

import threading
from collections.abc import Callable


class Later:
    """One call to come at most. Used under the lock of its owner, which the call takes itself."""

    def __init__(self, call: Callable[[], None]) -> None:
        self._call = call
        self._timer: threading.Timer | None = None

    @property
    def waiting(self) -> bool:
        """Whether the call is still to come: false once it was called off, even if its thread has woken up."""
        return self._timer is not None

    def put_off(self, seconds: float) -> None:
        """Call in so many seconds; if a call is already to come, its time stays."""
        if self._timer is None:
            self._timer = threading.Timer(seconds, self._call)
            self._timer.daemon = True
            self._timer.start()

    def call_off(self) -> None:
        """No call is to come any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
