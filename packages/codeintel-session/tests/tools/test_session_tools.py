"""The session's own tools: may I write, let me look, what have I changed, and cleaning up."""

from typing import Any

import pytest

from codeintel_contract.names import Key
from codeintel_contract.violations import ContractViolation
from codeintel_session.replies.reply import refusal_reply, render_message
from codeintel_session.testing import MODULE, Driver, Repo, World, crashed
from codeintel_session.tools import session_tools
from codeintel_session.tools.session_tools import record_outcome

pytestmark = pytest.mark.draws(18)


@pytest.fixture
def implementing(driver: Driver) -> Driver:
    """A session that may write."""
    driver.start()
    return driver.until(Key.READY_IMPL)


@pytest.mark.parametrize("path", [MODULE, f"./{MODULE}", "src/../src/stats.py"])
def test_an_explored_file_may_be_written_however_it_is_spelled(implementing: Driver, path: str) -> None:
    found = session_tools.check_write_target(implementing.service, path)
    assert found == {"allowed": True, "files": [{"path": MODULE, "exists": True}]}


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "../x.py", ".git/config", ".code-intel/x", "other/stats.py", "link/x", "", "a\0b", "x" * 5000],
)
def test_anything_else_is_blocked(implementing: Driver, repo: Repo, path: str) -> None:
    (repo.root / "link").symlink_to("/etc")
    with pytest.raises(ContractViolation, match=r"check_write_target\.(outside|protected|not_|folder)"):
        session_tools.check_write_target(implementing.service, path)


def test_a_session_says_what_it_is_about_and_which_lines_it_changed(implementing: Driver, repo: Repo) -> None:
    before = session_tools.change_scope(implementing.service)
    assert (before.lines, before.symbols) == ({}, tuple(implementing.targets))
    assert MODULE in before.paths
    text = (repo.root / MODULE).read_text(encoding="utf-8")
    repo.write(MODULE, f"{text}\n\nADDED = 1\n")
    after = session_tools.change_scope(implementing.service)
    last = text.count("\n") + 3
    assert [(path, lines[-1][1]) for path, lines in after.lines.items()] == [(MODULE, last)]
    assert after.symbols == before.symbols


def test_without_a_session_nothing_is_known_to_change(world: World) -> None:
    assert session_tools.change_scope(world.service()) == session_tools.ChangeScope()


def test_without_a_session_nothing_may_be_written(world: World) -> None:
    with pytest.raises(ContractViolation, match="no_active_session"):
        session_tools.check_write_target(world.service(), MODULE)


def test_a_link_to_an_explored_file_is_that_file(implementing: Driver, repo: Repo) -> None:
    (repo.root / "alias.py").symlink_to(MODULE)
    assert session_tools.check_write_target(implementing.service, "alias.py")["files"] == [
        {"path": MODULE, "exists": True}
    ]


def test_adding_a_file_explores_it_and_plans_a_new_one(implementing: Driver, repo: Repo) -> None:
    repo.write("lib/b.py", "x = 1\n")
    service = implementing.service
    assert session_tools.add_explored_files(service, ["lib/b.py", "lib/deep/new.py"]) == ["lib/b.py", "lib/deep/new.py"]
    assert session_tools.check_write_target(service, "lib/b.py", "lib/deep/new.py")["files"] == [
        {"path": "lib/b.py", "exists": True},
        {"path": "lib/deep/new.py", "exists": False},
    ]


def test_of_several_files_all_or_none_may_be_written_and_each_that_may_not_is_named(implementing: Driver) -> None:
    before = implementing.state
    with pytest.raises(ContractViolation) as caught:
        session_tools.check_write_target(implementing.service, MODULE, ".git/config", "other/stats.py")
    reply = refusal_reply(implementing.service.contract, caught.value)
    assert [line.partition(" may not")[0] for line in reply["problems"]] == [".git/config", "other/stats.py"]
    assert (reply["error"], reply["message"][:18]) == ("write_blocked", "2 of these files m")
    assert implementing.state == before
    with pytest.raises(ContractViolation, match="no_files"):
        session_tools.check_write_target(implementing.service)


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("files", "key"),
    [
        ([], "no_files"),
        (["src"], "file_not_addable"),
        (["."], "file_not_addable"),
        ([".git/config"], "file_not_addable"),
        ([".code-intel/x.md"], "file_not_addable"),
        (["../x"], "path_outside_project"),
    ],
)
def test_what_cannot_be_added_is_refused(implementing: Driver, files: list[str], key: str) -> None:
    before = implementing.state
    with pytest.raises(ContractViolation) as caught:
        session_tools.add_explored_files(implementing.service, files)
    assert caught.value.key.endswith(key)
    assert implementing.state == before


def test_adding_belongs_to_ready(driver: Driver) -> None:
    driver.start()
    with pytest.raises(ContractViolation, match="phase_mismatch"):
        session_tools.add_explored_files(driver.service, [MODULE])


