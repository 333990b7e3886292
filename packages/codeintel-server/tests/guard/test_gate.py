"""The write rule at the hook: links, case, folders, new files, and gates that are gone, broken or elsewhere."""

import ast
import json
import os
import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from codeintel_contract import load_contract
from codeintel_server.guard import gate as gate_module, main as main_module
from codeintel_server.guard.gate import is_scratch
from codeintel_server.guard.main import respond
from codeintel_server.guard.table import TABLE
from codeintel_server.verification.checkout import places

Ask = Callable[..., tuple[str, str]]
Gate = Callable[..., Path]


@pytest.mark.parametrize(
    "path",
    [
        "src/b.py",
        "./src/../src/b.py",
        "SRC/A.PY",
        "src/other.py",
        "elsewhere/planned.py",
        "../x.py",
        "a\0b",
        "src",
        "~/x",
        ".git/config",
        ".GIT/config",
        "sub/.git/config",
        ".code-intel/sessions/gate.json",
        "/etc/hosts",
    ],
)
def test_what_was_not_explored_or_planned_is_denied(path: str, ask: Ask, gate: Gate) -> None:
    gate()
    assert ask("Write", file_path=path, content="x")[0] == "deny"


@pytest.mark.parametrize(
    "path", ["src/a.py", "src/../src/a.py", "src/planned.py", "build/new.o", "/tmp/x", "/dev/null"]
)
def test_explored_planned_ignored_and_temporary_files_may_be_written(path: str, ask: Ask, gate: Gate) -> None:
    gate()
    assert ask("Write", file_path=path, content="x") == ("", "")


def test_the_checkouts_of_our_own_runs_are_no_temporary_files() -> None:
    place = os.path.realpath(places())
    assert is_scratch(os.path.realpath("/tmp") + "/x")
    assert not is_scratch(f"{place}/1234/now/project/tests/test_a.py")


def test_a_link_counts_as_the_file_it_leads_to(ask: Ask, gate: Gate, folder: Path) -> None:
    gate()
    for name, target in (("to_b.py", "src/b.py"), ("to_a.py", "src/a.py"), ("out", "..")):
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(target)
    assert ask("Edit", file_path="to_b.py")[0] == "deny"
    assert ask("Edit", file_path="out/x.py")[0] == "deny"
    assert ask("Edit", file_path="to_a.py") == ("", "")


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd/2"])
def test_streams_may_be_written_whatever_they_lead_to_in_this_process(
    name: str, ask: Ask, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate()
    monkeypatch.setattr(os.path, "realpath", lambda path: "/proc/1/fd/pipe:[1]" if path.startswith("/dev/") else path)
    assert ask("Bash", command=f"awk 'BEGIN {{ print 1 > \"{name}\" }}'") == ("", "")
    assert ask("Write", file_path="/dev/fd/../../etc/fd")[0] == "deny"


def test_a_denial_says_what_to_call_next(ask: Ask, gate: Gate) -> None:
    gate()
    assert "add_explored_files(files=['src/b.py'])" in ask("Edit", file_path="src/b.py")[1]
    gate(is_open=False, phase="EXPLORATION")
    decision, reason = ask("Edit", file_path="src/a.py")
    assert decision == "deny"
    assert "this is EXPLORATION. Call get_session_status" in reason


def test_a_sub_folder_as_working_folder_sees_the_same_gate(ask: Ask, gate: Gate, folder: Path) -> None:
    gate()
    assert ask("Edit", cwd=folder / "src", file_path="a.py") == ("", "")
    assert ask("Bash", cwd=folder / "src", command="rm b.py")[0] == "deny"


def test_without_its_server_an_unfinished_session_denies_and_says_how_it_goes_on(ask: Ask, gate: Gate) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    path = gate(pid=ended.pid)
    for call in ({"file_path": "src/a.py"}, {"command": "echo x > src/a.py"}):
        decision, reason = ask("Write", **call)
        assert (decision, "get_session_status" in reason, "abandoned" in reason) == ("deny", True, True)
    assert ask("Bash", command="ls") == ("", "")
    checkpoint = path.with_name("20261122_101500_ab12.json")
    path.unlink()
    checkpoint.touch()
    decision, reason = ask("Write", file_path="src/a.py")
    assert (decision, "20261122_101500_ab12" in reason) == ("deny", True)
    checkpoint.rename(checkpoint.with_suffix(".json.bak"))
    assert ask("Write", file_path="src/a.py")[0] == "deny"
    checkpoint.with_suffix(".json.bak").unlink()
    assert ask("Write", file_path="src/b.py") == ("", "")


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"version": 1}', '{"pid": "x"}', '{"pid": 1e999}', "\ufffe"])
def test_a_gate_that_cannot_be_read_denies_and_names_the_repair(text: str, ask: Ask, gate: Gate) -> None:
    gate().write_text(text, encoding="utf-8")
    decision, reason = ask("Edit", file_path="src/a.py")
    assert decision == "deny"
    assert "get_session_status" in reason


