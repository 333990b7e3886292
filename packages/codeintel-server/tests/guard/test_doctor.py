"""`codeintel doctor` asks the guard that a client would run, and says what to do."""

import os
import sys
from pathlib import Path

import pytest

from codeintel_server.project.doctor import Finding, examine_clients
from codeintel_templates import apply, plan

SETTINGS = ".claude/settings.json"


def said(root: Path) -> Finding:
    """Return what the check of the hooks finds."""
    return next(finding for finding in examine_clients(root) if finding.check == SETTINGS)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    apply(plan(tmp_path))
    return tmp_path


def test_an_installed_guard_answers(project: Path) -> None:
    assert said(project).level == "ok"


def test_hooks_that_are_missing_are_noted(project: Path) -> None:
    (project / SETTINGS).unlink()
    assert (said(project).level, said(project).remedy) == ("note", "codeintel init")


@pytest.mark.parametrize("body", ["exit 1", "exit 0", "echo deny"], ids=["fails", "lets all pass", "stops all"])
def test_a_guard_that_does_not_do_its_work_is_broken(
    body: str, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _program(tmp_path / "bin" / "codeintel-guard", body)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    assert said(project).level == "broken"


def test_a_guard_that_is_not_installed_is_broken(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(project))
    assert said(project).level == "broken"


def test_a_program_of_somebody_else_before_the_guard_is_named_and_not_started(project: Path, tmp_path: Path) -> None:
    path = project / SETTINGS
    program = _program(tmp_path / "wrapper", f"touch {tmp_path / 'started'}")
    path.write_text(path.read_text().replace("codeintel-guard --client", f"{program} codeintel-guard --client"))
    found = said(project)
    assert (found.level, str(program) in found.said, "codeintel init" in found.remedy) == ("note", True, True)
    assert not (tmp_path / "started").exists()


def _program(path: Path, body: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return path
