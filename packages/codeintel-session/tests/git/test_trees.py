"""The trees of a session: what they hold, what they leave alone, and that nothing hides a change from them."""

import os
import subprocess

import pytest

from codeintel_session import GitRepository
from codeintel_session.git import GitFailed, GitFault, process

pytestmark = pytest.mark.draws(18)


@pytest.fixture
def trees(box):
    return kept(box)


def kept(box):
    """The trees in the folder where a session has them."""
    repo = box.repo
    repo.keep_trees(box.root / ".code-intel/sessions/trees")
    return repo.trees


def listed(box, trees, tree):
    return trees.git("ls-tree", "-r", "--name-only", tree).text.splitlines()


def test_a_tree_holds_tracked_and_untracked_files_that_are_not_ignored(box, trees):
    box.write(".gitignore", "*.log\n")
    box.write("new/d.py", "d\n")
    box.write("x.log", "x\n")
    box.write(".code-intel/config.json", "{}")
    assert listed(box, trees, trees.take()) == [".gitignore", "a.py", "b.py", "new/d.py", "src/c.py"]


def test_the_same_content_has_the_same_tree_staged_or_committed_or_neither(box, trees):
    box.write("a.py", "changed\n")
    first = trees.take()
    box.git("add", "a.py")
    second = trees.take()
    box.git("commit", "-qm", "more")
    assert first == second == trees.take() == box.head("HEAD^{tree}")


def test_nothing_of_an_untracked_file_reaches_the_users_objects_or_index(box, trees):
    box.write("secret.txt", "do not keep\n")
    index = box.index_bytes()
    trees.take()
    name = box.git("hash-object", "secret.txt")
    assert subprocess.run(["git", "cat-file", "-e", name], cwd=box.root, check=False).returncode != 0
    assert box.index_bytes() == index
    assert trees.git("cat-file", "blob", name).text == "do not keep"


@pytest.mark.skipif(os.name == "nt", reason="runs a script of the shell")
def test_a_touched_file_is_read_once_and_not_at_every_tree(box, trees):
    box.write(".gitattributes", "a.py filter=counted\n")
    box.git("config", "filter.counted.clean", "echo read >> ../reads; cat")
    before = trees.take()
    reads = box.root.parent / "reads"
    reads.unlink(missing_ok=True)
    os.utime(box.root / "a.py", (1, 1))
    assert [trees.take(), trees.take()] == [before, before]
    assert reads.read_text() == "read\n"


def test_a_command_that_takes_too_long_is_not_tried_again(box, trees, monkeypatch):
    monkeypatch.setattr(process, "READ_SECONDS", 1.0)
    box.write(".gitattributes", "a.py filter=slow\n")
    box.git("config", "filter.slow.clean", "echo read >> ../reads; sleep 600")
    box.write("a.py", "changed\n")
    with pytest.raises(GitFailed, match="Timeout"):
        trees.take()
    assert (box.root.parent / "reads").read_text() == "read\n"


def test_new_files_that_are_too_large_together_are_named_and_not_read(box, trees):
    for name, size in (("data.bin", 300_000_001), ("more.bin", 200_000_000)):
        os.truncate(box.write(name, ""), size)
    with pytest.raises(GitFault, match=r"500 MB of new files.* largest is data\.bin\. Have git ignore"):
        trees.take()
    box.write(".gitignore", "*.bin\n")
    assert listed(box, trees, trees.take()) == [".gitignore", "a.py", "b.py", "src/c.py"]


def test_two_trees_are_compared_by_path_and_status(box, trees):
    before = trees.take()
    box.write("a.py", "changed\n")
    box.write("new.py", "n\n")
    (box.root / "b.py").unlink()
    (box.root / "src/c.py").chmod(0o755)
    assert trees.compare(before, trees.take()) == {
        "a.py": "modified",
        "b.py": "deleted",
        "new.py": "added",
        "src/c.py": "mode",
    }


