"""One chain of trees: what is reported, verified, reviewed, committed and merged is the same; honest work passes."""

import pytest

from codeintel_contract import ContractViolation
from codeintel_contract.names import Key
from codeintel_session.integrity import closed_phase
from codeintel_session.machine.limits import SEND_BACKS
from codeintel_session.testing import MODULE, Driver, Repo, World, make_repo
from codeintel_session.tools.session_tools import add_explored_files, review_changes

pytestmark = pytest.mark.draws(18)

OTHER = "src/other.py"
CLOSED = [Key.READY_COMPLETE, Key.POST_IMPL_VERIFY, Key.PRE_COMMIT, Key.QUALITY_REVIEW, Key.MERGE]


@pytest.fixture
def repo(tmp_path) -> Repo:
    made = make_repo(tmp_path / "my project")
    made.write(OTHER, "x = 1\n")
    made.write("users.md", "notes\n")
    made.commit("More")
    return made


def more(repo: Repo, path: str = MODULE) -> None:
    repo.write(path, repo.read(path) + "\n\nLATER = 1\n")


def ends_well(driver: Driver, repo: Repo) -> None:
    """The session ends, and the tree that was verified is the one that was merged."""
    verified = ""
    while True:
        verified = driver.state.verified_tree or verified
        reply = driver.accept()
        if reply["phase"] == "SESSION_COMPLETE":
            break
    assert reply["outcome"] == "unverified"  # no verifier of this project has a command (ADR 28)
    assert repo.git("rev-parse", "main^{tree}") == verified


@pytest.mark.sample
@pytest.mark.parametrize("key", CLOSED)
def test_an_edit_after_the_report_is_reported_before_anything_else(driver: Driver, repo: Repo, key: Key) -> None:
    driver.start()
    driver.until(key)
    more(repo)
    reply = driver.submit()
    assert reply["success"], reply
    assert (reply["phase"], reply["substep"]) == ("READY", "implement")
    assert MODULE in reply["warning"]
    assert any(MODULE in notice for notice in reply["notices"])
    assert driver.state.pending_tasks()[0].id == "task_1"
    ends_well(driver, repo)
    assert "LATER" in repo.git("show", f"main:{MODULE}")


@pytest.mark.sample
@pytest.mark.parametrize("key", CLOSED)
def test_an_edit_that_is_undone_before_the_submission_is_nothing(driver: Driver, repo: Repo, key: Key) -> None:
    driver.start()
    driver.until(key)
    text = repo.read(MODULE)
    more(repo)
    driver.service.look()
    repo.write(MODULE, text)
    ends_well(driver, repo)


def test_an_edit_before_the_plan_is_named_at_once_and_covered_by_its_evidence(driver: Driver, repo: Repo) -> None:
    driver.start()
    driver.until(Key.READY_PLAN)
    more(repo)
    reply = driver.accept()
    assert any(MODULE in notice and "forbids writing" in notice for notice in reply["notices"])
    assert reply["changed_out_of_phase"] == [MODULE]
    ends_well(driver, repo)


def test_a_report_that_leaves_out_an_early_edit_is_refused_until_it_names_it(driver: Driver, repo: Repo) -> None:
    driver.explored = [MODULE, OTHER]
    driver.start()
    driver.until(Key.READY_PLAN)
    more(repo, OTHER)
    driver.accept()
    refused = driver.submit()
    assert (refused["error"], refused["problems"]) == ("changed_out_of_phase", [OTHER])
    driver.accept(summary=f"The change, and a constant in {OTHER}.")
    ends_well(driver, repo)


@pytest.mark.sample
@pytest.mark.parametrize("key", [Key.Q1, Key.READY_PLAN, Key.READY_COMPLETE, Key.PRE_COMMIT, Key.QUALITY_REVIEW])
def test_what_the_user_edits_beside_the_session_is_named_and_left_alone(driver: Driver, repo: Repo, key: Key) -> None:
    driver.start()
    driver.until(key)
    more(repo, "users.md")
    repo.write("users.txt", "new\n")
    reply = driver.accept()
    assert any("users.md" in notice and "users.txt" in notice for notice in reply["notices"])
    ends_well(driver, repo)
    assert repo.git("show", "main:users.md") == "notes"
    assert sorted(repo.git("status", "--porcelain", "-z").strip("\0").split("\0")) == [" M users.md", "?? users.txt"]


