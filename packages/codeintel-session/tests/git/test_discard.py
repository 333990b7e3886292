"""Taking changes back, with the way to get them again."""

import os

import pytest

from codeintel_session.git import DiscardFailed

pytestmark = pytest.mark.draws(18)


def test_edits_deletions_and_new_files_go_back_to_the_base(box, session):
    base = box.head()
    box.write("a.py", "edited\n")
    (box.root / "b.py").unlink()
    box.write("pkg/deep/new.py", "new\n")
    ref = box.repo.discard(["a.py", "b.py", "pkg/deep/new.py"], base, session)
    assert box.status() == []
    assert (box.root / "a.py").read_text() == "one\ntwo\nthree\nfour\n"
    assert (box.root / "b.py").read_text() == "b\n"
    assert not (box.root / "pkg").exists()
    assert ref == f"refs/codeintel/trash/{session}-discard-1"
    assert box.show("a.py", ref) == "edited"
    assert box.show("pkg/deep/new.py", ref) == "new"
    assert box.git("ls-tree", "--name-only", ref, "b.py") == ""


def test_a_discarded_new_file_does_not_stay_staged(box, session):
    box.write("new.py", "new\n")
    box.git("add", "new.py")
    box.repo.discard(["new.py"], box.head(), session)
    assert box.status() == []


def test_what_was_staged_is_kept_too(box, session):
    box.write("a.py", "staged\n")
    box.git("add", "a.py")
    box.write("a.py", "present\n")
    ref = box.repo.discard(["a.py"], box.head(), session)
    assert box.show("a.py", ref) == "present"
    assert box.show("a.py", f"{ref}^2") == "staged"
    assert box.status() == []


def test_other_changes_are_not_touched(box, session):
    box.write("a.py", "session\n")
    box.write("b.py", "staged\n")
    box.git("add", "b.py")
    box.write("b.py", "mine\n")
    box.write("src/mine", "mine")
    box.write("src/new.py", "session\n")
    box.repo.discard(["a.py", "src/new.py"], box.head(), session)
    assert box.status() == ["MM b.py", "?? src/mine"]


def test_a_change_already_committed_goes_back_in_the_work_tree(box, session):
    base = box.head()
    box.write("a.py", "x\n")
    box.write("new", "x\n")
    box.repo.commit_paths(["a.py", "new"], "x", session)
    box.repo.discard(["a.py", "new"], base, session)
    assert box.repo.changes(base, {}) == []
    assert box.status() == [" M a.py", " D new"]
    box.repo.commit_paths(["a.py", "new"], "take it back", session)
    assert box.git("diff", "--stat", base, "HEAD") == ""


def test_a_rename_is_taken_back_with_both_its_paths(box, session):
    (box.root / "a.py").rename(box.root / "moved.py")
    box.repo.discard(["moved.py", "a.py"], box.head(), session)
    assert box.status() == []
    assert not (box.root / "moved.py").exists()


def test_modes_links_binaries_and_hostile_names_come_back_exactly(box, session):
    box.commit(**{"x.sh": "x\n", "-rf": "1\n", "a\nb": "2\n", ":(top)x": "3\n"})
    box.write("raw", b"\0\xff\r\n")
    os.symlink("a.py", box.root / "link")
    base = box.commit()
    (box.root / "x.sh").chmod(0o755)
    (box.root / "link").unlink()
    box.write("link", "a file\n")
    box.write("raw", b"\1")
    for name in ("-rf", "a\nb", ":(top)x"):
        (box.root / name).unlink()
    ref = box.repo.discard(["x.sh", "link", "raw", "-rf", "a\nb", ":(top)x"], base, session)
    assert box.status() == []
    assert os.readlink(box.root / "link") == "a.py"
    assert (box.root / "raw").read_bytes() == b"\0\xff\r\n"
    assert box.git("ls-tree", ref, "x.sh").startswith("100755")


