"""Connecting to Chroma, and what its failures mean. Whatever it raises leaves here as DenseUnavailable, panics too.

Chroma is imported when first needed (seconds). Its native part reports some faults as a panic, which Python sees as a
BaseException, and on damaged files it may take the process down: `fault_of` has a child process try.
"""

import contextlib
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from codeintel_index.config import IndexConfig
from codeintel_index.errors import DenseUnavailable
from codeintel_index.tools.binaries import python_module

if TYPE_CHECKING:
    from chromadb.api import ClientAPI

CONNECT_S = 3.0
ANSWER_S = 30.0
CHECK_S = 60.0


@contextlib.contextmanager
def translated() -> Iterator[None]:
    """Turn the errors of Chroma and of what it stands on into DenseUnavailable."""
    try:
        import chromadb.errors
        import httpx
    except ImportError as error:
        raise DenseUnavailable(f"chromadb cannot be imported: {error}") from error
    try:
        yield
    except (chromadb.errors.ChromaError, httpx.HTTPError, ValueError, RuntimeError, OSError) as error:
        raise DenseUnavailable(_failed(error)) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # of no module that could be imported
            raise
        raise DenseUnavailable(_failed(error)) from error


def _failed(error: BaseException) -> str:
    return f"the vector store failed and is looked after by itself: {str(error)[:200]}"


def open_folder(place: Path) -> "ClientAPI":
    """A client of a store in a folder, made if it is not there."""
    import chromadb
    from chromadb.api.shared_system_client import SharedSystemClient
    from chromadb.config import Settings

    try:
        return chromadb.PersistentClient(str(place), settings=Settings(anonymized_telemetry=False))
    except BaseException:
        # Chroma keeps what failed to start and would hand it out the next time.
        if str(place) not in SharedSystemClient._identifier_to_refcount:
            SharedSystemClient._identifier_to_system.pop(str(place), None)
        raise


def open_server(config: IndexConfig) -> "ClientAPI":
    """A client of the configured server, with a limit on every answer: Chroma's own client waits for ever."""
    import chromadb
    from chromadb.config import Settings

    try:
        socket.create_connection((config.chroma_host, config.chroma_port), CONNECT_S).close()
    except OSError as error:
        place = f"{config.chroma_host}:{config.chroma_port}"
        why = f"the Chroma server does not answer at {place} ({error}); start it or mend `chroma` in config.json"
        raise DenseUnavailable(why) from error
    client = chromadb.HttpClient(
        host=config.chroma_host,
        port=config.chroma_port,
        ssl=config.chroma_ssl,
        tenant=config.chroma_tenant,
        database=config.chroma_database,
        settings=Settings(anonymized_telemetry=False),
    )
    for session in _sessions(client):
        session.timeout = ANSWER_S  # type: ignore[attr-defined]  # an httpx.Client
    return client


def close(client: "ClientAPI") -> None:
    """Let go of a client and of the sockets that it would leave open."""
    client.close()  # type: ignore[attr-defined]  # missing in the interface, there in every client
    for session in _sessions(client):
        session.close()  # type: ignore[attr-defined]


def _sessions(client: object) -> list[object]:
    """The HTTP sessions of a client; there is no public way to them. None for a store in a folder."""
    servers = [getattr(each, "_server", None) for each in (client, getattr(client, "_admin_client", None))]
    return [session for server in servers if (session := getattr(server, "_session", None)) is not None]


def fault_of(place: Path) -> str:
    """Why the store in a folder cannot be used, "" if it can. A child process tries it, since trying may be fatal."""
    command, environment = python_module("codeintel_index.store.trial")
    try:
        done = subprocess.run(
            [*command, str(place)],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=CHECK_S,
        )
    except subprocess.TimeoutExpired:
        return f"it did not open within {CHECK_S:g} s"
    if done.returncode == 0:
        return ""
    return done.stdout.strip()[-200:] or f"opening it ends the process ({done.returncode})"