def test_a_file_edited_early_becomes_the_sessions_when_it_is_explored(driver: Driver, repo: Repo) -> None:
    driver.start()
    driver.until(Key.READY_PLAN)
    more(repo, OTHER)
    driver.accept()
    add_explored_files(driver.service, [OTHER])
    assert driver.submit()["error"] == "changed_out_of_phase"


def test_an_ignored_file_is_no_change(driver: Driver, repo: Repo) -> None:
    repo.write(".gitignore", "*.pyc\n")
    repo.commit("Ignore")
    driver.start()
    driver.until(Key.POST_IMPL_VERIFY)
    repo.write("src/stats.pyc", "cache")
    assert not any("changed" in notice for notice in driver.accept().get("notices", ()))
    ends_well(driver, repo)


def test_a_file_that_was_dirty_before_is_neither_verified_nor_merged(driver: Driver, repo: Repo) -> None:
    more(repo, "users.md")
    driver.start()
    driver.until(Key.MERGE)
    verified = driver.state.verified_tree
    git = driver.service.ports.git
    assert git is not None
    assert git.trees.git("cat-file", "blob", f"{verified}:users.md").text == "notes"
    ends_well(driver, repo)


def test_a_tree_that_keeps_changing_is_the_users_matter(driver: Driver, repo: Repo) -> None:
    driver.start()
    driver.until(Key.READY_COMPLETE)
    for _ in range(SEND_BACKS):
        more(repo)
        driver.accept()
        driver.accept()
    more(repo)
    refused = driver.submit()
    assert (refused["error"], refused["requires_user_intervention"]) == ("changed_out_of_phase", True)


def test_a_discard_goes_back_to_the_verification_and_the_rest_is_committed(driver: Driver, repo: Repo) -> None:
    driver.explored = [MODULE, OTHER]
    driver.start()
    driver.until(Key.READY_IMPL)
    more(repo, OTHER)
    driver.until(Key.PRE_COMMIT)
    reply = driver.submit(reviewed_files=[MODULE, {"path": OTHER, "decision": "discard", "reason": "not needed"}])
    assert (reply["success"], reply["phase"]) == (True, "POST_IMPL_VERIFY")
    assert driver.state.commits == ()
    assert repo.read(OTHER) == "x = 1\n"
    driver.accept()
    # What is left was shown before: no second look is needed.
    driver.accept(reviewed_files=[MODULE], tools_used=[])
    ends_well(driver, repo)


def test_without_verification_a_discard_commits_at_once(driver: Driver, repo: Repo) -> None:
    driver.explored = [MODULE, OTHER]
    driver.start(no_verify=True)
    driver.until(Key.READY_IMPL)
    more(repo, OTHER)
    driver.until(Key.PRE_COMMIT)
    files = [MODULE, {"path": OTHER, "decision": "discard", "reason": "not needed"}]
    assert driver.accept(reviewed_files=files)["phase"] == "QUALITY_REVIEW"


def formatter(repo: Repo, path: str) -> None:
    hook = repo.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ngrep -q formatted {path} || echo '# formatted' >> {path}\ngit add {path}\n")
    hook.chmod(0o755)


@pytest.mark.sample
@pytest.mark.parametrize("key", [Key.QUALITY_REVIEW, Key.MERGE])
def test_a_hook_that_formats_code_has_it_verified_and_reviewed_again(driver: Driver, repo: Repo, key: Key) -> None:
    formatter(repo, MODULE)
    driver.start(no_quality=key is Key.MERGE)
    driver.until(key)
    reply = driver.submit()
    assert (reply["success"], reply["phase"]) == (True, "POST_IMPL_VERIFY"), reply
    assert MODULE in reply["warning"]
    ends_well(driver, repo)
    assert "# formatted" in repo.git("show", f"main:{MODULE}")


def test_a_hook_that_formats_and_fails_leads_to_the_verification_at_once(driver: Driver, repo: Repo) -> None:
    formatter(repo, MODULE)
    hook = repo.root / ".git/hooks/pre-commit"
    hook.write_text(f"#!/bin/sh\ngrep -q formatted {MODULE} && exit 0\necho '# formatted' >> {MODULE}\nexit 1\n")
    driver.start()
    driver.until(Key.PRE_COMMIT)
    assert driver.submit()["error"] == "finalize_failed"
    assert driver.submit()["phase"] == "POST_IMPL_VERIFY"
    ends_well(driver, repo)
    assert "# formatted" in repo.git("show", f"main:{MODULE}")


def test_a_hook_that_touches_documents_only_costs_nothing(driver: Driver, repo: Repo) -> None:
    formatter(repo, "users.md")
    driver.explored = [MODULE, "users.md"]
    driver.start()
    driver.until(Key.READY_IMPL)
    more(repo, "users.md")
    driver.until(Key.QUALITY_REVIEW)
    assert driver.submit()["phase"] == "MERGE"


