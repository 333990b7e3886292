"""Servers that misbehave: none of them keeps a search waiting, takes memory, or learns what it should not.

The server here is a small one that behaves as each test says; what Chroma itself does is in test_chroma_server.py.
"""

import json
import socket
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from codeintel_index import Index, IndexConfig
from codeintel_index.errors import BadConfig, DenseUnavailable
from codeintel_index.testing import bounded
from codeintel_index.vectors import chroma

Answer = Callable[[str, dict[str, str]], bytes | None]
TOKEN = "a-token-that-nobody-should-see"


def reply(status: int, body: bytes | str, kind: str = "application/json") -> bytes:
    data = body.encode() if isinstance(body, str) else body
    return f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data


def chroma_like(path: str, headers: dict[str, str]) -> bytes:
    """Answer what a client asks while it connects; collections are another matter."""
    if path.endswith("/identity"):
        who = {"user_id": "", "tenant": "default_tenant", "databases": ["default_database"]}
        return reply(200, json.dumps(who))
    if "/collections" in path:
        return reply(500, '{"error":"InternalError","message":"the disk is full"}')
    return reply(200, '{"name":"default_tenant","id":"00000000-0000-0000-0000-000000000000","tenant":"default_tenant"}')


class Fake(socketserver.ThreadingTCPServer):
    """A server that answers each request with what a function returns; None keeps the client waiting."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, answer: Answer, pause_s: float = 0) -> None:
        self.answer = answer
        self.pause_s = pause_s
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.over = threading.Event()
        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def config(self) -> IndexConfig:
        return IndexConfig(chroma_mode="http", chroma_host="127.0.0.1", chroma_port=self.server_address[1])


class Handler(socketserver.StreamRequestHandler):
    server: Fake

    def handle(self) -> None:
        while line := self.rfile.readline():
            headers: dict[str, str] = {}
            while (field := self.rfile.readline().decode().strip()) != "":
                name, _, value = field.partition(":")
                headers[name.lower()] = value.strip()
            self.rfile.read(int(headers.get("content-length", 0)))
            path = line.decode().split()[1]
            self.server.asked.append((path, headers))
            data = self.server.answer(path, headers)
            if data is None:
                self.server.over.wait(30)
                return
            self._send(data)

    def _send(self, data: bytes) -> None:
        step = 1 if self.server.pause_s else len(data)
        for start in range(0, len(data), step):
            self.wfile.write(data[start : start + step])
            if self.server.over.wait(self.server.pause_s):
                return


@contextmanager
def serving(answer: Answer, pause_s: float = 0) -> Iterator[Fake]:
    with Fake(answer, pause_s) as server:
        server.handle_error = lambda request, client_address: None  # type: ignore[method-assign]  # clients hang up
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield server
        finally:
            server.over.set()
            server.shutdown()


@pytest.fixture(autouse=True)
def _short_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CONNECT_S", "OPEN_S", "ANSWER_S", "WRITE_S"):
        monkeypatch.setattr(chroma, name, 0.5)


def garbled(path: str, headers: dict[str, str]) -> bytes:
    return b"\0\xff" * 100


BAD: dict[str, tuple[Answer, float]] = {
    "accepts and never answers": (lambda path, headers: None, 0),
    "sends its headers byte by byte": (lambda path, headers: reply(200, "{}"), 0.2),
    "is full": (chroma_like, 0),
    "is another program": (lambda path, headers: reply(200, "<html>Welcome</html>", "text/html"), 0),
    "is of another version": (lambda path, headers: reply(410, '{"error":"Unimplemented","message":"v1 is gone"}'), 0),
    "refuses": (lambda path, headers: reply(401, '{"error":"AuthError","message":"no"}'), 0),
    "restarts": (lambda path, headers: b"", 0),
    "speaks no HTTP": (garbled, 0),
    "sends lists nested without end": (lambda path, headers: reply(200, "[" * 100_000), 0),
    "leads elsewhere": (
        lambda path, headers: b"HTTP/1.1 307 X\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n",
        0,
    ),
}


@pytest.mark.sample(3)
@pytest.mark.parametrize("case", BAD)
def test_a_search_is_answered_by_words_and_says_why(shop: Path, case: str) -> None:
    answer, pause_s = BAD[case]
    with serving(answer, pause_s) as server, Index.open(shop, server.config) as index:
        index.sync()
        waiting = index.wait_dense()
        assert waiting == index.stats().chunks > 0
        page = index.search("mail a receipt", "forest")
        assert page.hits[0].symbol == "send_receipt"
        assert page.dense
        assert index.check_vectors()
        assert index.stats().vectors == f"server 127.0.0.1:{server.server_address[1]}, 0 of {waiting}"


def test_an_answer_without_end_costs_no_memory(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chroma, "ANSWER_BYTES", 1_000_000)
    monkeypatch.setattr(chroma, "OPEN_S", 20)
    monkeypatch.setattr(chroma, "ANSWER_S", 20)
    head = b"HTTP/1.1 200 X\r\nContent-Type: application/json\r\nContent-Length: 9000000000\r\n\r\n"
    with serving(lambda path, headers: head + b" " * 3_000_000) as server, Index.open(shop, server.config) as index:
        index.sync()
        with bounded(30):
            assert "more than 1000000 bytes" in index.check_vectors()


def test_after_a_failure_the_server_is_left_alone_for_a_while(shop: Path) -> None:
    with serving(lambda path, headers: None) as server, Index.open(shop, server.config) as index:
        index.sync()
        index.wait_dense()
        asked = len(server.asked)
        for _ in range(5):
            assert "asked again in a few seconds" in index.check_vectors()
        assert len(server.asked) == asked


def test_the_token_and_the_headers_are_sent_and_stand_in_nothing_that_is_shown(shop: Path) -> None:
    def needs_token(path: str, headers: dict[str, str]) -> bytes:
        is_known = headers.get("authorization") == f"Bearer {TOKEN}" and headers.get("x-team") == "blue"
        return chroma_like(path, headers) if is_known else reply(401, '{"error":"AuthError","message":"no"}')

    with serving(needs_token) as server:
        port = server.server_address[1]
        config = IndexConfig(
            chroma_mode="http",
            chroma_host="127.0.0.1",
            chroma_port=port,
            chroma_token=TOKEN,
            chroma_headers="X-Team: blue",
        )
        with Index.open(shop, config) as index:
            index.sync()
            index.wait_dense()
            assert any("/collections" in path for path, _ in server.asked), "it got past the door"
            shown = f"{config!r} {index.stats()!r} {index.check_vectors()}"
    assert TOKEN not in shown
    assert "blue" not in shown


def test_a_token_is_not_sent_unencrypted_over_a_network(shop: Path) -> None:
    config = IndexConfig(chroma_mode="http", chroma_host="vectors.example.invalid", chroma_token=TOKEN)
    with Index.open(shop, config) as index:
        index.sync()
        assert "chroma.ssl" in index.check_vectors()


def test_a_token_of_the_environment_goes_to_no_host_that_the_repository_names(tmp_path: Path) -> None:
    place = tmp_path / ".code-intel/config.json"
    place.parent.mkdir()
    place.write_text('{"chroma": {"mode": "http", "host": "evil.example.invalid"}}', encoding="utf-8")
    with pytest.raises(BadConfig, match="CODEINTEL_CHROMA_HOST") as refused:
        IndexConfig.from_file(place, {"CODEINTEL_CHROMA_TOKEN": TOKEN})
    assert TOKEN not in str(refused.value)
    named = {"CODEINTEL_CHROMA_TOKEN": TOKEN, "CODEINTEL_CHROMA_HOST": "mine.example.invalid"}
    found = IndexConfig.from_file(place, named)
    assert (found.chroma_token, found.chroma_host) == (TOKEN, "mine.example.invalid")
    place.write_text('{"chroma": {"token": ["' + TOKEN + '"]}}', encoding="utf-8")
    with pytest.raises(BadConfig, match="must be a text") as wrong:
        IndexConfig.from_file(place, {})
    assert TOKEN not in str(wrong.value)


def test_the_limits_touch_no_session_of_others() -> None:
    import httpx
    from chromadb.api import fastapi

    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        config = IndexConfig(chroma_mode="http", chroma_host="127.0.0.1", chroma_port=busy.getsockname()[1])
        with pytest.raises(DenseUnavailable, match="does not answer within"):
            chroma.open_server(config)
    assert fastapi.httpx is httpx
