"""What the session changed, told apart from what was there before."""

import os
import subprocess

import pytest

pytestmark = pytest.mark.draws(18)


def only(changes):
    (change,) = changes
    return change


def test_commits_staged_edits_loose_edits_and_new_files_are_one_list(box):
    base = box.head()
    box.commit(**{"b.py": "committed\n"})
    box.write("a.py", "one\ntwo\nTHREE\nfour\n")
    box.write("src/c.py", "staged\n")
    box.git("add", "src/c.py")
    box.write("new.py", "x\ny")
    found = {one.path: one for one in box.repo.changes(base, {})}
    assert list(found) == ["a.py", "b.py", "new.py", "src/c.py"]
    assert found["a.py"].hunks == ((3, 3),)
    assert (found["a.py"].added, found["a.py"].removed) == (1, 1)
    assert found["new.py"].hunks == ((1, 2),)


@pytest.mark.parametrize(
    ("text", "hunks"),
    [
        ("two\nthree\nfour\n", ((1, 1),)),  # the first line went: the one that now stands first
        ("one\ntwo\nfour\n", ((2, 3),)),  # a line between two went: both
        ("one\ntwo\nthree\n", ((3, 3),)),  # the last line went: the one that now stands last
        ("one\nnew\ntwo\nthree\nfour\nmore\n", ((2, 2), (6, 6))),
        ("one\r\ntwo\r\nthree\r\nfour\r\n", ((1, 4),)),
        ("one\ntwo\nthree\nfour", ((4, 4),)),
    ],
)
def test_hunks_name_the_lines_that_now_stand_there(box, text, hunks):
    base = box.head()
    box.write("a.py", text)
    assert only(box.repo.changes(base, {})).hunks == hunks


def test_a_file_emptied_is_shown_at_its_first_place(box):
    base = box.head()
    box.write("a.py", "")
    change = only(box.repo.changes(base, {}))
    assert (change.status, change.removed) == ("modified", 4)
    assert change.hunks == ((1, 1),)


def test_lines_that_look_like_a_patch_do_not_confuse_it(box):
    base = box.commit(**{"p.txt": "x\n", "q.txt": "x\n"})
    box.write("p.txt", "x\ndiff --git a/a b/b\n@@ -1 +1 @@\n+++ b/x\n")
    box.write("q.txt", "y\n")
    found = {one.path: one.hunks for one in box.repo.changes(base, {})}
    assert found == {"p.txt": ((2, 4),), "q.txt": ((1, 1),)}


@pytest.mark.parametrize("mark", ["--assume-unchanged", "--skip-worktree"])
def test_a_mark_in_the_index_hides_no_change(box, mark):
    base = box.head()
    box.git("update-index", mark, "a.py")
    before = box.repo.trees.take()
    box.write("a.py", "one\ntwo\nTHREE\n")
    assert box.git("status", "--porcelain") == ""
    assert only(box.repo.changes(base, {})).hunks == ((3, 3),)
    assert list(box.repo.dirty()) == ["a.py"]
    assert box.repo.trees.take() != before
    box.repo.commit_paths(["a.py"], "Mend", "20261121_101112_ab12")
    assert "THREE" in box.git("show", "HEAD:a.py")


def test_a_commit_put_in_place_of_the_base_hides_no_change(box):
    base = box.head()
    box.write("a.py", "one\ntwo\nTHREE\n")
    box.git("add", "a.py")
    forged = box.git("commit-tree", box.git("write-tree"), "-m", "First")
    box.git("replace", base, forged)
    assert box.git("diff", "--name-only", base) == ""
    assert only(box.repo.changes(base, {})).path == "a.py"


def test_what_a_sparse_checkout_leaves_out_is_not_missing(box):
    base = box.commit(**{"far/away.py": "x\n"})
    box.git("sparse-checkout", "set", "--no-cone", "/*", "!/far/")
    assert not (box.root / "far").exists()
    assert box.repo.changes(base, {}) == []
    assert box.repo.dirty() == {}


