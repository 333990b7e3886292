"""Is everything there that codeintel needs, and does it answer? A check is a row; each says how to mend what it finds.

Nothing is changed: a check that would have to write to find out says what it could not find out.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from codeintel_contract.violations import ContractViolation

Level = Literal["ok", "note", "broken"]

OLDEST_GIT = (2, 38)
"""`git merge-tree` tries a merge without a work tree from here on."""
WAIT_S = 20
SHELL_WORDS = frozenset(
    {"cd", "exec", "export", "for", "if", "set", "source", "time", "trap", "ulimit", "umask", "while"}
)
"""Words a line may begin with that are the shell's own."""
HOOKED = (
    ("claude", ".mcp.json", ".claude/settings.json"),
    ("codex", ".codex/config.toml", ".codex/hooks.json"),
    ("cursor", ".cursor/mcp.json", ".cursor/hooks.json"),
)
"""Clients: the file that says one is used here, and the file that holds its hooks."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found. `mend` is what to do, "" where all is well."""

    check: str
    level: Level
    said: str
    mend: str = ""


Check = Callable[[Path], Iterator[Finding]]


def examine(root: Path) -> list[Finding]:
    """Run all checks on a project."""
    return [finding for check in CHECKS for finding in check(root)]


def _python(root: Path) -> Iterator[Finding]:
    yield Finding("Python", "ok", sys.version.split()[0])


def _git(root: Path) -> Iterator[Finding]:
    said = _output("git", "--version")
    found = re.search(r"(\d+)\.(\d+)", said)
    if not found:
        yield Finding("git", "broken", "git does not answer", "install git 2.38 or newer")
    elif (int(found[1]), int(found[2])) < OLDEST_GIT:
        yield Finding("git", "broken", f"{said} is too old to try a merge", "install git 2.38 or newer")
    else:
        yield Finding("git", "ok", said.removeprefix("git version "))
    if not (root / ".git").exists():
        yield Finding("repository", "note", f"{root} is not in a git repository", "git init; else only questions work")
    elif not _output("git", "-C", str(root), "rev-parse", "--verify", "--quiet", "HEAD"):
        yield Finding("repository", "note", "there is no commit yet", "make a first commit")


def _ripgrep(root: Path) -> Iterator[Finding]:
    from codeintel_index.tools.binaries import find_rg

    program = find_rg()
    said = _output(program, "--no-config", "--version") if program else ""
    if said:
        yield Finding("ripgrep", "ok", said.splitlines()[0].removeprefix("ripgrep "))
    else:
        mend = "reinstall codeintel-index, which brings it, or put rg on PATH"
        yield Finding("ripgrep", "note", "not found: text search is slower", mend)


def _ctags(root: Path) -> Iterator[Finding]:
    program = os.environ.get("CODEINTEL_CTAGS") or shutil.which("ctags") or ""
    there = program and "Universal Ctags" in _output(program, "--options=NONE", "--version")
    yield Finding("ctags", "ok", "serves languages without a grammar" if there else "no Universal Ctags; not needed")


def _settings(root: Path) -> Iterator[Finding]:
    from codeintel_server.library import trouble

    if not (root / ".code-intel").is_dir():
        yield Finding("project", "note", "not initialized: defaults are used", "codeintel init")
        return
    if said := trouble(root):
        yield Finding("settings", "broken", said, "mend the file named")
    else:
        yield Finding("settings", "ok", "config.json, context.yml, verifiers and the contract can be read")


def _trust(root: Path) -> Iterator[Finding]:
    from codeintel_server.library import ProjectLibrary
    from codeintel_server.trust import is_trusted

    try:
        library = ProjectLibrary(root)
        commands = {name: verifier.command for name, verifier in library.verifiers().items() if verifier.command}
    except ContractViolation:
        return  # settings has said it
    for name, command in commands.items():
        if _is_missing(root, command):
            said = f"{name} runs {command.split(maxsplit=1)[0]}, which is not found"
            yield Finding("verifiers", "broken", said, f"install it, or change command in .code-intel/verifiers/{name}")
    if commands and not is_trusted(library):
        yield Finding("verifiers", "note", f"not trusted: {', '.join(commands)}", "codeintel trust")
    elif commands:
        yield Finding("verifiers", "ok", f"trusted: {', '.join(commands)}")


def _is_missing(root: Path, command: str) -> bool:
    """True if a shell line begins with a program that is not there; False where it takes a shell to tell."""
    first = command.split(maxsplit=1)[0]
    if first in SHELL_WORDS or not re.fullmatch(r"[\w./+-]+", first):
        return False
    return not ((root / first).exists() if "/" in first else shutil.which(first))


def _index(root: Path) -> Iterator[Finding]:
    from codeintel_index import Index, IndexFault

    if not (root / ".code-intel" / "index.db").is_file():
        now = "codeintel-index sync" if shutil.which("codeintel-index") else ""  # a tool of its own
        yield Finding("index", "note", "not built yet: the first search builds it", now)
        return
    try:
        with Index.open(root) as index:
            stats = index.stats()
    except (IndexFault, OSError) as error:
        yield Finding(
            "index", "broken", str(error), "delete .code-intel/index.db and .code-intel/chroma: both are derived"
        )
        return
    yield Finding("index", "ok", f"{stats.files} files, {stats.chunks} chunks, {stats.state}")
    for note in stats.notices:
        yield Finding("index", "note", note, "see the README of codeintel-index")


