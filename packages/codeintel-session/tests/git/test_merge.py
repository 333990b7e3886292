"""The merge into the base: whole, or not at all."""

import os

import pytest

from codeintel_session.git import BaseElsewhere, HeadDetached, MergeConflict, MergeFailed

pytestmark = pytest.mark.draws(18)


@pytest.fixture
def task(box, session):
    """A task branch with one commit that edits a.py and adds new.py; main stays where it was."""
    name = box.repo.create_task_branch(session, "main")
    box.write("a.py", "one\nTWO\nthree\nfour\n")
    box.write("new.py", "new\n")
    box.repo.commit_paths(["a.py", "new.py"], "feat: it", session)
    return name


def main_moves(box, name, **files):
    """Commit on main while the session is on its branch."""
    box.git("switch", "-q", "main")
    box.commit("meanwhile", **files)
    box.git("switch", "-q", name)


def everything(box):
    refs = box.git("for-each-ref", "--format=%(refname) %(objectname)")
    files = {str(path.relative_to(box.root)): path.read_bytes() for path in box.root.rglob("*") if path.is_file()}
    work = {name: data for name, data in files.items() if not name.startswith(".git/")}
    moved = box.git("reflog", "show", "refs/heads/main", "--")
    return refs, moved, box.git("symbolic-ref", "HEAD"), box.index_bytes(), work


def test_no_ff_makes_a_merge_commit_with_the_trailer(box, task, session):
    tip, base = box.head(), box.head("main")
    done = box.repo.merge(task, "main", "no-ff", session, "Merge the work")
    assert done == box.head() == box.head("main")
    assert box.git("log", "-1", "--format=%P") == f"{base} {tip}"
    assert box.git("log", "-1", "--format=%B").strip() == f"Merge the work\n\nCode-Intel-Session: {session}"
    assert box.repo.current_branch() == "main"
    assert box.repo.stale_task_branches(None) == []
    assert task not in (box.root / ".git/config").read_text()
    assert box.repo.undo_list() == []
    assert box.status() == []


def test_squash_makes_one_commit_and_keeps_the_single_ones_in_the_trash(box, task, session):
    tip, base = box.head(), box.head("main")
    box.repo.merge(task, "main", "squash", session, "All of it")
    assert box.git("log", "-1", "--format=%P") == base
    assert box.repo.session_commits(base, session) == [box.head()]
    assert [one["commit"] for one in box.repo.undo_list()] == [tip]
    assert box.status() == []


def test_ff_moves_the_base_and_refuses_when_the_base_has_moved(box, task, session):
    tip = box.head()
    assert box.repo.merge(task, "main", "ff", session, "unused") == tip == box.head("main")
    second = box.repo.create_task_branch("second", "main")
    box.write("a.py", "x\n")
    box.repo.commit_paths(["a.py"], "x", "second")
    main_moves(box, second, **{"b.py": "moved\n"})
    before = everything(box)
    with pytest.raises(MergeFailed, match="fast-forwarded"):
        box.repo.merge(second, "main", "ff", "second", "unused")
    assert everything(box) == before


def test_a_base_that_became_another_name_of_a_branch_is_refused_with_the_reason(box, task, session):
    box.git("branch", "other", "main")
    box.git("symbolic-ref", "refs/heads/main", "refs/heads/other")
    before = everything(box)
    for mode in ("no-ff", "ff"):
        with pytest.raises(MergeFailed, match=r"main is a symbolic ref, another name of refs/heads/other"):
            box.repo.merge(task, "main", mode, session, "Merge")
    assert everything(box) == before


def test_a_switch_that_a_hook_takes_back_says_where_head_is(box, task, session):
    other = box.git("rev-parse", "HEAD")
    box.git("branch", "other", other)
    box.hook(
        "post-checkout", '[ "$(git symbolic-ref HEAD)" = refs/heads/main ] && git symbolic-ref HEAD refs/heads/other'
    )
    with pytest.raises(MergeFailed, match=r"HEAD is on other after a switch to main"):
        box.repo.merge(task, "main", "no-ff", session, "Merge")


def test_a_base_that_moved_is_merged_with(box, task, session):
    main_moves(box, task, **{"b.py": "meanwhile\n"})
    box.repo.merge(task, "main", "no-ff", session, "Merge")
    assert (box.root / "b.py").read_text() == "meanwhile\n"
    assert (box.root / "a.py").read_text() == "one\nTWO\nthree\nfour\n"
    assert box.status() == []


