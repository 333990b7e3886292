"""What the adapter says about a work tree."""

import os
import subprocess
import sys

import pytest

from codeintel_session.git import GitFailed, GitRepository, NoCommit, NotARepository
from codeintel_session.git.worktree import WorkTree

pytestmark = pytest.mark.draws(18)


def test_a_folder_without_git_is_no_repository(tmp_path):
    with pytest.raises(NotARepository) as fault:
        GitRepository.discover(tmp_path)
    assert fault.value.path == tmp_path


def test_the_git_folder_itself_is_no_work_tree(box):
    with pytest.raises(NotARepository):
        GitRepository.discover(box.root / ".git")


def test_the_top_level_is_found_from_a_folder_and_from_a_file_below_it(box):
    assert GitRepository.discover(box.root / "src").root == box.root
    assert GitRepository.discover(box.root / "src" / "c.py").root == box.root


def test_a_linked_worktree_is_a_root_of_its_own_that_shares_the_common_folder(box, tmp_path):
    box.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    linked = GitRepository.discover(tmp_path / "linked")
    assert linked.root == tmp_path / "linked"
    assert linked.common_dir == box.repo.common_dir == box.root / ".git"
    assert linked.current_branch() == "side"


def test_a_root_with_a_dollar_and_a_tilde_is_not_expanded(new_box):
    odd = new_box("~$HOME")
    odd.commit(**{"a": "1"})
    assert odd.repo.root == odd.root
    assert odd.repo.has_commit()


def test_git_variables_from_outside_do_not_lead_elsewhere(box, new_box, monkeypatch):
    other = new_box("other")
    other.commit(**{"x": "1"})
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.root))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.root / "nowhere"))
    repo = box.repo
    box.write("a.py", "edited\n")
    assert repo.root == box.root
    assert list(repo.dirty()) == ["a.py"]
    commit = repo.commit_paths(["a.py"], "edit", "s1")
    monkeypatch.undo()
    assert box.head() == commit
    assert not (other.root / "nowhere").exists()


def test_a_repository_without_a_commit_says_so(empty):
    repo = empty.repo
    assert not repo.has_commit()
    assert repo.current_branch() == "main"
    empty.write("a", "1")
    assert list(repo.dirty()) == ["a"]
    assert repo.trees.take()
    with pytest.raises(NoCommit):
        repo.head_commit()


def test_a_detached_head_stands_on_no_branch(box):
    box.git("checkout", "-q", "--detach")
    assert box.repo.current_branch() is None
    assert box.repo.head_commit() == box.head()


def test_head_is_read_as_git_reads_it(box):
    heads, first = box.root / ".git", box.head()
    box.git("branch", "other/side")
    box.git("pack-refs", "--all")
    for target in ("refs/heads/other/side", "refs/heads/unborn", "refs/tags/none"):
        box.git("symbolic-ref", "HEAD", target)
        assert box.repo.current_branch() == target.removeprefix("refs/heads/")
    box.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
    box.git("symbolic-ref", "HEAD", "refs/heads/alias")
    assert box.repo.current_branch() == box.git("symbolic-ref", "--short", "HEAD") == "main"
    if sys.platform != "win32":
        (heads / "HEAD").unlink()
        (heads / "refs/heads/other").mkdir(parents=True, exist_ok=True)
        (heads / "refs/heads/other/side").write_text(first + "\n")
        (heads / "HEAD").symlink_to("refs/heads/other/side")
        assert box.repo.current_branch() == "other/side"


def test_names_of_branches_are_judged_as_git_judges_them(box):
    names = ["a", "a/b", "a.b", "@", "a@b", "é", "a{b", "a.lock.b", "a}b", "locked", ".a", "a/.b", "a.", "a./b", "a..b"]
    names += ["a.lock", "a.lock/b", "a/", "/a", "a//b", "a b", "a~b", "a^b", "a:b", "a?b", "a*b", "a[b", "a\\b", "a@{b"]
    names += ["a\tb", "a\x7fb", "a\nb"]
    tree = WorkTree.at(box.root)
    for name in names:
        refused = subprocess.run(["git", "check-ref-format", f"refs/heads/{name}"], check=False).returncode
        assert tree.fit(name) == (not refused), name
    assert not tree.fit("-a")
    assert not tree.fit("")


def test_the_program_a_repository_names_as_its_monitor_is_not_run(box):
    mark = box.root.parent / "ran"
    script = box.write(".git/monitor", f"#!/bin/sh\ntouch '{mark}'\n")
    script.chmod(0o755)
    box.git("config", "core.fsmonitor", str(script))
    repo = box.repo
    box.write("a.py", "x")
    repo.dirty()
    repo.trees.take()
    repo.changes(repo.head_commit(), {})
    assert not mark.exists()


def test_dirty_lists_changed_staged_removed_and_untracked_paths_but_no_ignored_ones(box):
    box.write(".gitignore", "*.log\n")
    box.write("debug.log", "x")
    box.write("a.py", "edited\n")
    box.write("b.py", "staged\n")
    box.git("add", "b.py")
    (box.root / "src/c.py").unlink()
    box.write("new file.txt", "n")
    dirty = box.repo.dirty()
    assert set(dirty) == {".gitignore", "a.py", "b.py", "src/c.py", "new file.txt"}
    assert dirty["src/c.py"] == "deleted"


