"""Checks whether everything that codeintel needs is there and answers. A check is a row; a finding says what to do.

Nothing is changed: what could only be found out by writing stays a note.
"""

import json
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from codeintel_contract import (
    GATE_FILE,
    ContractViolation,
    Gate,
    WritePolicy,
    find_trap,
    load_contract,
    quote_name,
    read_file,
    visible,
)
from codeintel_server.project.installation import find_for_client, install_command, is_own, run_fault
from codeintel_server.project.programs import WAIT_S, install_or_change, missing_words, output_of
from codeintel_server.project.roots import find_top

if TYPE_CHECKING:
    from codeintel_templates import Client

Level = Literal["ok", "note", "broken"]

OLDEST_GIT = (2, 38)
"""`git merge-tree` tries a merge without a work tree from here on."""
UNUSABLE_INDEX = "not complete, or built by another version: the next search builds it"
MAX_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found. `remedy` is what to do, "" where all is well."""

    check: str
    level: Level
    said: str
    remedy: str = ""


Check = Callable[[Path], Iterator[Finding]]


def examine(root: Path) -> list[Finding]:
    """Run all checks on a project."""
    return [finding for check in CHECKS for finding in check(root)]


def _python(root: Path) -> Iterator[Finding]:
    yield Finding("Python", "ok", sys.version.split()[0])


def _git(root: Path) -> Iterator[Finding]:
    said = output_of("git", "--version")
    found = re.search(r"(\d+)\.(\d+)", said)
    if not found:
        yield Finding("git", "broken", "git does not answer", "install git 2.38 or newer")
    elif (int(found[1]), int(found[2])) < OLDEST_GIT:
        yield Finding("git", "broken", f"{said} is too old to try a merge", "install git 2.38 or newer")
    else:
        yield Finding("git", "ok", said.removeprefix("git version "))
    if find_top(root) is None:
        remedy = "cd to a project, or git init for a new one"
        yield Finding("repository", "note", f"{root} is not in a git repository", remedy)
    elif trap := find_trap(str(root)):
        said = f"{quote_name(trap)} is a pipe, a device or very large, and git would read it"
        yield Finding("repository", "broken", said, "remove it: git is not asked until then")
    else:
        yield from _repository(root)


def _repository(root: Path) -> Iterator[Finding]:
    from codeintel_session import GitFault, GitRepository

    try:
        found = GitRepository.look_for(root)
        is_empty = found is not None and not found.has_commit()
    except GitFault as fault:
        yield Finding("repository", "broken", str(fault), "`git status` says more")
        return
    if found is None:
        yield Finding("repository", "broken", "git cannot read it", "`git status` says why")
    elif is_empty:
        yield Finding("repository", "note", "there is no commit yet", "make a first commit")


def _ripgrep(root: Path) -> Iterator[Finding]:
    from codeintel_index import find_rg

    program = find_rg()
    said = output_of(program, "--no-config", "--version") if program else ""
    if said:
        yield Finding("ripgrep", "ok", said.splitlines()[0].removeprefix("ripgrep "))
    else:
        remedy = "reinstall codeintel-index, which brings it, or put rg on PATH"
        yield Finding("ripgrep", "note", "not found: text search is slower", remedy)


def _ctags(root: Path) -> Iterator[Finding]:
    program = os.environ.get("CODEINTEL_CTAGS") or shutil.which("ctags") or ""
    there = program and "Universal Ctags" in output_of(program, "--options=NONE", "--version")
    yield Finding("ctags", "ok", "serves languages without a grammar" if there else "no Universal Ctags; not needed")


def _settings(root: Path) -> Iterator[Finding]:
    from codeintel_server.project.library import config_error

    if not (root / ".code-intel").is_dir():
        yield Finding("project", "note", "not initialized: defaults are used", "codeintel init")
        return
    if said := config_error(root):
        yield Finding("settings", "broken", said, "correct the file named")
    else:
        yield Finding("settings", "ok", "config.json, context.yml, verifiers and the contract can be read")


def _trust(root: Path) -> Iterator[Finding]:
    from codeintel_server.project.library import ProjectLibrary
    from codeintel_server.verification.trust import is_trusted

    try:
        library = ProjectLibrary(root)
        verifiers = {name: verifier for name, verifier in library.verifiers().items() if verifier.command}
    except ContractViolation:
        return  # settings has said it
    for name, verifier in verifiers.items():
        if missing := missing_words(root, verifier.command, bool(verifier.setup)):
            said = f"{visible(name)} needs {visible(', '.join(missing))}, which is not found"
            yield Finding("verifiers", "broken", said, install_or_change(name))
    if verifiers and not is_trusted(library):
        yield Finding("verifiers", "note", f"not trusted: {', '.join(verifiers)}", "codeintel trust")
    elif verifiers:
        yield Finding("verifiers", "ok", f"trusted: {', '.join(verifiers)}")


def _index(root: Path) -> Iterator[Finding]:
    from codeintel_index import Index, IndexFault

    now = "codeintel-index sync" if shutil.which("codeintel-index") else ""  # a tool of its own
    if not (root / ".code-intel" / "index.db").is_file():
        yield Finding("index", "note", "not built yet: the first search builds it", now)
        return
    try:
        with Index.open(root) as index:
            fault, stats = index.check_vectors(), index.stats()
    except (IndexFault, OSError, sqlite3.Error) as error:
        remedy = "make .code-intel writable, or delete .code-intel/index.db: it is derived"
        yield Finding("index", "broken", str(error), remedy)
        return
    if stats.state == "absent":
        yield Finding("index", "note", UNUSABLE_INDEX, now)
        return
    yield Finding("index", "ok", f"{stats.files} files in {stats.chunks} pieces (chunks), {stats.state}")
    if fault or stats.dense:
        said = f"{stats.vectors}: {fault or stats.dense}"
        remedy = "see `embedding_model` and `chroma` in .code-intel/config.json; until then words are searched"
        yield Finding("vectors", "broken", said, remedy)
    else:
        yield Finding("vectors", "ok", stats.vectors)
    for note in stats.notices:
        yield Finding("index", "note", note, "see the README of codeintel-index")


def _session(root: Path) -> Iterator[Finding]:
    from codeintel_server.report.words import plain_phase
    from codeintel_session import newest_state

    sessions = root / ".code-intel" / "sessions"
    state = newest_state(sessions)
    if state is not None:
        where = state.phase_state
        phase = f"{plain_phase(where.current_phase)} ({where.current_phase})"
        yield Finding("session", "ok", f"{state.session_id} is at step {where.step}, {phase}")
    for path in sorted(sessions.glob("*.corrupt")):
        yield Finding("session", "note", f"{path.name} could not be read", f"look at it, then delete {path}")


def examine_clients(root: Path) -> Iterator[Finding]:
    """Check that each client that is used here starts the server, and that its hooks stop a write."""
    from codeintel_templates import all_clients

    start = cache(lambda command: run_fault(command, root))  # most clients start the same one
    for client in all_clients():
        if (root / client.entry_file).is_file():
            yield _entry(root, client, start)
            if client.hooks_file:
                yield _hook(root, client)


def _entry(root: Path, client: "Client", start: Callable[[tuple[str, ...]], str]) -> Finding:
    from codeintel_templates import TemplatesError, read_entry

    path = client.entry_file
    try:
        entry = read_entry(root, client)
    except TemplatesError as error:
        return Finding(path, "broken", f"cannot be read: {error}", "correct the file, then codeintel init")
    if entry is None:
        return Finding(path, "note", "has no entry code-intel", "codeintel init")
    words = client.words(entry) if isinstance(entry, dict) else []
    command = words[0] if words else ""
    remedy = f"{install_command()}, or codeintel init --command ..."
    place = find_for_client(command, root)
    if place is None:
        return Finding(path, "broken", f"starts {command!r}, which is not on PATH", remedy)
    if not _is_ours(root, words, "codeintel", "serve"):
        said = visible(f"starts {' '.join(words)[:200]}, which is not tried: it is not `codeintel serve`")
        return Finding(path, "note", said, "look whether you want that, else codeintel init")
    if why := start((place, *(str(root) if word == client.project_word else word for word in words[1:]))):
        return Finding(path, "broken", f"starts {command}: {why}", remedy)
    return Finding(path, "ok", f"starts {command}, which answers")


def _is_ours(root: Path, words: list[str], *command: str) -> bool:
    """Say whether a line runs our own program. Files of clients come with the repository: no other one is started."""
    after = words[3:] if words[:3] == ["uvx", "--from", "codeintel-server"] else words
    if after and os.path.dirname(after[0]) and is_own(str(root / after[0])):
        after = [Path(after[0]).stem, *after[1:]]
    return after[: len(command)] == [*command]


def _hook(root: Path, client: "Client") -> Finding:
    path = client.hooks_file
    try:
        text = read_file(root, path, MAX_BYTES).decode("utf-8", "replace")
    except OSError as error:
        return Finding(path, "note", f"no hook: {error.strerror}", "codeintel init")
    found = re.search(rf'"([^"]*codeintel-guard --client {client.name})(?:; exit 0)?"', text)
    if found is None:
        return Finding(path, "note", "no hook stops a write before it happens", "codeintel init")
    words = shlex.split(json.loads(f'"{found[1]}"'), posix=os.name != "nt")
    if not _is_ours(root, words, "codeintel-guard", "--client", client.name):
        said = visible(f"{found[1][:200]} is not tried: it is not `codeintel-guard`")
        return Finding(path, "note", said, "look whether you want that, else codeintel init")
    if why := _guard_fault([find_for_client(words[0], root) or words[0], *words[1:]], client):
        said = f"{found[1]}: {why}"
        return Finding(path, "broken", said, f"{install_command()}, or codeintel init")
    return Finding(path, "ok", "codeintel-guard answers")


def _guard_fault(command: list[str], client: "Client") -> str:
    """Ask the guard about a write that a gate of our own allows and one that it denies."""
    policy = WritePolicy("READY", is_open=True, explored={"allowed"})
    words = {key: message.message for key, message in load_contract(None).messages.items()}
    with tempfile.TemporaryDirectory() as folder:
        gate = Path(folder) / GATE_FILE
        gate.parent.mkdir(parents=True)
        for name in ("allowed", "denied"):
            (Path(folder) / name).touch()
        gate.write_text(json.dumps(Gate("doctor", os.getpid(), policy, words).dump()), encoding="utf-8")
        answers = [_ask(command, client.edit(name, folder)) for name in ("allowed", "denied")]
    if None in answers:
        return "it cannot be run"
    if answers[0]:
        return "it does not let an allowed write pass"
    return "" if "deny" in str(answers[1]) else "it does not stop a forbidden write"


def _ask(command: list[str], call: Mapping[str, object]) -> str | None:
    try:
        done = subprocess.run(
            command, input=json.dumps(call), capture_output=True, text=True, check=False, timeout=WAIT_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def _orphans(root: Path) -> Iterator[Finding]:
    """Find servers whose client is gone. They end by themselves; one that does not is a fault worth knowing."""
    listed = output_of("ps", "-eo", "pid=,ppid=,args=") if shutil.which("ps") else ""
    rows = (line.split(None, 2) for line in listed.splitlines())
    lost = [row[0] for row in rows if len(row) == 3 and row[1] == "1" and re.search(r"\bcodeintel serve\b", row[2])]
    if lost:
        yield Finding("servers", "note", f"without a client: {', '.join(lost)}", f"kill {' '.join(lost)}")


CHECKS: tuple[Check, ...] = (
    _python,
    _git,
    _ripgrep,
    _ctags,
    _settings,
    _trust,
    _index,
    _session,
    examine_clients,
    _orphans,
)
