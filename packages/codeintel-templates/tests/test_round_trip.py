"""A configuration that a client takes is the same bytes again after install, upgrade and uninstall."""

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tomlkit
from hypothesis import HealthCheck, given, settings, strategies as st

from codeintel_templates import find_client
from codeintel_templates.copy import apply, plan, plan_uninstall, plan_upgrade, take_back
from codeintel_templates.errors import Obstructed
from codeintel_templates.json_text import JsonFormat, plain

pytestmark = pytest.mark.draws(18)

KEYS = ("servers", "code-intel")
JSONC = JsonFormat(comments=True)
VALUE = find_client("vscode").entry(["codeintel"])
OTHER = ("uvx", "--from", "codeintel-server", "codeintel")

_NAMES = st.text(st.sampled_from('ab"\\/*,:{}[]# é\u2028'), min_size=1, max_size=6)
_LEAVES = st.none() | st.booleans() | st.integers(0, 99) | _NAMES
_VALUES = st.recursive(_LEAVES, lambda one: st.lists(one, max_size=3) | st.dictionaries(_NAMES, one, max_size=3))
_INDENTS = st.sampled_from([None, 1, 2, 4, "\t"])
_ENDS = st.sampled_from(["\n", "\r\n"])
_MARKS = st.sampled_from(["", "\ufeff"])
_COMMENTS = st.sampled_from(["", " ", "// a // b", "/* , } */", "/* two\nlines */", "//"])
_COMMAND = st.fixed_dictionaries({"type": st.just("command"), "command": _NAMES})
_ITEMS = st.fixed_dictionaries({"matcher": _NAMES, "hooks": st.lists(_COMMAND, max_size=2)})
_EVENTS = st.dictionaries(st.sampled_from(["PreToolUse", "Stop", "SessionStart"]), st.lists(_ITEMS, max_size=2))


def laid_out(data: object, indent: int | str | None, end: str, tail: str) -> str:
    return (json.dumps(data, indent=indent, ensure_ascii=False) + tail).replace("\n", end)


@st.composite
def with_comments(draw: st.DrawFn) -> str:
    """JSON as people write it for VS Code: comments at the ends of lines and between them, trailing commas."""
    data: dict[str, Any] = draw(st.dictionaries(_NAMES, _VALUES, max_size=3))
    if draw(st.booleans()):
        data["servers"] = draw(st.dictionaries(_NAMES, _VALUES, max_size=2))
    lines = json.dumps(data, indent=draw(_INDENTS), ensure_ascii=False).split("\n")
    for at, line in enumerate(lines[1:], 1):
        if re.match(r"\s*[}\]]", line) and re.search(r'["\w}\]]$', lines[at - 1]):
            lines[at - 1] += draw(st.sampled_from(["", ",", " ,"]))
    lines = [line + draw(_COMMENTS) for line in lines]
    return (draw(_COMMENTS) + "\n" + "\n".join([*lines, draw(_COMMENTS)])).replace("\n", draw(_ENDS))


def comments_of(text: str) -> list[str]:
    tokens = re.findall(r'"(?:[^"\\\n]|\\.)*"|//[^\r\n]*|/\*[\s\S]*?\*/', text)
    return [token for token in tokens if token[0] == "/"]


@given(text=with_comments())
@settings(deadline=None)
def test_json_with_comments_keeps_each_of_them_when_the_entry_comes_and_when_it_goes(text: str) -> None:
    before = json.loads(plain(text))
    merged = JSONC.put(text, KEYS, VALUE)
    assert comments_of(merged) == comments_of(text)
    after = json.loads(plain(merged))
    assert after["servers"].pop("code-intel") == VALUE
    assert after == {"servers": {}} | before
    rest = JSONC.drop(merged, KEYS, int("servers" in before))
    assert (json.loads(plain(rest)), comments_of(rest)) == (before, comments_of(text))


@pytest.mark.parametrize(
    ("text", "merged"),
    [
        ('{\n  "a": 1 // one\n}\n', '{\n  "a": 1, // one\n  "servers": {\n    "code-intel": {}\n  }\n}\n'),
        ('{\n  "a": 1, // one\n}\n', '{\n  "a": 1, // one\n  "servers": {\n    "code-intel": {}\n  },\n}\n'),
        ("{\n  // none yet\n}\n", '{\n  // none yet\n  "servers": {\n    "code-intel": {}\n  }\n}\n'),
        ('{"servers": {/* x */}, "b": 1}', '{"servers": {"code-intel": {}/* x */}, "b": 1}'),
    ],
)
def test_a_comment_stays_beside_what_it_is_about(text: str, merged: str) -> None:
    assert JSONC.put(text, KEYS, {}) == merged


