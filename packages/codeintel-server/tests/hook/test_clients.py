"""Each client's way to say what it is about to do, and the way it is answered."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from codeintel_server.hook.main import respond

Ask = Callable[..., tuple[str, str]]
Gate = Callable[..., Path]


@pytest.fixture(autouse=True)
def _gate(gate: Gate) -> None:
    gate()


@pytest.mark.parametrize("tool", ["Edit", "Write", "MultiEdit"])
def test_claude_names_the_file_of_an_edit(tool: str, ask: Ask, folder: Path) -> None:
    assert ask(tool, file_path=str(folder / "src/b.py"))[0] == "deny"
    assert ask(tool, file_path=str(folder / "src/a.py")) == ("", "")


def test_claude_names_a_notebook(ask: Ask) -> None:
    assert ask("NotebookEdit", notebook_path="src/n.ipynb")[0] == "deny"


@pytest.mark.parametrize(
    "head", ["Update File: src/b.py", "Add File: src/n.py", "Delete File: src/b.py", "Move to: x.py"]
)
def test_codex_names_files_in_its_patch(head: str, ask: Ask) -> None:
    patch = f"*** Begin Patch\n*** Update File: src/a.py\n*** {head}\n@@\n-a\n+b\n*** End Patch"
    assert ask("apply_patch", client="codex", command=patch)[0] == "deny"
    assert ask("apply_patch", client="codex", command=["apply_patch", patch])[0] == "deny"
    assert ask("apply_patch", client="codex", command=patch.replace(f"*** {head}\n", "")) == ("", "")


@pytest.mark.parametrize("command", [["bash", "-lc", "rm src/b.py"], ["rm", "src/b.py"], "rm src/b.py"])
def test_codex_gives_a_command_as_words_or_as_a_line(command: object, ask: Ask) -> None:
    assert ask("Bash", client="codex", command=command)[0] == "deny"


def cursor(folder: Path, **document: object) -> dict[str, Any]:
    said = {"workspace_roots": [str(folder)], **document}
    return respond(["--client=cursor"], json.dumps(said).encode())


def test_cursor_has_events_of_its_own(folder: Path) -> None:
    answer = cursor(folder, hook_event_name="beforeShellExecution", command="rm src/b.py", cwd="")
    assert answer["permission"] == "deny"
    assert answer["agent_message"] == answer["user_message"]
    assert cursor(folder, hook_event_name="beforeShellExecution", command="ls") == {}
    edit = cursor(folder, hook_event_name="preToolUse", tool_name="Write", tool_input={"file_path": "src/b.py"})
    assert edit["permission"] == "deny"


def test_input_given_as_text_is_read(folder: Path) -> None:
    for given in ('{"command": "rm src/b.py"}', "rm src/b.py"):
        document = {"toolName": "Bash", "toolInput": given, "cwd": str(folder)}
        answer = respond(["--client", "claude"], json.dumps(document).encode())
        assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"


@pytest.mark.parametrize("tool", ["Task", "WebFetch", "mcp__x__write", "", "Read", "Grep"])
def test_other_tools_are_none_of_its_business(tool: str, ask: Ask) -> None:
    assert ask(tool, file_path="src/b.py", command="rm src/b.py") == ("", "")


@pytest.mark.parametrize(
    "data",
    [b"", b"junk", b"[1]", b"null", b'"x"', b"\xff\xfe", b"[" * 100_000, b'{"tool_input": 7, "tool_name": "Bash"}'],
)
def test_what_cannot_be_read_is_asked_about_or_stopped_while_a_session_runs(
    data: bytes, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert respond([], data)["hookSpecificOutput"]["permissionDecision"] == "ask"
    for client in ("codex", "cursor"):
        assert respond(["--client", client], data) == {}
    monkeypatch.chdir(folder / "src")
    assert respond(["--client", "codex"], data)["hookSpecificOutput"]["permissionDecision"] == "deny"
    answer = respond(["--client", "cursor"], data)
    assert (answer["permission"], "tell the user" in answer["agent_message"]) == ("deny", True)
    (folder / ".code-intel/sessions/gate.json").write_text("[")
    assert respond(["--client", "cursor"], data)["permission"] == "deny"


def test_the_program_answers_with_exit_code_0() -> None:
    command = [sys.executable, "-m", "codeintel_server.hook.main", "--client", "nobody", "--surprise"]
    done = subprocess.run(command, input=b"junk", capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "ask"


def test_only_the_standard_library_is_imported() -> None:
    names = ("main", "shell", "inline", "patches", "seen")
    code = f"import sys; {'; '.join(f'import codeintel_server.hook.{name}' for name in names)}; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-S", "-c", code], env={"PYTHONPATH": _source()}, capture_output=True, text=True, check=True
    )
    tops = {name.partition(".")[0] for name in loaded.stdout.split()}
    assert tops <= {*sys.stdlib_module_names, "codeintel_server", "__main__"}
    assert not tops & {"dataclasses", "pathlib", "subprocess", "typing", "inspect", "tempfile"}


def _source() -> str:
    import codeintel_server

    return str(Path(codeintel_server.__file__).parents[1])


def test_files_that_a_client_read_are_noted_for_the_session(folder: Path) -> None:
    log = folder / ".code-intel/sessions/seen.jsonl"
    log.unlink(missing_ok=True)
    for path in ("src/b.py", "src", "missing.py", "/etc/hosts"):
        document = {"hook_event_name": "PostToolUse", "tool_name": "Read", "tool_input": {"file_path": path}}
        assert respond([], json.dumps({**document, "cwd": str(folder)}).encode()) == {}
    assert [json.loads(line)["path"] for line in log.read_text().splitlines()] == ["src/b.py"]
    assert cursor(folder, hook_event_name="beforeReadFile", file_path="src/a.py") == {}
    assert json.loads(log.read_text().splitlines()[-1])["path"] == "src/a.py"
