"""Refs move together, and only from where they were seen."""

import shutil

import pytest

from codeintel_session.git import GitFailed, worktree
from codeintel_session.git.process import GitProcess
from codeintel_session.git.refs import Move, move
from codeintel_session.git.worktree import WorkTree


@pytest.mark.parametrize("kind", ["create", "delete", "update"])
def test_one_ref_that_is_not_where_it_was_seen_stops_all(box, kind):
    first, second = box.head(), box.commit(**{"x": "1"})
    box.git("branch", "side", first)
    wrong = {"create": ("", second), "delete": (second, ""), "update": (second, first)}[kind]
    with pytest.raises(GitFailed):
        move(WorkTree.at(box.root), Move("refs/heads/new", "", second), Move("refs/heads/side", *wrong))
    assert box.git("for-each-ref", "--format=%(refname)", "refs/heads").split() == [
        "refs/heads/main",
        "refs/heads/side",
    ]
    assert box.head("side") == first


@pytest.mark.parametrize("how", ["none", "loose", "packed", "a long list", "refs kept otherwise"])
def test_git_is_asked_for_replaced_objects_only_where_its_files_may_hold_some(box, how, monkeypatch):
    first, second = box.head(), box.commit(**{"x": "1"})
    tree = WorkTree.at(box.root)
    if how != "none":
        box.git("replace", first, second)
    if how not in ("none", "loose"):
        box.git("pack-refs", "--all")
        (box.root / ".git/refs/replace").rmdir()
    if how == "a long list":
        monkeypatch.setattr(worktree, "_PACKED_BYTES", 5)
    started = []
    run = GitProcess._run
    monkeypatch.setattr(GitProcess, "_run", lambda git, args, *more: started.append(args) or run(git, args, *more))
    if how == "refs kept otherwise":  # with reftable, `refs/heads` is a file
        shutil.rmtree(box.root / ".git/refs/heads")
        box.write(".git/refs/heads", "this repository uses the reftable format\n")
        (box.root / ".git/packed-refs").unlink()
        assert tree.replaced() == {}
    else:
        assert tree.replaced() == ({} if how == "none" else {f"refs/replace/{first}": second})
    assert len(started) == (how != "none")
