"""Which folder is the project: what the call names, then what the server was told, then where the client stands."""

from collections.abc import Callable
from pathlib import Path

import pytest

from codeintel_server.roots import find_root, starting_folder
from codeintel_server.testing import in_memory
from codeintel_session.testing import make_repo


def test_the_root_is_the_top_of_the_repository_however_deep_one_stands(repo: Path, tmp_path: Path) -> None:
    deep = repo / "src/a/b"
    deep.mkdir(parents=True)
    assert find_root(deep) == find_root(repo) == repo
    outside = tmp_path / "outside"
    outside.mkdir()
    assert find_root(outside) == outside


def test_a_worktree_is_a_root_of_its_own(repo: Path, tmp_path: Path, git: Callable[..., str]) -> None:
    git(repo, "worktree", "add", "--quiet", "-b", "side", str(tmp_path / "side"))
    assert find_root(tmp_path / "side/src") == tmp_path / "side"


def test_the_option_comes_before_the_client_and_the_client_before_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("option", "client", "here"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert starting_folder(None) == tmp_path / "here"
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(tmp_path / "client"))
    assert starting_folder(None) == tmp_path / "client"
    assert starting_folder(str(tmp_path / "option")) == tmp_path / "option"


@pytest.mark.anyio
async def test_a_path_given_with_the_call_comes_before_all_of_them(repo: Path, tmp_path: Path) -> None:
    start = {"intent": "QUESTION", "query": "Where are numbers counted?"}
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    async with in_memory(elsewhere) as call:
        reply = await call.call("start_session", {**start, "repo_path": str(repo / "src")})
        assert reply["success"] is True
        assert (await call("get_session_status"))["session_id"] == reply["session_id"]
    assert (repo / ".code-intel/sessions" / f"{reply['session_id']}.json").is_file()
    assert not (elsewhere / ".code-intel").exists()


@pytest.mark.anyio
async def test_the_status_of_another_project_is_asked_for_by_its_path(repo: Path, tmp_path: Path) -> None:
    other = make_repo(tmp_path / "other").root
    start = {"intent": "QUESTION", "query": "Where are numbers counted?"}
    async with in_memory(repo) as call:
        here = (await call.call("start_session", start))["session_id"]
        there = (await call.call("start_session", {**start, "repo_path": str(other)}))["session_id"]
        assert (await call("get_session_status"))["session_id"] == there
        assert (await call("get_session_status", repo_path=str(repo)))["session_id"] == here
        assert (await call("get_session_status"))["session_id"] == here, "the calls that follow are about it"