def test_the_gate_is_found_from_the_path_that_is_written(ask: Ask, gate: Gate, folder: Path, tmp_path: Path) -> None:
    path = gate()
    inner = folder / "src" / "inner"
    (inner / ".git").mkdir(parents=True)
    for cwd in (inner, tmp_path, folder.parent):
        assert ask("Edit", cwd=cwd, file_path=str(folder / "src/b.py"))[0] == "deny"
        assert ask("Bash", cwd=cwd, command=f"rm {folder}/src/b.py")[0] == "deny"
        assert ask("Bash", cwd=cwd, command=f"git -C {folder} commit -m x")[0] == "deny"
        assert ask("Edit", cwd=cwd, file_path=str(folder / "src/a.py")) == ("", "")
    assert ask("Edit", cwd=inner, file_path="x.py")[0] == "deny"
    assert ask("Bash", cwd=inner, command="git commit -m x") == ("", "")
    assert ask("Edit", cwd=tmp_path, file_path="x.py") == ("", "")
    (inner / ".git").rmdir()
    inner.rmdir()
    path.unlink()
    assert ask("Edit", file_path="src/b.py") == ("", "")


@pytest.mark.parametrize(
    "path",
    [
        ".claude/settings.json",
        ".claude/settings.local.json",
        ".Claude/hooks/x.sh",
        ".claude",
        ".mcp.json",
        ".codex/config.toml",
        ".cursor/hooks.json",
        ".vscode/mcp.json",
        ".agents/skills/code/SKILL.md",
        ".gemini/settings.json",
        ".qwen/settings.json",
        "opencode.json",
        ".opencode/plugin/x.js",
        ".github/mcp.json",
        ".github/hooks/x.json",
    ],
)
def test_the_clients_configuration_is_protected_though_it_was_explored(path: str, ask: Ask, gate: Gate) -> None:
    gate(explored=[path])
    assert ask("Write", file_path=path)[0] == "deny"
    assert ask("Bash", command=f"rm -rf {path}" if path == ".claude" else f"echo x > {path}")[0] == "deny"
    assert ask("Write", file_path=".claude/skills/mine/SKILL.md")[0] == "deny"
    gate(explored=[".claude/skills/mine/SKILL.md", ".vscode/settings.json"])
    assert ask("Write", file_path=".claude/skills/mine/SKILL.md") == ("", "")
    assert ask("Write", file_path=".vscode/settings.json") == ("", "")


def test_an_ignored_file_that_a_test_runner_reads_is_part_of_the_work(ask: Ask, gate: Gate) -> None:
    gate()
    for path in ("build/conftest.py", ".venv/lib/python3/site-packages/x.pth", "node_modules/jest/index.js"):
        assert ask("Write", file_path=path)[0] == "deny"
    for path in ("build/x.py", ".env", "node_modules/.cache/x", "node_modules"):
        assert ask("Bash", command=f"touch {path}") == ("", "")


def test_what_a_test_run_leaves_behind_is_free_unless_git_knows_it(ask: Ask, gate: Gate, folder: Path) -> None:
    gate()
    left = folder / ".coverage"
    left.touch()
    assert ask("Bash", command="rm .coverage") == ("", "")
    subprocess.run(["git", "-C", str(folder), "add", ".coverage"], check=True)
    assert ask("Bash", command="rm .coverage")[0] == "deny"
    subprocess.run(["git", "-C", str(folder), "rm", "-qf", ".coverage"], check=True)