def test_a_change_that_is_taken_back_leads_to_the_first_tree(box, trees):
    before = trees.take()
    box.write("a.py", "changed\n")
    assert trees.take() != before
    box.write("a.py", "one\ntwo\nthree\nfour\n")
    assert trees.take() == before


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
@pytest.mark.parametrize("index", ["the user's", "the session's"])
def test_no_flag_in_an_index_hides_a_change(box, trees, flag, index):
    before = trees.take()
    where = {} if index == "the user's" else {"GIT_INDEX_FILE": str(box.root / ".code-intel/sessions/trees/work-index")}
    subprocess.run(["git", "update-index", flag, "a.py"], cwd=box.root, check=True, env={**os.environ, **where})
    box.write("a.py", "changed\n")
    assert trees.compare(before, trees.take()) == {"a.py": "modified"}


def test_a_tracked_file_that_is_ignored_is_followed_out_and_back(box, trees):
    box.write(".gitignore", "build/\n")
    box.write("build/gen.py", "1\n")
    before = trees.take()
    box.git("add", "-f", "build/gen.py")
    assert trees.compare(before, trees.take()) == {"build/gen.py": "added"}
    (box.root / "build/gen.py").unlink()
    assert trees.take() == before
    box.write("build/gen.py", "2\n")
    assert trees.compare(before, trees.take()) == {"build/gen.py": "added"}
    box.git("rm", "-qf", "--cached", "build/gen.py")
    assert trees.take() == before


def test_a_file_a_folder_and_a_link_may_take_each_others_place(box, trees):
    before = trees.take()
    (box.root / "b.py").unlink()
    box.write("b.py/inside.py", "1\n")
    (box.root / "a.py").unlink()
    (box.root / "a.py").symlink_to("src/c.py")
    found = trees.compare(before, trees.take())
    assert found == {"a.py": "type_changed", "b.py": "deleted", "b.py/inside.py": "added"}


def test_files_that_git_cannot_hold_are_no_obstacle(box, trees):
    os.mkfifo(box.root / "pipe")
    (box.root / "b.py").unlink()
    os.mkfifo(box.root / "b.py")
    assert trees.compare(box.head(), trees.take()) == {"b.py": "deleted"}


def test_a_conflict_in_the_users_index_counts_as_the_content_of_the_work_tree(box, trees):
    box.git("checkout", "-qb", "other")
    box.commit(**{"a.py": "theirs\n"})
    box.git("checkout", "-q", "main")
    box.commit(**{"a.py": "ours\n"})
    box.git("merge", "other", ok=False)
    tree = trees.take()
    assert "<<<<<<<" in trees.git("cat-file", "blob", f"{tree}:a.py").text


def test_more_repositories_inside_than_can_be_compared_are_refused_by_number(box, trees, monkeypatch):
    monkeypatch.setattr("codeintel_session.git.trees._MOST_INSIDE", 1)
    for name in ("one", "two"):
        subprocess.run(["git", "init", "-q", str(box.root / name)], check=True)
        box.write(f"{name}/x.py", "1\n")
    with pytest.raises(GitFault, match="2 repositories lie inside this one, the first is one, and at most 1"):
        trees.take()


def test_a_change_inside_a_nested_repository_changes_the_tree(box, new_box, trees):
    before = trees.take()
    nested = box.root / "nested"
    subprocess.run(["git", "init", "-q", str(nested)], check=True)
    box.write("nested/x.py", "1\n")
    first = trees.take()
    assert trees.compare(before, first) == {"nested": "added"}
    box.write("nested/x.py", "2\n")
    second = trees.take()
    assert trees.compare(first, second) == {"nested": "modified"}
    box.write("nested/x.py", "1\n")
    assert trees.take() == first
    box.git("-c", "core.quotePath=false", "status")
    subprocess.run(["rm", "-rf", str(nested / ".git")], check=True)
    assert trees.compare(before, trees.take()) == {"nested/x.py": "added"}


def test_a_submodule_is_its_commit_while_it_is_clean_and_changes_with_its_content(with_module):
    box = with_module
    trees = box.repo.trees
    clean = trees.take()
    assert clean == box.head("HEAD^{tree}")
    box.write("sub/lib.py", "2\n")
    dirty = trees.take()
    assert trees.compare(clean, dirty) == {"sub": "modified"}
    box.write("sub/lib.py", "3\n")
    assert trees.compare(dirty, trees.take()) == {"sub": "modified"}
    box.write("sub/lib.py", "1\n")
    assert trees.take() == clean
    box.git("submodule", "--quiet", "deinit", "-f", "sub")
    assert trees.take() == clean


