"""A clone may hold links to devices, pipes or huge files under the names that are read: none costs time or memory.

What opens a file is tested in `tests/test_project_file.py`; here is who goes through it: every file the server reads.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from codeintel_contract import ContractViolation
from codeintel_index.testing import bounded
from codeintel_server.project.configuration import Context, ServerConfig
from codeintel_server.project.detect import detect
from codeintel_server.project.documents import find_documents
from codeintel_server.project.library import ProjectLibrary
from codeintel_server.project.rules import project_rules
from codeintel_server.testing import Caller
from codeintel_server.verification import junit
from codeintel_session.integrity.external_changes import take_reads
from codeintel_session.integrity.protected_files import protected
from codeintel_session.storage.project_files import file_fact, text_of
from codeintel_templates import files_io
from codeintel_templates.errors import Obstructed

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(os.name == "nt", reason="makes links and pipes")]


def sparse(place: Path) -> None:
    place.touch()
    os.truncate(place, 20_000_000_000)


KINDS: dict[str, Callable[[Path], object]] = {
    "device": lambda place: place.symlink_to("/dev/zero"),
    "process": lambda place: place.symlink_to("/proc/self/mem"),
    "pipe": os.mkfifo,
    "folder": Path.mkdir,
    "huge": sparse,
    "circle": lambda place: place.symlink_to(place.name),
    "dangling": lambda place: place.symlink_to("/nowhere"),
}


def check(root: Path) -> None:
    ProjectLibrary(root).check()


REFUSED: dict[str, Callable[[Path], object]] = {
    ".code-intel/config.json": ServerConfig.read,
    ".code-intel/context.yml": Context.read,
    ".code-intel/phase_contract.yml": check,
    ".code-intel/verifiers/unit.md": check,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("path", REFUSED)
def test_a_setting_that_cannot_be_read_is_named_and_nothing_begins_on_it(path: str, kind: str, tmp_path: Path) -> None:
    (tmp_path / path).parent.mkdir(parents=True)
    KINDS[kind](tmp_path / path)
    with bounded(), pytest.raises(ContractViolation) as caught:
        REFUSED[path](tmp_path)
    assert caught.value.key.rpartition(".")[2] in ("config_invalid", "contract_invalid")
    assert Path(path).name in f"{caught.value.values['path']}"


def rules(root: Path) -> object:
    return project_rules(root, Context.read(root)).text


def documents(root: Path) -> object:
    return find_documents(root, Context.read(root), "numbers")


def reads_log(root: Path) -> object:
    return take_reads(root / ".code-intel", "s1")


PASSED_OVER: dict[str, tuple[Callable[[Path], object], object]] = {
    "CLAUDE.md": (rules, ""),
    "docs/a.md": (documents, ()),
    "package.json": (lambda root: detect(root).proposals.suites, ()),
    ".code-intel/seen.jsonl": (reads_log, ()),
    "src/a.py": (lambda root: text_of(root, "src/a.py"), ""),
    "src/b.py": (lambda root: file_fact(root, "src/b.py").lines, 0),
    ".code-intel/task_planning.md": (
        lambda root: protected(root, None)[".code-intel/task_planning.md"][:10],
        "unreadable",
    ),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("path", PASSED_OVER)
def test_a_file_that_only_helps_is_passed_over(path: str, kind: str, tmp_path: Path) -> None:
    look, nothing = PASSED_OVER[path]
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    KINDS[kind](tmp_path / path)
    with bounded():
        assert look(tmp_path) == nothing


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("folder", "dangling")])
def test_a_report_that_is_none_makes_a_pass_no_pass(kind: str, tmp_path: Path) -> None:
    KINDS[kind](tmp_path / "report.xml")
    with bounded(), pytest.raises(ContractViolation, match="report_unreadable"):
        junit.read_cases(tmp_path, "unit.md", "junit:*.xml", tmp_path / "told", time.time() - 60)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "dangling"])
def test_a_clients_file_that_is_none_is_in_the_way_of_init(kind: str, tmp_path: Path) -> None:
    KINDS[kind](tmp_path / ".mcp.json")
    with bounded(), pytest.raises((Obstructed, RuntimeError)):
        files_io.read(tmp_path, ".mcp.json")


async def test_a_project_full_of_such_files_is_searched_and_worked_in_as_any_other(
    call: Caller, repo: Path, git: Callable[..., str]
) -> None:
    (repo / "docs").mkdir()
    for path in (".gitignore", "src/.gitignore", "CLAUDE.md", "docs/a.md", "src/evil.py", "pyproject.toml"):
        KINDS["device"](repo / path)
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "--message", "Traps")
    with bounded(60, 3_000_000_000):
        found = await call("search_text", pattern="count_all")
        started = await call("start_session", intent="QUESTION", query="Where are numbers counted?")
        exact = await call("find_definitions", symbol="count_all")
    assert (found["success"], started["success"], exact["success"]) == (True, True, True)
    assert "src/stats.py" in str(found)
    assert "src/stats.py" in str(exact)