def test_after_a_command_what_it_changed_and_may_not_is_told(ask: Ask, gate: Gate, folder: Path) -> None:
    gate()

    def told() -> str:
        document = {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "make"}}
        answer = respond(["--client", "claude"], json.dumps({**document, "cwd": str(folder)}).encode())
        return str(answer.get("reason", ""))

    assert told() == ""
    (folder / "src/a.py").write_text("y = 1\n")
    (folder / "build/x.o").touch()
    (folder / "src/__pycache__").mkdir()
    (folder / "src/__pycache__/a.txt").touch()
    assert told() == ""
    (folder / "src/b.py").write_text("y = 1\n")
    (folder / "new.py").touch()
    assert "2: new.py, src/b.py" in told() or "2: src/b.py, new.py" in told(), told()
    gate()
    assert told() == ""  # the server has seen them
    gate(is_open=False)
    time.sleep(0.05)  # the clock of files ticks every few milliseconds
    os.utime(folder / "src/a.py", (1, 1))
    assert "src/a.py" in told()
    subprocess.run(["git", "-C", str(folder), "checkout", "-q", "."], check=True)
    for name in ("new.py", "build/x.o", "src/__pycache__/a.txt"):
        (folder / name).unlink()
    (folder / "src/__pycache__").rmdir()


def test_after_the_deadline_a_person_is_asked(
    ask: Ask, gate: Gate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate()
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nexec sleep 30\n")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(gate_module, "WAIT_S", 30)
    monkeypatch.setattr(main_module, "LONGEST_S", 0.05)
    decision, reason = ask("Bash", command="rm src/b.py")
    assert (decision, "TimeoutError" in reason) == ("ask", True)
    assert ask("Bash", client="codex", command="rm src/b.py")[0] == "deny"


def test_a_line_that_takes_too_much_work_is_a_persons_to_judge(
    ask: Ask, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate()
    monkeypatch.setattr(main_module, "DEADLINE_S", 0.05)
    decision, reason = ask("Bash", command="; ".join(f"for f in {'x ' * 200}; do echo $f; done" for _ in range(400)))
    assert (decision, "TimeoutError" in reason) == ("ask", True)


def test_a_patch_in_a_pipe_that_never_answers_is_denied_at_once(ask: Ask, gate: Gate, folder: Path) -> None:
    gate()
    os.mkfifo(folder / "build/pipe")
    assert ask("Bash", command="git apply build/pipe")[0] == "deny"
    (folder / "build/pipe").unlink()


def test_a_line_beyond_reading_is_asked_about(ask: Ask, gate: Gate) -> None:
    gate()
    assert ask("Bash", command="echo " + "x" * 500_000)[0] == "ask"
    assert ask("Bash", command="echo " + "$(" * 40 + "ls" + ")" * 40)[0] == "ask"


def test_another_users_server_counts_as_running(ask: Ask, gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(pid: int, signal: int) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "kill", forbidden)
    gate(pid=1)
    assert ask("Edit", file_path="src/b.py")[0] == "deny"


def test_what_it_says_stands_in_the_contract_file_or_in_its_own_data_file() -> None:
    """No text of four words in a row in its Python but docstrings."""
    said = []
    for path in Path(str(gate_module.__file__)).parent.glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docstrings)
        said += [path.name for node in texts if re.search(r"[A-Za-z]+( [a-z]+){3}", str(node.value))]
    # Names of programs and of the grammar, separated by blanks; why a line is not followed, which `unjudged` quotes.
    assert set(said) == {"commands.py", "programs.py", "scripts.py", "table.py"}


def test_each_command_it_stops_whatever_it_writes_has_its_words() -> None:
    messages = load_contract(None).messages
    codes = {row.says for row in TABLE.values() if row.says}
    known = {key.rpartition(".")[2] for key in messages if ".guard." in key}
    assert known == codes | {"folder", "command_writes", "changed"}
