"""Connecting to a Chroma server. Whatever its client raises leaves here as DenseUnavailable.

Chroma is imported when a server is first asked, which takes more than a second.
"""

import contextlib
import importlib.util
import socket
import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from codeintel_index.config import IndexConfig
from codeintel_index.errors import DenseUnavailable

if TYPE_CHECKING:
    from chromadb import Collection
    from chromadb.api import ClientAPI
    from chromadb.api.collection_configuration import CreateHNSWConfiguration

CONNECT_S = 3.0
OPEN_S = 5.0
"""Time for all that is asked while a client is made."""
ANSWER_S = 5.0
WRITE_S = 30.0
ANSWER_BYTES = 64_000_000
EXTRA = "pip install 'codeintel-index[vectors]'"
RAISING = ("chromadb", "httpx")
KEPT_HEADERS = ("content-type", "chroma-trace-id")
_MAKING = threading.Lock()


def is_installed() -> bool:
    """Whether the extra that brings Chroma is installed. Does not import it."""
    return importlib.util.find_spec("chromadb") is not None


@contextlib.contextmanager
def translate_errors() -> Iterator[None]:
    """Turn the errors of Chroma and of what it uses into DenseUnavailable, without importing it."""
    try:
        yield
    except DenseUnavailable:
        raise
    except ModuleNotFoundError as error:
        raise DenseUnavailable(f"{error.name} is not installed; {EXTRA}") from error
    except ImportError as error:
        raise DenseUnavailable(f"chromadb cannot be imported: {error}") from error
    except (ValueError, RuntimeError, OSError) as error:
        raise DenseUnavailable(_failed(error)) from error
    except Exception as error:  # what the client raises derives from nothing narrower
        if {kind.__module__.partition(".")[0] for kind in type(error).__mro__}.isdisjoint(RAISING):
            raise
        raise DenseUnavailable(_failed(error)) from error


def _failed(error: BaseException) -> str:
    return f"the vector store failed ({type(error).__name__}: {str(error)[:200]}); it is tried again"


def collection(client: "ClientAPI", name: str, *, searched: bool = True) -> "Collection":
    """Return a collection, made if it does not exist.

    One that is not `searched` has a smaller graph, made in half of the time: it finds 9.5 of the ten nearest vectors.
    """
    graph: CreateHNSWConfiguration = {"space": "cosine"}
    if not searched:
        graph |= {"ef_construction": 20, "max_neighbors": 8}
    return client.get_or_create_collection(
        name,
        embedding_function=None,  # chroma's default one would be downloaded
        configuration={"hnsw": graph},
    )


def open_server(config: IndexConfig) -> "ClientAPI":
    """Connect to the configured server, with limits on time and size: Chroma's own client waits for ever."""
    import chromadb
    from chromadb.config import Settings

    place = server_name(config)
    check_secrets(config)
    try:
        socket.create_connection((config.chroma_host, config.chroma_port), CONNECT_S).close()
    except OSError as error:
        why = f"the Chroma server does not answer at {place} ({error}); start it or correct `chroma` in config.json"
        raise DenseUnavailable(why) from error
    settings = Settings(anonymized_telemetry=False, chroma_server_ssl_verify=config.chroma_ca or None)
    with _limited_sessions() as sessions:
        try:
            client = chromadb.HttpClient(
                host=config.chroma_host,
                port=config.chroma_port,
                ssl=config.chroma_ssl,
                headers=headers_of(config),
                tenant=config.chroma_tenant,
                database=config.chroma_database,
                settings=settings,
            )
        except (
            Exception
        ) as error:  # the client raises bare Exception too; whatever it is, the person is shown the cause
            for session in sessions:
                session.close()
            is_late = any(time.monotonic() >= session.until for session in sessions)
            why = f"does not answer within {OPEN_S:g} s" if is_late else f"refuses the connection ({str(error)[:200]})"
            said = f"the Chroma server at {place} {why}; restart it or correct `chroma` in config.json"
            raise DenseUnavailable(said) from error
        for session in sessions:
            session.until = float("inf")
    return client


