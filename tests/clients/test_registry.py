"""A client is a module and a row: one that is made up is set up, guarded, examined and taken back like the others."""

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from codeintel_contract import WritePolicy
from codeintel_contract.write_policy import is_protected
from codeintel_server.cli import app
from codeintel_server.guard.main import respond
from codeintel_server.project.doctor import examine_clients
from codeintel_server.testing import install_programs, write_gate
from codeintel_session.testing import make_repo
from codeintel_templates import CLIENTS, all_clients, find_client
from codeintel_templates.manifest import all_rows

HERE = Path(__file__).parent
GUARD = f"""#!{sys.executable}
import sys
sys.path.insert(0, {str(HERE)!r})
from codeintel_templates import CLIENTS
CLIENTS["made-up"] = "made_up"
from codeintel_server.guard.main import main
main()
"""


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Add the row."""
    monkeypatch.syspath_prepend(str(HERE))
    monkeypatch.setitem(CLIENTS, "made-up", "made_up")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository that was set up for it, and a guard on PATH that knows it, too."""
    (tmp_path / "bin").mkdir()
    guard = tmp_path / "bin/codeintel-guard"
    guard.write_text(GUARD, encoding="utf-8")
    guard.chmod(0o755)
    install_programs(monkeypatch, guard.parent)
    root = make_repo(tmp_path / "project", {"a.py": "x = 1\n"}).root
    done = CliRunner().invoke(app, ["init", str(root), "--client", "made-up"])
    assert done.exit_code == 0, done.output
    assert "next     Start Made-Up, then: !code <what you want>" in done.output
    return root


def test_init_writes_its_files_and_uninstall_takes_them_back(project: Path) -> None:
    settings = json.loads((project / ".made-up/settings.json").read_text(encoding="utf-8"))
    assert settings["servers"]["local"]["code-intel"] == {"command": "codeintel", "args": ["serve"]}
    hooks = json.loads((project / ".made-up/hooks.json").read_text(encoding="utf-8"))
    assert (hooks["format"], hooks["hooks"]["onTool"][0]["tools"]) == (3, ["put_text", "erase"])
    assert not (project / ".mcp.json").exists()
    assert CliRunner().invoke(app, ["uninstall", str(project)]).exit_code == 0
    assert not (project / ".made-up").exists()
    assert not (project / ".agents").exists()


def test_a_file_it_shares_with_another_client_is_one_row() -> None:
    (skill,) = (row for row in all_rows() if row.destination == ".agents/skills/code/SKILL.md")
    assert skill.clients == ("codex", "gemini", "qwen", "opencode", "copilot", "made-up")


@pytest.mark.parametrize(("call", "verdict"), [("erase a.py", ""), ("erase b.py", "deny"), ("show b.py", "")])
def test_the_guard_reads_its_calls_and_answers_in_its_form(call: str, verdict: str, project: Path) -> None:
    tool, file = call.split()
    write_gate(project, WritePolicy("READY (implement)", is_open=True, explored={"a.py"}))
    document = json.dumps({"call": tool, "file": file, "at": str(project)})
    assert respond(["--client", "made-up"], document.encode()).get("verdict", "") == verdict


def test_doctor_checks_its_entry_and_its_hook(project: Path) -> None:
    found = {finding.check: (finding.level, finding.said) for finding in examine_clients(project)}
    assert found == {
        ".made-up/settings.json": ("ok", "starts codeintel, which answers"),
        ".made-up/hooks.json": ("ok", "codeintel-guard answers"),
    }


def test_a_client_is_registered_by_the_name_it_has() -> None:
    assert [client.name for client in all_clients()] == list(CLIENTS)
    assert find_client("claude").name == "claude"


def test_no_two_clients_put_different_things_into_one_file() -> None:
    files: dict[str, object] = {}
    for client in all_clients():
        places: dict[str, list[object]] = {client.entry_file: [client.entry_keys]}
        for text in client.texts:
            places.setdefault(text.file, []).append(text.source)
        if client.hooks_file:
            places.setdefault(client.hooks_file, []).append(client.hooks_keys)
        for file, content in places.items():
            assert files.setdefault(file, content) == content, file


def test_no_file_of_a_client_may_be_written_by_an_agent() -> None:
    for client in map(find_client, set(CLIENTS) - {"made-up"}):
        files = {client.entry_file, client.hooks_file, *(text.file for text in client.texts if not text.is_theirs)}
        assert all(is_protected(file) for file in files - {""}), client.name