def test_a_digest_tells_content_and_mode_apart(box):
    box.write("a.py", "edited\n")
    first = box.repo.dirty()
    assert box.repo.dirty() == first
    (box.root / "a.py").chmod(0o755)
    second = box.repo.dirty()
    box.write("a.py", "edited again\n")
    assert len({first["a.py"], second["a.py"], box.repo.dirty()["a.py"]}) == 3


def test_a_file_staged_for_removal_but_still_there_is_digested_as_it_stands(box):
    box.git("rm", "-q", "--cached", "b.py")
    box_digest = box.repo.dirty()["b.py"]
    assert box_digest != "deleted"


def test_a_link_is_digested_as_a_link(box):
    os.symlink("a.py", box.root / "link")
    box.write("copy", "a.py")
    dirty = box.repo.dirty()
    assert dirty["link"] != dirty["copy"]


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", ["-rf", "--help", "a b", "a\nb", "naïve ☃.py", 'q"uote', ":(top)x", "*", "a\\b"])
def test_hostile_names_go_through_every_reading_call(box, name):
    base = box.head()
    box.write(name, "1\n2\n")
    repo = box.repo
    (change,) = repo.changes(base, {})
    assert list(repo.dirty()) == [name]
    assert (change.path, change.status, change.hunks) == (name, "added", ((1, 2),))
    assert "+2" in repo.diff_text(base, name)


def test_the_tree_digest_follows_every_edit_and_comes_back_with_the_content(box):
    repo = box.repo
    seen = [repo.trees.take()]
    for path, text in (("a.py", "x\n"), ("new", "1"), ("new", "2")):
        box.write(path, text)
        seen.append(repo.trees.take())
    (box.root / "new").chmod(0o755)
    seen.append(repo.trees.take())
    assert len(set(seen)) == 5
    box.git("checkout", "-q", "a.py")
    (box.root / "new").unlink()
    assert repo.trees.take() == seen[0]


def test_an_edit_of_the_same_size_in_the_same_second_is_seen(box):
    repo = box.repo
    seen = set()
    for letter in "abcdefgh":
        box.write("b.py", letter + "\n")
        box.git("add", "b.py")
        box.write("b.py", letter.upper() + "\n")
        seen.add(repo.trees.take())
    assert len(seen) == 8


def test_an_edit_that_no_time_stamp_shows_is_seen(box):
    box.git("config", "core.trustctime", "false")
    box.git("config", "core.checkStat", "minimal")
    for path in (box.root / "b.py", box.root / ".git/index"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    box.git("add", "--refresh", "b.py")
    os.utime(box.root / ".git/index", (1_000_000_000, 1_000_000_000))
    before = box.repo.trees.take()
    box.write("b.py", "B\n")
    os.utime(box.root / "b.py", (1_000_000_000, 1_000_000_000))
    assert box.repo.trees.take() != before


def test_the_tree_digest_does_not_depend_on_what_is_staged_or_committed(box):
    box.write("a.py", "x\n")
    repo = box.repo
    loose = repo.trees.take()
    box.git("add", "a.py")
    staged = repo.trees.take()
    box.git("commit", "-q", "-m", "x")
    assert loose == staged == repo.trees.take()


def test_looking_leaves_neither_objects_nor_a_changed_index_behind(box):
    box.write("a.py", "x\n")
    box.write("new", "y")
    before, index = box.git("count-objects"), box.index_bytes()
    repo = box.repo
    repo.trees.take()
    repo.changes(repo.head_commit(), {})
    repo.diff_text(repo.head_commit(), "new")
    assert (box.git("count-objects"), box.index_bytes()) == (before, index)
    assert not list((box.root / ".git").glob("codeintel-*"))


def test_the_servers_own_folder_counts_nowhere_even_when_tracked(box):
    box.commit(**{".code-intel/context.yml": "a: 1\n"})
    base, repo = box.head(), box.repo
    digest = repo.trees.take()
    box.write(".code-intel/context.yml", "a: 2\n")
    box.write(".code-intel/new.json", "{}")
    assert repo.dirty() == {}
    assert repo.changes(base, {}) == []
    assert repo.trees.take() == digest


def test_a_commit_that_is_none_is_refused_before_git_sees_it(box):
    for name in ("--output=x", "-h", "no such"):
        with pytest.raises(Exception, match="not a commit"):
            box.repo.changes(name, {})
    assert not (box.root / "x").exists()


def test_a_damaged_repository_is_a_typed_fault(box):
    repo = box.repo
    (box.root / ".git/index").write_bytes(b"rubbish")
    with pytest.raises(GitFailed):
        repo.dirty()


@pytest.mark.skipif(os.name == "nt" or sys.platform == "darwin", reason="names are Unicode there")
def test_a_name_that_is_no_unicode_goes_through_every_call(box, session):
    name = os.fsdecode(b"caf\xe9.txt")
    box.write(name, "1\n")
    base, repo = box.head(), box.repo
    assert [one.path for one in repo.changes(base, repo.dirty())] == [name]
    repo.commit_paths([name], "x", session)
    assert box.status() == []
    repo.discard([name], base, session)
    assert not os.path.lexists(box.root / name)