def test_a_deletion_a_mode_a_link_and_a_binary_have_their_own_words(box):
    base = box.commit(**{"mode.sh": "x\n", "kind": "text\n", "raw": "text\n"})
    (box.root / "b.py").unlink()
    (box.root / "mode.sh").chmod(0o755)
    (box.root / "kind").unlink()
    os.symlink("a.py", box.root / "kind")
    box.write("raw", b"\0\1\2")
    found = {one.path: one for one in box.repo.changes(base, {})}
    assert {path: one.status for path, one in found.items()} == {
        "b.py": "deleted",
        "mode.sh": "mode",
        "kind": "type_changed",
        "raw": "modified",
    }
    assert found["raw"].binary
    assert found["raw"].hunks == ()
    assert found["kind"].hunks == ((1, 1),)
    assert found["b.py"].hunks == ()


def test_a_rename_is_one_change_even_when_the_new_file_is_untracked(box):
    base = box.head()
    (box.root / "a.py").rename(box.root / "moved.py")
    box.write("moved.py", "one\ntwo\nthree\nfour\nfive\n")
    change = only(box.repo.changes(base, {}))
    assert (change.status, change.old_path, change.path) == ("renamed", "a.py", "moved.py")
    assert change.hunks == ((5, 5),)
    text = box.repo.diff_text(base, "moved.py")
    assert "rename from a.py" in text
    assert text == box.repo.diff_text(base, "moved.py", old_path="a.py")


def test_two_empty_files_are_no_rename(box):
    base = box.commit(**{"x/__init__.py": ""})
    (box.root / "x/__init__.py").unlink()
    box.write("y/__init__.py", "")
    assert [(one.path, one.status) for one in box.repo.changes(base, {})] == [
        ("x/__init__.py", "deleted"),
        ("y/__init__.py", "added"),
    ]


def test_a_folder_replaced_by_a_file_and_a_file_by_a_folder(box):
    base = box.head()
    (box.root / "src/c.py").unlink()
    (box.root / "src").rmdir()
    box.write("src", "now a file, quite another text\n")
    (box.root / "b.py").unlink()
    box.write("b.py/inner.txt", "something else entirely\n")
    found = {(one.path, one.status) for one in box.repo.changes(base, {})}
    assert found == {("src", "added"), ("src/c.py", "deleted"), ("b.py", "deleted"), ("b.py/inner.txt", "added")}


def test_a_folder_replaced_by_a_link_does_not_show_what_lies_behind_it(box):
    base = box.head()
    (box.root / "src").rename(box.root.parent / "outside")
    os.symlink(box.root.parent / "outside", box.root / "src")
    assert box.repo.dirty()["src/c.py"] == "deleted"
    assert {one.path: one.status for one in box.repo.changes(base, {})} == {"src": "added", "src/c.py": "deleted"}


def test_what_was_dirty_before_is_older_until_it_is_touched_again(box):
    base = box.head()
    box.write("a.py", "mine\n")
    box.write("notes.txt", "mine\n")
    (box.root / "b.py").unlink()
    start = box.repo.dirty()
    box.write("notes.txt", "mine and the session's\n")
    box.write("src/c.py", "the session's\n")
    marks = {one.path: (one.preexisting, one.touched_preexisting) for one in box.repo.changes(base, start)}
    assert marks == {
        "a.py": (True, False),
        "b.py": (True, False),
        "notes.txt": (False, True),
        "src/c.py": (False, False),
    }


def test_a_file_the_user_deleted_is_not_joined_to_one_the_session_made(box):
    base = box.head()
    (box.root / "a.py").unlink()
    start = box.repo.dirty()
    box.write("again.py", "one\ntwo\nthree\nfour\n")
    found = [(one.path, one.status, one.preexisting) for one in box.repo.changes(base, start)]
    assert found == [("a.py", "deleted", True), ("again.py", "added", False)]


