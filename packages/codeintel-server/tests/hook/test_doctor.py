"""`codeintel doctor` asks the guard that a client would run, and says how to mend it."""

import json
import os
import sys
from pathlib import Path

import pytest

from codeintel_server.doctor import CHECKS, Finding
from codeintel_templates.copy import apply, plan

SETTINGS = ".claude/settings.json"


def said(root: Path) -> Finding:
    """What the check of the hooks finds; the others would load the whole index."""
    (check,) = (check for check in CHECKS if getattr(check, "__name__", "") == "_hooks")
    return next(finding for finding in check(root) if finding.check == SETTINGS)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    apply(plan(tmp_path))
    return tmp_path


def test_an_installed_guard_answers(project: Path) -> None:
    assert said(project).level == "ok"


def test_hooks_that_are_missing_are_noted(project: Path) -> None:
    (project / SETTINGS).unlink()
    assert (said(project).level, said(project).mend) == ("note", "codeintel init")


@pytest.mark.parametrize("program", ["no-such-program", "true", "echo"])
def test_a_guard_that_does_not_do_its_work_is_broken(program: str, project: Path) -> None:
    path = project / SETTINGS
    text = path.read_text().replace("codeintel-guard --client", f"{program} codeintel-guard --client")
    json.loads(text)
    path.write_text(text)
    assert said(project).level == "broken"
