"""What a session leaves behind in git, and no diff of it shows, is named beside its outcome."""

import hashlib
import os
import shutil
import time
import zlib
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from codeintel_contract.names import Key
from codeintel_session import Prompt
from codeintel_session.git import GitRepository, user_refs
from codeintel_session.git.faults import GitFailed
from codeintel_session.machine.state import Receipt
from codeintel_session.storage import ignored_files
from codeintel_session.testing import QUERY, Driver, Repo, World

pytestmark = pytest.mark.draws(18)

Do = Callable[[Repo], object]
VERIFIER = ".code-intel/verifiers/unit.md"
STAGED, LOST, SETTINGS = "next commit would contain them: ", "session began: ", "nobody saw it: "
GROWN, PUSHED, NEW = "tags moved on: ", "branches show: ", "tags or notes were made: "
TASK = "llm_task_20200101_000000_abcd_from_main"


@pytest.fixture
def repo(repo: Repo) -> Repo:
    """A project whose user has branches, tags, two stashes, and settings that git tracks."""
    paths = ("other.py", "notes.txt", "old.py", VERIFIER)
    for path in paths:
        repo.write(path, "of the user\n")
    repo.git("add", "-f", *paths)
    repo.git("commit", "-qm", "More")
    half = repo.git("commit-tree", "main^{tree}", "-p", "main", "-m", "Half a feature")
    repo.git("update-ref", "refs/codeintel/trash/1", "main")
    for ref in ("heads/feature", f"heads/{TASK}", "tags/v1"):
        repo.git("update-ref", f"refs/{ref}", half)
    repo.git("tag", "-a", "v1.0", "-m", "The first", half)
    for text in ("one\n", "two\n"):
        repo.write("notes.txt", text)
        repo.git("stash", "-q")
    return repo


def end_after(driver: Driver, repo: Repo, do: Do, key: Key = Key.READY_COMPLETE, **flags: object) -> str:
    driver.start(**flags or {"fast": True})
    driver.until(key)
    do(repo)
    return str(driver.finish())


def named(said: str, note: str) -> list[str]:
    return said.partition(note)[2].partition(". ")[0].split(", ") if note in said else []


def user_stages(repo: Repo) -> None:
    repo.write("notes.txt", "staged by the user\n")
    repo.git("add", "notes.txt")
    repo.write("notes.txt", "changed since\n")


def stage_unseen(repo: Repo) -> None:
    for path in ("other.py", "new.py", "notes.txt", VERIFIER):
        file = repo.root / path
        before = file.read_bytes() if file.exists() else b""
        repo.write(path, "evil\n")
        repo.git("add", "-f", path)
        file.write_bytes(before) if before else file.unlink()
    repo.git("rm", "-q", "--cached", "old.py")


@pytest.mark.sample
@pytest.mark.parametrize("flags", [{"fast": True}, {"quick": True}], ids=str)
def test_a_version_that_is_staged_and_in_no_file_is_named(driver: Driver, repo: Repo, flags: dict[str, bool]) -> None:
    user_stages(repo)
    said = end_after(driver, repo, stage_unseen, **flags)
    assert named(said, STAGED) == [VERIFIER, "new.py", "notes.txt", "old.py", "other.py"]


def test_a_version_that_the_user_staged_alone_and_is_gone_is_named(driver: Driver, repo: Repo) -> None:
    for path in ("notes.txt", "other.py"):
        repo.write(path, "staged with care\n")
        repo.git("add", path)
        repo.write(path, "of the user\n" if path == "other.py" else repo.git("show", f"HEAD:{path}") + "\n")
    said = end_after(driver, repo, git("reset", "-q", "notes.txt"))
    assert named(said, "not staged any more: ") == ["notes.txt"]


