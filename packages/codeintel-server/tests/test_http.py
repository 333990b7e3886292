"""The server over HTTP: a real process on the loopback, asked by the SDK's client and by raw requests."""

import http.client
import json
import os
import re
import signal
import stat
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from typer.testing import CliRunner

from codeintel_server.cli.main import app
from codeintel_server.cli.serve import run_serve
from codeintel_server.transport.http_auth import Address, HttpSetupError, find_token, token_place, token_told
from codeintel_session.testing import make_repo

pytestmark = [pytest.mark.draws(18), pytest.mark.xdist_group("http")]

TOKEN = "a-token-that-only-these-tests-know-0123456789"
SERVE = [sys.executable, "-m", "codeintel_server", "serve"]
URL = re.compile(r"http://127\.0\.0\.1:(\d+)/mcp")
HELLO = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}},
    }
)
MODES: list[Literal["auto", "legacy"]] = ["auto", "legacy"]


@dataclass(frozen=True)
class Served:
    """A running server."""

    process: "subprocess.Popen[str]"
    root: Path
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    def answers(self, path: str = "/mcp", method: str = "POST", body: str = HELLO, **headers: str) -> int:
        """The status of one raw request; `headers` in Python's spelling, "" leaves one of the usual ones out."""
        usual = {
            "Host": f"127.0.0.1:{self.port}",
            "Authorization": f"Bearer {TOKEN}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        sent = usual | {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(method, path, body, {name: value for name, value in sent.items() if value})
            return connection.getresponse().status
        finally:
            connection.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for all tests of the file."""
    folder = tmp_path_factory.mktemp("http")
    root = make_repo(folder / "project", {"src/stats.py": "def count_all(values):\n    return len(values)\n"}).root
    settings = {"CODEINTEL_HTTP_TOKEN": TOKEN, "XDG_STATE_HOME": str(folder / "state")}
    command = [*SERVE, "--http", "--port", "0", "--project", str(root)]
    with subprocess.Popen(command, env=os.environ | settings, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        found = URL.search(process.stderr.readline())
        assert found is not None
        yield Served(process, root, int(found[1]))
        process.kill()


@asynccontextmanager
async def client_of(served: Served, mode: Literal["auto", "legacy"], token: str = TOKEN) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as web,
        Client(streamable_http_client(served.url, http_client=web), mode=mode) as client,
    ):
        yield client


def structured(result: Any) -> dict[str, Any]:
    found: dict[str, Any] = result.structured_content
    return found


@pytest.mark.anyio
@pytest.mark.parametrize("mode", MODES)
async def test_a_client_with_the_token_is_served(served: Served, mode: Literal["auto", "legacy"]) -> None:
    async with client_of(served, mode) as client:
        assert len((await client.list_tools()).tools) == 23
        found = structured(await client.call_tool("find_definitions", {"symbol": "count_all"}))
    assert [each["path"] for each in found["definitions"]] == ["src/stats.py"]


@pytest.mark.anyio
async def test_no_call_leads_to_another_project(served: Served, tmp_path: Path) -> None:
    other = make_repo(tmp_path / "other", {"a.py": "x = 1\n"}).root
    start = {"intent": "QUESTION", "query": "What is here?", "repo_path": str(other)}
    async with client_of(served, "auto") as client:
        refused = structured(await client.call_tool("start_session", start))
        status = structured(await client.call_tool("get_session_status", {"repo_path": str(other)}))
        own = structured(await client.call_tool("get_session_status", {"repo_path": str(served.root / "src")}))
    assert (refused["error"], status["error"]) == ("path_outside_project", "path_outside_project")
    assert own["error"] == "no_active_session"
    assert not (other / ".code-intel").exists()


@pytest.mark.anyio
async def test_a_client_with_a_wrong_token_gets_nothing(served: Served) -> None:
    with pytest.raises(BaseExceptionGroup):  # the SDK's client gives up its connection
        async with client_of(served, "auto", token=TOKEN[:-1]) as client:
            await client.list_tools()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer "}, 401),
        ({"Authorization": f"Bearer {TOKEN[:-1]}"}, 401),
        ({"Authorization": f"Bearer {TOKEN}x"}, 401),
        ({"Authorization": f"Basic {TOKEN}"}, 401),
        ({"Authorization": TOKEN}, 401),
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1"}, 421),
        ({"Host": "127.0.0.1:1"}, 421),
        ({"Host": "localhost.evil.example:80"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:3000"}, 403),
        ({"Content_Type": "text/plain"}, 400),
    ],
    ids=str,
)
def test_what_a_request_must_carry(served: Served, headers: dict[str, str], status: int) -> None:
    assert served.answers(**headers) == status


def test_a_page_of_the_server_itself_is_no_foreign_one(served: Served) -> None:
    assert served.answers(Host=f"localhost:{served.port}", Origin=f"http://localhost:{served.port}") == 200


@pytest.mark.parametrize("path", ["/", "/mcp", "/mcp/", "/sse", "/.well-known/oauth-protected-resource", "/docs"])
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "OPTIONS", "PUT"])
def test_without_the_token_no_path_and_no_method_tells_anything(served: Served, path: str, method: str) -> None:
    assert served.answers(path, method, Authorization="") == 401


def test_two_tokens_in_one_request_are_none(served: Served) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=20)
    connection.putrequest("POST", "/mcp")
    for token in ("wrong", TOKEN):
        connection.putheader("Authorization", f"Bearer {token}")
    connection.endheaders()
    assert connection.getresponse().status == 401
    connection.close()


def test_a_body_above_four_megabytes_is_refused(served: Served) -> None:
    assert served.answers(body="[" + " " * 4 * 1024 * 1024 + "]") == 413


def test_a_signal_ends_the_server_and_frees_the_project(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "project", {"a.py": "x = 1\n"}).root
    environment = os.environ | {"CODEINTEL_HTTP_TOKEN": TOKEN}
    command = [*SERVE, "--http", "--port=0", f"--project={root}"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stderr is not None
        assert URL.search(server.stderr.readline())
        server.send_signal(signal.SIGTERM)
        output, _ = server.communicate(timeout=20)
    assert (server.returncode, output) == (0, "")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--http", "--host=0.0.0.0"], "--allow-host"),
        (["--http", "--host=0.0.0.0", "--allow-host=dev.example"], "CODEINTEL_HTTP_TOKEN"),
        (["--http", "--host=::"], "--allow-host"),
        (["--http", "--token-file=missing"], "cannot be read"),
        (["--http", "--host=192.0.2.1", "--allow-host=dev.example", "--token-file=token"], "cannot be listened on"),
        (["--host=127.0.0.1"], "need --http"),
        (["--http", "--hots=127.0.0.1"], "unrecognized"),
    ],
    ids=str,
)
def test_what_would_not_be_safe_is_a_usage_error(
    tmp_path: Path,
    options: list[str],
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "token").write_text(TOKEN, encoding="ascii")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        run_serve(options)
    output, errors = capfd.readouterr()
    assert (ended.value.code, output) == (2, "")
    assert told in errors


def test_a_usage_error_ends_the_command_with_the_code_two(tmp_path: Path) -> None:
    done = subprocess.run([*SERVE, "--http", "--port=99999"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot be listened on" in done.stderr


class TestToken:
    def test_is_made_once_for_the_user_alone(self) -> None:
        made = find_token(Address())
        assert len(made) >= 32
        assert find_token(Address()) == made
        assert stat.S_IMODE(token_place().stat().st_mode) == 0o600
        assert token_told(Address()) == f"in {token_place()}"

    def test_is_told_by_where_it_is_and_never_itself(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CODEINTEL_HTTP_TOKEN", TOKEN)
        assert token_told(Address()) == "in CODEINTEL_HTTP_TOKEN"
        assert token_told(Address(token_file=tmp_path / "mine")) == f"in {tmp_path / 'mine'}"

    @pytest.mark.parametrize("given", ["short", "x" * 31, "with a space in it, and long enough to be one", "é" * 40])
    def test_that_is_weak_or_no_header_is_refused(self, given: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CODEINTEL_HTTP_TOKEN", given)
        with pytest.raises(HttpSetupError, match="at least 32"):
            find_token(Address())

    def test_of_an_empty_file_is_refused(self) -> None:
        token_place().parent.mkdir(parents=True)
        token_place().write_text("\n", encoding="ascii")
        with pytest.raises(HttpSetupError, match="holds no token"):
            find_token(Address())


@pytest.mark.parametrize(
    ("host", "is_loopback"),
    [("127.0.0.1", True), ("127.1.2.3", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("::", False)],
)
def test_only_the_loopback_counts_as_this_machine(host: str, is_loopback: bool) -> None:
    assert Address(host).is_loopback is is_loopback


def test_a_name_that_was_allowed_is_answered_to_with_and_without_the_port() -> None:
    assert {"dev.example", "dev.example:8765"} <= set(Address(names=("dev.example",)).hosts(8765))
    assert "https://dev.example" in Address(names=("dev.example",)).origins(8765)


def test_the_help_tells_every_option_with_its_meaning() -> None:
    shown = CliRunner().invoke(app, ["serve", "--help"])
    told = " ".join(shown.output.split())
    assert (shown.exit_code, "Examples: codeintel serve" in told) == (0, True)
    for option, meaning in {"--project": "The project", "--http": "Serve several", "--token-file": "File with"}.items():
        assert re.search(rf"{option}( [A-Z]+)? {meaning}", told), option
