"""The door of the HTTP transport: who may talk to the server, decided before anything of a request is read.

Whoever passes can read the project and run its session. So a token is always asked for, only names that were meant are
answered to (a page of elsewhere that resolves its own name to this machine sends another one), and no page of another
origin is served. The address is the loopback unless the user allows names and chooses the token.
"""

import hmac
import ipaddress
import os
import secrets
import socket
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codeintel_server.verification.trust import state_folder

TOKEN_VARIABLE = "CODEINTEL_HTTP_TOKEN"
SHORTEST_TOKEN = 32  # characters
PATH = "/mcp"

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]


class HttpSetupError(Exception):
    """What the user asked for cannot be served safely; the text says what to do instead."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen. `port` 0 lets the system choose; `names` are further names the server answers to."""

    host: str = "127.0.0.1"
    port: int = 8765
    names: tuple[str, ...] = ()
    token_file: Path | None = None

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can connect."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    def hosts(self, port: int) -> list[str]:
        """The Host headers that are answered, for the port really bound."""
        own = ("localhost", "127.0.0.1", "[::1]", self._written)
        return [*dict.fromkeys(f"{name}:{port}" for name in (*own, *self.names)), *self.names]

    def origins(self, port: int) -> list[str]:
        """The Origin headers that are answered: those of the server itself."""
        return [f"{scheme}://{host}" for scheme in ("http", "https") for host in self.hosts(port)]

    def url(self, port: int) -> str:
        """What clients are given."""
        return f"http://{self._written}:{port}{PATH}"

    @property
    def _written(self) -> str:
        return f"[{self.host}]" if ":" in self.host else self.host


def listen(address: Address) -> socket.socket:
    """Take the address. Raises HttpSetupError if it is not available."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    try:
        return socket.create_server((address.host, address.port), family=family)
    except (OSError, OverflowError) as error:
        raise HttpSetupError(f"{address.host} port {address.port} cannot be listened on: {error}") from error


def find_token(address: Address) -> str:
    """The token clients must send: of the environment, of the file named, else (loopback only) one kept for the user.

    Raises HttpSetupError: an address others can reach without names or a token of its own; a token that is too short.
    """
    given = os.environ.get(TOKEN_VARIABLE, "")
    if address.token_file is not None:
        given = _read(address.token_file)
    if not address.is_loopback and not (address.names and given):
        raise HttpSetupError(
            f"{address.host} can be reached by others: name the hosts clients will use with --allow-host, and set "
            f"{TOKEN_VARIABLE} or --token-file"
        )
    if not given:
        return _kept()
    if len(given) < SHORTEST_TOKEN or not given.isascii() or not given.isprintable() or " " in given:
        raise HttpSetupError(f"a token needs at least {SHORTEST_TOKEN} printable ASCII characters and no space")
    return given


def token_place() -> Path:
    """Where the token lies that the server makes for itself."""
    return state_folder() / "http-token"


def token_told(address: Address) -> str:
    """Where the token is that `find_token` gives, in words; the token itself is never printed."""
    if address.token_file is not None:
        return f"in {address.token_file}"
    return f"in {TOKEN_VARIABLE}" if os.environ.get(TOKEN_VARIABLE) else f"in {token_place()}"


def _kept() -> str:
    """The user's own token, made on first use, for nobody else to read; the same each time, as clients keep it."""
    place = token_place()
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _read(place)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        token = secrets.token_urlsafe(SHORTEST_TOKEN)
        file.write(token + "\n")
    return token


def _read(place: Path) -> str:
    try:
        found = place.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise HttpSetupError(f"the token cannot be read from {place}: {error}") from error
    if not found:
        raise HttpSetupError(f"{place} holds no token; remove it or write one")
    return found


class TokenAuth:
    """An ASGI application in front of another: requests without the token end here, unread."""

    def __init__(self, app: App, token: str) -> None:
        self._app = app
        self._wanted = token.encode()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Pass on the server's own life cycle and requests that carry the token."""
        if scope["type"] == "lifespan" or (scope["type"] == "http" and self._knows(scope["headers"])):
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await _refuse(send)

    def _knows(self, headers: Iterable[tuple[bytes, bytes]]) -> bool:
        given = [value for name, value in headers if name == b"authorization"]
        scheme, _, token = given[0].partition(b" ") if len(given) == 1 else (b"", b"", b"")
        return scheme.lower() == b"bearer" and hmac.compare_digest(token.strip(), self._wanted)


async def _refuse(send: Send) -> None:
    said = b"the request carries no token, or a wrong one\n"
    headers = [
        (b"content-type", b"text/plain"),
        (b"www-authenticate", b"Bearer"),
        (b"content-length", b"%d" % len(said)),
    ]
    await send({"type": "http.response.start", "status": 401, "headers": headers})
    await send({"type": "http.response.body", "body": said})
