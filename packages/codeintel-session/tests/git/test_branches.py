"""Task branches: made, recognised, deleted without loss, brought back."""

import os

import pytest

from codeintel_session.git import BranchFailed, GitFault, HeadDetached, NoCommit, UndoFailed

pytestmark = pytest.mark.draws(18)

TASK = "llm_task_20261121_101112_ab12_from_main"


def test_the_task_branch_is_made_at_head_with_its_base_recorded(box, session):
    head = box.head()
    assert box.repo.create_task_branch(session, "main") == TASK
    assert box.repo.current_branch() == TASK
    assert box.head() == head
    assert box.git("config", f"branch.{TASK}.codeintel-base") == "main"
    assert box.repo.base_of(TASK) == "main"


def test_making_it_twice_is_making_it_once(box, session):
    assert box.repo.create_task_branch(session, "main") == box.repo.create_task_branch(session, "main")
    box.git("switch", "-q", "main")
    assert box.repo.create_task_branch(session, "main") == TASK
    assert box.repo.current_branch() == TASK


def test_uncommitted_work_comes_along_byte_for_byte(box, session):
    box.write("a.py", "staged\n")
    box.git("add", "a.py")
    box.write("a.py", "and edited\n")
    box.write("new", "untracked")
    before, index = box.status(), box.index_bytes()
    box.repo.create_task_branch(session, "main")
    assert (box.status(), box.index_bytes()) == (before, index)
    assert (box.root / "a.py").read_text() == "and edited\n"


def test_a_base_with_slashes_and_underscores_is_found_again(box, session):
    box.git("switch", "-q", "-c", "feature/a__b")
    name = box.repo.create_task_branch(session, "feature/a__b")
    assert name.endswith("_from_feature__a__b")
    assert box.repo.base_of(name) == "feature/a__b"
    box.git("config", "--unset", f"branch.{name}.codeintel-base")
    assert box.repo.base_of(name) == "feature/a__b"
    box.git("branch", "feature/a/b")
    assert box.repo.base_of(name) == "feature/a/b"  # what the name says when both exist
    assert box.repo.base_of("llm_task_x_from_gone") is None
    assert box.repo.base_of("main") is None


def test_a_recorded_base_that_is_an_option_is_not_believed(box, session):
    name = box.repo.create_task_branch(session, "main")
    box.git("config", f"branch.{name}.codeintel-base", "--force")
    assert box.repo.base_of(name) == "main"


def test_no_task_branch_without_a_commit_a_branch_or_the_right_base(box, empty, new_box, session):
    with pytest.raises(NoCommit):
        new_box("bare").repo.create_task_branch(session, "main")
    with pytest.raises(BranchFailed, match="not on release"):
        box.repo.create_task_branch(session, "release")
    box.git("checkout", "-q", "--detach")
    with pytest.raises(HeadDetached):
        box.repo.create_task_branch(session, "main")


@pytest.mark.parametrize("session_id", ["", "-x", "a b", "../x", "a\nb", "x_from_y", "a.lock/b"])
def test_a_session_id_that_cannot_stand_in_a_name_is_refused(box, session_id):
    with pytest.raises(GitFault, match="not a session id"):
        box.repo.create_task_branch(session_id, "main")


def test_a_merge_under_way_keeps_head_where_it_is(box, session):
    box.git("switch", "-q", "-c", "side")
    box.commit(**{"a.py": "side\n"})
    box.git("switch", "-q", "main")
    box.commit(**{"a.py": "main\n"})
    box.git("merge", "-q", "side", ok=False)
    with pytest.raises(BranchFailed):
        box.repo.create_task_branch(session, "main")
    assert box.repo.current_branch() == "main"
    assert box.repo.stale_task_branches(None) == []


def test_a_hook_that_complains_after_the_switch_does_not_undo_it(box, session):
    box.hook("post-checkout", "exit 1\n")
    assert box.repo.create_task_branch(session, "main") == TASK
    assert box.repo.current_branch() == TASK


def test_stale_is_every_task_branch_but_ones_own(box, session):
    own = box.repo.create_task_branch(session, "main")
    box.git("branch", "llm_task_b_from_main")
    box.git("branch", "llm_task_a_from_main")
    box.git("branch", "other")
    assert box.repo.stale_task_branches(own) == ["llm_task_a_from_main", "llm_task_b_from_main"]
    assert own in box.repo.stale_task_branches(None)


def stale(box, name="llm_task_old_from_main", **files):
    """Leave a task branch with a commit of its own behind, HEAD on main."""
    box.git("switch", "-q", "-c", name)
    tip = box.commit("stale work", **(files or {"stale.py": "stale\n"}))
    box.git("switch", "-q", "main")
    return name, tip


def test_a_deleted_branch_with_unmerged_commits_is_kept_and_comes_back(box):
    name, tip = stale(box)
    (ref,) = box.repo.delete_branches([name])
    assert ref == f"refs/codeintel/trash/{name}"
    assert box.repo.stale_task_branches(None) == []
    (entry,) = box.repo.undo_list()
    assert (entry["ref"], entry["name"], entry["commit"], entry["subject"]) == (ref, name, tip, "stale work")
    assert box.repo.undo(ref) == name
    assert box.head(name) == tip
    assert box.repo.undo_list() == []
    assert box.repo.base_of(name) == "main"


def test_a_merged_branch_leaves_nothing_in_the_trash_and_no_configuration(box, session):
    name = box.repo.create_task_branch(session, "main")
    assert box.repo.delete_branches([name]) == []
    assert box.repo.current_branch() == "main"
    assert name not in (box.root / ".git/config").read_text()


