"""Play what people committed as whole sessions, and print what of it is refused or not merged.

    uv run python benchmarks/commits.py COUNT CLONE …

Each of the newest COUNT commits of a clone (no merges, at most 12 files) is the work of an honest agent in a session on
its parent, every third one a quick one: it reads the changed files, plans an item for each, in one task or in several,
writes the commit's tree, and gives as evidence in turns the file, its changed lines, the largest hunk, and a changed
definition. There are no tests. Every refusal is printed, to be read by a person: one of honest work is a fault. The
clone is copied and not changed.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import anyio

from codeintel_index.syntax.parsing import definitions_at
from codeintel_server.testing import Caller, in_memory

MOST_FILES = 12
MOST_BYTES = 300_000
VERBS = {"A": "make", "M": "change", "D": "remove", "T": "change"}
"""What a plan says of a file, by git's letter for its change."""
_HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


class File(NamedTuple):
    """A file that a commit changes: git's letter for the change, and the changed lines, those of removals as (n, n)."""

    path: str
    status: str
    ranges: list[tuple[int, int]]


def main(count: str, *clones: str) -> None:
    """Print what was refused, and a line of totals for each clone."""
    os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="codeintel-commits-")
    os.environ["CODEINTEL_CHROMA_MODE"] = "off"
    for clone in clones:
        with tempfile.TemporaryDirectory(prefix="codeintel-commits-") as folder:
            anyio.run(measure, Path(clone), Path(folder) / "project", int(count))


async def measure(clone: Path, root: Path, count: int) -> None:
    """Play the commits of a clone."""
    subprocess.run(["git", "clone", "-q", "--shared", clone, root], check=True)
    (root / ".git/info/exclude").write_text("/.code-intel/\n", encoding="utf-8")
    for name, value in {"user.name": "Sam Field", "user.email": "sam@example.org", "core.autocrlf": "false"}.items():
        git(root, "config", name, value)
    played = stopped = pieces = 0
    for commit, files in commits(root):
        git(root, "checkout", "-q", "-f", "-B", "main", f"{commit}^")
        git(root, "clean", "-q", "-f", "-f", "-d", "-x", "-e", ".code-intel")
        for branch in git(root, "branch", "--format=%(refname:short)", "--list", "llm_task_*").split():
            git(root, "branch", "-D", branch)
        session = Session(root, commit, files, turn=played)
        async with in_memory(root) as call:
            await session.play(call)
        for said in session.refused:
            say(f"{clone} {commit[:9]} {said}")
        played, stopped, pieces = played + 1, stopped + bool(session.refused), pieces + session.pieces
        if played == count:
            break
    say(f"{clone}: {played} commits, {pieces} pieces of evidence, {stopped} with a refusal")


def commits(root: Path) -> Iterator[tuple[str, list[File]]]:
    """Yield the commits, newest first, with the files they change."""
    for commit in git(root, "log", "--no-merges", "--min-parents=1", "--format=%H", "HEAD").split():
        raw = git(root, "diff", "--raw", "--no-renames", "-z", f"{commit}^", commit).split("\0")
        changed = list(zip(raw[::2], raw[1::2], strict=False))
        is_plain = all(" 160000 " not in f" {mode.lstrip(':')} " and "120000" not in mode for mode, _ in changed)
        sizes = [len(text(root, f"{commit}:{path}")) for _, path in changed[: MOST_FILES + 1]]
        if is_plain and 0 < len(changed) <= MOST_FILES and max(sizes) <= MOST_BYTES:
            files = [File(path, mode[-1], ranges(root, commit, path)) for mode, path in changed]
            yield commit, files


def ranges(root: Path, commit: str, path: str) -> list[tuple[int, int]]:
    """Return the lines of a file that a commit adds or changes; where it only removes some, the line before."""
    diff = git(root, "diff", "-U0", "--no-renames", f"{commit}^", commit, "--", path)
    found = ((int(start), int(length or 1)) for start, length in _HUNK.findall(diff))
    return [(max(start, 1), max(start + length - 1, start, 1)) for start, length in found]