def _session(root: Path) -> Iterator[Finding]:
    from codeintel_session.brief import newest_state

    sessions = root / ".code-intel" / "sessions"
    state = newest_state(sessions)
    if state is not None:
        where = state.phase_state
        yield Finding("session", "ok", f"{state.session_id} stands at step {where.step}, {where.current_phase}")
    for path in sorted(sessions.glob("*.corrupt")):
        yield Finding("session", "note", f"{path.name} could not be read", "look at it, then delete it")


def _clients(root: Path) -> Iterator[Finding]:
    for path, key in (
        (".mcp.json", "mcpServers"),
        (".cursor/mcp.json", "mcpServers"),
        (".vscode/mcp.json", "servers"),
        (".codex/config.toml", "mcp_servers"),
    ):
        if not (root / path).is_file():
            continue
        try:
            entry = _document(root / path).get(key, {}).get("code-intel")
        except ValueError as error:
            yield Finding(path, "broken", f"cannot be read: {error}", "mend the file, then codeintel init")
            continue
        if entry is None:
            yield Finding(path, "note", "has no entry code-intel", "codeintel init")
        elif shutil.which(str(entry.get("command", ""))) is None:
            said = f"starts {entry.get('command')!r}, which is not on PATH"
            yield Finding(path, "broken", said, "uv tool install codeintel-server, or codeintel init --command ...")
        else:
            yield Finding(path, "ok", f"starts {entry['command']}")


def _hooks(root: Path) -> Iterator[Finding]:
    """Whether the hooks of the clients found are there, and whether the guard they name answers as it should."""
    for client, config, path in HOOKED:
        if not (root / config).is_file():
            continue
        text = (root / path).read_text(encoding="utf-8", errors="replace") if (root / path).is_file() else ""
        found = re.search(rf'"command":\s*"([^"]*codeintel-guard --client {client})"', text)
        if found is None:
            yield Finding(path, "note", "no hook stops a write before it happens", "codeintel init")
        elif why := _guard_fault(shlex.split(found[1])):
            yield Finding(path, "broken", f"{found[1]}: {why}", "uv tool install codeintel-server, or codeintel init")
        else:
            yield Finding(path, "ok", "codeintel-guard answers")


def _guard_fault(command: list[str]) -> str:
    """Ask the guard about a write that a gate of our own allows and one that it denies."""
    with tempfile.TemporaryDirectory() as folder:
        sessions = Path(folder) / ".code-intel" / "sessions"
        sessions.mkdir(parents=True)
        (Path(folder) / "denied").touch()
        (Path(folder) / "allowed").touch()
        gate = {"session_id": "doctor", "pid": os.getpid(), "phase": "READY", "open": True, "folders": [], "names": []}
        (sessions / "gate.json").write_text(json.dumps({**gate, "explored": ["allowed"]}), encoding="utf-8")
        answers = [_asked(command, folder, name) for name in ("allowed", "denied")]
    if None in answers:
        return "it cannot be run"
    if answers[0]:
        return "it does not let an allowed write pass"
    return "" if "deny" in str(answers[1]) else "it does not stop a forbidden write"


def _asked(command: list[str], folder: str, name: str) -> str | None:
    call = {"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": {"file_path": name}, "cwd": folder}
    try:
        done = subprocess.run(
            command, input=json.dumps(call), capture_output=True, text=True, check=False, timeout=WAIT_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def _document(path: Path) -> dict[str, Any]:
    from codeintel_templates.json_comments import plain

    text = path.read_text(encoding="utf-8-sig")
    if path.suffix == ".toml":
        return tomllib.loads(text)
    found = json.loads(plain(text) if path.parent.name == ".vscode" else text)
    if not isinstance(found, dict):
        raise ValueError("it is not an object")
    return found


def _orphans(root: Path) -> Iterator[Finding]:
    """Servers whose client is gone. They end by themselves; one that does not is a fault worth knowing."""
    listed = _output("ps", "-eo", "pid=,ppid=,args=") if shutil.which("ps") else ""
    rows = (line.split(None, 2) for line in listed.splitlines())
    lost = [row[0] for row in rows if len(row) == 3 and row[1] == "1" and re.search(r"\bcodeintel serve\b", row[2])]
    if lost:
        yield Finding("servers", "note", f"without a client: {', '.join(lost)}", f"kill {' '.join(lost)}")


def _output(*command: str) -> str:
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            check=False,
            timeout=WAIT_S,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


CHECKS: tuple[Check, ...] = (
    _python,
    _git,
    _ripgrep,
    _ctags,
    _settings,
    _trust,
    _index,
    _session,
    _clients,
    _hooks,
    _orphans,
)
