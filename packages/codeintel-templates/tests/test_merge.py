"""Merging into files of other tools: only the entry moves, and broken files are refused before any write."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from codeintel_templates import json_text, toml_text
from codeintel_templates.copy import Plan, plan
from codeintel_templates.edits import Edit, Unparsable
from codeintel_templates.errors import BrokenFile
from codeintel_templates.json_text import JsonFormat

pytestmark = pytest.mark.draws(18)

Install = Callable[..., Plan]
Kinds = Callable[[Plan], dict[str, str]]
KEYS = ("mcpServers", "code-intel")
JSON = JsonFormat()
VALUE = {"command": "codeintel", "args": ["serve"]}

JSON_TEXTS = {
    "four spaces": '{\n    "z": [1],\n    "mcpServers": {\n        "other": {"command": "x"}\n    },\n    "a": 0\n}\n',
    "tabs": '{\n\t"mcpServers": {\n\t\t"other": {}\n\t}\n}',
    "no servers yet": '{\n  "inputs": []\n}\n',
    "empty servers": '{\n  "mcpServers": {}\n}\n',
    "empty servers on two lines": '{\n  "mcpServers": {\n  },\n  "b": 1\n}\n',
    "one line": '{"b":1,"mcpServers":{"other":{"command":"x"}}}',
    "one line, empty servers": '{"mcpServers": {}}',
    "empty": "{}",
    "crlf": '{\r\n  "mcpServers": {\r\n    "other": {}\r\n  }\r\n}\r\n',
    "braces in strings": '{\n  "mcpServers": {\n    "}{": "\\"}"\n  }\n}\n',
}

TOML_TEXTS = {
    "comments": '# top\nmodel = "m" # y\n\n[mcp_servers.other] # their\ncommand = "x"\n\n# tail\n[profiles.a]\nx = 1\n',
    "no newline at the end": 'model = "m"',
    "empty": "",
    "crlf": 'model = "m"\r\n\r\n[x]\r\ny = 1\r\n',
    "inline table": 'mcp_servers = { other = { command = "x" } } # one line\n[x]\ny = 1\n',
    "dotted keys": 'mcp_servers.other.command = "x"\n[x]\ny = 1\n',
    "out of order": "[mcp_servers.a]\nx = 1\n\n[other]\ny = 1\n\n[mcp_servers.b]\nz = 1\n",
}


@pytest.mark.parametrize("text", JSON_TEXTS.values(), ids=JSON_TEXTS)
def test_json_keeps_every_character_around_the_entry(text: str) -> None:
    merged = JSON.put(text, KEYS, VALUE)
    before, after = json.loads(text), json.loads(merged)
    assert after["mcpServers"].pop("code-intel") == VALUE
    assert after == {"mcpServers": {}} | before
    assert list(after) == list(before) + ([] if "mcpServers" in before else ["mcpServers"])
    edit = Edit.between(text, merged)
    assert edit.old.strip() == ""
    assert edit.revert(merged) == text
    assert ("\r\n" in text) == ("\r\n" in merged)
    assert merged.count("\n") == merged.count("\r\n") or "\r\n" not in merged


def test_json_is_written_in_the_indentation_of_the_file() -> None:
    assert JSON.put(JSON_TEXTS["four spaces"], KEYS, {"command": "c"}) == (
        '{\n    "z": [1],\n    "mcpServers": {\n        "other": {"command": "x"},\n'
        '        "code-intel": {\n            "command": "c"\n        }\n    },\n    "a": 0\n}\n'
    )
    assert JSON.put(JSON_TEXTS["one line"], KEYS, {"command": "c"}) == (
        '{"b":1,"mcpServers":{"other":{"command":"x"}, "code-intel": {"command": "c"}}}'
    )


@pytest.mark.parametrize("text", JSON_TEXTS.values(), ids=JSON_TEXTS)
def test_json_dropped_again_means_the_same_as_before(text: str) -> None:
    keep = int("mcpServers" in json.loads(text))
    assert json.loads(JSON.drop(JSON.put(text, KEYS, VALUE), KEYS, keep)) == json.loads(text)


_LEAVES = st.none() | st.booleans() | st.integers() | st.text()
_JSON = st.recursive(_LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=12)
_SERVERS = st.dictionaries(st.text(), _JSON)


@given(
    data=st.dictionaries(st.text(), _JSON),
    servers=_SERVERS,
    indent=st.sampled_from([None, 0, 2, "\t"]),
    ascii_only=st.booleans(),
)
def test_any_json_object_keeps_its_values_and_their_order(
    data: dict[str, object], servers: dict[str, object], indent: int | str | None, ascii_only: bool
) -> None:
    data["mcpServers"] = servers
    text = json.dumps(data, indent=indent, ensure_ascii=ascii_only)
    expected = {**data, "mcpServers": {**servers, "code-intel": VALUE}}
    merged = json.loads(JSON.put(text, KEYS, VALUE))
    assert merged == expected
    assert list(merged) == list(expected)
    assert list(merged["mcpServers"]) == list(expected["mcpServers"])  # type: ignore[arg-type]


@pytest.mark.parametrize("text", TOML_TEXTS.values(), ids=TOML_TEXTS)
def test_toml_keeps_comments_order_and_other_tables(text: str) -> None:
    keys = ("mcp_servers", "code-intel")
    merged = toml_text.put(text, keys, VALUE)
    data, before = tomllib.loads(merged), tomllib.loads(text)
    assert data["mcp_servers"].pop("code-intel") == VALUE
    assert data == {"mcp_servers": {}} | before
    assert [line for line in text.splitlines() if "#" in line and "{" not in line] == [
        line for line in merged.splitlines() if "#" in line and "{" not in line
    ]
    assert tomllib.loads(toml_text.drop(merged, keys, int("mcp_servers" in before))) == before


def test_toml_entry_is_renewed_in_place_with_its_comment() -> None:
    text = '[mcp_servers.code-intel] # ours\ncommand = "old"\nextra = 1\n\n[x] # theirs\ny = 1\n'
    merged = toml_text.put(text, ("mcp_servers", "code-intel"), VALUE)
    assert tomllib.loads(merged) == {"mcp_servers": {"code-intel": VALUE}, "x": {"y": 1}}
    assert "# ours" in merged
    assert "# theirs" in merged


@pytest.mark.parametrize("theirs", ["3", '"x"', "[1]"])
def test_a_toml_entry_of_another_kind_is_replaced_as_a_whole(theirs: str) -> None:
    merged = toml_text.put(f"[mcp_servers] # theirs\ncode-intel = {theirs}\n", ("mcp_servers", "code-intel"), VALUE)
    assert (tomllib.loads(merged), "# theirs" in merged) == ({"mcp_servers": {"code-intel": VALUE}}, True)


def test_of_a_key_given_twice_the_one_readers_take_is_worked_on() -> None:
    text = '{"mcpServers": {"a": 1}, "mcpServers": {"b": 2}}'
    assert json.loads(JSON.put(text, KEYS, VALUE)) == {"mcpServers": {"b": 2, "code-intel": VALUE}}


BROKEN = [
    (".mcp.json", '{\n  "mcpServers": {\n    "a": \n  }\n}\n', 4),
    (".mcp.json", '{\n  // a comment\n  "mcpServers": {}\n}\n', 2),
    (".mcp.json", '{"mcpServers": {},\n}', None),
    (".mcp.json", '{\n  "a": 1,\n  "mcpServers": []\n}\n', 3),
    (".mcp.json", "[]", 1),
    (".mcp.json", "", 1),
    (".vscode/mcp.json", '{\n  /* two\n lines */ "servers": // no value\n}\n', 4),
    (".vscode/mcp.json", "// nothing but this", 1),
    (".vscode/mcp.json", '{"servers": {} /* open', 1),
    (".cursor/mcp.json", "not json", 1),
    (".codex/config.toml", 'a = 1\n\nb = [\n  "x",\nc = 2\n', 5),
    (".codex/config.toml", "mcp_servers = 1\n", 1),
]


@pytest.mark.parametrize(("path", "text", "line"), BROKEN)
def test_a_broken_file_is_refused_with_its_line_and_nothing_is_written(
    path: str, text: str, line: int | None, project: Path, tree: Callable[[], dict[str, bytes]]
) -> None:
    (project / path).parent.mkdir(exist_ok=True)
    (project / path).write_bytes(text.encode())
    before = tree()
    with pytest.raises(BrokenFile) as caught:
        plan(project, clients=("all",))
    assert caught.value.path == Path(path)
    assert line is None or caught.value.line == line
    assert f"{path}:{caught.value.line}: " in str(caught.value)
    assert tree() == before


@pytest.mark.parametrize(
    "text",
    ['{\n  "mcpServers": {} // mine\n}', "// mine\n{}", '{"a": 1 /* mine */}', '{"mcpServers": {},\n}', '{"a": [1, ]}'],
)
def test_comments_and_trailing_commas_are_named_as_the_reason(text: str, project: Path) -> None:
    (project / ".mcp.json").write_text(text, encoding="utf-8")
    with pytest.raises(BrokenFile, match="comments and trailing commas"):
        plan(project)


def test_another_fault_is_not_taken_for_a_comment(project: Path) -> None:
    (project / ".mcp.json").write_text('{"url": "http://x", "a": }', encoding="utf-8")
    with pytest.raises(BrokenFile, match="not valid JSON"):
        plan(project)


@pytest.mark.parametrize(("load", "text"), [(json_text.load, '{{"a": {}}}'), (toml_text.load, "a = {}")])
@pytest.mark.parametrize(("value", "why"), [("9" * 5_000, "too many digits"), ("[" * 50_000, "nested too deeply")])
def test_numbers_and_levels_that_no_reader_takes_are_named(
    load: Callable[[str], Any], text: str, value: str, why: str
) -> None:
    with pytest.raises(Unparsable) as caught:
        load(text.format(value))
    assert why in caught.value.why


def test_a_file_that_is_not_utf8_is_refused_with_its_line(project: Path) -> None:
    (project / ".mcp.json").write_bytes(b'{\n"a": "\xff"}\n')
    with pytest.raises(BrokenFile) as caught:
        plan(project)
    assert caught.value.line == 2


def test_a_byte_order_mark_is_kept(project: Path, install: Install) -> None:
    (project / ".mcp.json").write_bytes(b'\xef\xbb\xbf{"mcpServers": {}}')
    install()
    assert (project / ".mcp.json").read_bytes().startswith(b"\xef\xbb\xbf{")


def test_an_entry_the_user_changed_is_kept(project: Path, install: Install, kinds: Kinds) -> None:
    install()
    path = project / ".mcp.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"codeintel"', '"mine"'), encoding="utf-8")
    mine = path.read_text(encoding="utf-8")
    assert kinds(install())[".mcp.json"] == "keep"
    assert kinds(install(command=("uvx", "codeintel")))[".mcp.json"] == "conflict"
    assert path.read_text(encoding="utf-8") == mine
    beside = json.loads((project / ".mcp.json.new").read_text(encoding="utf-8"))
    assert beside["mcpServers"]["code-intel"]["command"] == "uvx"
    assert plan(project, command=("uvx", "codeintel")).changes == ()


def test_an_entry_the_user_had_made_is_not_ours_to_renew(project: Path, install: Install, kinds: Kinds) -> None:
    text = '{"mcpServers": {"code-intel": {"command": "mine"}}}'
    (project / ".mcp.json").write_text(text, encoding="utf-8")
    assert kinds(install())[".mcp.json"] == "conflict"
    assert (project / ".mcp.json").read_text(encoding="utf-8") == text
