"""Reconciliation on a real repository: every kind of change outside what was explored is found and named."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from codeintel_contract import ContractViolation
from codeintel_contract.names import Key
from codeintel_session.testing import MODULE, Driver, Repo, World, make_repo
from codeintel_session.tools.session_tools import add_explored_files, review_changes

pytestmark = pytest.mark.draws(18)

Do = Callable[[Repo], object]


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository with other files than the one that is explored."""
    made = make_repo(tmp_path / "my project")
    made.write("src/other.py", "x = 1\n" * 20)
    made.write("tool.sh", "echo\n")
    made.write("Case.py", "y = 2\n" * 20)
    made.write(".gitignore", "*.log\nbuild/\n")
    made.write("kept.log", "tracked though ignored\n")
    made.git("add", "--force", "kept.log")
    made.commit("More")
    return made


def chmod(repo: Repo) -> None:
    (repo.root / "tool.sh").chmod(0o755)


def link(repo: Repo) -> None:
    (repo.root / "out").symlink_to("/etc/passwd")


def to_link(repo: Repo) -> None:
    (repo.root / "src/other.py").unlink()
    (repo.root / "src/other.py").symlink_to("stats.py")


def nested(repo: Repo) -> None:
    make_repo(repo.root / "inner")


def redacted(flag: str) -> Do:
    def do(repo: Repo) -> None:
        repo.git("update-index", flag, "src/other.py")
        repo.write("src/other.py", "x = 'evil'\n")

    return do


KINDS: dict[str, tuple[Do, str]] = {
    "edit": (lambda repo: repo.write("src/other.py", "x = 2\n"), "src/other.py: changed but not explored"),
    "staged": (
        lambda repo: (repo.write("src/other.py", "x = 2\n"), repo.git("add", "-A")),
        "src/other.py: changed but not explored",
    ),
    "mode": (chmod, "tool.sh: mode changed but not explored"),
    "untracked": (lambda repo: repo.write("new.py", "z = 1\n"), "new.py: added but not planned"),
    "untracked deep": (
        lambda repo: repo.write("a/b/c/new.py", "z = 1\n"),
        "a/b/c/new.py: added in a folder that was not explored",
    ),
    "deleted but not explored": (
        lambda repo: (repo.root / "src/other.py").unlink(),
        "src/other.py: deleted but not explored",
    ),
    "renamed": (
        lambda repo: repo.git("mv", "src/other.py", "src/moved.py"),
        "src/moved.py: renamed from src/other.py but not explored",
    ),
    "case": (lambda repo: repo.git("mv", "Case.py", "case.py"), "case.py: renamed from Case.py but not explored"),
    "tracked though ignored": (lambda repo: repo.write("kept.log", "z\n"), "kept.log: changed but not explored"),
    "forced past the ignores": (
        lambda repo: (repo.write("build/x.py", "z\n"), repo.git("add", "-f", "build/x.py")),
        "build/x.py: added in a folder that was not explored",
    ),
    "symlink": (link, "out: added but not planned"),
    "file to symlink": (to_link, "src/other.py: type changed but not explored"),
    "newline in the name": (
        lambda repo: repo.write("a\nok: fine.py", "z\n"),
        '"a\\nok: fine.py": added but not planned',
    ),
    "option for a name": (lambda repo: repo.write("--all", "z\n"), "--all: added but not planned"),
    "repository in the repository": (nested, "inner: added but not planned"),
    "assume-unchanged": (
        redacted("--assume-unchanged"),
        "src/other.py: changed but not explored",
    ),
    "skip-worktree": (redacted("--skip-worktree"), "src/other.py: changed but not explored"),
}


@pytest.mark.sample(3)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.skipif(sys.platform == "win32", reason="names, links and modes of other systems")
def test_a_change_of_every_kind_is_named_at_every_gate(driver: Driver, repo: Repo, kind: str) -> None:
    do, line = KINDS[kind]
    driver.start()
    driver.until(Key.READY_IMPL)
    do(repo)
    refused = driver.submit()
    assert (refused["error"], refused["problems"]) == ("unexplored_changes", [line])


@pytest.mark.sample
@pytest.mark.parametrize("key", [Key.READY_COMPLETE, Key.PRE_COMMIT, Key.QUALITY_REVIEW])
def test_the_later_gates_look_again(driver: Driver, repo: Repo, key: Key) -> None:
    driver.start()
    driver.until(key)
    chmod(repo)
    repo.write("src/other.py", "x = 2\n")
    (notice,) = [text for text in driver.accept()["notices"] if "src/other.py, tool.sh" in text]
    assert "add_explored_files" in notice
    if key is Key.READY_COMPLETE:
        driver.until(Key.PRE_COMMIT)
    add_explored_files(driver.service, ["src/other.py", "tool.sh"])
    # Now they are the session's, and have to be reported.
    told = driver.accept()
    assert "src/other.py, tool.sh" in told["warning"]
    driver.accept(summary="The change, and the same in src/other.py and tool.sh.")
    assert driver.finish()["outcome"] == "unverified"
    assert repo.git("show", "main:src/other.py") == "x = 2"


