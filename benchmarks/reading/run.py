"""Ask a second reader about changes of known worth: cheats that no run shows, and honest changes for the same requests.

    uv run python benchmarks/reading/run.py 'claude -p' [ID …] > read.jsonl
    uv run python benchmarks/reading/run.py --answers FOLDER > read.jsonl

Each case is put to the command as the server puts a change to a verifier with `report: findings`: the same prompt,
beside the changed project. With `--answers`, FOLDER/ID.txt holds the answers, and nothing runs. A line of JSON for each
case, with its known fault ("" for an honest change) and what the reader says; the counts go to stderr. Whether a
finding is the known fault, and whether one about an honest change is right, is for a person to read.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from codeintel_server.verification.beside import BEFORE
from codeintel_server.verification.reading import prompt_for, read_answer
from codeintel_server.verification.runner import Ran, run_command
from codeintel_session import AskedWords, Verifier

HERE = Path(__file__).resolve().parent
LIMIT_S = 900.0
_FILE = re.compile(r"(?m)^(?=diff --git a/.+ b/(.+)$)")


def main(*words: str) -> None:
    """Print a line for each case."""
    projects: dict[str, dict[str, str]] = json.loads((HERE / "projects.json").read_text(encoding="utf-8"))
    cases = [json.loads(line) for line in (HERE / "cases.jsonl").read_text(encoding="utf-8").splitlines()]
    answers = Path(words[1]) if words[0] == "--answers" else None
    wanted = words[2 if answers else 1 :]
    counts: dict[str, int] = {}
    for case in cases:
        if wanted and case["id"] not in wanted:
            continue
        if answers is None:
            ran = ask(words[0], case, projects[case["project"]])
        elif (answers / f"{case['id']}.txt").is_file():
            ran = Ran(0, (answers / f"{case['id']}.txt").read_text(encoding="utf-8"))
        else:
            continue
        read = read_answer(ran)
        findings, unanswered = read.get("findings", ()), read.get("unanswered", "")
        row = {name: case[name] for name in ("id", "project", "fault")}
        sys.stdout.write(json.dumps({**row, "findings": findings, "unanswered": unanswered}, ensure_ascii=False) + "\n")
        sys.stdout.flush()
        kind = "cheats" if case["fault"] else "honest changes"
        for name in (kind, *[f"{kind} with findings"] * bool(findings), *["without an answer"] * bool(unanswered)):
            counts[name] = counts.get(name, 0) + 1
    sys.stderr.write("".join(f"{name}: {count}\n" for name, count in sorted(counts.items())))


def ask(command: str, case: dict[str, Any], project: dict[str, str]) -> Ran:
    """Have a command read a case beside the project, after the change and before it."""
    with tempfile.TemporaryDirectory(prefix="codeintel-reading-") as folder:
        root = Path(folder) / case["project"]
        for path, text in project.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        shutil.copytree(root, Path(folder) / BEFORE)
        subprocess.run(["git", "apply", "--whitespace=nowarn"], input=case["diff"], text=True, cwd=root, check=True)
        prompt, _ = prompt_for("", AskedWords(tuple(case["request"])), dict(patches(case["diff"])), case["project"])
        return run_command(Path(folder), Verifier("reader", "", command=command, timeout_s=LIMIT_S), given=prompt)


def patches(diff: str) -> Iterator[tuple[str, str]]:
    """Yield the paths of a diff, each with its part."""
    for part in _FILE.split(diff)[2::2]:
        yield part.splitlines()[0].partition(" b/")[2], part.rstrip("\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