def test_line_ends_are_kept_byte_for_byte_in_the_trash(box, session):
    box.git("config", "core.autocrlf", "true")
    box.write("a.py", b"one\r\nmixed\n")
    ref = box.repo.discard(["a.py"], box.head(), session)
    assert box.git("cat-file", "-s", f"{ref}:a.py") == str(len(b"one\r\nmixed\n"))


def test_each_discard_has_a_number_and_asking_twice_makes_one(box, session):
    base = box.head()
    box.write("a.py", "1\n")
    first = box.repo.discard(["a.py"], base, session)
    assert box.repo.discard(["a.py"], base, session) == first
    box.write("a.py", "2\n")
    assert box.repo.discard(["a.py"], base, session) == first.removesuffix("1") + "2"


def test_a_discard_comes_back_as_a_branch(box, session):
    box.write("a.py", "edited\n")
    ref = box.repo.discard(["a.py"], box.head(), session)
    branch = box.repo.undo(ref)
    assert branch == f"{session}-discard-1"
    assert box.show("a.py", branch) == "edited"


def test_a_folder_in_place_of_a_file_goes_only_with_all_it_holds(box, session):
    base = box.head()
    (box.root / "b.py").unlink()
    box.write("b.py/new", "session\n")
    box.write("b.py/mine", "mine\n")
    with pytest.raises(DiscardFailed, match=r"b\.py/mine"):
        box.repo.discard(["b.py", "b.py/new"], base, session)
    assert (box.root / "b.py/new").read_text() == "session\n"
    (box.root / "b.py/mine").unlink()
    box.repo.discard(["b.py", "b.py/new"], base, session)
    assert box.status() == []


def test_an_empty_folder_in_place_of_a_file_gives_way(box, session):
    (box.root / "b.py").unlink()
    (box.root / "b.py/x/y").mkdir(parents=True)
    box.repo.discard(["b.py"], box.head(), session)
    assert (box.root / "b.py").read_text() == "b\n"


def test_a_file_or_link_in_place_of_a_folder_goes_only_if_it_is_named(box, session):
    base = box.head()
    (box.root / "src").rename(box.root.parent / "outside")
    os.symlink(box.root.parent / "outside", box.root / "src")
    with pytest.raises(DiscardFailed, match="'src' is in its place"):
        box.repo.discard(["src/c.py"], base, session)
    box.repo.discard(["src/c.py", "src"], base, session)
    assert box.status() == []
    assert (box.root.parent / "outside/c.py").read_text() == "c\n"


def test_ignored_files_repositories_and_strange_paths_are_left_alone(box, new_box, session):
    box.commit(**{".gitignore": "*.env\n"})
    box.write("secret.env", "x")
    new_box("work tree/clone").commit(**{"x": "1"})
    box.repo.discard(["secret.env"], box.head(), session)
    assert (box.root / "secret.env").exists()
    for path in ("clone", "clone/x", "../x", ".git/config"):
        with pytest.raises(DiscardFailed):
            box.repo.discard([path], box.head(), session)
    assert (box.root / "clone/x").exists()


def test_a_failure_half_way_names_where_everything_is_saved(box, session):
    box.write("a.py", "edited\n")
    lock = box.write(".git/index.lock", "")
    with pytest.raises(DiscardFailed) as fault:
        box.repo.discard(["a.py"], box.head(), session)
    assert box.show("a.py", fault.value.ref) == "edited"
    lock.unlink()


def test_saving_needs_no_identity(box, session):
    box.git("config", "--remove-section", "user")
    box.git("config", "user.useConfigOnly", "true")
    box.write("a.py", "edited\n")
    assert box.repo.discard(["a.py"], box.head(), session)


def test_a_submodule_is_not_taken_back(with_module, session):
    box = with_module
    box.write("sub/lib.py", "2\n")
    for path in ("sub", "sub/lib.py"):
        with pytest.raises(DiscardFailed, match="nested repository"):
            box.repo.discard([path], box.head(), session)
    assert (box.root / "sub/lib.py").read_text() == "2\n"
