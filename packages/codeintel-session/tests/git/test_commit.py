"""The session's commit holds exactly what it should, and a failed one leaves no trace."""

import os

import pytest

from codeintel_session.git import CommitFailed, GitFault, NoCommit

pytestmark = pytest.mark.draws(18)


def files_of(box, commit="HEAD"):
    listed = box.git("show", "--name-status", "--no-renames", "--format=", "-z", commit)
    words = listed.split("\0")[:-1]
    return dict(zip(words[1::2], words[::2], strict=True))


def test_exactly_the_given_paths_are_committed(box, session):
    box.write("a.py", "session\n")
    box.write("new.py", "session\n")
    (box.root / "src/c.py").unlink()
    box.write("b.py", "mine, staged\n")
    box.git("add", "b.py")
    box.write("mine.txt", "mine")
    commit = box.repo.commit_paths(["a.py", "new.py", "src/c.py"], "feat: do it\n\nWhy.", session)
    assert commit == box.head()
    assert files_of(box) == {"a.py": "M", "new.py": "A", "src/c.py": "D"}
    assert box.status() == ["M  b.py", "?? mine.txt"]
    assert box.git("log", "-1", "--format=%B") == f"feat: do it\n\nWhy.\n\nCode-Intel-Session: {session}\n"


def test_other_staged_entries_stay_as_they_were(box, session):
    box.write("b.py", "staged\n")
    box.write("added", "staged\n")
    box.write("half", "x\n")
    box.git("add", "b.py", "added")
    box.git("add", "-N", "half")
    box.git("rm", "-q", "--cached", "src/c.py")
    box.write("b.py", "and edited\n")
    before, status = box.git("ls-files", "--stage", "b.py", "added", "half", "src/c.py"), box.status()
    box.write("a.py", "session\n")
    box.repo.commit_paths(["a.py"], "x", session)
    assert box.git("ls-files", "--stage", "b.py", "added", "half", "src/c.py") == before
    assert box.status() == status


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", ["-rf", "--amend", "a b", "a\nb", "naïve ☃.py", 'q"x', ":(top)x", "*", ":!b.py"])
def test_hostile_names_are_committed_as_names(box, session, name):
    box.write(name, "1\n")
    box.write("other", "1\n")
    box.repo.commit_paths([name], "x", session)
    assert files_of(box) == {name: "A"}
    assert box.status() == ["?? other"]


@pytest.mark.parametrize(
    "path", ["", "/etc/passwd", "../x", "src/../a.py", ".git/config", "src/.GIT/x", "./a.py", "a\0b"]
)
def test_paths_outside_the_work_tree_are_refused(box, session, path):
    with pytest.raises(CommitFailed):
        box.repo.commit_paths([path], "x", session)


@pytest.mark.parametrize("message", ["--amend", "-m x", "#42 fixed", "x\n\n#1\n# not a comment", "é ☃", "a: b"])
def test_a_message_is_text_and_never_an_option(box, session, message):
    box.write("a.py", "x\n")
    commit = box.repo.commit_paths(["a.py"], message, session)
    assert box.git("log", "-1", "--format=%B").startswith(message)
    assert box.repo.session_commits(box.head("HEAD^"), session) == [commit]
    assert len(box.git("rev-list", "HEAD").splitlines()) == 2


def test_a_trailer_joins_the_trailers_that_are_there(box, session):
    box.write("a.py", "x\n")
    box.repo.commit_paths(["a.py"], "x\n\nCo-authored-by: B <b@b>", session)
    text = box.git("log", "-1", "--format=%B").strip()
    assert text.endswith(f"Co-authored-by: B <b@b>\nCode-Intel-Session: {session}")


@pytest.mark.parametrize("message", ["", "  \n", "a\0b"])
def test_an_empty_message_is_refused(box, session, message):
    with pytest.raises(GitFault):
        box.repo.commit_paths(["a.py"], message, session)


