"""Which folder is the project: what the call names, then what the server was told, then where the client stands."""

from collections.abc import Callable
from pathlib import Path

import pytest

from codeintel_server.project.roots import find_root, starting_folder
from codeintel_server.testing import in_memory
from codeintel_session.testing import make_repo

pytestmark = pytest.mark.draws(6)


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


START = {"intent": "QUESTION", "query": "Where are numbers counted?"}


@pytest.mark.anyio
async def test_a_server_that_was_started_in_no_project_serves_the_one_that_the_first_call_names(
    repo: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    other = make_repo(tmp_path / "other").root
    async with in_memory(elsewhere) as call:
        reply = await call.call("start_session", {**START, "repo_path": str(repo / "src")})
        assert reply["success"] is True
        assert (await call("get_session_status"))["session_id"] == reply["session_id"]
        refused = await call.call("start_session", {**START, "repo_path": str(other)})
        assert (refused["error"], str(repo) in refused["message"]) == ("path_outside_project", True)
    assert (repo / ".code-intel/sessions" / f"{reply['session_id']}.json").is_file()
    assert not (elsewhere / ".code-intel").exists()
    assert not (other / ".code-intel").exists()


@pytest.mark.anyio
@pytest.mark.parametrize("tool", ["start_session", "get_session_status"])
@pytest.mark.parametrize("path", ["/", "..", "../other", "/etc"])
async def test_a_server_of_one_project_is_led_to_no_other(repo: Path, tmp_path: Path, tool: str, path: str) -> None:
    other = make_repo(tmp_path / "other").root
    async with in_memory(repo) as call:
        reply = await call.call(tool, {**(START if tool == "start_session" else {}), "repo_path": path})
        assert (reply["error"], "--also" in reply["message"]) == ("path_outside_project", True)
        found = await call("search_files", pattern="**/*")
    assert "src/stats.py" in found["files"]
    assert not (other / ".code-intel").exists()


@pytest.mark.anyio
async def test_a_project_that_the_user_listed_is_served_too(repo: Path, tmp_path: Path) -> None:
    other, third = (make_repo(tmp_path / name).root for name in ("other", "third"))
    async with in_memory(repo, also=(other,)) as call:
        here = (await call.call("start_session", START))["session_id"]
        there = (await call.call("start_session", {**START, "repo_path": str(other)}))["session_id"]
        assert (await call("get_session_status"))["session_id"] == there
        assert (await call.call("start_session", {**START, "repo_path": str(third)}))["success"] is False
        assert (await call("get_session_status"))["session_id"] == there
        assert (await call("get_session_status", repo_path=str(repo)))["session_id"] == here
        assert (await call("get_session_status"))["session_id"] == here, "the calls that follow are about it"


@pytest.mark.anyio
@pytest.mark.parametrize("tool", ["start_session", "search_files", "get_session_status"])
async def test_a_server_that_was_started_in_the_home_folder_asks_for_the_project(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tool: str
) -> None:
    home = tmp_path / "home"
    (home / "private").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    given: dict[str, str] = {"start_session": START, "search_files": {"pattern": "**/*"}}.get(tool, {})
    async with in_memory(home) as call:
        reply = await call.call(tool, given)
        assert (reply["error"], "repo_path" in reply["message"]) == ("validation_error", True)
        assert (await call.call("start_session", {**START, "repo_path": "/"}))["success"] is False
        assert (await call.call("start_session", {**START, "repo_path": str(repo)}))["success"] is True
    assert [entry.name for entry in home.iterdir()] == ["private"]