def test_a_new_file_counts_by_the_folder_it_was_put_into(implementing: Driver, repo: Repo) -> None:
    """The folder must have been looked at, whatever stands above it; what the session made itself does not count."""
    repo.write("closed/old.py", "x = 1\n")
    repo.commit()
    implementing.service.change(
        {"planned_files": ("closed/new.py", "src/pkg/deep/new.py"), "base_commit": repo.git("rev-parse", "HEAD")}
    )
    repo.write("src/pkg/deep/new.py", "x = 1\n")
    repo.write("src/pkg/deep/__pycache__/new.pyc", "")
    repo.write(".gitignore", "__pycache__/\n")
    implementing.service.change(
        lambda now: {"planned_files": (*now.planned_files, ".gitignore"), "listed": (*now.listed, "")}
    )
    repo.write("closed/new.py", "x = 1\n")
    refused = implementing.submit()
    assert refused["problems"] == ["closed/new.py: added in a folder that was not explored"]


def test_the_review_shows_every_change_and_whose_it_is(driver: Driver, repo: Repo) -> None:
    repo.write("mine.txt", "mine\n")
    driver.start()
    driver.until(Key.PRE_COMMIT)
    repo.write("junk.txt", "junk\n")
    rows = {row["path"]: row for row in session_tools.review_changes(driver.service)["changes"]}
    assert (rows["mine.txt"]["whose"], "diff" in rows["mine.txt"]) == ("preexisting", False)
    assert (rows["junk.txt"]["explored"], rows[MODULE]["explored"]) == (False, True)
    assert (rows["junk.txt"]["whose"], rows[MODULE]["whose"]) == ("others", "session")
    assert rows[MODULE]["added"] == 4
    assert "+def more_1" in rows[MODULE]["diff"]


def test_the_review_shows_one_line_around_a_change(driver: Driver, repo: Repo) -> None:
    repo.write("src/lines.py", "".join(f"x{number} = {number}\n" for number in range(9)))
    repo.commit()
    driver.explored.append("src/lines.py")
    driver.start()
    driver.until(Key.READY_IMPL)
    repo.write("src/lines.py", repo.read("src/lines.py").replace("x4 = 4", "x4 = 5"))
    driver.until(Key.PRE_COMMIT)
    (row,) = session_tools.review_changes(driver.service, "src/lines.py")["changes"]
    shown = [line[1:3] for line in row["diff"].splitlines() if line[1:2] == "x"]
    assert shown == ["x3", "x4", "x4", "x5"]


def test_no_part_of_a_review_is_skipped_when_files_before_it_are_known(driver: Driver, repo: Repo) -> None:
    names = [f"src/long_{number}.py" for number in range(3)]
    for name in names:
        repo.write(name, "x = 0\n")
    repo.commit()
    driver.explored = [MODULE, *names]
    driver.start()
    driver.until(Key.READY_IMPL)
    for name in names:
        repo.write(name, "y = 1  # as long as others\n" * 500)
    driver.until(Key.PRE_COMMIT)
    shown: list[str] = []
    found: dict[str, Any] = {"next_offset": 0}
    while "next_offset" in found:
        found = session_tools.review_changes(driver.service, offset=found["next_offset"])
        shown += [f"{row['path']} {row.get('part', '1/1')}" for row in found["changes"] if "diff" in row]
    assert shown == [*(f"{name} {part}/3" for name in names for part in (1, 2, 3)), f"{MODULE} 1/1"]
    again = session_tools.review_changes(driver.service)
    assert [(row["path"], row["shown"]) for row in again["changes"]] == [(name, True) for name in (*names, MODULE)]


def test_the_review_shows_renames_and_what_is_committed_or_taken_back(driver: Driver, repo: Repo) -> None:
    repo.write("src/old_name.py", "".join(f"line_{number} = {number}\n" for number in range(30)))
    repo.commit()
    driver.explored = [MODULE, "src/old_name.py"]
    driver.targets = []
    driver.start("IMPLEMENT")
    driver.until(Key.READY_IMPL)
    driver.service.change({"planned_files": ("src/new_name.py",)})
    repo.git("mv", "src/old_name.py", "src/new_name.py")
    driver.until(Key.PRE_COMMIT)
    rows = {row["path"]: row for row in session_tools.review_changes(driver.service)["changes"]}
    assert rows["src/new_name.py"]["old_path"] == "src/old_name.py"
    driver.until(Key.QUALITY_REVIEW).accept(issues=["keep the name"])
    driver.until(Key.READY_IMPL)
    repo.git("mv", "src/new_name.py", "src/old_name.py")
    driver.until(Key.PRE_COMMIT)
    rows = {row["path"]: row for row in session_tools.review_changes(driver.service)["changes"]}
    assert rows["src/old_name.py"]["diff"]
    driver.finish()
    assert repo.git("ls-files", "src").split() == ["src/old_name.py", MODULE]
    assert repo.status() == []


def test_the_review_belongs_to_pre_commit(driver: Driver) -> None:
    driver.start()
    with pytest.raises(ContractViolation, match="phase_blocked"):
        session_tools.review_changes(driver.service)


