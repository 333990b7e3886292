"""Submodules at the merge: a pointer is content like any other, and what lies behind it is never entered."""

import pytest

from codeintel_session.git import MergeConflict

IDENTITY = ("-c", "user.name=A", "-c", "user.email=a@b")


def module_moves(box, message):
    """Commit inside the submodule; returns where it stands then."""
    box.git("-C", "sub", *IDENTITY, "commit", "-q", "--allow-empty", "-m", message)
    return box.git("-C", "sub", "rev-parse", "HEAD").strip()


def test_a_submodule_that_moved_on_the_task_branch_is_merged(with_module, session):
    box = with_module
    name = box.repo.create_task_branch(session, "main")
    moved = module_moves(box, "ours")
    box.repo.commit_paths(["sub"], "feat: newer module", session)
    box.repo.merge(name, "main", "no-ff", session, "Merge")
    assert box.head("main:sub") == moved
    assert box.status() == []


def test_a_submodule_that_moved_on_both_sides_is_a_conflict_that_changes_nothing(with_module, session):
    box = with_module
    start = box.git("-C", "sub", "rev-parse", "HEAD").strip()
    name = box.repo.create_task_branch(session, "main")
    ours = module_moves(box, "ours")
    box.repo.commit_paths(["sub"], "feat: newer module", session)
    tip = box.head()
    box.git("switch", "-q", "main")
    box.git("-C", "sub", "checkout", "-q", start)
    module_moves(box, "theirs")
    box.git("add", "sub")
    box.git("commit", "-q", "-m", "another module")
    base = box.head()
    box.git("switch", "-q", name)
    box.git("-C", "sub", "checkout", "-q", ours)
    with pytest.raises(MergeConflict) as fault:
        box.repo.merge(name, "main", "no-ff", session, "Merge")
    assert fault.value.paths == ("sub",)
    assert (box.head(name), box.head("main"), box.repo.current_branch()) == (tip, base, name)
    assert box.status() == []