def test_the_same_name_deleted_twice_is_kept_twice(box):
    first = stale(box)
    box.repo.delete_branches([first[0]])
    second = stale(box, **{"other.py": "2\n"})
    box.repo.delete_branches([second[0]])
    assert {one["commit"] for one in box.repo.undo_list()} == {first[1], second[1]}
    names = {box.repo.undo(one["name"]) for one in box.repo.undo_list()}
    assert names == {first[0], first[0] + "-2"}


def test_a_deleted_branch_that_was_rewritten_keeps_both_histories(box, session):
    name = box.repo.create_task_branch(session, "main")
    first = box.commit(first="1")
    box.repo.keep_tip(name)
    box.git("reset", "-q", "--hard", "HEAD^")
    second = box.commit(second="2")
    box.repo.delete_branches([name])
    assert {one["commit"] for one in box.repo.undo_list()} == {first, second}
    assert not box.git("for-each-ref", "refs/codeintel/tips")


def test_undo_next_to_a_living_branch_takes_another_name(box):
    name, tip = stale(box)
    box.repo.delete_branches([name])
    box.git("branch", name)
    restored = box.repo.undo(name)
    assert restored == f"{name}-restored-1"
    assert box.head(restored) == tip


@pytest.mark.parametrize("ref", ["nothing", "refs/heads/main", "--help", ""])
def test_undo_of_what_is_not_in_the_trash_says_so(box, ref):
    with pytest.raises(UndoFailed):
        box.repo.undo(ref)


def test_deleting_the_branch_at_head_goes_to_its_base_with_the_users_work(box, session):
    name = box.repo.create_task_branch(session, "main")
    tip = box.commit(**{"done.py": "1\n"})
    box.write("a.py", "mine\n")
    box.write("note", "mine")
    box.repo.delete_branches([name])
    assert box.repo.current_branch() == "main"
    assert box.status() == [" M a.py", "?? note"]
    assert [one["commit"] for one in box.repo.undo_list()] == [tip]


def test_leaving_a_branch_is_refused_when_it_would_touch_uncommitted_work(box, session):
    name = box.repo.create_task_branch(session, "main")
    box.commit(**{"a.py": "committed on the task\n"})
    box.write("a.py", "edited since\n")
    with pytest.raises(BranchFailed, match=r"a\.py"):
        box.repo.delete_branches([name])
    assert box.repo.current_branch() == name
    assert (box.root / "a.py").read_text() == "edited since\n"


def test_an_ignored_file_is_work_too(box, session):
    box.commit(**{"config.env": "theirs\n"})
    name = box.repo.create_task_branch(session, "main")
    box.git("rm", "-q", "config.env")
    box.commit(**{".gitignore": "*.env\n"})
    box.write("config.env", "my secret\n")
    with pytest.raises(BranchFailed, match=r"config\.env"):
        box.repo.delete_branches([name])
    assert (box.root / "config.env").read_text() == "my secret\n"


def test_only_task_branches_that_exist_and_are_free_are_deleted(box, tmp_path):
    name, _ = stale(box)
    box.git("worktree", "add", "-q", str(tmp_path / "linked"), name)
    with pytest.raises(BranchFailed, match="linked"):
        box.repo.delete_branches([name])
    for other in ("main", "llm_task_no_from_main", "--list"):
        with pytest.raises(BranchFailed):
            box.repo.delete_branches([other])
    assert box.repo.stale_task_branches(None) == [name]


def test_one_branch_that_may_not_go_keeps_all(box, tmp_path):
    first, _ = stale(box)
    second, _ = stale(box, "llm_task_p_from_main")
    box.git("worktree", "add", "-q", str(tmp_path / "linked"), second)
    with pytest.raises(BranchFailed):
        box.repo.delete_branches([first, second])
    assert box.repo.stale_task_branches(None) == [first, second]


def test_stale_merge_on_a_task_branch_merges_it_and_deletes_the_others(box):
    other, kept = stale(box, "llm_task_b_from_main", **{"b2.py": "2\n"})
    name, tip = stale(box)
    box.git("switch", "-q", name)
    box.write("note", "mine")
    assert box.repo.merge_stale([name, other]) == [f"refs/codeintel/trash/{other}"]
    assert box.repo.current_branch() == "main"
    assert box.head("HEAD^2") == tip
    assert box.head(f"refs/codeintel/trash/{other}") == kept
    assert box.repo.stale_task_branches(None) == []
    assert box.status() == ["?? note"]


def test_stale_merge_on_another_branch_needs_exactly_one_and_leaves_head_there(box):
    name, tip = stale(box)
    second, _ = stale(box, "llm_task_p_from_main", **{"p.py": "p\n"})
    box.git("switch", "-q", "-c", "feature/x")
    with pytest.raises(BranchFailed, match="exactly one"):
        box.repo.merge_stale([name, second])
    before = box.head("main")
    assert box.repo.merge_stale([name]) == []
    assert box.repo.current_branch() == "feature/x"
    assert (box.head("main^1"), box.head("main^2")) == (before, tip)
    assert not os.path.lexists(box.root / "stale.py")


def test_stale_merge_on_the_base_itself_brings_the_files(box):
    name, _ = stale(box)
    box.write("a.py", "mine\n")
    box.repo.merge_stale([name])
    assert box.repo.current_branch() == "main"
    assert box.status() == [" M a.py"]
    assert (box.root / "stale.py").read_text() == "stale\n"


def test_stale_merge_without_a_known_base_changes_nothing(box):
    box.git("branch", "llm_task_x_from_gone")
    with pytest.raises(BranchFailed, match="not known"):
        box.repo.merge_stale(["llm_task_x_from_gone"])
    assert box.repo.stale_task_branches(None) == ["llm_task_x_from_gone"]