def server_name(config: IndexConfig) -> str:
    """Return the host and port of the configured server."""
    return f"{config.chroma_host}:{config.chroma_port}"


def headers_of(config: IndexConfig) -> dict[str, str]:
    """Return the headers that a server asks for: those of the configuration, and the token in both usual forms."""
    lines = (line.partition(":") for line in config.chroma_headers.splitlines() if line.strip())
    found = {name.strip(): value.strip() for name, _, value in lines}
    if token := config.chroma_token:
        found |= {"Authorization": f"Bearer {token}", "X-Chroma-Token": token}
    return found


def check_secrets(config: IndexConfig) -> None:
    """Refuse to send a token or headers in the clear over a network. Raises DenseUnavailable."""
    is_here = config.chroma_host in ("localhost", "127.0.0.1", "::1")
    if headers_of(config) and not config.chroma_ssl and not is_here:
        raise DenseUnavailable(
            f"a token is not sent to {server_name(config)} unencrypted; set chroma.ssl, or use a tunnel to localhost"
        )


@contextlib.contextmanager
def _limited_sessions() -> Iterator[list[Any]]:
    """Have Chroma make its HTTP sessions with limits; yields those made.

    Chroma asks the server for several things while it makes a client, and offers no way to limit its sessions.
    """
    import httpx
    from chromadb.api import fastapi

    class Limited(httpx.Client):
        """A session whose answers end within a time and a size, however slowly they come."""

        until = float("inf")

        def send(self, request: httpx.Request, *, stream: bool = False, **options: Any) -> httpx.Response:
            seconds = WRITE_S if request.url.path.endswith("/upsert") else ANSWER_S
            until = min(self.until, time.monotonic() + seconds)
            left = max(0.1, until - time.monotonic())
            request.headers["Accept-Encoding"] = "identity"
            request.extensions["timeout"] = httpx.Timeout(left, connect=min(left, CONNECT_S)).as_dict()
            guard = threading.Timer(left, self.close)  # for a server that sends its headers byte by byte
            guard.daemon = True
            guard.start()
            try:
                answer = super().send(request, stream=True, **options)
                with contextlib.closing(answer):
                    body = _body(answer.iter_raw(), until)
            finally:
                guard.cancel()
            kept = [(name, value) for name, value in answer.headers.items() if name in KEPT_HEADERS]
            return httpx.Response(answer.status_code, headers=kept, content=body, request=request)

    made: list[Any] = []

    def make(**given: Any) -> httpx.Client:
        session = Limited(**{**given, "timeout": ANSWER_S, "follow_redirects": False})
        session.until = time.monotonic() + OPEN_S
        made.append(session)
        return session

    with _MAKING:
        module: Any = fastapi
        before, module.httpx = module.httpx, SimpleNamespace(Client=make)
        try:
            yield made
        finally:
            module.httpx = before


def _body(parts: Iterator[bytes], until: float) -> bytes:
    found = bytearray()
    for part in parts:
        found += part
        if len(found) > ANSWER_BYTES:
            raise DenseUnavailable(f"the Chroma server sends more than {ANSWER_BYTES} bytes")
        if time.monotonic() > until:
            raise DenseUnavailable("the Chroma server does not finish its answer in time")
    return bytes(found)


def close(client: "ClientAPI") -> None:
    """Close a client and the sockets that it would leave open."""
    client.close()  # type: ignore[attr-defined]  # missing in the interface, there in every client
    for session in _sessions(client):
        session.close()  # type: ignore[attr-defined]


def _sessions(client: object) -> list[object]:
    """The HTTP sessions of a client; there is no public way to them."""
    servers = [getattr(each, "_server", None) for each in (client, getattr(client, "_admin_client", None))]
    return [session for server in servers if (session := getattr(server, "_session", None)) is not None]
