"""Every request gets an answer over stdio: of any shape, in any number, cancelled, and while others run.

A test waits for an answer up to a generous limit that only a server that never answers reaches.
"""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from codeintel_index.mcp.stdio import LINE_BYTES
from codeintel_server.mcp.registry import TOOLS
from codeintel_server.testing import Wire, own_world
from codeintel_session.testing import make_repo

pytestmark = pytest.mark.draws(18)

PARSE_ERROR = -32700


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    """One server for all tests: it has to survive each of them."""
    with pytest.MonkeyPatch.context() as environment:
        own_world(environment, tmp_path_factory.mktemp("state"))
        files = {"src/stats.py": "def count_all(values):\n    return len(values)\n"}
        found = Wire(make_repo(tmp_path_factory.mktemp("root") / "project", files).root)
        yield found
        found.close()


def is_answer(reply: dict[str, Any]) -> bool:
    """Say whether the client can do something with a reply: an error with words, or a tool's object."""
    if "error" in reply:
        return bool(reply["error"]["message"])
    data = reply["result"]["structuredContent"]
    return data["success"] is True or bool(data["error"] and data["message"] and data["error"] != "internal_error")


def deep(levels: int) -> str:
    return "[" * levels + "]" * levels


CALLS = {
    "half a surrogate pair": ("search_text", r'{"pattern":"\ud800"}'),
    "half a pair as a key": ("submit_phase", r'{"data":{"\udfff":1}}'),
    "half a pair as raw bytes": ("search_text", '{"pattern":"\ud800"}'),
    "a whole pair": ("search_text", r'{"pattern":"\ud83d\ude00"}'),
    "nested 40 deep": ("submit_phase", f'{{"data":{deep(40)}}}'),
    "nested 190 deep": ("submit_phase", f'{{"data":{deep(190)}}}'),
    "nested 5,000 deep": ("submit_phase", f'{{"data":{deep(5000)}}}'),
    "nested in a text": ("submit_phase", json.dumps({"data": '{"a":' + deep(5000) + "}"})),
    "flags nested in a text": ("start_session", json.dumps({"intent": "QUESTION", "query": "x", "flags": deep(5000)})),
    "a list nested in a text": ("analyze_impact", json.dumps({"target_files": deep(5000)})),
    "no number": ("search_text", '{"pattern":"x","max_results":NaN}'),
    "endless": ("submit_phase", '{"data":{"a":Infinity}}'),
    "too large for a float": ("submit_phase", '{"data":{"a":1e999}}'),
    "a number of 5,000 digits": ("search_text", '{"pattern":"x","offset":' + "9" * 5000 + "}"),
    "a large number": ("search_text", '{"pattern":"x","offset":' + "9" * 30 + "}"),
    "a number as a text": ("search_text", '{"pattern":"x","max_results":"7"}'),
    "a text as a number": ("search_text", '{"pattern":7}'),
    "a fraction of a line": ("get_function_at_line", '{"path":"src/stats.py","line":1.5}'),
    "null": ("search_text", "null"),
    "a list": ("search_text", "[]"),
    "nothing": ("search_text", "{}"),
    "no such tool": ("teleport", "{}"),
    "a tool without a name": ("", "{}"),
    "five megabytes": ("search_text", json.dumps({"pattern": "x" * 5_000_000})),
    "a hundred thousand members": ("submit_phase", json.dumps({"data": {str(n): n for n in range(100_000)}})),
    "a session id that is long": ("get_session_status", json.dumps({"session_id": "a" * 60_000})),
    "control characters": ("find_definitions", json.dumps({"symbol": "".join(map(chr, range(1, 32)))})),
    "NUL": ("get_symbols", r'{"path":"a\u0000b"}'),
    "not closed": ("search_text", '{"pattern":"x"'),
}


@pytest.mark.parametrize("case", CALLS)
def test_a_call_of_any_shape_is_answered(wire: Wire, case: str) -> None:
    tool, arguments = CALLS[case]
    assert is_answer(wire.answer(wire.call(tool, arguments)))


