"""All diffs at once, and a file as a commit has it."""

import pytest

from codeintel_session.git import GitFault

pytestmark = pytest.mark.draws(5)


def test_the_patches_of_all_paths_are_those_of_each_path(box):
    base = box.commit(**{"old.py": "a\n" * 30, "gone.py": "x\n", "mode.sh": "echo\n"})
    (box.root / "old.py").rename(box.root / "moved.py")
    (box.root / "gone.py").unlink()
    (box.root / "mode.sh").chmod(0o755)
    box.write("a.py", "diff --git a/x b/x\n@@ -1 +1 @@\n+++ b/y\n")
    box.write("with\nbreak.py", "x\n")
    box.write("bytes.bin", b"\0\1")
    found = box.repo.patches(base)
    names = {one.path for one in box.repo.changes(base, {})}
    assert set(found) == names
    for path, patch in found.items():
        assert patch == box.repo.diff_text(base, path), path


def test_a_path_that_changed_its_type_is_left_to_be_asked_for(box):
    base = box.head()
    (box.root / "a.py").unlink()
    (box.root / "a.py").symlink_to("elsewhere")
    assert box.repo.patches(base) == {}
    assert "elsewhere" in box.repo.diff_text(base, "a.py")


def test_two_commits_are_compared_whatever_the_work_tree_holds(box):
    base = box.head()
    end = box.commit(**{"b.py": "committed\n"})
    box.write("c.py", "later\n")
    found = box.repo.patches(base, end)
    assert list(found) == ["b.py"]
    assert "+committed" in found["b.py"]
    with pytest.raises(GitFault):
        box.repo.patches(base, "--output=/tmp/x")


def test_a_file_is_read_as_a_commit_has_it(box):
    base = box.commit(**{"b.py": "before\n"})
    box.write("b.py", "after\n")
    assert box.repo.text_at(base, "b.py") == "before\n"
    assert box.repo.text_at(base, "none.py") == ""
    assert box.repo.text_at(base, "") == ""


def test_a_huge_file_is_compared_as_a_whole_and_never_held(box):
    box.git("config", "core.compression", "0")
    line = "x" * 99 + "\n"
    box.write("new.txt", "\0" + line * 170_000)
    base = box.commit(**{"big.txt": line * 170_000})
    box.write("big.txt", line * 170_001)
    box.write("new.txt", "\0" + line * 170_001)
    assert box.repo.text_at(base, "big.txt") == ""
    assert {change.path: change.hunks for change in box.repo.changes(base, {})} == {"big.txt": (), "new.txt": ()}
    assert all(len(patch) < 500 for patch in box.repo.patches(base).values())
