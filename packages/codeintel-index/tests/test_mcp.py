"""The index alone as an MCP server, called by the SDK's own client, and the entry by which a client starts it."""

import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from codeintel_index import Index
from codeintel_index.cli import app as cli
from codeintel_index.cli.serving import CLIENTS
from codeintel_index.mcp.lookups import search_text
from codeintel_index.mcp.server import TOOLS, IndexServer

pytestmark = pytest.mark.draws(6)

Call = Callable[..., Awaitable[dict[str, Any]]]
COMMAND = [sys.executable, "-c", "from codeintel_index.cli.app import main; main()"]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def call(synced: Index, anyio_backend: str) -> AsyncIterator[Call]:
    """Call tools of a server on the shop's index."""
    async with Client(IndexServer(synced, "1")) as client:

        async def run(name: str, /, **arguments: object) -> dict[str, Any]:
            reply = await client.call_tool(name, arguments)
            data = reply.structured_content
            assert isinstance(data, dict)
            assert data["success"] is not reply.is_error
            return data

        yield run


async def test_every_tool_answers_a_plain_question(call: Call) -> None:
    line = (await call("find_definitions", symbol="Cart.total"))["definitions"][0]["line"]
    hit = (await call("semantic_search", query="where is a receipt mailed to the customer"))["hits"][0]
    found = {
        "search_text": (await call("search_text", pattern="def parse_price"))["results"][0]["matches"][0]["path"],
        "search_files": (await call("search_files", pattern="**/money.py"))["files"][0],
        "find_definitions": (await call("find_definitions", symbol="shop.money.parse_price"))["definitions"][0]["path"],
        "find_references": (await call("find_references", symbol="parse_price"))["references"][0]["certainty"],
        "get_symbols": (await call("get_symbols", path="shop/cart.py"))["symbols"][0]["name"],
        "analyze_structure": (await call("analyze_structure", path="shop/cart.py"))["language"],
        "get_function_at_line": (await call("get_function_at_line", path="shop/cart.py", line=line + 1))["definition"][
            "name"
        ],
        "read_lines": (await call("read_lines", path=f"shop/cart.py:{line}"))["text"].partition("(")[0].split(),
        "semantic_search": hit["path"],
        "fetch_chunk_detail": (await call("fetch_chunk_detail", chunk_id=hit["chunk_id"]))["chunk"]["path"],
        "analyze_impact": [
            each["path"] for each in (await call("analyze_impact", target_files="shop/money.py"))["must_verify"]
        ],
    }
    assert found == {
        "search_text": "shop/money.py",
        "search_files": "shop/money.py",
        "find_definitions": "shop/money.py",
        "find_references": "likely",
        "get_symbols": "Cart",
        "analyze_structure": "python",
        "get_function_at_line": "total",
        "read_lines": [str(line), "def", "total"],
        "semantic_search": "shop/mail.py",
        "fetch_chunk_detail": "shop/mail.py",
        "analyze_impact": ["shop/cart.py", "shop/mail.py"],
    }
    assert found.keys() == TOOLS.keys()


REFUSED: list[tuple[str, dict[str, object], str, str]] = [
    ("find_definitions", {"symbol": " "}, "invalid_arguments", "symbol: is empty"),
    ("find_definitions", {"name": "Cart"}, "invalid_arguments", "name: unknown argument; known are symbol, path"),
    ("read_lines", {"path": "../secret"}, "path_outside_project", "'../secret' is outside the project"),
    ("get_symbols", {"path": "shop/none.py"}, "not_a_file", "Find paths with search_files"),
    ("search_text", {"pattern": "("}, "bad_pattern", "pass fixed true"),
    ("fetch_chunk_detail", {"chunk_id": "0"}, "unknown_chunk", "Search again"),
    ("find_references", {"symbol": "x", "offset": -1}, "invalid_arguments", "offset: Input should be greater"),
    ("start_session", {"query": "x"}, "unknown_tool", "known are search_text"),
    ("search_text", {"pattern": "x" * 70_000}, "invalid_arguments", "at most 65536 are read"),
]


async def test_a_refusal_names_what_is_wrong_and_what_to_do(call: Call) -> None:
    for tool, arguments, code, named in REFUSED:
        reply = await call(tool, **arguments)
        assert reply["error"] == code
        assert named in reply["message"]


async def test_of_several_patterns_the_one_that_is_refused_says_why(call: Call, index: Index) -> None:
    good, bad = (await call("search_text", pattern=["def total", "(total"]))["results"]
    assert (good["total"], "total" in bad, bad["matches"]) == (1, False, [])
    assert bad["refused"]
    assert search_text(index, ["def total", "(total"]).subject == "def total", "what was searched"