def test_a_conflict_names_its_paths_and_changes_nothing(box, task, session):
    main_moves(box, task, **{"a.py": "one\nzwei\nthree\nfour\n", "new.py": "other\n"})
    box.write("b.py", "mine\n")
    before = everything(box)
    for mode in ("no-ff", "squash"):
        with pytest.raises(MergeConflict) as fault:
            box.repo.merge(task, "main", mode, session, "Merge")
        assert fault.value.paths == ("a.py", "new.py")
    assert everything(box) == before


def test_uncommitted_work_comes_to_the_base_byte_for_byte(box, task, session):
    main_moves(box, task, **{"src/c.py": "meanwhile\n"})
    box.write("b.py", "staged\n")
    box.git("add", "b.py")
    box.write("b.py", "staged and edited\n")
    box.write("note", "mine")
    staged = box.git("ls-files", "--stage", "b.py")
    box.repo.merge(task, "main", "no-ff", session, "Merge")
    assert box.status() == ["MM b.py", "?? note"]
    assert box.git("ls-files", "--stage", "b.py") == staged
    assert (box.root / "b.py").read_text() == "staged and edited\n"


def test_an_edit_of_a_file_the_session_changed_comes_along_when_the_base_stood_still(box, task, session):
    box.write("a.py", "one\nTWO\nthree\nfour\nmine\n")
    box.repo.merge(task, "main", "no-ff", session, "Merge")
    assert box.status() == [" M a.py"]
    assert (box.root / "a.py").read_text() == "one\nTWO\nthree\nfour\nmine\n"


@pytest.mark.sample(2)
@pytest.mark.parametrize("kind", ["edited", "staged", "untracked", "ignored", "in a folder's place"])
def test_work_that_the_base_would_overwrite_stops_the_merge_before_anything_moves(box, task, session, kind):
    main_moves(box, task, **{"b.py": "meanwhile\n", "added.txt": "theirs\n", "dir/x": "theirs\n"})
    path = {"edited": "b.py", "staged": "b.py", "in a folder's place": "dir"}.get(kind, "added.txt")
    box.write(path, "mine\n")
    if kind == "staged":
        box.git("add", "b.py")
    if kind == "ignored":
        box.write(".git/info/exclude", "added.txt\n")
    before = everything(box)
    with pytest.raises(MergeFailed) as fault:
        box.repo.merge(task, "main", "no-ff", session, "Merge")
    assert path in str(fault.value)
    assert everything(box) == before


def test_a_race_lost_at_the_switch_puts_the_base_back(box, task, session):
    main_moves(box, task, **{"dir/x": "theirs\n"})
    box.write(".git/info/exclude", "dir\n")
    box.write("dir", "mine, ignored, in a folder's place\n")
    before = everything(box)
    with pytest.raises(MergeFailed):
        box.repo.merge(task, "main", "no-ff", session, "Merge")
    refs, _, *rest = everything(box)  # the base's log does show the step and the step back
    assert [refs, *rest] == [before[0], *before[2:]]


def test_asking_again_after_the_merge_gives_the_base(box, task, session):
    done = box.repo.merge(task, "main", "no-ff", session, "Merge")
    assert box.repo.merge(task, "main", "no-ff", session, "Merge") == done
    with pytest.raises(MergeFailed, match="nothing of this session"):
        box.repo.merge("llm_task_other_from_main", "main", "no-ff", "other", "Merge")


@pytest.mark.sample
@pytest.mark.parametrize("mode", ["no-ff", "squash", "ff"])
@pytest.mark.parametrize("cut", ["before the switch", "before the deletion"])
def test_a_merge_cut_off_is_finished_by_asking_again(box, task, session, mode, cut):
    tip = box.head()
    done = box.repo.merge(task, "main", mode, session, "Merge")
    box.git("branch", task, tip)
    if cut == "before the switch":
        box.git("symbolic-ref", "HEAD", f"refs/heads/{task}")
    assert box.repo.merge(task, "main", mode, session, "Merge") == done
    assert box.repo.current_branch() == "main"
    assert box.repo.stale_task_branches(None) == []
    assert box.status() == []


def test_a_merge_that_stands_while_its_branch_cannot_be_forgotten_says_so(box, task, session):
    lock = box.root / ".git/config.lock"
    lock.touch()
    with pytest.raises(MergeFailed, match="main holds the merge"):
        box.repo.merge(task, "main", "no-ff", session, "Merge")
    lock.unlink()
    assert box.repo.merge(task, "main", "no-ff", session, "Merge") == box.head("main")
    assert task not in (box.root / ".git/config").read_text()


