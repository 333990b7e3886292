"""However a session ends: its outcome is on record, its checkpoint in the archive, the project free."""

import json
from typing import Any

import pytest

from codeintel_session import Prompt
from codeintel_session.testing import QUERY, Driver, Repo, World

pytestmark = pytest.mark.draws(18)

ENDS: list[dict[str, Any]] = [
    {},
    {"intent": "QUESTION"},
    {"quick": True},
    {"quick": True, "no_verify": True},
    {"only_verify": True},
]


@pytest.mark.sample(2)
@pytest.mark.parametrize("start", ENDS, ids=lambda start: " ".join(start) or "merge")
def test_every_end_is_recorded_archived_and_frees_the_project(
    driver: Driver, world: World, repo: Repo, start: dict[str, Any]
) -> None:
    session_id = driver.start(**start)["session_id"]
    outcome = driver.finish()["outcome"]
    assert outcome == ("answered" if "intent" in start else "unverified")
    folder = repo.root / ".code-intel"
    assert [path.name for path in folder.glob("sessions/2*.json*")] == []
    assert (folder / "sessions/archive" / f"{session_id}.json").is_file()
    (line,) = (folder / "logs/outcomes.jsonl").read_text(encoding="utf-8").splitlines()
    entry = json.loads(line)
    assert (entry["session_id"], entry["outcome"]) == (session_id, outcome)
    assert world.service().start("QUESTION", "what now")["success"], "the lock is free"


def test_what_the_user_said_since_and_lost_stands_beside_the_outcome(driver: Driver, world: World, repo: Repo) -> None:
    repo.write("notes.txt", "of the user, not committed")
    repo.write("staged.txt", "in the index alone")
    repo.git("add", "staged.txt")
    (repo.root / "staged.txt").unlink()
    driver.start(fast=True)
    world.words.type("Stop, do not merge this yet.")
    (repo.root / "notes.txt").unlink()
    said = str(driver.finish())
    assert "are gone: notes.txt." in said, "staged.txt was not in the work tree"
    assert 'the user also said: "Stop, do not merge this yet.".' in said


@pytest.mark.parametrize(("tips", "is_named"), [(1, True), (0, False), (2, False)], ids=["known", "unknown", "newer"])
def test_what_the_base_got_after_the_request_stands_beside_the_outcome(
    driver: Driver, world: World, repo: Repo, tips: int, is_named: bool
) -> None:
    heads = [repo.git("rev-parse", "HEAD")]
    repo.git("commit", "-q", "--allow-empty", "-m", "Slip it in")
    heads.append(repo.git("rev-parse", "HEAD"))
    world.words.typed.append(Prompt("0001", QUERY, tips=(*heads[:tips], "f" * 40) if tips else ()))
    world.words.typed.append(Prompt("0002", "thank you", tips=tuple(heads)))
    told = str(driver.start(fast=True))
    assert ("Slip it in" in told) is is_named
    assert ("before this session, so that nobody reviewed them in it: " in str(driver.finish())) is is_named


def test_commits_between_two_typings_of_the_request_are_named_until_it_is_done(
    driver: Driver, world: World, repo: Repo
) -> None:
    def type_again() -> None:
        world.words.typed.append(Prompt(world.clock.now().isoformat(), QUERY, tips=(repo.git("rev-parse", "HEAD"),)))

    type_again()
    repo.git("commit", "-q", "--allow-empty", "-m", "Slip it in")
    type_again()
    assert "Slip it in" in str(driver.start(fast=True))
    assert "Slip it in" in str(driver.finish())
    type_again()
    driver.start(fast=True)
    assert "before this session" not in str(driver.finish()), "what the first session merged is not later than that"


def test_a_request_that_no_session_has_completed_is_named_until_one_has(driver: Driver, world: World) -> None:
    def type_both() -> None:
        for text in ("/code Paint it blue", QUERY):
            world.words.typed.append(Prompt(world.clock.now().isoformat(), text))

    type_both()
    assert "Paint it blue" in str(driver.start(fast=True))
    assert 'no session has completed one of them since: "/code Paint it blue"' in str(driver.finish())
    assert "Paint it blue" not in str(driver.start(fast=True))