def forge_index(repo: Repo) -> None:
    """Have git's index call a changed file unchanged: by its new size and times, beside the object it had."""
    old = repo.git("rev-parse", "HEAD:other.py")
    repo.write("other.py", "of an agent")
    os.utime(repo.root / "other.py", (1e9, 1e9))  # git reads a file again that is as young as its index
    repo.git("add", "other.py")
    new = repo.git("rev-parse", ":other.py")
    index = repo.root / ".git/index"
    data = index.read_bytes()[:-20].replace(bytes.fromhex(new), bytes.fromhex(old))
    index.write_bytes(data + hashlib.sha1(data).digest())
    repo.write("notes.txt", "git shows this\n")
    assert "other.py" not in repo.git("status", "--short")


def test_a_change_that_git_does_not_see_is_named(driver: Driver, repo: Repo) -> None:
    said = end_after(driver, repo, forge_index)
    assert named(said, "forged in its index: ") == ["other.py"]


@pytest.mark.parametrize("kind", ["blob", "tree"])
def test_an_object_that_holds_something_else_than_its_id_stands_for_is_named(
    driver: Driver, repo: Repo, kind: str
) -> None:
    def swap(repo: Repo) -> None:
        path = repo.git("diff", "--name-only", "HEAD~1", "HEAD")
        name = repo.git("rev-parse", f"HEAD:{path if kind == 'blob' else ''}")
        place = repo.root / ".git/objects" / name[:2] / name[2:]
        place.chmod(0o644)
        place.write_bytes(zlib.compress(b"blob 5\0evil\n"))
        swapped.append(name[:12])

    swapped: list[str] = []
    said = end_after(driver, repo, swap, Key.MERGE)
    assert named(said, "what their ids stand for: ") == swapped


def test_settings_of_tools_that_changed_after_the_last_run_are_named(driver: Driver, repo: Repo) -> None:
    found = {"~/": "", ".venv": "1", "~/.npmrc": "1", "/tmp/pytest.ini": "1"}
    driver.service.ports = replace(driver.service.ports, dependencies=lambda: dict(found))

    def change(repo: Repo) -> None:
        found.update({".venv": "2", "~/.npmrc": "2", "~/.gitconfig": "1"})
        del found["/tmp/pytest.ini"]

    said = end_after(driver, repo, change, Key.MERGE)
    assert named(said, "outside the project changed while the session ran: ") == [
        "/tmp/pytest.ini",
        "~/.gitconfig",
        "~/.npmrc",
    ]


def test_a_session_ends_where_git_cannot_say_what_it_ignores(driver: Driver, repo: Repo) -> None:
    def fail() -> dict[str, str]:
        raise GitFailed("ls-files", 128, "broken")

    def break_it(repo: Repo) -> None:
        driver.service.ports = replace(driver.service.ports, dependencies=fail)

    assert "SESSION_COMPLETE" in end_after(driver, repo, break_it, Key.MERGE)


def work_as_usual(repo: Repo) -> None:
    """Stage what is in the files, go away from an empty entry, let branches grow, keep work aside."""
    repo.git("add", "src")
    repo.write("new.py", "x = 1\n")
    repo.git("add", "-N", "new.py")
    (repo.root / "new.py").unlink()
    repo.write(".code-intel/cache/rules.json", "{}")
    repo.git("add", "-f", ".code-intel/cache")
    repo.write(".code-intel/cache/rules.json", "[]")
    repo.git("reset", "-q", "--", "new.py")
    grow(repo)


def grow(repo: Repo) -> None:
    repo.git("branch", "new")
    for text in ("Once", "Twice"):
        grown = repo.git("commit-tree", "feature^{tree}", "-p", "feature", "-m", text)
        repo.git("update-ref", "refs/heads/feature", grown)
    repo.write("other.py", "aside\n")
    repo.git("stash", "push", "-q", "other.py")


def test_what_the_user_staged_and_what_work_brings_about_is_not_named(driver: Driver, repo: Repo) -> None:
    repo.git("update-ref", "-d", f"refs/heads/{TASK}")
    user_stages(repo)
    said = end_after(driver, repo, work_as_usual)
    assert (named(said, STAGED), named(said, LOST), named(said, SETTINGS)) == ([], [], [])


def test_an_entry_without_content_is_not_staged(repo: Repo) -> None:
    repo.write("new.py", "x = 1\n")
    repo.git("add", "-N", "new.py")
    assert GitRepository.discover(repo.root).staged() == {}