async def test_what_a_short_file_leaves_of_a_reply_goes_to_the_longer_ones(call: Call, index: Index) -> None:
    for name, count in (("long.txt", 900), ("longer.txt", 1000), ("short.txt", 3)):
        (index.root / name).write_text(
            "".join(f"line {n} of {name} {'-' * 50}\n" for n in range(count)), encoding="utf-8"
        )
    reply = await call("read_lines", path=["long.txt", "short.txt:1-2", "longer.txt"])
    long, short, longer = reply["files"]
    assert (short["text"], short["truncated"]) == (
        f"1\tline 0 of short.txt {'-' * 50}\n2\tline 1 of short.txt {'-' * 50}",
        False,
    )
    assert 30 * 1024 < len(json.dumps(reply)) < 33 * 1024
    assert (long["next_start_line"], longer["next_start_line"]) == (long["end_line"] + 1, longer["end_line"] + 1)
    assert abs(len(long["text"]) - len(longer["text"])) < 100


async def test_the_list_of_tools_is_short_and_says_nothing_of_sessions(index: Index, anyio_backend: str) -> None:
    async with Client(IndexServer(index, "1")) as client:
        listed = (await client.list_tools()).tools
    text = json.dumps([each.model_dump(exclude_none=True, mode="json") for each in listed])
    assert len(text) / 4 < 1500
    assert "session" not in text
    assert "phase" not in text.lower()
    assert all(each.annotations and each.annotations.read_only_hint for each in listed)


async def test_the_command_serves_the_project_it_is_started_in(shop: Path, anyio_backend: str) -> None:
    server = StdioServerParameters(command=COMMAND[0], args=[*COMMAND[1:], "serve"], cwd=shop, env=dict(os.environ))
    async with Client(server) as client:
        reply = await client.call_tool("find_definitions", {"symbol": "Cart"})
    assert reply.structured_content is not None
    assert reply.structured_content["definitions"][0]["path"] == "shop/cart.py"


@pytest.fixture
def init(shop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run `codeintel-index init` in the shop; returns what it printed, with its exit code in front."""
    monkeypatch.chdir(shop)

    def run(*options: str) -> str:
        monkeypatch.setattr(sys, "argv", ["codeintel-index", "init", *options])
        with pytest.raises(SystemExit) as stopped:
            cli.main()
        captured = capsys.readouterr()
        return f"{stopped.value.code} {captured.out}{captured.err}"

    return run


def test_init_writes_an_entry_that_starts_the_server_and_keeps_what_is_there(
    shop: Path, init: Callable[..., str]
) -> None:
    theirs = {"mcpServers": {"other": {"command": "o"}}, "more": "ä"}
    (shop / ".mcp.json").write_text(json.dumps(theirs), encoding="utf-8")
    assert init("--client", "claude").startswith("0 .mcp.json: code-index runs")
    written = json.loads((shop / ".mcp.json").read_text("utf-8"))
    entry = written["mcpServers"].pop("code-index")
    assert written == theirs
    assert [entry["command"], *entry["args"]] == ["codeintel-index", "serve"]
    assert "has the entry code-index already" in init("--client", "claude")
    assert init("--client", "vscode").startswith("0 ")
    assert json.loads((shop / ".vscode/mcp.json").read_text("utf-8"))["servers"].keys() == {"code-index"}


@pytest.mark.parametrize("content", ['{"mcpServers": {} /* theirs */}', "[]", '{"mcpServers": []}'])
def test_init_leaves_a_file_alone_that_it_cannot_edit_and_prints_the_entry(
    shop: Path, init: Callable[..., str], content: str
) -> None:
    (shop / ".mcp.json").write_text(content, encoding="utf-8")
    said = init("--client", "claude")
    assert said.startswith("2 codeintel-index: .mcp.json ")
    assert json.loads(said[said.index("\n{") :])["mcpServers"]["code-index"] == CLIENTS["claude"].entry
    assert (shop / ".mcp.json").read_text("utf-8") == content


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_init_follows_no_link_out_of_the_project(shop: Path, tmp_path: Path, init: Callable[..., str]) -> None:
    (tmp_path / "theirs.json").write_text("{}", encoding="utf-8")
    (shop / ".mcp.json").symlink_to(tmp_path / "theirs.json")
    said = init("--client", "claude")
    assert said.startswith("2 ")
    assert "is outside the project" in said
    assert (tmp_path / "theirs.json").read_text("utf-8") == "{}"


def test_init_without_a_client_prints_the_entry(init: Callable[..., str]) -> None:
    assert json.loads(init().removeprefix("0 "))["mcpServers"]["code-index"]["args"] == ["serve"]
    assert "[mcp_servers.code-index]" in init("--client", "codex")


async def test_symbols_that_no_target_defines_are_named(call: Call) -> None:
    asked = {"target_files": "shop/money.py", "symbols": ["parse_price", "shop.cart.Cart"]}
    found = await call("analyze_impact", **asked)
    assert (found["symbols"], found["not_in_targets"]) == (["parse_price"], ["shop.cart.Cart"])