def test_the_users_hooks_run_and_see_only_what_is_committed(box, session):
    box.write("b.py", "mine\n")
    box.git("add", "b.py")
    box.hook("pre-commit", "git diff --cached --name-only > .git/seen\n")
    box.hook("commit-msg", 'cat "$1" > .git/message\n')
    box.write("a.py", "x\n")
    box.repo.commit_paths(["a.py"], "subject", session)
    assert (box.root / ".git/seen").read_text() == "a.py\n"
    assert (box.root / ".git/message").read_text().startswith("subject\n")


def test_what_a_hook_adds_is_in_the_commit_and_in_the_index(box, session):
    box.hook("pre-commit", "printf 'formatted\\n' > a.py && git add a.py\n")
    box.write("a.py", "raw\n")
    box.repo.commit_paths(["a.py"], "x", session)
    assert box.show("a.py") == "formatted"
    assert box.status() == []


@pytest.mark.parametrize("hook", ["pre-commit", "commit-msg", "prepare-commit-msg"])
def test_a_failing_hook_is_quoted_and_nothing_has_changed(box, session, hook):
    box.hook(hook, "git log -1 >/dev/null; echo to stdout; echo 'line 7 is too long' >&2; exit 1\n")
    box.write("a.py", "x\n")
    box.write("new", "x\n")
    box.write("b.py", "staged\n")
    box.git("add", "b.py")
    head, index, status = box.head(), box.index_bytes(), box.status()
    with pytest.raises(CommitFailed) as fault:
        box.repo.commit_paths(["a.py", "new"], "x", session)
    assert "hint:" not in str(fault.value), "git's advice about our graft file"
    assert "line 7 is too long" in str(fault.value)
    assert (box.head(), box.index_bytes(), box.status()) == (head, index, status)
    assert not list((box.root / ".git").glob("codeintel-*"))
    (box.root / ".git/hooks" / hook).unlink()
    assert box.repo.commit_paths(["a.py", "new"], "x", session) == box.head()


def test_the_same_commit_asked_twice_is_made_once(box, session):
    box.write("a.py", "x\n")
    first = box.repo.commit_paths(["a.py"], "x", session)
    assert box.repo.commit_paths(["a.py"], "x", session) == first
    with pytest.raises(CommitFailed, match="nothing to commit"):
        box.repo.commit_paths(["a.py"], "x", "another_session")


def test_a_commit_cut_off_before_the_index_was_set_is_finished(box, session):
    box.write("b.py", "mine, staged\n")
    box.git("add", "b.py")
    box.write("a.py", "x\n")
    before = box.index_bytes()
    commit = box.repo.commit_paths(["a.py"], "x", session)
    (box.root / ".git/index").write_bytes(before)
    assert box.status() == ["MM a.py", "M  b.py"]
    assert box.repo.commit_paths(["a.py"], "x", session) == commit
    assert box.status() == ["M  b.py"]


def test_a_locked_index_after_the_commit_is_said_and_mended_by_asking_again(box, session):
    box.write("a.py", "x\n")
    lock = box.write(".git/index.lock", "")
    with pytest.raises(CommitFailed, match="committed as"):
        box.repo.commit_paths(["a.py"], "x", session)
    lock.unlink()
    assert box.repo.commit_paths(["a.py"], "x", session) == box.head()
    assert box.status() == []


def test_ignored_files_and_unregistered_repositories_are_refused(box, new_box, session):
    box.write(".gitignore", "*.env\n")
    box.write("secret.env", "x")
    new_box("work tree/clone").commit(**{"x": "1"})
    for path, why in (("secret.env", "ignored"), ("clone", "nested repository"), ("clone/x", "inside")):
        with pytest.raises(CommitFailed, match=why):
            box.repo.commit_paths([path], "x", session)
    assert box.status() == ["?? .gitignore", "?? clone/"]


def test_kinds_and_modes_are_committed(box, session):
    box.commit(**{"kind": "text\n", "x.sh": "x\n"})
    (box.root / "kind").unlink()
    os.symlink("a.py", box.root / "kind")
    (box.root / "x.sh").chmod(0o755)
    box.write("raw", b"\0\1")
    box.write("empty", b"")
    box.repo.commit_paths(["kind", "x.sh", "raw", "empty"], "x", session)
    modes = {line.split("\t")[1]: line.split(" ")[0] for line in box.git("ls-tree", "HEAD").splitlines()}
    assert modes["kind"] == "120000"
    assert modes["x.sh"] == "100755"
    assert box.status() == []


