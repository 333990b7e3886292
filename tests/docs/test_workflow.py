"""The workflow that posts a report, played with real git and a `gh` that writes down what it is asked to do."""

import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from codeintel_session.testing import make_repo

PAGE = Path(__file__).parents[2] / "docs/howto/pull-requests.md"
GH = '#!/bin/sh\n{ echo "$@"; cat report.md; } >> "$ASKED"\n'

pytestmark = pytest.mark.skipif(os.name == "nt", reason="GitHub runs it in a POSIX shell")


def script() -> str:
    (text,) = re.findall(r"```yaml .*?\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {"contents": "read", "pull-requests": "write"}
    return str(workflow["jobs"]["comment"]["steps"][-1]["run"])


def test_the_note_of_the_newest_commit_of_the_pull_request_is_posted(tmp_path: Path) -> None:
    author = make_repo(tmp_path / "author", {"a.py": "a = 1\n"})
    base = author.git("rev-parse", "HEAD").strip()
    origin, runner = tmp_path / "origin.git", tmp_path / "runner"
    author.git("clone", "--quiet", "--bare", str(author.root), str(origin))
    for name in ("b", "c"):
        (author.root / f"{name}.py").write_text("b = 1\n", encoding="utf-8")
        author.git("add", "--all")
        author.git("commit", "--quiet", "--message", name)
    author.git("push", "--quiet", str(origin), "HEAD:refs/heads/main")
    author.git("clone", "--quiet", str(origin), str(runner))
    program, asked = tmp_path / "bin/gh", tmp_path / "asked"
    program.parent.mkdir()
    program.write_text(GH, encoding="utf-8")
    program.chmod(0o755)
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "ASKED": str(asked), "NUMBER": "7", "BASE": base}

    def posted() -> str:
        done = subprocess.run(
            ["bash", "-e", "-c", script()], cwd=runner, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "No report was pushed" in posted()
    author.git("notes", "--ref", "codeintel", "add", "--message", "of the base", base)
    author.git("push", "--quiet", str(origin), "refs/notes/codeintel")
    assert "No commit of this pull request has a report" in posted()
    author.git("notes", "--ref", "codeintel", "add", "--message", "the report", "HEAD~1")
    author.git("push", "--quiet", str(origin), "refs/notes/codeintel")
    assert posted() == ""
    told = asked.read_text(encoding="utf-8")
    assert told == "pr comment 7 --body-file report.md --edit-last --create-if-none\nthe report\n"
