"""Measure how often the judge of empty implementations would refuse what people really committed.

    uv run python benchmarks/refusals.py CLONE [COMMITS]

Each commit of the clone stands for an honest agent: every hunk that it adds is taken as evidence, and all its changed
definitions are judged as at the end of a session. Whatever is called empty is printed, to be read by a person: a
refusal of work is a fault, one of a bracket or of a bare TODO is not. Merges and commits of more than 40 files are left
out.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from codeintel_index.languages.table import language_id
from codeintel_index.stub_detection.judge import kind_of_lines, new_stubs

MOST_FILES = 40
MOST_BYTES = 300_000
_HUNK = re.compile(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@")


def say(line: str) -> None:
    """Write a line, at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def git(clone: Path, *words: str) -> bytes:
    """Run git in the clone and return what it prints; nothing if it fails, as for a file that is not there."""
    return subprocess.run(["git", "-C", str(clone), *words], capture_output=True, check=False).stdout


def commits(clone: Path, count: int) -> Iterator[tuple[str, dict[str, list[tuple[int, int]]]]]:
    """Yield each commit with the line ranges that it adds or changes, by file."""
    options = ("--no-merges", f"-{count}", "--format=%x01%H", "-p", "-U0", "--no-renames", "--diff-filter=AM")
    for part in git(clone, "log", *options).decode("utf-8", "replace").split("\x01")[1:]:
        commit, _, diff = part.partition("\n")
        files: dict[str, list[tuple[int, int]]] = {}
        path = ""
        for line in diff.split("\n"):
            if line.startswith("+++ b/"):
                path = line.removeprefix("+++ b/").strip()
            elif path and (hunk := _HUNK.match(line)) and (length := int(hunk[2] or 1)):
                files.setdefault(path, []).append((int(hunk[1]), int(hunk[1]) + length - 1))
        if len(files) <= MOST_FILES:
            yield commit, files


def main(clone: str, count: str = "100") -> None:
    """Print what would be refused, and the totals."""
    root = Path(clone)
    hunks, refused, stubs = 0, 0, 0
    for commit, files in commits(root, int(count)):
        for path, ranges in files.items():
            data = git(root, "show", f"{commit}:{path}") if language_id(path) else b""
            lines = data.split(b"\n")
            if not data or len(data) > MOST_BYTES:
                continue
            for first, last in ranges:
                if not any(line.strip() for line in lines[first - 1 : last]):
                    continue
                hunks += 1
                if kind_of_lines(path, data, first, last) == "empty":
                    refused += 1
                    say(f"{commit[:9]} {path}:{first}-{last}  {lines[first - 1].decode(errors='replace').strip()}")
            for line, name in new_stubs(path, data, git(root, "show", f"{commit}^:{path}"), ranges):
                stubs += 1
                say(f"{commit[:9]} {path}:{line}  {name} is empty")
    say(f"{hunks} hunks, {refused} called empty; {stubs} changed definitions called empty")


if __name__ == "__main__":
    main(*sys.argv[1:])