def test_a_long_diff_has_to_be_paged_to_its_end(driver: Driver, repo: Repo) -> None:
    driver.start()
    driver.until(Key.READY_IMPL)
    repo.write(MODULE, repo.read(MODULE) + "".join(f"LINE_{number} = {number}\n" for number in range(4000)))
    driver.until(Key.PRE_COMMIT)
    page = review_changes(driver.service)
    assert page["truncated"]
    assert page["next_offset"] < page["total"]
    driver.see("review_changes")
    payload = {
        "review_prompt_used": "garbage_detection.md",
        "reviewed_files": [MODULE],
        "commit_message": "Lines",
        "tools_used": ["review_changes"],
    }
    refused = driver.service.submit(payload)
    assert (refused["error"], MODULE in refused["message"]) == ("files_not_shown", True)
    text = "".join(row["diff"] for row in page["changes"])
    while page["truncated"]:
        page = review_changes(driver.service, MODULE, page["next_offset"])
        text += "".join(row["diff"] for row in page["changes"])
    assert all(f"+LINE_{number} = {number}\n" in text for number in range(4000))
    assert driver.service.submit(payload)["success"]


@pytest.mark.sample
@pytest.mark.parametrize("attributes", ["* -diff", "*.py binary", "*.py diff=own"])
def test_no_attribute_hides_a_diff(driver: Driver, repo: Repo, attributes: str) -> None:
    repo.git("config", "diff.own.textconv", "echo nothing; true")
    repo.git("config", "diff.own.command", "true")
    repo.git("config", "diff.external", "true")
    (repo.root / ".git/info").mkdir(exist_ok=True)
    repo.write(".git/info/attributes", attributes)
    repo.write(".gitattributes", attributes)
    repo.commit("Attributes")
    driver.start()
    driver.until(Key.PRE_COMMIT)
    (row,) = review_changes(driver.service)["changes"]
    assert "+def more_1(values):" in row["diff"]


def test_a_binary_is_named_and_a_text_with_a_nul_is_shown(driver: Driver, repo: Repo) -> None:
    driver.explored = [MODULE, OTHER, "users.md"]
    driver.start()
    driver.until(Key.READY_IMPL)
    repo.write(OTHER, "evil = 1\n# \0\n")
    (repo.root / "users.md").write_bytes(b"\x89PNG\xff\0\xfe")
    driver.until(Key.PRE_COMMIT)
    rows = {row["path"]: row for row in review_changes(driver.service)["changes"]}
    assert "+evil = 1" in rows[OTHER]["diff"]
    assert rows["users.md"]["binary"]
    assert "Binary files" in rows["users.md"]["diff"]


def test_what_changed_after_a_first_review_is_reviewed_again(driver: Driver, repo: Repo) -> None:
    driver.start()
    driver.until(Key.PRE_COMMIT)
    review_changes(driver.service)
    more(repo)
    driver.accept()
    driver.until(Key.PRE_COMMIT)
    payload = {"review_prompt_used": "garbage_detection.md", "reviewed_files": [MODULE], "commit_message": "More"}
    assert driver.service.submit(payload)["error"] == "review_stale"
    ends_well(driver, repo)


FIX = "Test more_1\n\nIt had none."


@pytest.mark.sample
@pytest.mark.parametrize(
    ("fixups", "message", "listed"),
    [
        ("fold", "Test more_1", "\n\n- Test more_1\n\nCode-Intel-Session: "),
        ("fold", f"{FIX}\n\nHelped-by: Ann", "\n\n- Test more_1\n\n  It had none.\n\nCode-Intel-Session: "),
        ("fold", "Count empty lists too", "Count empty lists too\n\nCode-Intel-Session: "),
        ("keep", "Test more_1\n\nHelped-by: Ann", "Test more_1\n\nHelped-by: Ann\nCode-Intel-Session: "),
    ],
    ids=["fold", "fold with a body", "fold the same", "keep"],
)
def test_a_quality_fix_is_reviewed_alone_and_folded_into_the_commit(
    world: World, repo: Repo, fixups: str, message: str, listed: str
) -> None:
    world.fixups = fixups
    driver = Driver(world.service(), repo)
    driver.explored = [MODULE, OTHER]
    driver.start()
    driver.until(Key.READY_IMPL)
    more(repo, OTHER)
    driver.until(Key.QUALITY_REVIEW)
    driver.issues = ["more_1 has no test"]
    driver.accept()
    driver.issues = []
    driver.until(Key.PRE_COMMIT)
    rows = {row["path"]: row for row in review_changes(driver.service)["changes"]}
    assert "diff" in rows[MODULE]
    assert "diff" not in rows[OTHER]
    driver.commit_message = message
    ends_well(driver, repo)
    commits = repo.git("log", "--no-merges", "--format=%B", "main").strip()
    assert listed in commits
    assert commits.count("Helped-by: Ann") == message.count("Ann")
    subjects = repo.git("log", "--no-merges", "--format=%s", "main").splitlines()
    assert subjects.count("Count empty lists too") == 1
    assert subjects.count("Test more_1") == (0 if fixups == "fold" else 1)
    kept = repo.git("for-each-ref", "refs/codeintel/trash").splitlines()
    assert len(kept) == (1 if fixups == "fold" else 0)