def test_refs_of_the_user_that_lost_their_commits_are_named(driver: Driver, repo: Repo) -> None:
    stash, feature, task = (repo.git("rev-parse", name) for name in ("stash@{1}", "feature", TASK))

    def lose(repo: Repo) -> None:
        repo.git("stash", "drop", "-q", "stash@{1}")
        repo.git("branch", "-qD", "feature", TASK)
        repo.git("tag", "-f", "v1.0", "main")
        repo.git("tag", "-d", "v1")

    driver.choice = "continue"
    said = named(end_after(driver, repo, lose), LOST)
    assert {"refs/stash at " + stash[:12], "feature at " + feature[:12]} <= set(said)
    assert [text.split(" ")[0] for text in sorted(said)] == [
        "feature",
        TASK,
        "refs/stash",
        "refs/tags/v1",
        "refs/tags/v1.0",
    ]
    assert f"{TASK} at {task[:12]}" in said


def test_branches_and_tags_that_moved_on_or_are_new_are_named_but_not_the_sessions_own(
    driver: Driver, repo: Repo
) -> None:
    repo.git("update-ref", "-d", f"refs/heads/{TASK}")

    def move_on(repo: Repo) -> None:
        grow(repo)
        repo.git("tag", "-f", "v1", "feature")
        repo.git("branch", "made-in-it", "feature")
        repo.git("update-ref", "refs/main", "feature")  # `git tag v2 main` would take it
        repo.git("notes", "add", "-m", "Approved", "feature")
        repo.write(".git/main", repo.git("rev-parse", "feature"))  # likewise, and no list of refs names it
        repo.write(".git/v9", "ref: refs/heads/feature\n")
        repo.git("update-ref", "refs/codeintel/trash/2", "feature")

    said = end_after(driver, repo, move_on)
    refs = ("feature", "new", "refs/notes/commits", "refs/stash")
    now, new, note, stash = (repo.git("rev-parse", ref)[:12] for ref in refs)
    assert sorted(named(said, GROWN)) == [f"feature at {now}", f"refs/stash at {stash}", f"refs/tags/v1 at {now}"]
    assert sorted(named(said, NEW)) == [
        f".git/main at {now}",
        f".git/v9 at {now}",
        f"made-in-it at {now}",
        f"new at {new}",
        f"refs/main at {now}",
        f"refs/notes/commits at {note}",
    ]
    assert named(said, LOST) == []


def push(*words: str) -> Do:
    return lambda repo: repo.git("push", "-q", *words)


@pytest.mark.parametrize(
    ("do", "is_named"),
    [(push("origin", "HEAD:main"), True), (push("origin", "feature:main"), False), (lambda repo: None, False)],
    ids=["pushed", "another", "nothing"],
)
def test_commits_of_the_session_on_a_remote_are_named(driver: Driver, repo: Repo, do: Do, *, is_named: bool) -> None:
    repo.git("update-ref", "-d", f"refs/heads/{TASK}")
    repo.git("clone", "-q", "--bare", ".", "../origin.git")
    repo.git("remote", "add", "origin", "../origin.git")
    repo.git("fetch", "-q", "origin")
    said = end_after(driver, repo, do, Key.MERGE)
    found = [f"origin/main at {repo.git('rev-parse', 'origin/main')[:12]}"] if is_named else []
    assert named(said, PUSHED) == found


def test_a_fetch_is_not_named(driver: Driver, repo: Repo) -> None:
    repo.git("update-ref", "-d", f"refs/heads/{TASK}")
    repo.git("clone", "-q", "--bare", ".", "../origin.git")
    repo.git("remote", "add", "origin", "../origin.git")
    repo.git("fetch", "-q", "origin")

    def fetch(repo: Repo) -> None:
        work = repo.git("commit-tree", "main^{tree}", "-p", "main", "-m", "By a colleague")
        Repo(repo.root.parent / "origin.git").git("fetch", "-q", str(repo.root), f"{work}:main")
        repo.git("fetch", "-q", "origin")

    said = end_after(driver, repo, fetch, Key.MERGE)
    assert repo.git("log", "-1", "--format=%s", "origin/main") == "By a colleague"
    assert (named(said, PUSHED), named(said, GROWN)) == ([], [])


