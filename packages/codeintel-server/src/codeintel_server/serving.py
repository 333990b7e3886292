"""Running the server: on stdio, ending with its client however that client went, or on HTTP until it is stopped.

A client that closes stdin ends the run in the ordinary way. One that was killed may leave stdin open in
another process, so the parent is watched as well. On HTTP there is no such client: the first interrupt or
termination signal ends the run.
"""

import gc
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from codeintel_server.app import CodeIntelServer
    from codeintel_server.door import Address
    from codeintel_server.host import Host

WATCH_EVERY_S = 1.0
STREAMS_END_S = 2  # how long open answers may go on after a signal
CONNECTIONS = 200


def serve(start: Path) -> None:
    """Serve on stdio until the client goes. Blocks."""
    host, server = _composed(start, only_one=False)
    threading.Thread(target=_watch_parent, args=(host, os.getppid()), name="parent-watch", daemon=True).start()
    try:
        server.run("stdio")
    finally:
        _leave(host)


def serve_http(start: Path, address: "Address") -> None:
    """Serve one project over Streamable HTTP until a signal comes. Blocks. Raises DoorFault."""
    from codeintel_server.door import PATH, TokenDoor, find_token, listen, token_told

    token = find_token(address)
    listening = listen(address)
    port: int = listening.getsockname()[1]
    host, server = _composed(start, only_one=True)
    import uvicorn
    from mcp.server.transport_security import TransportSecuritySettings

    known = TransportSecuritySettings(allowed_hosts=address.hosts(port), allowed_origins=address.origins(port))
    config = uvicorn.Config(
        TokenDoor(server.streamable_http_app(transport_security=known, streamable_http_path=PATH), token),
        log_config=None,  # ours is set
        access_log=False,
        server_header=False,
        limit_concurrency=CONNECTIONS,
        timeout_graceful_shutdown=STREAMS_END_S,
    )
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # uvicorn raises it again once it has shut down
    sys.stderr.write(
        f"codeintel: serving {start} on {address.url(port)}, for who sends the token {token_told(address)}\n"
    )
    sys.stderr.flush()
    try:
        uvicorn.Server(config).run(sockets=[listening])
    finally:
        _leave(host)


def _composed(start: Path, only_one: bool) -> "tuple[Host, CodeIntelServer]":
    """The server with all its imports made."""
    gc.disable()  # imports make many objects and no garbage: collecting meanwhile is a seventh of the start-up
    from codeintel_server import logs
    from codeintel_server.app import CodeIntelServer
    from codeintel_server.host import Host

    logs.configure()
    host = Host(start, only_one=only_one)
    server = CodeIntelServer(host)
    gc.enable()
    gc.freeze()
    return host, server


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
