"""Processes die and processes compete; the index stays consistent and the next sync completes it.

The number of kills is small by default; CODEINTEL_KILL_EXAMPLES raises it.
"""

import hashlib
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from codeintel_index import Index
from codeintel_index.testing import full_text, make_repo, wanted_full_text

KILLS = int(os.environ.get("CODEINTEL_KILL_EXAMPLES", "6"))
DEFINED = re.compile(r"^def (\w+)", re.MULTILINE)
SYNC = """
import sys
from codeintel_index import Index
from codeintel_index.sync import workers
workers.BATCH = 3
with Index.open(sys.argv[1]) as index:
    print("ready", flush=True)
    for _ in range(int(sys.argv[2])):
        index.sync(force=True)
        index.wait_dense()
"""
EDIT = """
import os, pathlib, random, sys
from codeintel_index import Index
from codeintel_index.sync import syncer, workers
root, chance, workers.BATCH, syncer.BATCHES_A_COMMIT = pathlib.Path(sys.argv[1]), random.Random(int(sys.argv[2])), 3, 1
workers.POOL_FROM = chance.choice([1, 200])
files = sorted(root.rglob("*.py"))
with Index.open(root) as index:
    print("ready", flush=True)
    index.sync()
    while True:
        for place in chance.sample(files, 12):
            text = place.read_text().replace("Combine", f"Combine {chance.random()},", 1)
            (root / "new").write_text(text)
            os.replace(root / "new", place)
        index.sync()
        if chance.random() < 0.5:
            index.wait_dense(chance.random())
"""
FILES = {
    f"pkg{n % 7}/module_{n}.py": "\n\n".join(
        f"def function_{n}_{m}(left, right):\n    '''Combine {m}.'''\n    return left + right * {m}" for m in range(8)
    )
    for n in range(60)
}


def start(root: Path, argument: int, code: str = SYNC) -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(root), str(argument)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def chunk_ids(root: Path) -> set[str]:
    """Of an index whose every table is whole."""
    connection = sqlite3.connect(root / ".code-intel/index.db")
    try:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        if not connection.execute("SELECT 1 FROM sqlite_master").fetchone():
            return set()  # the tables come all at once
        ids = {row[0] for row in connection.execute("SELECT chunk_id FROM chunks")}
        assert full_text(connection) == wanted_full_text(connection)
        return ids
    finally:
        connection.close()


def no_half_file(root: Path) -> int:
    """Every file on record is there with all its chunks and symbols, as it once was; how many there are."""
    connection = sqlite3.connect(root / ".code-intel/index.db")
    try:
        rows = connection.execute("SELECT id, digest FROM files WHERE skipped = ''").fetchall()
        for file_id, digest in rows:
            texts = connection.execute("SELECT text FROM chunks WHERE file_id = ? ORDER BY start_line", (file_id,))
            whole = "\n".join(text for (text,) in texts)
            assert hashlib.sha256(whole.encode()).digest() == digest
            names = connection.execute(
                "SELECT name FROM symbols WHERE file_id = ? ORDER BY line", (file_id,)
            ).fetchall()
            assert [name for (name,) in names] == DEFINED.findall(whole)
        return len(rows)
    finally:
        connection.close()


def completed(root: Path, tmp_path: Path) -> None:
    """The next sync makes of the index what a first one would have made, vectors included."""
    with Index.open(root) as index:
        index.sync()
        assert index.wait_dense(60) == 0
        assert index.search("function_59_7", "forest").hits[0].path == "pkg3/module_59.py"
        assert index._reader.vector_generation()[1] == index.stats().chunks
        assert index.search("combine left and right", "forest").dense == ""
    fresh = Path(shutil.copytree(root, tmp_path / "fresh", ignore=shutil.ignore_patterns(".code-intel", ".git")))
    with Index.open(fresh) as index:
        index.sync()
    assert chunk_ids(root) == chunk_ids(fresh)
    shutil.rmtree(fresh)


def test_killed_at_any_moment_the_index_is_whole_and_the_next_sync_completes_it(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "killed", FILES)
    chance = random.Random(7)
    for number in range(KILLS):
        if number % 5 == 0:
            shutil.rmtree(root / ".code-intel", ignore_errors=True)
        process = start(root, number, EDIT)
        time.sleep(chance.uniform(0, 0.9) * chance.choice([0.2, 1, 4]))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        if (root / ".code-intel/index.db").exists() and chunk_ids(root):
            no_half_file(root)
        if number % 5 != 4:
            completed(root, tmp_path)


@pytest.mark.slow
def test_two_processes_may_sync_and_search_the_same_project(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "shared", FILES)
    others = [start(root, 2), start(root, 2)]
    with Index.open(root) as index:
        index.sync()
        while any(other.poll() is None for other in others):
            assert index.definitions("function_3_3")[0].path == "pkg3/module_3.py"
            assert index.search("combine left and right").hits
    assert [other.communicate() and other.returncode for other in others] == [0, 0]
    assert len(chunk_ids(root)) == 60


def test_workers_end_with_the_process_that_started_them(tmp_path: Path) -> None:
    if not Path("/proc").is_dir():
        pytest.skip("looks at /proc")
    root = make_repo(tmp_path / "orphans", FILES)
    code = SYNC.replace("workers.BATCH = 3", "workers.BATCH = 1; workers.POOL_FROM = 1")
    process = subprocess.Popen([sys.executable, "-c", code, str(root), "50"], stdout=subprocess.PIPE)
    children: list[str] = []
    while not children and process.poll() is None:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text("ascii").split()
        children += [pid for task in Path(f"/proc/{process.pid}/task").iterdir() for pid in _children(task)]
        time.sleep(0.02)
    process.kill()
    process.communicate()
    assert children
    deadline = time.monotonic() + 20
    while any(_alive(pid) for pid in children) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not [pid for pid in children if _alive(pid)]


def _children(task: Path) -> list[str]:
    try:
        return (task / "children").read_text("ascii").split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def _alive(pid: str) -> bool:
    try:
        return "codeintel_index.sync.worker" in Path(f"/proc/{pid}/cmdline").read_text("utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return False
