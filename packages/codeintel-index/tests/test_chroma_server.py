"""Vectors on a Chroma server: the same answers with the server, the lexical ones without it."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeintel_index import Index, IndexConfig

SERVER = Path(sys.executable).with_name("chroma")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def answers(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    if not SERVER.exists():
        pytest.skip("chromadb has no server command here")
    chosen = free_port()
    command = [str(SERVER), "run", "--path", str(tmp_path / "chroma"), "--host", "127.0.0.1", "--port", str(chosen)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not answers(chosen) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    yield chosen
    process.kill()
    process.wait()


def test_vectors_may_live_on_a_server(shop: Path, port: int) -> None:
    with Index.open(shop, IndexConfig(chroma_mode="http", chroma_host="127.0.0.1", chroma_port=port)) as index:
        index.sync()
        assert index.wait_dense() == 0
        page = index.search("mail a receipt", "forest")
        assert (page.hits[0].symbol, page.dense) == ("send_receipt", "")
        assert not (shop / ".code-intel/chroma").exists()


def test_without_the_server_the_lexical_half_answers_and_says_so(shop: Path) -> None:
    with Index.open(shop, IndexConfig(chroma_mode="http", chroma_host="127.0.0.1", chroma_port=free_port())) as index:
        index.sync()
        assert index.wait_dense() > 0
        page = index.search("mail a receipt", "forest")
        assert page.hits[0].symbol == "send_receipt"
        assert "does not answer" in page.dense