def test_a_folder_of_very_many_new_files_is_named(driver: Driver, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(closed_phase, "MANY", 20)
    driver.start()
    driver.until(Key.READY_PLAN)
    for number in range(20):
        repo.write(f"node_modules/{number}.js", f"{number}\n")
    assert any("node_modules/ has 20 new files" in notice for notice in driver.accept()["notices"])
    ends_well(driver, repo)


@pytest.mark.sample
@pytest.mark.parametrize("key", [Key.QUALITY_REVIEW, Key.MERGE])
def test_work_that_is_not_in_the_commit_goes_back_to_the_review(driver: Driver, repo: Repo, key: Key) -> None:
    driver.start(no_verify=True)
    driver.until(key)
    repo.git("commit", "-q", "--allow-empty", "-m", "mine")
    more(repo)
    repo.git("commit", "-q", "-am", "late")
    # As after a crash of the server: it did not see the change come.
    git = driver.service.ports.git
    assert git is not None
    driver.service.change({"tree": git.trees.take()})
    reply = driver.submit()
    assert (reply["success"], reply["phase"]) == (True, "PRE_COMMIT"), reply
    assert MODULE in reply["warning"]
    assert driver.finish()["outcome"] == "unverified"
    assert "LATER" in repo.git("show", f"main:{MODULE}")


def test_a_function_left_empty_beside_the_cited_lines_is_refused(world: World, driver: Driver) -> None:
    driver.start()
    driver.until(Key.READY_IMPL)
    world.code.stubs = {MODULE: [(9, "later")]}
    refused = driver.submit()
    assert (refused["error"], refused["problems"]) == ("checklist_evidence_empty_impl", [f"{MODULE}:9 later"])
    world.code.stubs = {}
    assert driver.submit()["success"]


@pytest.mark.sample
@pytest.mark.parametrize("text", ["{} ", "{}\r", "{}\n", "\t{}  "])
def test_evidence_where_only_white_space_changed_is_refused(driver: Driver, repo: Repo, text: str) -> None:
    driver.explored = [MODULE, OTHER]
    driver.start()
    driver.until(Key.READY_IMPL)
    repo.write(OTHER, text.format("x = 1") + "\n")
    line = 1 + text.count("\n")  # the one that changed
    reply = driver.submit(checklist=[{"item": 1, "status": "done", "evidence": f"{OTHER}:{line}"}])
    is_indented = text.startswith("\t")  # which may mean something
    assert reply["success"] is is_indented
    assert ("white space" in reply.get("message", "")) is not is_indented


def test_an_item_that_names_an_unchanged_file_gives_a_warning(driver: Driver, repo: Repo) -> None:
    driver.start()
    driver.until(Key.READY_PLAN)
    items = [{"item": f"Say it in {OTHER}", "status": "pending"}]
    driver.accept(tasks=[{"id": "task_1", "description": MODULE, "status": "pending", "checklist": items}])
    assert OTHER in driver.accept()["warning"]


def test_a_base_that_moved_is_named_at_the_merge(driver: Driver, repo: Repo) -> None:
    driver.start()
    driver.until(Key.MERGE)
    commit = repo.git("commit-tree", "main^{tree}", "-p", "main", "-m", "theirs")
    repo.git("update-ref", "refs/heads/main", commit)
    assert "nobody has run the tests on the merged tree" in driver.accept()["warning"]


def test_a_path_without_a_change_has_no_review(driver: Driver, repo: Repo) -> None:
    driver.start()
    driver.until(Key.PRE_COMMIT)
    with pytest.raises(ContractViolation, match="unknown_path"):
        review_changes(driver.service, OTHER)
