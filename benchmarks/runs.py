"""Measure what the server's runs of a verifier cost, on a clone that may be changed: each call against the suite.

    uv run python benchmarks/runs.py CLONE "COMMAND" SOURCE [junit]

SOURCE is a file of the clone to which a comment line is added before each call. The verifier goes to `.code-intel` of
the clone, which its `.git/info/exclude` hides.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from codeintel_server.mcp.tools.implementation import run_verifier
from codeintel_server.project.library import ProjectLibrary
from codeintel_server.project.project import Project
from codeintel_server.verification.trust import trust

COMMENT = {".py": "#", ".rb": "#"}


def main(clone: str, command: str, source: str, report: str = "none") -> None:
    """Print a line for the suite alone and for each kind of call."""
    root = Path(clone).resolve()
    os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="codeintel-bench-")
    prepare(root, command, report)
    measure("the suite alone, in the project", lambda: subprocess.run(quiet(command), shell=True, cwd=root, check=True))
    project = Project(root)
    project.fresh_configuration()
    project.session.start("IMPLEMENT", "Measure", {"quick": True, "no_doc": True})
    measure("state of the dependencies at the start of a session", project.runs.dependencies)
    for label in ("first run of the session, the base included", "run after an edit, the base known"):
        edit(root / source)
        measure(label, lambda: told(run_verifier(project, "bench").data))
    measure("run of the same tree again", lambda: told(run_verifier(project, "bench").data))
    project.close()


def prepare(root: Path, command: str, report: str) -> None:
    """Give the clone a trusted verifier that git does not see."""
    (root / ".git/info/exclude").write_text(".code-intel/\n", encoding="utf-8")
    folder = root / ".code-intel/verifiers"
    folder.mkdir(parents=True, exist_ok=True)
    front = f"command: {json.dumps(command)}\nreport: {report}\n"
    (folder / "bench.md").write_text(f"---\n{front}---\nRun it.\n", encoding="utf-8")
    trust(ProjectLibrary(root))


def quiet(command: str) -> str:
    """Return a command without its output."""
    return f'CODEINTEL_JUNIT="$(mktemp)"; export CODEINTEL_JUNIT; ({command}) > /dev/null 2>&1'


def edit(path: Path) -> None:
    """Add a comment line to a file."""
    mark = COMMENT.get(path.suffix, "//")
    path.write_text(f"{path.read_text(encoding='utf-8')}{mark} measured\n", encoding="utf-8")


def told(data: dict[str, object]) -> str:
    """Return what a call came to, in one line."""
    receipt = data["receipt"]
    assert isinstance(receipt, dict)
    return (
        f"passed {data['passed']}, {receipt.get('seconds', 0)} s of it in the command, in place {receipt['in_place']}"
    )


def measure(label: str, action: object) -> None:
    """Print the time that an action takes, and what it says."""
    began = time.perf_counter()
    said = action()  # type: ignore[operator]
    sys.stdout.write(f"{label}: {time.perf_counter() - began:.2f} s {said if isinstance(said, str) else ''}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