@pytest.mark.sample
@pytest.mark.parametrize("choice", ["delete", "merge"])
def test_task_branches_that_the_server_resolved_are_not_named(driver: Driver, repo: Repo, choice: str) -> None:
    driver.choice = choice
    driver.start(fast=True)
    assert named(str(driver.finish()), LOST) == []


def git(*words: str) -> Do:
    return lambda repo: repo.git(*words)


CHANGES: dict[str, tuple[Do, list[str]]] = {
    "newest stash": (git("stash", "drop", "-q"), ["refs/stash"]),
    "all stashes": (git("stash", "clear"), ["refs/stash", "refs/stash"]),
    "moved branch": (git("branch", "-qf", "feature", "main"), ["feature"]),
    "renamed branch": (git("branch", "-m", "feature", "other"), ["feature"]),
    "rewritten base": (git("commit", "-q", "--amend", "-m", "Other"), ["main"]),
    "broken ref": (lambda repo: repo.write(".git/refs/heads/feature", "1" * 40 + "\n"), ["feature"]),
    "another is broken": (lambda repo: repo.write(".git/refs/heads/broken", "1" * 40 + "\n"), []),
    "packed": (git("pack-refs", "--all"), []),
    "grown": (grow, []),
    "task branch, kept": (git("branch", "-m", TASK, "kept"), []),
    "log": (git("reflog", "expire", "--expire=all", "HEAD"), ["logs/HEAD"]),
    "log, all of it": (lambda repo: (repo.root / ".git/logs/HEAD").unlink(), ["logs/HEAD"]),
    "trash": (git("update-ref", "-d", "refs/codeintel/trash/1"), ["refs/codeintel/trash/1"]),
}


@pytest.mark.parametrize("longest", [user_refs._LOG_BYTES, 1], ids=["file", "asked"])
@pytest.mark.parametrize("change", CHANGES)
def test_a_ref_is_lost_if_it_no_longer_holds_its_commit(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, change: str, longest: int
) -> None:
    do, names = CHANGES[change]
    found = GitRepository.discover(repo.root)
    before = found.user_refs()
    monkeypatch.setattr(user_refs, "_LOG_BYTES", longest)
    do(repo)
    moved = found.moved_refs(before)
    lost = [ref.removeprefix("refs/heads/") for ref, _ in moved.lost]
    assert (lost if names[:1] != ["logs/HEAD"] else sorted({*lost})) == names
    assert sorted(ref for ref, _ in moved.grown) == (["refs/heads/feature", "refs/stash"] if change == "grown" else [])


def test_of_many_refs_the_newest_and_the_stashes_are_kept(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_refs, "MOST", 2)
    kept = GitRepository.discover(repo.root).user_refs()
    assert (len(kept) <= 4, len(kept["refs/stash"])) == (True, 2)
    repo.git("tag", "made-since")
    found = GitRepository.discover(repo.root)
    before = found.user_refs()
    assert found.moved_refs(before).new == (), "those that were there before are not known"
    monkeypatch.setattr(user_refs, "MOST", 20)
    assert ("refs/tags/made-since", repo.git("rev-parse", "HEAD")) in found.moved_refs(before).new


def commit_unseen(repo: Repo) -> None:
    repo.write("blob", "evil\n")
    named = repo.git("hash-object", "-w", "blob")
    (repo.root / "blob").unlink()
    repo.git("update-index", "--cacheinfo", f"100644,{named},{VERIFIER}")
    repo.git("commit", "-qm", "Nothing to see")


@pytest.mark.sample
@pytest.mark.parametrize("key", [Key.READY_COMPLETE, Key.MERGE])
def test_settings_that_the_branch_changes_and_no_file_shows_are_named(driver: Driver, repo: Repo, key: Key) -> None:
    repo.git("update-ref", "-d", f"refs/heads/{TASK}")
    said = end_after(driver, repo, commit_unseen, key)
    assert repo.git("show", f"main:{VERIFIER}") == "evil", "it was merged"
    assert named(said, SETTINGS) == [VERIFIER]


