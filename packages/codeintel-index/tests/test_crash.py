"""Processes die and processes compete; the index stays consistent and the next sync completes it."""

import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from codeintel_index import Index
from codeintel_index.testing import make_repo

SYNC = """
import sys
from codeintel_index import Index, workers
workers.BATCH = 3
with Index.open(sys.argv[1]) as index:
    print("ready", flush=True)
    for _ in range(int(sys.argv[2])):
        index.sync(force=True)
        index.wait_dense()
"""
FILES = {
    f"pkg{n % 7}/module_{n}.py": "\n\n".join(
        f"def function_{n}_{m}(left, right):\n    '''Combine {m}.'''\n    return left + right * {m}" for m in range(8)
    )
    for n in range(60)
}


def start(root: Path, rounds: int) -> "subprocess.Popen[str]":
    process = subprocess.Popen([sys.executable, "-c", SYNC, str(root), str(rounds)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def chunk_ids(root: Path) -> set[str]:
    connection = sqlite3.connect(root / ".code-intel/index.db")
    try:
        ids = {row[0] for row in connection.execute("SELECT chunk_id FROM chunks")}
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        full_text = {row[0] for row in connection.execute("SELECT id FROM chunk_words_docsize")}
        assert full_text == {row[0] for row in connection.execute("SELECT id FROM chunks")}
        return ids
    finally:
        connection.close()


def test_killed_at_any_moment_the_next_sync_completes_the_index(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "killed", FILES)
    chance = random.Random(7)
    for _ in range(6):
        process = start(root, 50)
        time.sleep(chance.uniform(0, 0.9))
        process.send_signal(signal.SIGKILL)
        process.communicate()
    with Index.open(root) as index:
        index.sync()
        assert index.wait_dense(60) == 0
        assert index.search("function_59_7", "forest").hits[0].path == "pkg3/module_59.py"
        assert index._dense.store.count("forest") == index.stats().chunks
    whole = make_repo(tmp_path / "whole", FILES)
    with Index.open(whole) as index:
        index.sync()
    assert chunk_ids(root) == chunk_ids(whole)


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
        return "codeintel_index.worker" in Path(f"/proc/{pid}/cmdline").read_text("utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return False