def test_line_ends_that_git_normalises_are_no_change(box):
    box.git("config", "core.autocrlf", "true")
    base = box.head()
    box.write("a.py", "one\r\ntwo\r\nTHREE\r\nfour\r\n")
    assert only(box.repo.changes(base, {})).hunks == ((3, 3),)


def test_filters_of_the_repository_are_applied(box):
    box.git("config", "filter.up.clean", "tr a-z A-Z")
    base = box.commit(**{".gitattributes": "*.up filter=up\n", "x.up": "abc\n"})
    box.write("x.up", "ABC\n")
    assert box.repo.changes(base, {}) == []
    box.write("x.up", "abd\n")
    assert only(box.repo.changes(base, {})).path == "x.up"


def test_output_settings_of_the_user_do_not_reach_the_parser(box):
    for key, value in {
        "diff.noprefix": "true",
        "color.ui": "always",
        "diff.external": "false",
        "core.quotePath": "true",
        "diff.renames": "copies",
        "status.showUntrackedFiles": "no",
        "diff.interHunkContext": "50",
        "core.splitIndex": "true",
    }.items():
        box.git("config", key, value)
    base = box.head()
    box.write("a.py", "ONE\ntwo\nthree\nFOUR\n")
    box.write("é.py", "x\n")
    found = {one.path: one.hunks for one in box.repo.changes(base, {})}
    assert found == {"a.py": ((1, 1), (4, 4)), "é.py": ((1, 1),)}


def test_a_submodule_changed_inside_is_reported_and_followed(with_module):
    box = with_module
    base, repo = box.head(), box.repo
    clean = repo.trees.take()
    box.write("sub/lib.py", "2\n")
    first = repo.trees.take(), repo.dirty()
    change = only(repo.changes(base, {}))
    assert (change.path, change.status, change.hunks) == ("sub", "modified", ())
    assert only(repo.changes(base, first[1])).preexisting
    box.write("sub/lib.py", "3\n")
    assert only(repo.changes(base, first[1])).touched_preexisting
    assert len({clean, first[0], repo.trees.take()}) == 3


def test_a_submodule_that_moved_is_a_modified_path_without_lines(with_module):
    box = with_module
    base = box.head()
    subprocess.run(
        ["git", "-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x"],
        cwd=box.root / "sub",
        check=True,
    )
    change = only(box.repo.changes(base, {}))
    assert (change.path, change.status, change.hunks, change.added) == ("sub", "modified", (), 0)


def test_a_clone_nobody_registered_is_one_untracked_path(box, new_box):
    inner = new_box("work tree/clone")
    inner.commit(**{"x": "1"})
    base = box.head()
    change = only(box.repo.changes(base, {}))
    assert (change.path, change.status) == ("clone", "added")
    before = box.repo.trees.take()
    inner.write("x", "2")
    assert box.repo.trees.take() != before


@pytest.mark.parametrize(
    ("path", "before", "after", "is_blank"),
    [
        ("a.py", "x=1\n", "x = 1\n", True),
        ("a.py", "x = 1\n", "x = 1  \n\n", True),
        ("a.py", "f('a', b)\n", "f( 'a',b )\n", True),
        ("a.py", "f('a', b)\n", "f('a ', b)\n", False),
        ("a.js", "x = `solid#f00`\n", "x = `solid #f00`\n", False),
        ("a.py", "x = 1\n", "    x = 1\n", False),
        ("a.md", "solid#f00\n", "solid #f00\n", False),
        ("a.md", "one two\n", "one   two \n", True),
        ("a.md", "one two\n", "one three\n", False),
    ],
)
def test_white_space_that_means_nothing_is_no_change_of_content(box, path, before, after, is_blank):
    base = box.commit(**{path: before})
    box.write(path, after)
    change = only(box.repo.changes(base, {}))
    assert change.blank_hunks == (change.hunks if is_blank else ())
