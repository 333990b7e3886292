"""Running the server on stdio, and ending with its client however that client went.

A client that closes stdin ends the run in the ordinary way. One that was killed may leave stdin open in
another process, so the parent is watched as well.
"""

import gc
import os
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from codeintel_server.host import Host

WATCH_EVERY_S = 1.0


def serve(start: Path) -> None:
    """Serve on stdio until the client goes. Blocks."""
    gc.disable()  # imports make many objects and no garbage: collecting meanwhile is a seventh of the start-up
    from codeintel_server import logs
    from codeintel_server.app import CodeIntelServer
    from codeintel_server.host import Host

    logs.configure()
    host = Host(start)
    server = CodeIntelServer(host)
    gc.enable()
    gc.freeze()
    threading.Thread(target=_watch_parent, args=(host, os.getppid()), name="parent-watch", daemon=True).start()
    try:
        server.run("stdio")
    finally:
        _leave(host)


def _watch_parent(host: "Host", parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(WATCH_EVERY_S)
    _leave(host)


def _leave(host: "Host") -> None:
    """Stop what runs, save what is open, and go: threads of abandoned calls must not keep the process."""
    from codeintel_server.verify import stop_all

    stop_all()
    host.close()
    os._exit(0)