LINES = {
    "an id with a fraction": (b'{"jsonrpc":"2.0","id":8.5,"method":"ping"}', None),
    "an id that is null": (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', None),
    "an id that is a list": (b'{"jsonrpc":"2.0","id":[1],"method":"ping"}', None),
    "no JSON": (b"ping", None),
    "a list": (b"[]", None),
    "no UTF-8": (b'{"jsonrpc":"2.0","id":"utf","method":"\xff"}', "utf"),
    "an id that is not the outermost": (b'{"params":{"id":3},"id":"out","method":"ping","x":"\\ud800"}', "out"),
    "an id in a text": (rb'{"x":"{\"id\":4}","id":"real","method":"\ud800"}', "real"),
    "no version": (b'{"id":"old","method":"ping"}', "old"),
    "a text that never ends": (b'{"id":"open","method":"' + b'\\"' * 500_000, "open"),
    "an id behind five megabytes": (
        b'{"method":"tools/call","params":{"x":"' + b"x" * LINE_BYTES + b'"},"jsonrpc":"2.0","id":"last"}',
        "last",
    ),
}


@pytest.mark.parametrize("case", LINES)
def test_a_line_that_cannot_be_read_is_answered_to_the_one_who_sent_it(wire: Wire, case: str) -> None:
    line, request = LINES[case]
    wire.send(line)
    answer = wire.answer(request)
    assert answer["error"]["code"] == PARSE_ERROR
    assert re.search(r"^The message cannot be read: .+\. Correct it\.$", answer["error"]["message"])


TEXTS = st.text(st.characters(), max_size=30) | st.text(
    st.sampled_from("\ud800\udfff\u202e\0\n\\/.*[({é😀"), max_size=12
)
NUMBERS = st.integers() | st.floats() | st.sampled_from(["7", "-1", "1e9", "NaN"])
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, str]:
    """A tool, and arguments of its names with any values."""
    tool = draw(st.sampled_from(sorted(TOOLS.keys() - {"sync_index"})))
    names = list(TOOLS[tool].arguments.model_fields) or ["x"]
    given_ = draw(st.dictionaries(st.sampled_from(names), VALUES, max_size=len(names)))
    return tool, json.dumps(given_, ensure_ascii=draw(st.booleans()))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(calls())
def test_any_call_is_answered(wire: Wire, call: tuple[str, str]) -> None:
    assert is_answer(wire.answer(wire.call(*call)))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.binary(max_size=80).filter(lambda line: b"\n" not in line and b"\r" not in line))
def test_after_any_bytes_the_server_answers(wire: Wire, line: bytes) -> None:
    wire.send(line)
    assert is_answer(wire.answer(wire.call("search_text", '{"pattern":"count_all"}')))


def test_two_hundred_calls_at_once_are_all_answered(wire: Wire) -> None:
    tools = {
        "search_text": '{"pattern":"count_all"}',
        "find_references": '{"symbol":"count_all"}',
        "get_symbols": '{"path":"src/stats.py"}',
        "get_session_status": "{}",
        "submit_phase": '{"data":{"summary":"x"}}',
    }
    sent = [wire.call(*list(tools.items())[number % len(tools)]) for number in range(200)]
    assert all(is_answer(wire.answer(request)) for request in sent)


def test_a_cancelled_call_disturbs_no_other(wire: Wire) -> None:
    for _ in range(20):
        request = wire.call("search_text", '{"pattern":"."}')
        cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": request}}
        wire.send(json.dumps(cancel).encode())
    assert is_answer(wire.answer(wire.call("search_text", '{"pattern":"count_all"}')))


@pytest.mark.skipif(os.name == "nt", reason="stdin keeps its descriptor there")
def test_what_the_server_starts_does_not_read_the_requests(wire: Wire) -> None:
    place = Path(f"/proc/{wire.process.pid}/fd/0")
    if not place.exists():
        pytest.skip("there is no /proc here")
    assert os.readlink(place) == os.devnull
