"""CONTRIBUTING's table of changes is true: what it names exists, and the changes that a test can try were tried."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import codeintel_index
from codeintel_contract.flags import OPTIONS
from codeintel_contract.names import SCHEMA_VERSION, TOOL_NAMES
from codeintel_server.guard.programs import writes
from codeintel_server.guard.table import TABLE, Program
from codeintel_server.mcp.registry import TOOLS
from codeintel_session.audit.audit_codec import UNREAD
from codeintel_session.machine.state import SessionState

ROOT = Path(__file__).parents[1]
SKILL = ROOT / "packages/codeintel-templates/src/codeintel_templates/files/code/SKILL.md"


def rows() -> Iterator[tuple[str, list[str]]]:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for line in page.partition("## Where do I change")[2].partition("\n## ")[0].splitlines():
        if line.startswith("| ") and not line.startswith(("| what", "|---")):
            what, where = line.strip("| ").split(" | ", 1)
            yield what, [name for name in re.findall(r"`([^`]+)`", where) if "/" in name]


def place(name: str) -> Path:
    package = re.match(r"codeintel_(\w+?)/", name)
    return ROOT / f"packages/codeintel-{package[1]}/src/{name}" if package else ROOT / name


@pytest.mark.parametrize(("what", "names"), [pytest.param(*row, id=row[0][:40]) for row in rows()])
def test_a_row_names_files_that_exist(what: str, names: list[str]) -> None:
    inside = [ROOT / f"packages/codeintel-{part}" for part in ("contract", "index", "session", "server", "templates")]
    gone = [name for name in names if not place(name).exists() and not any((root / name).exists() for root in inside)]
    assert gone == []


def test_the_changes_that_newcomers_make_most_have_a_row() -> None:
    asked = "flag|tool|client|language|limit|message|report|checkpoint|secret|command lines|file in users|cheat"
    found = " ".join(what for what, _ in rows()).replace("words an agent reads", "message")
    assert [word for word in asked.split("|") if word not in found] == []


def test_a_flag_is_in_the_skill_and_a_tool_in_the_contract() -> None:
    skill = SKILL.read_text(encoding="utf-8")
    assert [option.long for option in OPTIONS if option.long.split("=")[0] not in skill] == []
    assert set(TOOLS) == set(TOOL_NAMES)


def test_a_kind_of_secret_is_one_row(tmp_path: Path) -> None:
    """The row is added to a copy of the package, which then redacts the new kind."""
    copy = tmp_path / "codeintel_index"
    shutil.copytree(Path(codeintel_index.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    table = copy / "text/secret_patterns.py"
    row = '_kind("acme", "acme_", r"\\bacme_(?P<secret>[a-z]{30})\\b"),'
    text = table.read_text(encoding="utf-8")
    table.write_text(
        text.replace("KINDS: tuple[Kind, ...] = (", f"KINDS: tuple[Kind, ...] = (\n    {row}"), encoding="utf-8"
    )
    key = "acme_qwertyuiopasdfghjklzxcvbnmqwer"
    script = f"import sys; from codeintel_index import mask_text; sys.stdout.write(mask_text('a key: {key}'))"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "a key: acme_" + "*" * 30


def test_a_program_that_writes_is_one_row(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    line = "scribble notes.txt"
    assert writes(line, str(tmp_path)) == []
    monkeypatch.setitem(TABLE, "scribble", Program("all"))
    assert [write.path for write in writes(line, str(tmp_path))] == ["notes.txt"]


def test_what_the_checkpoint_row_names_is_there() -> None:
    assert SCHEMA_VERSION >= 1
    assert set(UNREAD) <= set(SessionState.model_fields)