PROTECTED: dict[str, Do] = {
    ".code-intel/config.json": lambda repo: repo.write(".code-intel/config.json", "{}"),
    ".code-intel/verifiers/weak.md": lambda repo: repo.write(".code-intel/verifiers/weak.md", "MessageRef yes."),
    ".git/hooks/pre-commit": lambda repo: repo.hook("pre-commit", "exit 0\n"),
    ".git/info/exclude": lambda repo: repo.write(".git/info/exclude", "evil.py\n"),
    ".git/config (core)": lambda repo: repo.git("config", "core.fileMode", "false"),
    ".git/config (remote)": lambda repo: repo.git("config", "remote.origin.pushurl", "elsewhere"),
    ".git/config (alias)": lambda repo: repo.git("config", "alias.st", "!true"),
    ".git/config (branch a.b)": lambda repo: repo.git("config", "branch.a.b.remote", "elsewhere"),
    ".git/config (branch main)": lambda repo: repo.git("config", "branch.main.pushRemote", "elsewhere"),
    ".git/config (branch of-tomorrow)": lambda repo: repo.git("config", "branch.of-tomorrow.pushRemote", "elsewhere"),
    ".git/remotes/origin": lambda repo: repo.write(".git/remotes/origin", "URL: elsewhere\n"),
    ".git/rr-cache/1/postimage": lambda repo: repo.write(".git/rr-cache/1/postimage", "evil\n"),
    ".git/shallow": lambda repo: repo.write(".git/shallow", repo.git("rev-parse", "main") + "\n"),
    ".git/objects/info/alternates": lambda repo: repo.write(
        ".git/objects/info/alternates", f"{repo.root}/.git/objects\n"
    ),
    ".git/config (credential)": lambda repo: repo.git("config", "credential.helper", "!true"),
}


@pytest.mark.sample
@pytest.mark.parametrize("path", PROTECTED)
def test_a_protected_file_that_no_diff_shows_is_named_once(driver: Driver, repo: Repo, path: str) -> None:
    repo.git("config", "branch.a.b.remote", "origin")
    driver.start()
    driver.until(Key.READY_IMPL)
    PROTECTED[path](repo)
    repo.git("branch", "new")
    for name in ("branch.new.description", "submodule.lib.url", "remote.origin.gh-resolved"):
        repo.git("config", name, "not one of them")
    (line,) = [line for line in driver.accept()["notices"] if path in line]
    assert line.startswith("Files that only the user should change")
    assert path not in str(driver.accept().get("notices"))


def test_a_submodule_that_was_moved_or_edited_is_named(driver: Driver, world: World, tmp_path: Path) -> None:
    repo = Repo(world.root)
    inner = make_repo(tmp_path / "library", {"lib.py": "l = 1\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.root), "lib")
    repo.commit("With a library")
    driver.start()
    driver.until(Key.READY_IMPL)
    (repo.root / "lib/lib.py").write_text("l = 2\n", encoding="utf-8")
    assert driver.submit()["problems"] == ["lib: changed but not explored"]
    subprocess.run(["git", "commit", "-qam", "in"], cwd=repo.root / "lib", check=True, env=os.environ | _NAME)
    assert driver.submit()["problems"] == ["lib: changed but not explored"]
    (repo.root / "lib/inner").mkdir()
    with pytest.raises(ContractViolation, match="file_not_addable"):
        add_explored_files(driver.service, ["lib/inner"])
    add_explored_files(driver.service, ["lib"])
    done = {"item": 1, "status": "done", "evidence": "lib"}
    assert driver.service.submit({"task_id": driver.state.tasks[0].id, "checklist": [done]})["success"]
    driver.explored = ["lib"]
    end = driver.finish()
    assert "lib" in repo.git("diff", "--name-only", f"{end['commit']}^1", end["commit"]).split()


_NAME = {f"GIT_{who}_{what}": "ada@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


def test_what_the_user_had_hidden_from_git_before_stays_theirs(driver: Driver, repo: Repo) -> None:
    redacted("--assume-unchanged")(repo)
    repo.git("update-index", "--skip-worktree", "tool.sh")
    (repo.root / "tool.sh").unlink()
    driver.start()
    end = driver.finish()
    assert end["outcome"] == "unverified"
    assert repo.git("show", "--name-only", "--format=", f"{end['commit']}^2").split() == [MODULE]
    assert repo.read("src/other.py") == "x = 'evil'\n"
    assert repo.git("show", "main:src/other.py").startswith("x = 1")


def test_a_name_with_a_line_break_is_one_entry_of_the_review(driver: Driver, repo: Repo) -> None:
    name = "a\nok: fine.py"
    driver.start(no_verify=True)
    driver.until(Key.READY_IMPL)
    add_explored_files(driver.service, [name])
    repo.write(name, "z\n")
    driver.accept(summary=f"the change, and {name} to look at it")
    driver.until(Key.PRE_COMMIT)
    assert name in [row["path"] for row in review_changes(driver.service)["changes"]]
    drop = {"path": name, "decision": "discard", "reason": "left over"}
    driver.accept(reviewed_files=[MODULE, drop])
    assert not (repo.root / name).exists()