def change_openly(repo: Repo) -> None:
    """Commit what the files show and what the server keeps; let the base get a change of a colleague."""
    repo.write(".code-intel/config.json", "{}")
    repo.write(".code-intel/cache/rules.json", "{}")
    repo.git("add", "-f", ".code-intel/config.json", ".code-intel/cache")
    repo.git("commit", "-qm", "In the open")
    repo.write(".code-intel/cache/rules.json", "[]")
    repo.git("worktree", "add", "-q", "--detach", "../aside", "main")
    aside = Repo(repo.root.parent / "aside")
    aside.write(VERIFIER, "of a colleague\n")
    aside.git("commit", "-qam", "By a colleague")
    repo.git("update-ref", "refs/heads/main", aside.git("rev-parse", "HEAD"))


def test_settings_that_the_work_tree_shows_or_the_base_brings_are_not_named(driver: Driver, repo: Repo) -> None:
    repo.git("update-ref", "-d", f"refs/heads/{TASK}")
    assert named(end_after(driver, repo, change_openly), SETTINGS) == []
    assert repo.git("show", f"main:{VERIFIER}") == "of a colleague"


def test_a_session_of_an_earlier_version_has_nothing_to_compare_with(driver: Driver, repo: Repo) -> None:
    driver.start(quick=True)
    driver.service.change({"staged": None, "refs": {}})
    stage_unseen(repo)
    assert named(str(driver.finish()), STAGED) == []


def test_ignored_files_of_the_user_that_changed_or_are_gone_are_named(driver: Driver, repo: Repo) -> None:
    repo.write(".gitignore", "/measured/\n/many/\ndist/\n.claude/\n*.sqlite\n*.log\n/out/\n/obj/\nempty.txt\n*env\n")
    repo.git("add", ".gitignore")
    repo.git("commit", "-qm", "Ignore")
    kept = ("measured/old/one.csv", "measured/two.csv", "src/orders.sqlite", "src/kept.sqlite", ".env", "pin.sqlite")
    kept += ("prod-env", "my_env/tool.txt")
    for path in (
        *kept,
        "run.log",
        "out/a.txt",
        "out/b/c.txt",
        "obj/a.txt",
        "x/dist/1",
        "x/dist/2",
        "measured/.git/x",
        "measured/x_cache/y",
    ):
        repo.write(path, "1\n")
    for number in range(600):
        repo.write(f"many/{number}", "1\n")
    repo.write("empty.txt", "")
    (repo.root / "link.sqlite").symlink_to("nowhere")

    def work(repo: Repo) -> None:
        for path in ("measured/old", "out", "obj"):
            shutil.rmtree(repo.root / path)
        for path in ("run.log", "x/dist/1", "my_env/tool.txt", "prod-env"):
            (repo.root / path).unlink()
        for path in ("out/new.txt", "x/dist/2", "x/dist/3"):
            repo.write(path, "made by a run\n")
        repo.write("src/orders.sqlite", "")
        repo.write("measured/two.csv", "2\n")
        repo.write("measured/x_cache/y", "2\n")
        for path in ("many/1", ".claude/settings.local.json"):
            repo.write(path, "2\n")
        repo.write("new.sqlite", "2\n")
        before = (repo.root / ".env").stat()
        repo.write(".env", "2\n")
        os.utime(repo.root / ".env", ns=(before.st_atime_ns, before.st_mtime_ns))
        (repo.root / "pin.sqlite").chmod(0o666)

    said = end_after(driver, repo, work)
    assert sorted(named(said, "gone or empty: ")) == ["measured/old/", "out/", "prod-env", "src/orders.sqlite"]
    assert sorted(named(said, "no diff shows: ")) == [".env", "measured/two.csv", "pin.sqlite"]
    assert sorted(named(said, "no diff shows them: ")) == [".claude/settings.local.json", "new.sqlite"]