def test_a_folder_replaced_by_a_file_and_back(box, session):
    (box.root / "src/c.py").unlink()
    (box.root / "src").rmdir()
    box.write("src", "file\n")
    box.repo.commit_paths(["src", "src/c.py"], "x", session)
    assert files_of(box) == {"src": "A", "src/c.py": "D"}
    (box.root / "src").unlink()
    box.write("src/d.py", "d\n")
    box.write("src/mine", "mine\n")
    box.git("add", "src/mine")
    box.repo.commit_paths(["src/d.py", "src"], "x", session)
    assert files_of(box) == {"src": "D", "src/d.py": "A"}
    assert box.status() == ["A  src/mine"]


def test_without_a_commit_or_in_the_middle_of_a_merge_nothing_is_committed(empty, new_box, session):
    empty.write("a", "1")
    with pytest.raises(NoCommit):
        empty.repo.commit_paths(["a"], "x", session)
    box = new_box("merging")
    box.commit(**{"a": "1\n"})
    box.git("switch", "-q", "-c", "side")
    box.commit(**{"a": "2\n"})
    box.git("switch", "-q", "main")
    box.commit(**{"a": "3\n"})
    box.git("merge", "-q", "side", ok=False)
    with pytest.raises(CommitFailed, match="merge"):
        box.repo.commit_paths(["a"], "x", session)


def test_a_missing_identity_is_said(box, session):
    box.git("config", "--unset", "user.email")
    box.git("config", "user.useConfigOnly", "true")
    box.write("a.py", "x\n")
    with pytest.raises(CommitFailed, match="email"):
        box.repo.commit_paths(["a.py"], "x", session)


def test_session_commits_lists_only_this_sessions_since_the_base(box, session):
    base, made = box.head(), []
    for text in "12":
        box.write("a.py", text)
        made.insert(0, box.repo.commit_paths(["a.py"], "x", session))
    box.commit(**{"b.py": "mine\n"})
    box.write("a.py", "3")
    box.repo.commit_paths(["a.py"], "x", "other")
    assert box.repo.session_commits(base, session) == made
    assert box.repo.session_commits(box.head(), session) == []


def test_a_split_index_and_a_sparse_checkout_are_respected(box, session):
    box.git("config", "core.splitIndex", "true")
    box.git("update-index", "--split-index")
    box.git("sparse-checkout", "set", "--no-cone", "/*", "!/src/")
    assert not (box.root / "src/c.py").exists()
    assert box.repo.changes(box.head(), {}) == []
    box.write("a.py", "x\n")
    box.repo.commit_paths(["a.py"], "x", session)
    assert files_of(box) == {"a.py": "M"}
    assert box.status() == []


def test_a_submodule_is_committed_where_it_stands_and_never_inside(with_module, session):
    box = with_module
    box.write("sub/lib.py", "2\n")
    with pytest.raises(CommitFailed, match="inside"):
        box.repo.commit_paths(["sub/lib.py"], "x", session)
    with pytest.raises(CommitFailed, match="nothing to commit"):
        box.repo.commit_paths(["sub"], "x", session)
    identity = ("-c", "user.name=A", "-c", "user.email=a@b")
    box.git("-C", "sub", *identity, "commit", "-q", "-a", "-m", "inner")
    box.repo.commit_paths(["sub"], "x", session)
    assert box.head("HEAD:sub") == box.git("-C", "sub", "rev-parse", "HEAD")
    assert box.status() == []


def test_trailer_signs_of_the_user_do_not_hide_ours(box, session):
    box.git("config", "trailer.separators", "=")
    base = box.head()
    box.write("a.py", "x\n")
    assert box.repo.session_commits(base, session) == []
    commit = box.repo.commit_paths(["a.py"], "x", session)
    assert box.repo.session_commits(base, session) == [commit]
