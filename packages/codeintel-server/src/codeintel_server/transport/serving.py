"""Running the server: on stdio, ending with its client however that client went, or on HTTP until it is stopped.

On stdio the parent is watched beside stdin (`end_with_parent`). On HTTP there is no such client: the first interrupt or
termination signal ends the run.
"""

import gc
import logging
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from codeintel_server.mcp.app import CodeIntelServer
    from codeintel_server.project.host import Host
    from codeintel_server.transport.http_auth import Address

STREAMS_END_S = 2  # how long open responses may continue after a signal
CONNECTIONS = 200


class RedactingFormatter(logging.Formatter):
    """Lines, tracebacks among them, with the secrets in them hidden."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        from codeintel_index import mask_text  # late: the first reply does not wait for it

        return mask_text(super().format(record))


def _log_to_stderr() -> None:
    """Log warnings and errors to stderr, as stdout carries the protocol; CODEINTEL_LOG sets another level."""
    level = os.environ.get("CODEINTEL_LOG", "WARNING").upper()
    handler = logging.StreamHandler()
    handler.setFormatter(RedactingFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(handlers=[handler])
    known = logging.getLevelNamesMapping()
    logging.getLogger("codeintel_server").setLevel(known.get(level, logging.WARNING))


def serve(start: Path, *, named: bool = False, also: Sequence[Path] = ()) -> None:
    """Serve on stdio until the client goes. Blocks. `named` and `also` are those of the `Host`."""
    host, server = _composed(start, named, also)
    from codeintel_index.mcp import end_with_parent

    end_with_parent(lambda: _leave(host))
    try:
        server.run("stdio")
    finally:
        _leave(host)


def serve_http(start: Path, address: "Address", *, also: Sequence[Path] = ()) -> None:
    """Serve one project over Streamable HTTP until a signal comes. Blocks. Raises HttpSetupError."""
    from codeintel_server.transport.http_auth import PATH, TokenAuth, find_token, listen, token_told

    token = find_token(address)
    listening = listen(address)
    port: int = listening.getsockname()[1]
    host, server = _composed(start, True, also)
    import uvicorn
    from mcp.server.transport_security import TransportSecuritySettings

    known = TransportSecuritySettings(allowed_hosts=address.hosts(port), allowed_origins=address.origins(port))
    config = uvicorn.Config(
        TokenAuth(server.streamable_http_app(transport_security=known, streamable_http_path=PATH), token),
        log_config=None,  # ours is set
        access_log=False,
        server_header=False,
        limit_concurrency=CONNECTIONS,
        timeout_graceful_shutdown=STREAMS_END_S,
    )
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # uvicorn raises it again once it has shut down
    sys.stderr.write(
        f"codeintel: serving {start} on {address.url(port)}, for clients that send the token {token_told(address)}\n"
    )
    sys.stderr.flush()
    try:
        uvicorn.Server(config).run(sockets=[listening])
    finally:
        _leave(host)


def _composed(start: Path, named: bool, also: Sequence[Path]) -> "tuple[Host, CodeIntelServer]":
    """The server with all its imports made."""
    gc.disable()  # imports make many objects and no garbage: collecting meanwhile is a seventh of the start-up
    from codeintel_server.mcp.app import CodeIntelServer
    from codeintel_server.project.host import Host

    _log_to_stderr()
    host = Host(start, named=named, also=also)
    server = CodeIntelServer(host)
    gc.enable()
    gc.freeze()
    return host, server


def _leave(host: "Host") -> None:
    """Stop what runs, save what is open, and go: threads of abandoned calls must not keep the process."""
    from codeintel_server.verification.runner import stop_all
    from codeintel_session import stop_reading

    host.stop_runs()
    stop_all()
    stop_reading()
    host.close()
    os._exit(0)
