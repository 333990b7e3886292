"""The write rule at the hook: links, case, folders, new files, and gates that are gone, broken or elsewhere."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

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
    gate(open=False, phase="EXPLORATION")
    decision, reason = ask("Edit", file_path="src/a.py")
    assert decision == "deny"
    assert "this is EXPLORATION; call get_session_status" in reason


def test_a_sub_folder_as_working_folder_sees_the_same_gate(ask: Ask, gate: Gate, folder: Path) -> None:
    gate()
    assert ask("Edit", cwd=folder / "src", file_path="a.py") == ("", "")
    assert ask("Bash", cwd=folder / "src", command="rm b.py")[0] == "deny"


def test_a_gate_whose_server_is_gone_says_nothing(ask: Ask, gate: Gate) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    gate(pid=ended.pid)
    assert ask("Edit", file_path="src/b.py") == ("", "")


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"pid": "x"}', '{"pid": 1e999}', "\ufffe"])
def test_a_gate_that_cannot_be_read_denies_and_names_the_repair(text: str, ask: Ask, gate: Gate) -> None:
    gate().write_text(text, encoding="utf-8")
    decision, reason = ask("Edit", file_path="src/a.py")
    assert decision == "deny"
    assert "get_session_status" in reason


def test_without_a_gate_or_in_another_repository_nothing_is_said(ask: Ask, gate: Gate, folder: Path) -> None:
    path = gate()
    inner = folder / "build" / "inner"
    (inner / ".git").mkdir(parents=True, exist_ok=True)
    assert ask("Edit", cwd=inner, file_path="x.py") == ("", "")
    path.unlink()
    assert ask("Edit", file_path="src/b.py") == ("", "")


def test_another_users_server_counts_as_running(ask: Ask, gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(pid: int, signal: int) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "kill", forbidden)
    gate(pid=1)
    assert ask("Edit", file_path="src/b.py")[0] == "deny"