@pytest.fixture
def round_trip(tmp_path: Path) -> Callable[[str, str], None]:
    """Install, upgrade and uninstall around a file of a client's."""

    def run(client: str, text: str, path: str) -> None:
        file = tmp_path / path
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(text.encode())
        apply(plan(tmp_path, clients=[client], include=["mcp", "hooks"]))
        assert file.read_bytes() != text.encode()
        apply(plan_upgrade(tmp_path, command=OTHER))
        take_back(plan_uninstall(tmp_path))
        assert file.read_bytes() == text.encode()
        assert {one.name for one in tmp_path.rglob("*")} <= {file.name, file.parent.name}
        file.unlink()

    return run


with_files = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)


@given(text=with_comments(), mark=_MARKS)
@with_files
def test_vs_codes_file_is_restored_to_the_byte(text: str, mark: str, round_trip: Callable[..., None]) -> None:
    round_trip("vscode", mark + text, ".vscode/mcp.json")


@given(
    data=st.dictionaries(_NAMES, _VALUES, max_size=3),
    events=st.none() | _EVENTS,
    indent=_INDENTS,
    end=_ENDS,
    mark=_MARKS,
    tail=st.sampled_from(["", "\n", "\n\n"]),
)
@with_files
def test_claudes_settings_are_restored_to_the_byte(
    data: dict[str, Any],
    events: object,
    indent: int | str | None,
    end: str,
    mark: str,
    tail: str,
    round_trip: Callable[..., None],
) -> None:
    data |= {} if events is None else {"hooks": events}
    round_trip("claude", mark + laid_out(data, indent, end, tail), ".claude/settings.json")


_TOML_KEYS = st.sampled_from(["model", "a.b", "é", "x y"])
_TOML_VALUES = (
    st.integers(0, 9) | st.booleans() | st.text("ab\"'#\n é", max_size=5) | st.lists(st.integers(), max_size=2)
)
_TOML_TABLES = st.dictionaries(_TOML_KEYS, _TOML_VALUES, max_size=2)


@given(
    top=_TOML_TABLES,
    servers=st.none() | st.dictionaries(st.sampled_from(["other", "a.b"]), _TOML_TABLES, max_size=2),
    comment=st.sampled_from(["", "# mine\n", "\n\n# mine"]),
    end=_ENDS,
    mark=_MARKS,
)
@with_files
def test_codexs_settings_are_restored_to_the_byte(
    top: dict[str, Any], servers: object, comment: str, end: str, mark: str, round_trip: Callable[..., None]
) -> None:
    data = top if servers is None else {**top, "mcp_servers": servers}
    text = (tomlkit.dumps(data) + comment).replace("\n", end)
    tomllib.loads(text)
    round_trip("codex", mark + text, ".codex/config.toml")


def test_a_link_inside_the_project_stays_one_and_its_target_is_restored(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    real, link = tmp_path / "config/mcp.json", tmp_path / ".mcp.json"
    real.write_bytes(b'{"mcpServers":{ }}')
    link.symlink_to(Path("config/mcp.json"))
    apply(plan(tmp_path))
    assert (link.is_symlink(), b"code-intel" in real.read_bytes()) == (True, True)
    take_back(plan_uninstall(tmp_path))
    assert (link.is_symlink(), real.read_bytes()) == (True, b'{"mcpServers":{ }}')


@pytest.mark.parametrize("doing", [plan, plan_uninstall])
def test_a_file_that_is_read_only_is_named_and_nothing_is_written(
    doing: Callable[[Path], object], tmp_path: Path
) -> None:
    config = tmp_path / ".mcp.json"
    config.write_text("{}", encoding="utf-8")
    if doing is plan_uninstall:
        apply(plan(tmp_path))
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    config.chmod(0o444)
    with pytest.raises(Obstructed, match=r"\.mcp\.json: is read-only"):
        doing(tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