def test_line_endings_are_those_of_the_commit(box, trees):
    box.git("config", "core.autocrlf", "true")
    box.write("new.py", "one\r\ntwo\r\n")
    tree = trees.take()
    assert trees.git("cat-file", "blob", f"{tree}:new.py").out == b"one\ntwo\n"


def test_as_committed_leaves_paths_out_and_keeps_what_is_committed_of_the_servers_folder(box):
    box.write(".code-intel/config.json", "{}")
    box.commit("settings")
    trees = box.repo.trees
    box.write("a.py", "session\n")
    box.write("b.py", "user\n")
    box.write("users.py", "user\n")
    tree = trees.as_committed(trees.take(), box.head(), ["b.py", "users.py"])
    assert trees.git("diff-tree", "-r", "--name-only", "HEAD", tree).text == "a.py"


def test_a_tree_survives_the_process_that_took_it_and_folders_that_were_damaged(box, trees):
    box.write("a.py", "changed\n")
    tree = trees.take()
    again = kept(box)
    assert again.holds(tree)
    assert again.take() == tree
    (box.root / ".code-intel/sessions/trees/work-index").write_bytes(b"broken")
    (box.root / ".code-intel/sessions/trees/work-index.lock").write_bytes(b"")
    assert again.take() == tree
    again.remove()
    assert not again.holds(tree)
    assert again.take() == tree


def test_a_tree_can_be_written_out_elsewhere(box, trees, tmp_path):
    box.write("new/d.py", "d\n")
    tree = trees.take()
    env = {**os.environ, **trees.env, "GIT_INDEX_FILE": str(tmp_path / "index")}
    for command in (["read-tree", tree], ["checkout-index", "--all", f"--prefix={tmp_path}/out/"]):
        subprocess.run(["git", *command], cwd=box.root, env=env, check=True)
    assert (tmp_path / "out/new/d.py").read_text() == "d\n"


def test_a_linked_work_tree_has_trees_of_its_own(box, tmp_path):
    box.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    (tmp_path / "side/a.py").write_text("side\n")
    side = GitRepository.discover(tmp_path / "side").trees
    assert side.compare(box.head("main"), side.take()) == {"a.py": "modified"}
    assert box.repo.trees.compare(box.head(), box.repo.trees.take()) == {}


def test_many_untracked_files_are_one_pack_and_no_loose_objects(box, trees):
    for number in range(300):
        box.write(f"many/{number}.txt", f"{number}\n")
    tree = trees.take()
    assert len(listed(box, trees, tree)) == 303
    objects = box.root / ".code-intel/sessions/trees/objects"
    assert len([path for path in objects.rglob("*") if path.is_file()]) < 20
    box.write("many/7.txt", "changed\n")
    assert trees.compare(tree, trees.take()) == {"many/7.txt": "modified"}


def test_a_large_new_file_is_digested_for_its_name_alone_and_not_for_a_pack_too(box, trees):
    (box.root / "large.bin").write_bytes(os.urandom(17_000_000))
    trees.take()
    objects = box.root / ".code-intel/sessions/trees/objects"
    assert list(objects.rglob("*.pack")) == []
    assert max(path.stat().st_size for path in objects.glob("??/*")) > 17_000_000


def test_names_that_look_like_options_or_magic_are_names(box, trees):
    before = trees.take()
    for name in ("-rf", ":(exclude)a.py", "*.py", "a\nb"):
        box.write(name, "1\n")
    assert trees.compare(before, trees.take()) == dict.fromkeys(["-rf", ":(exclude)a.py", "*.py", "a\nb"], "added")


def test_a_sparse_checkout_has_no_deleted_files(box, trees):
    box.git("sparse-checkout", "set", "--no-cone", "a.py")
    assert not (box.root / "b.py").exists()
    assert trees.compare(box.head(), trees.take()) == {}