def test_files_whose_changes_git_was_asked_to_hide_are_named(driver: Driver, repo: Repo) -> None:
    repo.git("update-index", "--assume-unchanged", "old.py")

    def hide(repo: Repo) -> None:
        repo.git("update-index", "--skip-worktree", "other.py")
        repo.git("update-index", "--assume-unchanged", "notes.txt")

    assert named(end_after(driver, repo, hide), "no longer shows a change of them: ") == ["notes.txt", "other.py"]


def test_what_ignored_files_held_is_kept_until_five_more_sessions_have_ended(driver: Driver, repo: Repo) -> None:
    repo.write(".git/info/exclude", "*.csv\n/out/\n.env\n")
    for number in range(18):
        repo.write(f"{number:02}.csv", f"{number}" * 475_000)
    for path in (".env", "same.csv", "out/rows.csv", "deep/er/gone.csv"):
        repo.write(path, "1\n")
    repo.write("large.csv", "1" * 1_000_001)
    (repo.root / "link.csv").symlink_to("large.csv")
    before = repo.root / ".code-intel/sessions/before"

    def work(repo: Repo) -> None:
        [folder] = before.iterdir()
        assert (folder / "same.csv").read_text("utf-8") == "1\n"
        assert sum(path.stat().st_size for path in folder.rglob("*.csv")) <= 16_000_000
        assert not list(folder.glob("l*.csv"))
        for path in (".env", "out/rows.csv", "00.csv", "large.csv"):
            repo.write(path, "2\n")
        for path, text in {"same.csv": "1\n", "01.csv": "1" * 475_000}.items():
            repo.write(path, text)  # as a run of tests does that writes its results again
        shutil.rmtree(repo.root / "deep")

    driver.choice = "continue"
    said = end_after(driver, repo, work)
    assert "are below .code-intel/sessions/before" in said
    assert sorted(named(said, "no diff shows: ")) == [".env", "00.csv", "large.csv"]
    [folder] = before.iterdir()
    kept = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    assert sorted(kept) == [".env", "00.csv", "deep/er/gone.csv", "out/rows.csv"]
    assert kept[".env"].read_text("utf-8") == "1\n"
    if os.name != "nt":
        assert (kept[".env"].stat().st_mode & 0o777, folder.stat().st_mode & 0o777) == (0o600, 0o700)
    for number in range(5):
        assert folder.is_dir()
        end_after(driver, repo, lambda repo, number=number: repo.write(".env", f"{number}\n"), quick=True)
    assert len(list(before.iterdir())) == 5
    assert not folder.exists()


def test_new_ignored_files_are_not_known_where_there_were_too_many(
    driver: Driver, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ignored_files, "MOST_IGNORED", 1)
    repo.write(".gitignore", "*.dat\n")
    repo.commit()
    repo.write("a.dat", "1\n")
    assert "no diff shows them" not in end_after(driver, repo, lambda repo: repo.write("b.dat", "1\n"))


def test_a_folder_of_many_ignored_files_is_one_entry(repo: Repo) -> None:
    repo.write(".gitignore", "/many/\n/few/\n/out/\n")
    for path in ("many/1", "many/2", "many/3", "many/4", "few/1", "few/.git/x", "few/in/2", "out/1"):
        repo.write(path, "1\n")
    found = GitRepository.discover(repo.root)
    assert found.files_below(["many/", "few/", "few/1"], 3) == ["many/", "few/1", "few/in/2", "few/1"]
    (repo.root / "few/1").write_bytes(b"")
    (repo.root / "out/1").unlink()
    assert list(found.changed_at(["few/1", "few/in/2", "out/", "none/", "none/x", "few/"])) == ["few/in/2", "few/"]