class Session:
    """A session on the parent of a commit. `refused` has what the server did not take."""

    def __init__(self, root: Path, commit: str, files: list[File], turn: int) -> None:
        self.root, self.commit, self.files, self.turn = root, commit, files, turn
        self.message = git(root, "log", "-1", "--format=%B", commit).strip() or "Change it"
        self.refused: list[str] = []
        self.pieces = 0

    async def play(self, call: Caller) -> None:
        """Start, look, plan, write, report and merge; end at the first refusal."""
        title = self.message.splitlines()[0]
        there = [file.path for file in self.files if file.status != "A"]
        known = there or git(self.root, "ls-files").splitlines()[:1]
        is_quick = self.turn % 3 == 2
        flags = ["--no-doc", *(["--quick"] if is_quick else [])]
        if not await self._take(call, "start_session", intent="IMPLEMENT", query=self.message, flags=flags):
            return
        await call("search_text", pattern=title.split()[-1])
        await call("read_lines", path=[f"{path}:1-400" for path in known])
        await call("search_files", pattern="**/*")
        frame = {
            "compaction_count": 0,
            "target_symbols": [],
            "slots": {"desired_action": {"value": title, "quote": title}},
        }
        found = [f"{path}:1 is what changes" for path in known]
        groups = [self.files] if self.turn % 2 else [[file] for file in self.files]
        tasks = [
            {"id": f"t{number}", "description": title, "checklist": [{"item": item_of(file, title)} for file in group]}
            for number, group in enumerate(groups, 1)
        ]
        looked = [
            {"phase": "QUERY_FRAME", **frame},
            *([] if is_quick else [{"phase": "EXPLORATION", "explored_files": known, "findings": found}]),
            {"phase": "READY_PLAN", "tasks": tasks},
        ]
        if not (planned := await self._take(call, "submit_phase", data=looked)):
            return
        if "add_explored_files" in planned.get("warning", ""):
            await self._take(call, "add_explored_files", files=[file.path for file in self.files])
        self._write()
        written = [
            *(
                {"phase": "READY_IMPL", "task_id": f"t{at}", "checklist": self._report(group)}
                for at, group in enumerate(groups, 1)
            ),
            {"phase": "READY_COMPLETE"},
            {"phase": "POST_IMPL_VERIFY", "verifier_used": "generic.md", "passed": True, "details": "played"},
        ]
        shown = await self._take(call, "submit_phase", data=written)
        if is_quick and shown:
            git(self.root, "add", "-A")
            self._check_end(shown, "--cached", self.commit)
            return
        while shown.get("truncated") and not self.refused:
            shown = await self._take(call, "review_changes", offset=shown["next_offset"])
        paths = [file.path for file in self.files]
        review = {"review_prompt_used": "garbage_detection.md", "reviewed_files": paths}
        rest = [
            {"phase": "PRE_COMMIT", **review, "commit_message": self.message},
            {"phase": "QUALITY_REVIEW", "quality_prompt_used": "quality_review.md", "issues": []},
            {"phase": "MERGE"},
        ]
        end = await self._take(call, "submit_phase", data=rest) if shown else {}
        if end:
            self._check_end(end, "main", self.commit)

    def _check_end(self, end: dict[str, Any], *versions: str) -> None:
        if not end.get("outcome") or git(self.root, "diff", "--name-only", *versions).strip():
            self.refused.append(f"not the commit's tree at the end: {end.get('phase')} {end.get('notices')}")

    def _write(self) -> None:
        for file in self.files:
            if file.status == "D":
                (self.root / file.path).unlink()
            else:
                git(self.root, "checkout", "-q", self.commit, "--", file.path)
        git(self.root, "reset", "-q")

    def _report(self, files: list[File]) -> list[dict[str, Any]]:
        self.pieces += len(files)
        return [
            {"item": number, "status": "done", "evidence": self._evidence(file, self.turn + number)}
            for number, file in enumerate(files, 1)
        ]

    def _evidence(self, file: File, turn: int) -> Any:
        places = [f"{file.path}:{start}-{end}" for start, end in file.ranges]
        if file.status == "D" or not places or turn % 4 == 0:
            return file.path
        if turn % 4 == 1:
            return places
        if turn % 4 == 2:
            return places[max(range(len(places)), key=lambda at: file.ranges[at][1] - file.ranges[at][0])]
        data = (self.root / file.path).read_bytes()
        defined = [name for lines in file.ranges for name in sorted(definitions_at(file.path, data, *lines))]
        return f"{file.path}:{defined[0].rpartition(':')[0]}" if defined else places

    async def _take(self, call: Caller, tool: str, **arguments: Any) -> dict[str, Any]:
        reply = await call(tool, **arguments)
        if reply["success"]:
            return reply
        told = {name: reply.get(name) for name in ("error", "message", "problems") if reply.get(name)}
        self.refused.append(json.dumps(told, ensure_ascii=False)[:1200])
        return {}


def item_of(file: File, title: str) -> str:
    """Return what a plan says of a file."""
    return f"{VERBS[file.status]} {file.path}: {title}"


def say(line: str) -> None:
    """Write a line, at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def text(root: Path, place: str) -> bytes:
    """Return a file of a commit, nothing if it is not there."""
    return subprocess.run(["git", "show", place], cwd=root, capture_output=True, check=False).stdout


def git(root: Path, *words: str) -> str:
    """Return what git prints."""
    shown = subprocess.run(["git", *words], cwd=root, capture_output=True, check=True)
    return shown.stdout.decode("utf-8", "replace")


if __name__ == "__main__":
    main(*sys.argv[1:])
