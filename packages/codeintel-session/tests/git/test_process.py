"""How git is started: limits, a missing program, and what a failure looks like."""

import os
import re
import stat
import subprocess
import sys
import zlib

import pytest

from codeintel_session.git import CommitFailed, GitFailed, GitFault, GitRepository, process

pytestmark = pytest.mark.draws(6)


def test_a_hook_that_never_ends_is_ended_and_said(box, session, monkeypatch):
    monkeypatch.setattr(process, "WRITE_SECONDS", 1.0)
    box.hook("pre-commit", "sleep 600\n")
    box.write("a.py", "x\n")
    head, index = box.head(), box.index_bytes()
    with pytest.raises(CommitFailed, match="Timeout"):
        box.repo.commit_paths(["a.py"], "x", session)
    assert (box.head(), box.index_bytes()) == (head, index)


def test_a_missing_git_is_a_typed_fault(box, monkeypatch, tmp_path):
    repo = box.repo
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitFault, match="not installed"):
        repo.dirty()


def test_a_failed_command_carries_its_status_and_words(box):
    git = process.GitProcess(box.root)
    with pytest.raises(GitFailed) as fault:
        git.read("cat-file", "-p", "0" * 40)
    assert fault.value.command == "cat-file"
    assert fault.value.status == 128
    assert "0000" in fault.value.output


def test_nothing_asks_for_a_terminal_or_an_editor(box):
    box.git("config", "alias.env", "!env")
    seen = process.GitProcess(box.root).read("env").text.splitlines()
    assert {"GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true", "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0"} <= set(seen)


def test_a_variable_the_caller_sets_wins_over_one_from_outside(box, monkeypatch, tmp_path):
    monkeypatch.setenv("GIT_INDEX_FILE", "outside")
    box.git("config", "alias.env", "!env")
    git = process.GitProcess(box.root)
    assert not [line for line in git.read("env").text.splitlines() if line.startswith("GIT_INDEX_FILE=outside")]
    wanted = str(tmp_path / "index")
    assert f"GIT_INDEX_FILE={wanted}" in git.read("env", env={"GIT_INDEX_FILE": wanted}).text.splitlines()


@pytest.mark.parametrize("name", ["HEAD", "config", "index", "info/exclude"])
def test_a_pipe_among_gits_own_files_is_named_and_not_waited_for(box, name):
    repo, place = box.repo, box.root / ".git" / name
    place.parent.mkdir(exist_ok=True)
    place.unlink(missing_ok=True)
    os.mkfifo(place)
    with pytest.raises(GitFault, match=f"{name} is a pipe"):
        repo.dirty()


def test_packed_refs_of_a_million_branches_are_named_and_not_listed(box):
    repo, place = box.repo, box.root / ".git/packed-refs"
    place.touch()
    os.truncate(place, 60_000_000)
    with pytest.raises(GitFault, match="packed-refs is a pipe, a device or very large"):
        repo.dirty()


@pytest.mark.skipif(os.name == "nt", reason="runs a script of the shell")
def test_a_filter_that_does_not_end_is_stopped_with_all_it_started(box, monkeypatch):
    monkeypatch.setattr(process, "READ_SECONDS", 0.5)
    box.git("config", "filter.slow.clean", "sleep 20; echo late > late")
    box.write(".gitattributes", "a.py filter=slow\n")
    box.write("a.py", "other\n")
    with pytest.raises(GitFailed, match="git hash-object ended with -9: Timeout"):
        process.GitProcess(box.root).read("hash-object", "--path=a.py", "a.py")
    assert not (box.root / "late").exists()


WAITS = """
import sys
from pathlib import Path
from codeintel_session.git.process import GitProcess
GitProcess(Path(sys.argv[1])).read("update-index", "--add", "a.py")
"""


@pytest.mark.skipif(os.name == "nt", reason="runs a script of the shell")
def test_a_command_ends_with_its_filters_when_this_process_is_killed(box, tmp_path):
    pipe = tmp_path / "held"
    os.mkfifo(pipe)
    box.git("config", "filter.slow.clean", f"echo started > {pipe}; exec 3> {pipe}; sleep 600; echo late")
    box.write(".gitattributes", "a.py filter=slow\n")
    box.write("a.py", "other\n")
    with subprocess.Popen([sys.executable, "-c", WAITS, str(box.root)]) as server, pipe.open("rb") as held:
        assert held.readline() == b"started\n"
        server.kill()
        assert held.read() == b""  # at the end of all that could write


@pytest.mark.parametrize("elsewhere", ["/", "../..", "../../beside"])
def test_a_work_tree_that_lies_elsewhere_is_refused(box, elsewhere):
    (box.root.parent / "beside").mkdir()
    box.git("config", "core.worktree", elsewhere)
    with pytest.raises(GitFault, match="see core"):
        GitRepository.of_project(box.root)


LINUX = pytest.mark.skipif(sys.platform != "linux", reason="the system knows no limit on memory")


@LINUX
def test_an_object_that_says_it_is_larger_than_the_memory_is_not_read(box):
    name = "be" * 20
    place = box.root / ".git/objects" / name[:2] / name[2:]
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(zlib.compress(b"tree 6000000000\0" + b"x" * 1000))
    with pytest.raises(GitFailed, match=r"Out of memory.*it may take 500 MB"):
        process.GitProcess(box.root).read("ls-tree", name)


@LINUX
@pytest.mark.parametrize("limits", [process.Limits(20), process.Limits(500, 1)])
def test_a_tree_of_a_hundred_million_entries_ends_its_command_and_the_limit_is_named(box, monkeypatch, limits):
    monkeypatch.setitem(process._LIMITS, "read-tree", limits)
    git = process.GitProcess(box.root)
    tree, kind = git.write("hash-object", "-w", "--stdin", stdin=b"x").text, "100644 blob"
    for _ in range(8):
        entries = "".join(f"{kind} {tree}\tf{number}\n" for number in range(10))
        tree, kind = git.write("mktree", stdin=entries.encode()).text, "040000 tree"
    with pytest.raises(GitFailed, match=re.escape(str(limits))) as fault:
        git.read("read-tree", tree, env={"GIT_INDEX_FILE": str(box.root / "other")})
    assert fault.value.status == process.KILLED


@LINUX
def test_hooks_are_not_limited_in_memory(box, session):
    box.hook("pre-commit", "ulimit -d > limit\n")
    box.write("a.py", "x\n")
    box.repo.commit_paths(["a.py"], "x", session)
    assert (box.root / "limit").read_text() == "unlimited\n"


def test_looking_runs_no_hook(box):
    box.hook("post-index-change", "touch ran\n")
    box.write("a.py", "x\n")
    box.repo.changes(box.head(), {})
    assert not (box.root / "ran").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser can read everything")
def test_a_file_that_may_not_be_read_does_not_stop_the_session(box):
    here = box.write("closed", "x\n")
    here.chmod(0)
    assert box.repo.dirty() == {"closed": "unreadable"}
    assert box.repo.trees.take()
    here.chmod(stat.S_IRUSR)
