"""Refs move together, and only from where they were seen."""

import pytest

from codeintel_session.git import GitFailed
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