@pytest.mark.parametrize("name", ["llm_task_20261120_090000_beef_from_main", "llm_task_of_nobody"])
def test_a_task_branch_that_is_checked_out_is_not_what_the_base_got(
    driver: Driver, world: World, repo: Repo, name: str
) -> None:
    world.words.typed.append(Prompt("0001", QUERY, tips=(repo.git("rev-parse", "HEAD"),)))
    repo.git("switch", "-q", "-c", name)
    repo.git("commit", "-q", "--allow-empty", "-m", "Not finished")
    driver.start(fast=True)
    assert driver.state.commits_before == ()


def test_what_the_base_of_a_task_branch_got_is_named(driver: Driver, world: World, repo: Repo) -> None:
    world.words.typed.append(Prompt("0001", QUERY, tips=(repo.git("rev-parse", "HEAD"),)))
    repo.git("commit", "-q", "--allow-empty", "-m", "Slip it in")
    repo.git("switch", "-q", "-c", "llm_task_20261120_090000_beef_from_main")
    assert "Slip it in" in str(driver.start(fast=True))


@pytest.mark.parametrize(
    ("branches", "is_named"),
    [(["main", "other"], True), (["other", "main"], False), (["llm_task_x"], False), ([""], False)],
    ids=str,
)
def test_another_branch_than_the_one_the_user_typed_on_is_named(
    driver: Driver, world: World, branches: list[str], is_named: bool
) -> None:
    world.words.typed += [Prompt(str(at), QUERY, branch=branch) for at, branch in enumerate(branches)]
    driver.start(fast=True)
    assert ("another branch was checked out than the one that the work is on now: other." in str(driver.finish())) is (
        is_named
    )


def test_options_that_the_user_typed_and_the_session_lacks_are_named(driver: Driver, world: World) -> None:
    world.words.typed.append(Prompt("0001", f"/code --no-doc -q {QUERY}"))
    said = "The user typed these options with the request"
    assert f"{said}, and this session does not have them: -q." in str(driver.start(no_doc=True))
    assert f"{said}, and the session does not have them: -q." in str(driver.finish())


def test_of_what_the_user_said_since_the_beginning_is_quoted_too(driver: Driver, world: World) -> None:
    driver.start(fast=True)
    for text in ("Two is the limit", "ok?", "and?", "Back.", "well?", "Still at it?", "So?"):
        world.words.type(text)
    quoted = '"Two is the limit", ok?, and?, 2 more between, Still at it?, So?'
    assert f"the user also said: {quoted}." in str(driver.finish())


def test_only_verify_makes_no_branch_and_no_task(driver: Driver, repo: Repo) -> None:
    head = repo.git("rev-parse", "HEAD")
    driver.start(only_verify=True)
    assert (driver.state.branch, driver.state.tasks) == ("", ())
    driver.finish()
    assert (repo.branches(), repo.git("rev-parse", "HEAD")) == (["main"], head)


def test_the_fifty_newest_sessions_stay_in_the_archive(driver: Driver, repo: Repo) -> None:
    archive = repo.root / ".code-intel/sessions/archive"
    driver.service.open_home()
    archive.mkdir(exist_ok=True)
    for number in range(60):
        (archive / f"20200101_0000{number:02}_abcd.json").write_text("{}", encoding="utf-8")
    done = driver.start(only_verify=True)["session_id"]
    driver.finish()
    kept = sorted(path.stem for path in archive.iterdir())
    assert kept == [*(f"20200101_0000{number:02}_abcd" for number in range(11, 60)), done]


def test_every_submission_is_on_record_with_what_was_wrong_with_it(driver: Driver, repo: Repo) -> None:
    session_id = driver.start(only_verify=True)["session_id"]
    refused = driver.service.submit({"summary": "s", "nonsense": 1})
    driver.finish()
    lines = (repo.root / ".code-intel/logs/decisions.jsonl").read_text(encoding="utf-8").splitlines()
    wrong, right = (json.loads(line) for line in lines)
    assert (wrong["session_id"], wrong["phase"], wrong["verdict"]) == (
        session_id,
        "POST_IMPL_VERIFY",
        "payload_mismatch",
    )
    assert wrong["reasons"] == refused["problems"]
    assert (right["verdict"], right["reasons"]) == ("accepted", [])


def test_a_failed_end_is_recorded_and_archived_too(driver: Driver, repo: Repo) -> None:
    driver.passed = False
    session_id = driver.start(only_verify=True)["session_id"]
    assert driver.finish()["outcome"] == "failed"
    assert (repo.root / ".code-intel/sessions/archive" / f"{session_id}.json").is_file()
    assert not driver.service.lock.held