def test_cleaning_deletes_stale_branches_and_puts_checkpoints_away(driver: Driver, world: World, repo: Repo) -> None:
    first = driver.start()["session_id"]
    driver.until(Key.READY_PLAN)
    with pytest.raises(ContractViolation, match="session_running") as caught:
        session_tools.cleanup_stale_branches(driver.service, "delete", checkpoints=True)
    said = render_message(driver.service.contract, caught.value)
    assert all(way in said for way in ("record_outcome(outcome='abandoned')", "start_session(discard_active=true)"))
    crashed(driver.service)
    service = world.service()
    (service.records.store.folder / "20200101_000000_abcd.json").write_text("torn", encoding="utf-8")
    done = session_tools.cleanup_stale_branches(service, "delete", checkpoints=True)
    assert done["branches"] == [f"llm_task_{first}_from_main"]
    assert done["checkpoints"] == [first]
    assert [(entry["session_id"], entry["outcome"]) for entry in service.records.outcomes.read()] == [
        (first, "abandoned")
    ]
    assert (repo.branch, repo.branches(), service.records.store.ids()) == ("main", ["main"], [])
    assert not service.lock.held


def test_cleaning_waits_for_a_session_of_another_process(driver: Driver, world: World, repo: Repo) -> None:
    driver.start()
    driver.until(Key.READY_PLAN)
    with pytest.raises(ContractViolation, match="session_active"):
        session_tools.cleanup_stale_branches(world.service(), "delete", checkpoints=True)
    assert len(repo.branches()) == 2


@pytest.mark.parametrize("action", ["delete", "merge"])
def test_cleaning_refuses_a_dirty_tree_and_does_nothing_without_branches(world: World, repo: Repo, action: str) -> None:
    assert session_tools.cleanup_stale_branches(world.service(), action, checkpoints=False) == {
        "branches": [],
        "kept_at": [],
        "checkpoints": [],
    }
    repo.write("x.txt", "x\n")
    with pytest.raises(ContractViolation, match="dirty_tree"):
        session_tools.cleanup_stale_branches(world.service(), action, checkpoints=False)


def test_cleaning_says_what_git_refuses(world: World, repo: Repo) -> None:
    for name in ("llm_task_a", "llm_task_b"):
        repo.git("branch", name)
    with pytest.raises(ContractViolation, match="branch_operation_failed"):
        session_tools.cleanup_stale_branches(world.service(), "merge", checkpoints=False)
    world.with_git = False
    with pytest.raises(ContractViolation, match="no_git_repository"):
        session_tools.cleanup_stale_branches(world.service(), "delete", checkpoints=False)


def test_an_outcome_is_recorded_for_the_newest_or_a_named_session(driver: Driver) -> None:
    with pytest.raises(ContractViolation, match="unknown_session"):
        record_outcome(driver.service, "success", "", "")
    first = driver.start(only_verify=True)["session_id"]
    driver.finish()
    second = driver.start(only_verify=True)["session_id"]
    driver.finish()
    assert record_outcome(driver.service, "failure", "", "it broke later").session_id == second
    assert record_outcome(driver.service, "partial", first, "").session_id == first
    entries = list(driver.service.records.outcomes.read())
    assert [entry["outcome"] for entry in entries] == ["unverified", "unverified", "failure", "partial"]
    assert entries[2]["note"] == "it broke later"
    with pytest.raises(ContractViolation, match="invalid_outcome"):
        record_outcome(driver.service, "great", "", "")


def test_a_running_session_is_given_up_with_its_branch_kept(implementing: Driver, repo: Repo) -> None:
    implementing.edit()
    live = implementing.state
    with pytest.raises(ContractViolation, match="session_running"):
        session_tools.cleanup_stale_branches(implementing.service, "delete", checkpoints=True)
    given_up = record_outcome(implementing.service, "abandoned", "", "the request was withdrawn")
    assert (given_up.session_id, implementing.service.state) == (live.session_id, None)
    line = list(implementing.service.records.outcomes.read())[-1]
    assert (line["outcome"], line["note"], line["session_id"]) == (
        "abandoned",
        "the request was withdrawn",
        live.session_id,
    )
    assert live.branch in repo.git("branch", "--list", live.branch)
    assert list(implementing.service.records.store.ids()) == []


def test_a_session_that_can_be_resumed_is_given_up_without_resuming_it(implementing: Driver, world: World) -> None:
    wanted = implementing.state.session_id
    crashed(implementing.service)
    after = world.service()
    with pytest.raises(ContractViolation, match="unknown_session"):
        record_outcome(after, "abandoned", "20200101_000000_0000", "")
    assert record_outcome(after, "abandoned", wanted, "").session_id == wanted
    with pytest.raises(ContractViolation, match="no_active_session"):
        record_outcome(after, "abandoned", "", "")


def test_another_session_is_not_given_up_beside_the_running_one(implementing: Driver) -> None:
    with pytest.raises(ContractViolation, match="session_unfinished"):
        record_outcome(implementing.service, "abandoned", "20200101_000000_0000", "")
    assert implementing.service.state is not None