def test_a_picked_commit_is_not_taken_for_a_squash(box, task, session):
    box.write("b.py", "second\n")
    box.repo.commit_paths(["b.py"], "second", session)
    first = box.head("HEAD^")
    box.git("switch", "-q", "main")
    box.git("cherry-pick", first)
    box.git("switch", "-q", task)
    box.repo.merge(task, "main", "squash", session, "All of it")
    assert box.show("b.py", "main") == "second"


def test_a_base_checked_out_in_another_worktree_is_left_alone(box, task, session, tmp_path):
    box.git("worktree", "add", "-q", str(tmp_path / "linked"), "main")
    before = everything(box)
    with pytest.raises(BaseElsewhere) as fault:
        box.repo.merge(task, "main", "no-ff", session, "Merge")
    assert fault.value.worktree == str(tmp_path / "linked")
    assert everything(box) == before


def test_a_session_in_a_linked_worktree_merges_there(box, session, tmp_path):
    box.git("switch", "-q", "-c", "elsewhere")
    box.git("worktree", "add", "-q", str(tmp_path / "linked"), "main")
    linked = type(box)(tmp_path / "linked")
    name = linked.repo.create_task_branch(session, "main")
    linked.write("a.py", "x\n")
    linked.repo.commit_paths(["a.py"], "x", session)
    assert linked.repo.merge(name, "main", "no-ff", session, "Merge") == box.head("main")
    assert linked.status() == []
    assert box.repo.current_branch() == "elsewhere"


def test_what_cannot_be_merged_from_here_is_said(box, task, session):
    for base, mode, why in (("gone", "no-ff", "no such branches"), ("main", "octopus", "unknown merge mode")):
        with pytest.raises(MergeFailed, match=why):
            box.repo.merge(task, base, mode, session, "Merge")
    with pytest.raises(MergeFailed):
        box.repo.merge("--help", "main", "no-ff", session, "Merge")
    box.git("checkout", "-q", "--detach")
    with pytest.raises(HeadDetached):
        box.repo.merge(task, "main", "no-ff", session, "Merge")


def test_histories_without_a_common_commit_are_not_merged(box, task, session):
    box.git("checkout", "-q", "--orphan", "apart")
    box.commit()
    box.git("branch", "-f", "main", "apart")
    box.git("switch", "-q", task)
    with pytest.raises(MergeFailed, match="unrelated"):
        box.repo.merge(task, "main", "no-ff", session, "Merge")


def test_a_hook_that_complains_after_the_switch_does_not_take_the_merge_back(box, task, session):
    box.hook("post-checkout", "exit 1\n")
    done = box.repo.merge(task, "main", "no-ff", session, "Merge")
    assert box.repo.current_branch() == "main"
    assert box.head() == done
    assert box.status() == []


def test_a_hook_that_moves_the_base_during_the_merge_is_told_and_the_branch_stays(box, task, session):
    once = box.root.parent / "once"
    once.touch()
    moves = "git update-ref refs/heads/main $(git commit-tree 'main^{tree}' -p main -m tidy)"
    first = f"[ \"$1\" = committed ] && [ -e '{once}' ] && grep -q refs/heads/main || exit 0"
    box.hook("reference-transaction", f"{first}\nrm '{once}'\n{moves}\n")
    with pytest.raises(MergeFailed, match="main was moved to"):
        box.repo.merge(task, "main", "no-ff", session, "Merge the work")
    assert box.head(task)
    assert box.git("log", "-1", "--format=%s", "main") == "tidy"


def test_a_file_only_touched_is_no_collision(box, task, session):
    main_moves(box, task, **{"b.py": "meanwhile\n"})
    os.utime(box.root / "b.py", (1, 1))
    box.repo.merge(task, "main", "no-ff", session, "Merge")
    assert box.status() == []


def test_a_merge_is_signed_when_the_user_signs_commits(box, task, session):
    signer = box.write(
        ".git/sign", "#!/bin/sh\ncat >/dev/null\nprintf '\\n[GNUPG:] SIG_CREATED \\n' >&2\necho SIGNED\n"
    )
    signer.chmod(0o755)
    box.git("config", "gpg.program", str(signer))
    box.git("config", "commit.gpgSign", "true")
    box.repo.merge(task, "main", "no-ff", session, "Merge")
    assert "gpgsig SIGNED" in box.git("cat-file", "commit", "HEAD")
    box.git("config", "gpg.program", "false")
    second = box.repo.create_task_branch("second", "main")
    box.git("commit", "-q", "--no-gpg-sign", "--allow-empty", "-m", "x")
    before = everything(box)
    with pytest.raises(MergeFailed):
        box.repo.merge(second, "main", "no-ff", "second", "Merge")
    assert everything(box) == before