def test_files_that_changed_after_a_reader_saw_them_are_named(driver: Driver, repo: Repo) -> None:
    repo.write(".git/info/exclude", "*.dat\n")
    for path in ("one.dat", "two.dat"):
        repo.write(path, "1\n")
    seen = GitRepository.discover(repo.root).changed_at(["one.dat", "two.dat"])
    receipt = Receipt(verifier="reader.md", command="read", exit=0, tree="", at="", is_reading=True, seen=seen)

    def put_back(repo: Repo) -> None:
        driver.service.change({"receipts": {"reader.md": receipt, "unit.md": receipt.model_copy(update={"seen": {}})}})
        repo.write("two.dat", "2\n")

    assert named(end_after(driver, repo, put_back), "reader of the change saw them: ") == ["two.dat"]


@pytest.mark.sample
def test_what_changed_between_request_and_session_is_named(driver: Driver, world: World, repo: Repo) -> None:
    repo.git("update-ref", "-d", f"refs/heads/{TASK}")
    stashes = tuple(repo.git("stash", "list", "--format=%H").split())
    repo.git("stash", "drop", "-q")
    repo.write(".git/info/exclude", "*.plan\n*.log\n/many/\n")
    repo.write("notes.txt", "of the user, typed before\n")
    repo.write("old.plan", "of the user\n")
    for number in range(600):
        repo.write(f"many/{number}", "1\n")
    time.sleep(0.1)
    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    time.sleep(0.1)
    world.words.typed.append(Prompt(at, QUERY, stashes=stashes))
    for path in ("other.py", "new.plan", "run.log", "many/new"):
        repo.write(path, "slipped in\n")
    (repo.root / "old.py").unlink()
    assert "and are not committed: other.py, new.plan. " in str(driver.start(fast=True))
    said = str(driver.finish())
    assert named(said, "nobody reviewed them: ") == ["other.py", "new.plan"]
    assert named(said, LOST) == [f"refs/stash at {stashes[0][:12]}"]


@pytest.mark.sample
def test_a_commit_that_goes_between_request_and_session_is_named(driver: Driver, world: World, repo: Repo) -> None:
    repo.git("update-ref", "-d", f"refs/heads/{TASK}")
    repo.write("mine.txt", "of the user\n")
    repo.commit()
    head, branch = repo.git("rev-parse", "HEAD"), repo.git("branch", "--show-current")
    time.sleep(0.1)
    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    time.sleep(0.1)
    world.words.typed.append(Prompt(at, QUERY, branch=branch, head=head))
    repo.git("reset", "-q", "--hard", "HEAD~1")
    driver.start(fast=True)
    said = str(driver.finish())
    assert named(said, LOST) == [f"{branch} at {head[:12]}"]


@pytest.mark.sample
@pytest.mark.parametrize(("kept", "names"), [({".git/config": "1", ".git/hooks/a": "2"}, 3), ({}, 0)])
def test_a_setting_of_git_that_changes_between_request_and_session_is_named(
    driver: Driver, world: World, kept: dict[str, str], names: int
) -> None:
    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    world.words.typed.append(Prompt(at, QUERY, settings=kept))
    world.words.git_settings = {".git/config": "3", ".git/info/exclude": "4"}
    time.sleep(0.1)
    driver.start(fast=True)
    said = named(str(driver.finish()), "nobody reviewed them: ") if names else list(driver.state.changes_before)
    assert said == [".git/config", ".git/hooks/a", ".git/info/exclude"][:names]


def test_what_a_commit_of_the_branch_brings_and_the_next_takes_back_is_named(driver: Driver, repo: Repo) -> None:
    def leak(repo: Repo) -> None:
        repo.write("deploy.local", "passphrase\n")
        repo.git("add", "-f", "deploy.local")
        repo.git("commit", "-qm", "Keep it")
        repo.git("rm", "-q", "deploy.local")
        repo.git("commit", "-qm", "Clean up")

    repo.git("update-ref", "-d", f"refs/heads/{TASK}")
    said = end_after(driver, repo, leak)
    assert "Keep it" in said.partition("that the session did not make")[2]
    assert "Clean up" in said.partition("that the session did not make")[2]


def test_of_the_sessions_own_commits_nothing_is_said(driver: Driver, repo: Repo) -> None:
    repo.git("update-ref", "-d", f"refs/heads/{TASK}")
    assert "that the session did not make" not in end_after(driver, repo, lambda repo: None)
