"""Count which honest commits the facts of further runs would name, on clones that may be changed.

    uv run python benchmarks/honest.py COUNT PYTHON CLONE …

Of each clone, the newest COUNT commits that change a definition of Python and its tests are played, each as a session
on its parent: a verifier runs the changed test files with PYTHON, which has what the project needs, and the receipt
says what it names. What is named because no *changed* test looks at it is played once more with all tests, where
`tests` of the clone is what they are in. A commit whose tests do not pass here is left out. A line of JSON per commit.
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

from runs import prepare

from codeintel_index import find_compared, find_entered
from codeintel_server.mcp.tools.implementation import run_verifier
from codeintel_server.project.project import Project
from codeintel_server.verification import hollow_runs, indifferent, trials

ASKED = ("indifferent", "as_before", "disguised", "unheard", "unfailing", "unnoticed", "any_value", "borders")
LIMIT_S = 900.0
"""The limits of the product are lifted: a busy machine says nothing about commits."""


def main(count: str, python: str, *clones: str) -> None:
    """Print a line for each commit that could be played."""
    os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="codeintel-honest-")
    limits: dict[str, Any] = dict.fromkeys(("LONGEST_S", "ALL_S"), LIMIT_S)
    with (
        patch.multiple(hollow_runs, find_indifferent=weigh, **limits),
        patch.object(trials, "SLACK_S", LIMIT_S),
    ):
        measure(int(count), python, clones)


def measure(count: int, python: str, clones: Iterable[str]) -> None:
    """Print a line for each commit of some clones."""
    for clone in clones:
        root = Path(clone).resolve()
        os.environ["PYTHONPATH"] = os.pathsep.join(map(str, (root, root / "src")))
        played = 0
        for commit, tests in commits(root):
            found = play(root, commit, f"{python} -m pytest -q -p no:cacheprovider {shlex.join(tests)}")
            if found is not None and (found.get("as_before") or found.get("any_value") or found.get("unnoticed")):
                folder = tests[0].partition("/")[0] if "/" in tests[0] else "."
                found = play(root, commit, f"{python} -m pytest -q -p no:cacheprovider {folder}") or found
            if found is not None:
                played += 1
                sys.stdout.write(json.dumps({"clone": root.name, "commit": commit[:10], **found}) + "\n")
                sys.stdout.flush()
            if played == count:
                break


WEIGHED: set[str] = set()
"""The comparisons of the commit at hand that were evaluated with other values, too."""


def weigh(*values: Any) -> trials.Unseen:
    """Do what the product does, and keep what its run wrote down."""
    found = indifferent.find_indifferent(*values)
    with suppress(OSError):
        lines = (values[0].place.top.parent / "values").read_text(encoding="utf-8").splitlines()
        WEIGHED.update(line[2:] for line in lines)
    return found


def commits(root: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the commits that change a definition and a comparison of a test, newest first, with their test files."""
    for commit in git(root, "log", "--no-merges", "--format=%H", "origin/HEAD").split():
        paths = git(root, "diff", "--name-only", "--diff-filter=AM", f"{commit}^", commit).split()
        python = [path for path in paths if path.endswith(".py")]
        tests = [path for path in python if Path(path).name.startswith("test")]
        texts = {path: [text(root, f"{at}:{path}") for at in (commit, f"{commit}^")] for path in python}
        is_changed = any(find_entered(path, *texts[path]) for path in python if path not in tests)
        if is_changed and any(find_compared(path, *texts[path]) for path in tests):
            yield commit, tests


def play(root: Path, commit: str, command: str) -> dict[str, object] | None:
    """Return what the receipt of a session on a commit's parent names, None if its tests do not pass here."""
    git(root, "checkout", "-q", "-f", "--detach", f"{commit}^")
    git(root, "clean", "-q", "-f", "-d", "-e", ".code-intel")
    git(root, "checkout", "-q", "-f", commit, "--", ".")
    is_green = subprocess.run(f"{command} > /dev/null 2>&1", shell=True, cwd=root, check=False).returncode == 0
    git(root, "reset", "-q", "--hard")
    if not is_green:
        return None
    prepare(root, f'{command} --junitxml "$CODEINTEL_JUNIT"', "junit")
    project = Project(root)
    try:
        project.fresh_configuration()
        project.session.start("IMPLEMENT", "Play a commit", {"quick": True, "no_doc": True})
        git(root, "checkout", "-q", "-f", commit, "--", ".")
        changed = git(root, "diff", "--name-only", f"{commit}^", commit).split()
        project.session.change({"planned_files": tuple(changed)})
        WEIGHED.clear()
        began = time.monotonic()
        data = run_verifier(project, "bench").data
        receipt = data["receipt"]
        if not data["passed"] or receipt["in_place"]:
            return None
        seconds: dict[str, object] = {
            "weighed": len(WEIGHED),
            "tests": receipt["counts"]["tests"],
            "run": receipt["seconds"],
            "all": time.monotonic() - began,
        }
        return seconds | {name: receipt[name] for name in (*ASKED, "unexamined") if name in receipt}
    finally:
        project.close()
        git(root, "reset", "-q", "--hard")


def text(root: Path, place: str) -> bytes:
    """Return a file of a commit, nothing if it is not there."""
    return subprocess.run(["git", "show", place], cwd=root, capture_output=True, check=False).stdout


def git(root: Path, *words: str) -> str:
    """Return what git prints."""
    return subprocess.run(["git", *words], cwd=root, capture_output=True, check=True, text=True).stdout


if __name__ == "__main__":
    main(*sys.argv[1:])
