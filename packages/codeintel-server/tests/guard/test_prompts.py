"""What the hook keeps of the repository when the user types a prompt."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from codeintel_server.guard.prompts import git_settings, keep_prompt, kept_prompts, prompts_file
from codeintel_server.project.project import TypedPrompts
from codeintel_session.testing import Repo, make_repo


def kept(folder: Path) -> dict[str, object]:
    keep_prompt("claude", {"prompt": "Add it", "cwd": str(folder)})
    return kept_prompts(str(folder), "claude-code")[-1]


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return make_repo(tmp_path / "project")


def test_the_branch_that_is_checked_out_is_kept_in_every_work_tree(repo: Repo, tmp_path: Path) -> None:
    (repo.root / "sub").mkdir()
    repo.git("worktree", "add", "-q", "-b", "fix/one", str(tmp_path / "linked"))
    assert [kept(place)["branch"] for place in (repo.root, repo.root / "sub", tmp_path / "linked")] == [
        "main",
        "main",
        "fix/one",
    ]
    assert kept(repo.root)["head"] == repo.git("rev-parse", "HEAD")
    (tmp_path / "linked/one.py").write_text("")
    Repo(tmp_path / "linked").commit()
    assert kept(tmp_path / "linked")["head"] == repo.git("rev-parse", "fix/one") != repo.git("rev-parse", "main")
    repo.git("switch", "-q", "--detach")
    assert kept(repo.root)["head"] == ""
    assert [kept(place)["branch"] for place in (repo.root, tmp_path)] == ["", ""]
    (repo.root / ".git/HEAD").unlink()
    assert kept(repo.root)["branch"] == ""


def test_the_commits_of_branches_are_kept_but_not_those_of_unfinished_sessions(repo: Repo) -> None:
    base = repo.git("rev-parse", "HEAD")
    repo.git("switch", "-q", "-c", "llm_task_20261120_090000_beef_from_main")
    repo.git("commit", "-q", "--allow-empty", "-m", "Not merged")
    assert kept(repo.root)["tips"] == [base]


def test_the_stashes_are_kept(repo: Repo) -> None:
    assert kept(repo.root)["stashes"] == []
    for text in ("one\n", "two\n"):
        repo.write("src/stats.py", text)
        repo.git("stash", "-q")
    assert kept(repo.root)["stashes"] == repo.git("stash", "list", "--format=%H").split()
    assert kept(repo.root)["tips"] == [repo.git("rev-parse", "HEAD")]


def test_the_session_gets_what_the_hook_kept_of_the_repository(repo: Repo) -> None:
    repo.write("src/stats.py", "one\n")
    repo.git("stash", "-q")
    entry = kept(repo.root)
    (prompt,) = TypedPrompts(repo.root).prompts("claude-code")
    assert (prompt.text, prompt.at, prompt.is_cut) == ("Add it", entry["at"], False)
    assert prompt.head == repo.git("rev-parse", "HEAD")
    assert prompt.branch == "main"
    assert prompt.tips == (prompt.head,)
    assert prompt.stashes == (repo.git("rev-parse", "stash@{0}"),)
    assert prompt.settings == TypedPrompts(repo.root).settings()
    assert ".git/config" in prompt.settings
    file = Path(prompts_file(str(repo.root)))
    for settings in ([1], {".git/config": 7}):
        file.write_text(json.dumps({**entry, "settings": settings}) + "\n", encoding="utf-8")
        assert TypedPrompts(repo.root).prompts("claude-code")[0].settings == {}


@pytest.mark.parametrize(
    ("change", "names"),
    [
        (lambda repo: repo.git("config", "user.name", "Somebody"), [".git/config"]),
        (lambda repo: repo.hook("post-merge", "true"), [".git/hooks/post-merge"]),
        (lambda repo: repo.write(".git/info/attributes", "* -text\n"), [".git/info/attributes"]),
        (lambda repo: repo.git("config", "branch.main.remote", "origin"), []),
        (lambda repo: repo.git("switch", "-q", "-c", "other"), []),
    ],
    ids=["author", "hook", "attributes", "of a branch", "branch"],
)
@pytest.mark.parametrize("is_linked", [False, True])
def test_settings_of_git_that_change_are_other_ones(
    repo: Repo, tmp_path: Path, change: Callable[[Repo], object], names: list[str], is_linked: bool
) -> None:
    if is_linked:
        repo.git("worktree", "add", "-q", str(tmp_path / "linked"))
    place = tmp_path / "linked" if is_linked else repo.root
    was = git_settings(str(place))
    change(repo)
    now = git_settings(str(place))
    assert [name for name in now.keys() | was.keys() if now.get(name) != was.get(name)] == names
    assert kept(place)["settings"] == now
    assert git_settings(str(tmp_path)) == {}


def test_of_long_prompts_the_newest_are_kept(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codeintel_server.guard.prompts.MAX_FILE", 20_000)
    for text in ("a" * 9_000, "b" * 9_000, "c" * 9_000):
        keep_prompt("claude", {"prompt": text, "cwd": str(repo.root)})
        newest = [str(entry["text"])[0] for entry in kept_prompts(str(repo.root), "claude-code")]
        assert newest == {"a": ["a"], "b": ["a", "b"], "c": ["b", "c"], "d": []}[text[0]], (
            "one that is too long is none"
        )
