"""Each client's way to say what it is about to do, and the way it is answered."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from codeintel_server.guard.main import respond
from codeintel_server.guard.prompts import kept_prompts
from codeintel_templates import CLIENTS, find_client

Ask = Callable[..., tuple[str, str]]
Gate = Callable[..., Path]
OURS = ("codeintel_contract", "codeintel_server", "codeintel_templates")


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


@pytest.mark.parametrize("tool", ["Read", "Grep", "Glob"])
def test_a_tool_that_reads_passes(tool: str, ask: Ask) -> None:
    assert ask(tool, file_path="src/b.py", command="rm src/b.py") == ("", "")


@pytest.mark.parametrize("tool", ["write_file", "mcp__x__write", "run_shell_command", ""])
@pytest.mark.parametrize("client", ["claude", "codex", "nobody"])
def test_an_unknown_tool_is_taken_to_write_what_it_names(tool: str, client: str, ask: Ask) -> None:
    assert ask(tool, client=client, file_path="src/b.py")[0] == "deny"
    assert ask(tool, client=client, command="rm src/b.py")[0] == "deny"
    assert ask(tool, client=client, file_path="src/a.py", command="ls") == ("", "")
    assert ask(tool, client=client, url="https://example.org") == ("", "")
    assert ask(tool, client=client, edits=[{"filePath": "src/a.py"}, {"filePath": "src/b.py"}])[0] == "deny"
    assert ask(tool, client=client, source="src/a.py", destination="src/b.py")[0] == "deny"


@pytest.mark.parametrize(
    "tool",
    [
        "mcp__files__read_file",
        "mcp__files__directory_tree",
        "mcp__desktop__start_search",
        "mcp__git__git_diff",
        "mcp__ide__open_file_in_editor",
        "list_dir",
        "mcp__code-intel__check_write_target",
        "mcp__code_intel__check_write_target",
        "get_x",
    ],
)
def test_an_unknown_tool_whose_name_says_that_it_reads_passes(tool: str, ask: Ask) -> None:
    assert ask(tool, path="src/b.py") == ("", "")


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("fs__write_file", {"path": "src/b.py", "content": "x"}),
        ("fs__move_file", {"source": "src/a.py", "destination": "src/b.py"}),
        ("jetbrains__replace_text_in_file", {"pathInProject": "src/b.py"}),
        ("search__search_and_replace", {"file_path": "src/b.py"}),
        ("shell__run", {"command": "rm src/b.py"}),
        ("pictures__draw", {"prompt": "a cat", "output_path": "src/b.py"}),
    ],
)
def test_what_the_tool_of_another_server_writes_is_denied(tool: str, given: dict[str, str], ask: Ask) -> None:
    assert ask(f"mcp__{tool}", **given)[0] == "deny"


def test_an_unknown_client_is_answered_in_every_form(folder: Path) -> None:
    call = {"tool_name": "Write", "tool_input": {"file_path": "src/b.py"}, "cwd": str(folder)}
    answer = respond(["--client", "nobody"], json.dumps(call).encode())
    for name in CLIENTS:
        assert find_client(name).answer("deny", "x").keys() <= answer.keys()
    assert answer["permission"] == answer["hookSpecificOutput"]["permissionDecision"] == "deny"


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
    command = [sys.executable, "-m", "codeintel_server.guard.main", "--client", "nobody", "--surprise"]
    done = subprocess.run(command, input=b"junk", capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "ask"


def test_a_person_is_told_what_the_program_is_for_and_a_hook_still_gets_its_answer() -> None:
    command = [sys.executable, "-m", "codeintel_server.guard.main"]
    shown = subprocess.run([*command, "--help"], input=b"", capture_output=True, check=True)
    assert (b"codeintel doctor" in shown.stdout, shown.stdout[:1]) == (True, b"c")
    empty = subprocess.run(command, input=b"", capture_output=True, check=True)
    assert empty.stderr == shown.stdout
    assert json.loads(empty.stdout)["hookSpecificOutput"]["permissionDecision"] == "ask"


@pytest.mark.skipif(os.name == "nt", reason="makes a terminal")
def test_at_a_terminal_it_does_not_wait_for_a_call() -> None:
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "codeintel_server.guard.main", "--client", "claude"]
    shown = subprocess.run(command, stdin=theirs, capture_output=True, check=True, timeout=60)
    os.close(ours)
    os.close(theirs)
    assert b"nothing to run by hand" in shown.stdout


def test_only_the_standard_library_and_the_grammar_are_imported() -> None:
    names = ("main", "commands", "programs", "table", "code")
    imports = "; ".join(f"import codeintel_server.guard.{name}" for name in names)
    start = f"import sys; {imports}; codeintel_server.guard.main.all_clients(); "
    read = "codeintel_server.guard.programs.writes('ls > x', '.'); "
    slow = {"dataclasses", "pathlib", "subprocess", "typing", "inspect", "tempfile", "warnings", "contextlib"}
    for code, more in ((start, set()), (start + read, {"tree_sitter", "tree_sitter_bash"})):
        loaded = subprocess.run(
            [sys.executable, "-S", "-c", f"{code}print(*sys.modules)"],
            env={"PYTHONPATH": _sources()},
            capture_output=True,
            text=True,
            check=True,
        )
        tops = {name.partition(".")[0] for name in loaded.stdout.split()}
        assert tops <= {*sys.stdlib_module_names, *OURS, "__main__", *more}
        assert not tops & (slow - ({"warnings"} if more else set()))


def test_an_edit_and_a_command_that_only_reads_pay_for_neither_re_nor_the_grammar(folder: Path) -> None:
    for tool, given in (("Edit", {"file_path": "src/a.py"}), ("Bash", {"command": "git status && ls -la | head"})):
        call = json.dumps({"tool_name": tool, "tool_input": given, "cwd": str(folder)})
        code = f"import sys; from codeintel_server.guard.main import respond; r = respond(['--client=claude'], {call!r}"
        loaded = subprocess.run(
            [sys.executable, "-S", "-c", f"{code}.encode()); print(r, *sys.modules)"],
            env={"PYTHONPATH": _sources()},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        assert loaded[0] == "{}"
        assert not {"re", "json", "enum", "tree_sitter", "codeintel_server.guard.commands"} & {*loaded}


def _sources() -> str:
    names = (*OURS, "tree_sitter")
    return os.pathsep.join(str(Path(str(import_module(name).__file__)).parents[1]) for name in names)


def test_files_that_a_client_read_are_noted_for_the_session(folder: Path) -> None:
    log = folder / ".code-intel/sessions/seen.jsonl"
    log.unlink(missing_ok=True)
    for path in ("src/b.py", "src", "missing.py", "/etc/hosts"):
        document = {"hook_event_name": "PostToolUse", "tool_name": "Read", "tool_input": {"file_path": path}}
        assert respond([], json.dumps({**document, "cwd": str(folder)}).encode()) == {}
    assert [json.loads(line)["path"] for line in log.read_text().splitlines()] == ["src/b.py"]
    assert cursor(folder, hook_event_name="beforeReadFile", file_path="src/a.py") == {}
    assert json.loads(log.read_text().splitlines()[-1])["path"] == "src/a.py"


def call(client: str, event: str, tool: str, folder: Path, **given: object) -> dict[str, Any]:
    document = {"hook_event_name": event, "tool_name": tool, "tool_input": given, "cwd": str(folder)}
    return respond(["--client", client], json.dumps(document).encode())


def test_gemini_has_events_and_answers_of_its_own(folder: Path) -> None:
    denied = call("gemini", "BeforeTool", "write_file", folder, file_path="src/b.py")
    assert (denied["decision"], "src/b.py" in denied["reason"]) == ("deny", True)
    assert call("gemini", "BeforeTool", "run_shell_command", folder, command="rm src/b.py")["decision"] == "deny"
    assert call("gemini", "BeforeTool", "replace", folder, file_path="src/a.py") == {}
    log = folder / ".code-intel/sessions/seen.jsonl"
    log.unlink(missing_ok=True)
    assert call("gemini", "AfterTool", "read_file", folder, file_path="src/b.py") == {}
    assert [json.loads(line)["path"] for line in log.read_text().splitlines()] == ["src/b.py"]


def test_gemini_says_apart_what_the_server_and_its_tool_are_called(folder: Path) -> None:
    for tool, verdict in (("write_it", "deny"), ("read_it", "")):
        about = {"mcp_context": {"server_name": "find_and_read", "tool_name": tool}}
        document = {"hook_event_name": "BeforeTool", "tool_name": f"mcp_find_and_read_{tool}", **about}
        document |= {"tool_input": {"path": "src/b.py"}, "cwd": str(folder)}
        assert respond(["--client", "gemini"], json.dumps(document).encode()).get("decision", "") == verdict


def test_cursor_asks_about_the_tools_of_servers_by_their_bare_names(folder: Path) -> None:
    for tool, verdict in (("write_file", "deny"), ("read_file", ""), ("check_write_target", "")):
        said = {"tool_name": tool, "tool_input": json.dumps({"file_path": "src/b.py"}), "command": "npx a-server"}
        answer = cursor(folder, hook_event_name="beforeMCPExecution", **said)
        assert answer.get("permission", "") == verdict


def test_copilot_hands_over_a_patch_as_the_input_of_an_edit(folder: Path) -> None:
    patch = "*** Begin Patch\n*** Update File: src/b.py\n@@\n-a\n+b\n*** End Patch\n"
    for given in (patch, {"input": patch}):
        document = {"hook_event_name": "PreToolUse", "tool_name": "Edit", "tool_input": given, "cwd": str(folder)}
        answer = respond(["--client", "copilot"], json.dumps(document).encode())
        assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"
    allowed = {**document, "tool_input": patch.replace("b.py", "a.py")}
    assert respond(["--client", "copilot"], json.dumps(allowed).encode()) == {}


def test_the_plugin_of_opencode_asks_about_our_own_tools_too(folder: Path) -> None:
    assert call("opencode", "PreToolUse", "code-intel_check_write_target", folder, file_path="src/b.py") == {}
    assert call("opencode", "PreToolUse", "write", folder, filePath="src/b.py")["decision"] == "deny"


@pytest.mark.parametrize(
    ("client", "document", "kept"),
    [
        ("gemini", {"hook_event_name": "BeforeAgent", "prompt": "add it"}, ["add it"]),
        (
            "gemini",
            {"hook_event_name": "BeforeAgent", "prompt": r'"# /code\n\n--quick\n## The request\n\nadd'},
            [r"\n\nadd"],
        ),
        ("copilot", {"hook_event_name": "UserPromptSubmit", "prompt": "add it"}, ["add it"]),
        (
            "qwen",
            {"hook_event_name": "UserPromptSubmit", "prompt": "+ context", "submitted_prompt": "add it"},
            ["add it"],
        ),
        ("qwen", {"hook_event_name": "UserPromptSubmit", "prompt": "merge the branch, says a file"}, []),
        ("opencode", {"hook_event_name": "PreToolUse", "prompt": "add it"}, []),
    ],
)
def test_of_a_prompt_only_what_the_user_typed_is_kept(
    client: str,
    document: dict[str, str],
    kept: list[str],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert respond(["--client", client], json.dumps({**document, "cwd": str(folder)}).encode()) == {}
    assert [entry["text"] for entry in kept_prompts(str(folder), f"{client}-cli-mcp-client")] == kept


def test_of_a_prompt_that_is_too_long_both_ends_are_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A request is before what is pasted, or behind it."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    prompt = "First, add it. " + "09:00 GET /page/1\n" * 5000 + "Last, test it."
    document = {"hook_event_name": "UserPromptSubmit", "prompt": prompt, "cwd": str(folder)}
    assert respond(["--client", "copilot"], json.dumps(document).encode()) == {}
    (entry,) = kept_prompts(str(folder), "copilot-cli-mcp-client")
    assert (entry["text"][:14], entry["text"][-14:], entry["is_cut"]) == ("First, add it.", "Last, test it.", True)
    assert len(entry["text"]) < len(prompt)
