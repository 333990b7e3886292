"""The report: gathered from a session that was played, and from what is left when things are gone."""

import json
import os
import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from string import Formatter

import pytest
from typer.testing import CliRunner

from codeintel_contract import load_contract
from codeintel_server.cli import app
from codeintel_server.demo.change import Change
from codeintel_server.demo.player import Player, Script
from codeintel_server.project.library import ProjectLibrary
from codeintel_server.report.checks import check_of, counted
from codeintel_server.report.gather import find_state, gather
from codeintel_server.report.model import Check, Commit, Costs, DiffLine, FileRow, Report, Run, Step
from codeintel_server.report.page import as_html, as_markdown, cell, duration
from codeintel_server.report.words import RESULTS, WARNINGS, run_warnings
from codeintel_server.testing import Caller, play_to
from codeintel_server.verification.trust import trust
from codeintel_session import BaseRun, BaseTests, Named, Receipt, find_warnings
from codeintel_session.testing import Repo

pytestmark = [pytest.mark.draws(18), pytest.mark.anyio]
run = CliRunner().invoke

EVIL = '"><script>alert(1)</script><img src=x onerror=alert(1)>{{ 7*7 }}javascript:alert(1)'


class Page(HTMLParser):
    """Elements of a page, with their attributes, and how many are left open."""

    VOID = ("meta", "br", "img", "input", "link", "hr")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def tags(self) -> set[str]:
        return {tag for tag, _ in self.found}


@pytest.fixture
async def ended(call: Caller, change: Change) -> dict[str, object]:
    return await Player(call.client, change, Script(answers=False, mistakes=True)).play()


def report_of(repo: Path) -> Report:
    state = find_state(repo, "")
    assert state is not None
    return gather(repo, state)


async def test_the_report_of_a_discarded_session_names_nothing_that_never_happened(
    call: Caller, change: Change, repo: Path
) -> None:
    await play_to(call, change, 5, answers=False)
    await call("record_outcome", outcome="abandoned")
    state = find_state(repo, "")
    assert state is not None
    assert "answered" not in str(gather(repo, state).skipped)


async def test_the_end_of_a_session_names_its_page_which_is_there(ended: dict[str, object], repo: Path) -> None:
    page = repo / str(ended["report"])
    assert page.name == f"{ended['session_id']}.html"
    text = page.read_text(encoding="utf-8")
    assert Page(text).open == []
    assert str(ended["session_id"]) in text


async def test_a_played_session_is_told_as_it_was(ended: dict[str, object], repo: Path) -> None:
    found = report_of(repo)
    assert (found.outcome, found.phase, found.missing) == ("unverified", "SESSION_COMPLETE", ())
    assert found.refusals == sum(not step.accepted for step in found.steps) > 0
    assert all(step.summary for step in found.steps if step.accepted)
    (task,) = found.tasks
    shown = [line for item in task.items for line in item.lines if line.is_meant]
    assert any("def total_and_mean" in line.text and line.sign == "+" for line in shown)
    changed = [file for file in found.files if file.is_changed]
    assert [(file.path, file.is_explored, file.added > 5, file.removed) for file in changed] == [
        ("src/stats.py", True, True, 0)
    ]
    assert dict(found.skipped)["BRANCH_INTERVENTION"] == "there was no old task branch"
    assert sum(row.tokens for row in found.tokens) == sum(step.tokens for step in found.steps)


async def test_a_running_session_can_be_reported_on(call: Caller, change: Change, repo: Path) -> None:
    await Player(call.client, change, Script(stop_before=14, answers=False)).play()
    found = report_of(repo)
    assert (found.outcome, found.phase) == ("running", "READY complete")
    assert [file.path for file in found.files if file.is_changed] == ["src/stats.py"]


async def test_the_users_own_files_stand_apart(call: Caller, change: Change, repo: Path) -> None:
    (repo / "mine.txt").write_text("mine\n", encoding="utf-8")
    await play_to(call, change, 15, answers=False)
    (repo / "later.txt").write_text("later\n", encoding="utf-8")
    found = report_of(repo)
    assert [file.path for file in found.changed] == ["later.txt", "src/stats.py"]
    assert found.own_files == ("mine.txt",)
    assert "Nothing is committed yet." in as_html(found)


async def test_a_session_that_is_given_up_unchanged_does_not_read_the_users_files_for_its_report(
    call: Caller, repo: Path
) -> None:
    (repo / ".gitattributes").write_text("mine.txt filter=counted\n", encoding="utf-8")
    Repo(repo).git("config", "filter.counted.clean", "echo read >> ../reads; cat")
    (repo / "mine.txt").write_text("the user's\n", encoding="utf-8")
    os.utime(repo / "mine.txt", (1e9, 1e9))  # what changed within the second git reads again each time
    await call("start_session", intent="IMPLEMENT", query="Count numbers faster")
    await call("record_outcome", outcome="abandoned")
    assert (repo.parent / "reads").read_text(encoding="utf-8") == "read\n"


async def test_a_session_that_is_given_up_leaves_a_report_of_what_it_changed(
    call: Caller, change: Change, repo: Path
) -> None:
    await play_to(call, change, 15, answers=False)
    session_id = (await call("get_session_status"))["session_id"]
    await call("record_outcome", outcome="abandoned")
    page = repo / f".code-intel/sessions/archive/{session_id}.html"
    assert "Given up" in page.read_text(encoding="utf-8")
    found = report_of(repo)
    assert (found.outcome, [file.path for file in found.changed]) == ("abandoned", ["src/stats.py"])
    assert "stays as the session left it" in found.became


async def test_a_session_that_only_looked_is_not_charged_with_the_users_changes(
    call: Caller, change: Change, repo: Path
) -> None:
    (repo / "mine.txt").write_text("mine\n", encoding="utf-8")
    await Player(call.client, change, Script(intent="QUESTION", flags={"only_explore": True}, answers=False)).play()
    found = report_of(repo)
    assert (found.outcome, found.changed, found.attention, found.became) == ("answered", (), (), "")
    assert "Tests" not in as_html(found).partition("<main>")[0]


async def test_what_sent_a_session_back_is_said_in_the_head(call: Caller, change: Change, repo: Path) -> None:
    script = Script(answers=False, verify=[False, True], issues=[["the empty list has no test"]])
    await Player(call.client, change, script).play()
    found = report_of(repo)
    reasons = [(step.number, step.back_to, step.why) for step in found.sent_back]
    assert reasons == [(15, 12, "An empty list divides by zero."), (18, 12, "the empty list has no test")]
    head = as_html(found).partition("<main>")[0]
    assert all(f"Sent back in step {number}: {why}" in head for number, _, why in reasons)


async def test_every_run_and_what_it_warns_of_is_in_page_and_markdown(call: Caller, change: Change, repo: Path) -> None:
    verifier = repo / ".code-intel/verifiers/tests.md"
    verifier.parent.mkdir(parents=True)
    verifier.write_text("---\nmatch: ['**/*']\ncommand: 'echo 1 passed in 0.1s'\n---\nRun it.\n", encoding="utf-8")
    trust(ProjectLibrary(repo))
    await Player(call.client, change, Script(answers=False, verify=[False, True], verifier="tests.md")).play()
    found = report_of(repo)
    assert (found.outcome, len(found.runs), [check.standing for check in found.checks]) == ("verified", 2, ["passed"])
    assert found.checks[0].now == "1 passed, 0 failed"
    assert any(commit.verified for commit in found.commits)
    for text in (as_html(found), as_markdown(found)):
        for told in ("base: 1 passed, 0 failed", "Code-Intel-Verified"):
            assert told in text.replace("\\", "").replace('<span class="soft">', "")


async def test_a_report_goes_with_its_commit_as_a_note(ended: dict[str, object], repo: Path) -> None:
    done = run(app, ["report", "--note", "--project", str(repo)])
    assert (done.exit_code, "git push origin refs/notes/codeintel" in done.output) == (0, True)
    assert run(app, ["report", "--note", "--project", str(repo)]).exit_code == 0
    note = Repo(repo).git("notes", "--ref", "codeintel", "show", str(ended["commit"]))
    assert note.startswith("## Callers of count\\_all")


async def test_calls_are_counted_with_what_the_files_they_showed_hold(call: Caller, change: Change, repo: Path) -> None:
    await Player(call.client, change, Script(answers=False)).play()
    costs = report_of(repo).costs
    size = len((repo / "src/stats.py").read_bytes())
    assert (costs.lookups, costs.files) == (3, 1)
    assert 0 < costs.file_tokens < size // 4
    assert costs.replies > costs.lookup_tokens > 0 < costs.arguments
    assert costs.saved == costs.file_tokens - costs.lookup_tokens


async def test_a_lookup_that_is_refused_costs_what_it_answered(
    call: Caller, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("codeintel_session.machine.limits.SAVE_EVERY_S", 0)
    await call("start_session", intent="QUESTION", query="Where are numbers counted?")
    before = report_of(repo).costs
    refused = await call.call("get_symbols", {"path": "src/none.py"})
    costs = report_of(repo).costs
    assert (refused["success"], costs.lookups) == (False, before.lookups + 1)
    assert costs.lookup_tokens > before.lookup_tokens


class TestARunInWords:
    def test_what_a_reviewer_is_told_of_a_run_names_the_tests(self) -> None:
        receipt = Receipt(
            verifier="tests.md", command="pytest", exit=0, tree="", at="", counts={"tests": 4, "skipped": 1},
            base=BaseRun(state="ran", counts={"tests": 3}), unnoticed=Named(names=("a.py: f",), count=1),
            base_tests=BaseTests(passed=2, failed=Named(names=("t::old",), count=1)), red_before=False,
            red_before_why="tests/t.py", in_place="the project is not a git repository",
        )  # fmt: skip
        check = check_of(receipt)
        assert (check.now, check.base) == ("3 passed, 0 failed, 1 skipped", "3 passed, 0 failed")
        assert check.facts[0].endswith("2 pass, 1 fail: t::old")
        assert check.facts[1].endswith("No, they pass without it as well (tests/t.py)")
        said = " ".join(check.warnings)
        assert all(word in said for word in ("a.py: f", "t::old", "tests/t.py", "not a git repository"))

    def test_every_reason_and_warning_has_words_for_a_reviewer(self) -> None:
        contract = load_contract(None).messages
        reasons = {key.rpartition(".")[2] for key in contract if ".POST_IMPL_VERIFY.receipt_" in key}
        assert reasons == RESULTS.keys()
        one, files = Named(names=("f",), count=1), ("a.py",)
        receipt = Receipt(
            verifier="tests.md", command="pytest", exit=0, tree="", at="", in_place="no git", red_before=False,
            gone=one, base_tests=BaseTests(failed=one), unnoticed=one, any_value=one, unexamined=one, red=one,
            flaky=one, skipped=one, steering=files, pinned=files, rewritten=files, touched=files, asking=files,
            data=files, environment_changed=files, borders=one, unrun=one, created=files, repeated=files,
            equal=one, unfailing=files, replaced=files, unheard=one, runner_dependent=files, as_before=one,
            disguised=files, indifferent=one, unread=files, findings=files, commented=files, suggestions=files,
            unparsed=files,
        )  # fmt: skip
        assert {say.key.rpartition(".")[2] for say in find_warnings(receipt)} == WARNINGS.keys()
        for section, texts in (("warnings", WARNINGS), ("failures.POST_IMPL_VERIFY", RESULTS)):
            for name, text in texts.items():
                assert set(placeholders(text)) <= set(placeholders(contract[f"{section}.{name}"].message)), name

    def test_a_run_with_everything_to_warn_of_is_put_into_words(self) -> None:
        some, files = Named(names=("a",), count=1), ("a.py",)
        lists = dict.fromkeys(
            (
                "gone",
                "unheard",
                "indifferent",
                "unnoticed",
                "any_value",
                "equal",
                "borders",
                "as_before",
                "unrun",
                "unexamined",
                "red",
                "flaky",
                "skipped",
            ),
            some,
        )
        paths = dict.fromkeys(
            ("steering", "pinned", "created", "repeated", "rewritten", "touched", "asking", "data",
             "environment_changed", "unfailing", "replaced", "runner_dependent", "disguised", "unread", "findings",
             "commented", "suggestions", "unparsed"),
            files,
        )  # fmt: skip
        receipt = Receipt(
            verifier="tests.md", command="pytest", exit=0, tree="", at="", in_place="why", red_before=False,
            base_tests=BaseTests(failed=some), **lists, **paths,
        )  # fmt: skip
        assert {say.key.rpartition(".")[2] for say in find_warnings(receipt)} == WARNINGS.keys()
        assert len(run_warnings(receipt)) == len(WARNINGS)

    def test_what_counts_nothing_says_so(self) -> None:
        assert counted({}, 3) == "exit code 3, no tests counted"
        assert counted({}, 0, timed_out=True) == "stopped at its time limit"


def placeholders(text: str) -> list[str]:
    return [name for _, name, _, _ in Formatter().parse(text) if name]


class TestWhatIsGone:
    async def test_a_deleted_log_is_said_and_the_rest_is_shown(self, ended: dict[str, object], repo: Path) -> None:
        shutil.rmtree(repo / ".code-intel/logs")
        found = report_of(repo)
        assert found.missing == ("the submissions: the decision log has no line of this session",)
        assert found.tasks
        assert "the decision log has no line" in as_html(found)

    async def test_a_log_that_was_edited_is_named_by_its_line(self, ended: dict[str, object], repo: Path) -> None:
        log = repo / ".code-intel/logs/decisions.jsonl"
        lines = log.read_text(encoding="utf-8").splitlines(keepends=True)
        assert report_of(repo).missing == ()
        log.write_text("".join([*lines[:3], *lines[4:]]), encoding="utf-8")
        assert "line 4 does not follow" in report_of(repo).missing[0]

    async def test_commits_that_are_gone_are_said(self, ended: dict[str, object], repo: Path) -> None:
        shutil.rmtree(repo / ".git/objects")
        (repo / ".git/objects").mkdir()
        assert any("the changes:" in text for text in report_of(repo).missing)

    def test_a_project_without_a_session_says_so(self, repo: Path) -> None:
        done = run(app, ["report", "--project", str(repo)])
        assert (done.exit_code, "No session was started" in done.output) == (1, True)
        done = run(app, ["report", "20990101_000000_0000", "--project", str(repo)])
        assert "There is no session 20990101_000000_0000" in done.output
        assert run(app, ["report", "--format", "pdf", "--project", str(repo)]).exit_code == 2


def large(text: str = "x") -> Report:
    """30 submissions and 50 changed files, every text of it `text`."""
    step = Step("2026-11-21T10:00:00+00:00", "Q1", 6, "no_tasks", "Q1", 2.0, 200, (text * 3,), (text,), (text,), text)
    lines = tuple(DiffLine("+", number, f"{text} and some code that stands here", number == 2) for number in range(80))
    files = tuple(FileRow(f"{text}/{number}.py", True, True, 80, 0, lines, True) for number in range(50))
    return Report(
        session_id=text, project=text, request=text, asked_by=text, client=text, intent="MODIFY", flags=(text,),
        outcome=text, proof=(text,), became=text, chosen=(text,), recorded=text, note=text, phase="MERGE",
        started_at=step.at, ended_at=step.at, branch=text, base=text, commits=(Commit(text, text, text),), forced=True,
        steps=(step,) * 30, skipped=((text, text),), tasks=(), files=files, own_files=(text,),
        checks=(Check(text, text, "failed", step.at, text, text, text, (text,), (text,)),),
        runs=(Run(text, step.at, "failed", text, 2.0),), untrusted=(text,), warnings=(text,), rules=((text, text),),
        overruled=(text,), counters={"reverts": 2}, assessment={"risk": text}, tokens=(),
        costs=Costs(1, 2, 3, 4, 5, 6, 7), missing=(text,),
    )  # fmt: skip


class TestThePage:
    def test_nothing_in_it_can_run_or_load(self) -> None:
        page = Page(as_html(large(EVIL)))
        assert page.open == []
        assert not page.tags() & {"script", "img", "iframe", "object", "link", "form", "svg"}
        assert not [name for _, attributes in page.found for name in attributes if name.startswith("on")]
        assert {str(at["href"]) for tag, at in page.found if tag == "a"} == {"#changes"}
        policy = next(at["content"] for _, at in page.found if at.get("http-equiv"))
        assert str(policy).startswith("default-src 'none'")
        assert "{{ 7*7 }}" in as_html(large(EVIL))

    def test_a_large_session_stays_under_its_size(self) -> None:
        assert len(as_html(large()).encode()) < 300_000

    def test_its_headings_and_tables_can_be_followed_without_seeing_them(self) -> None:
        page = Page(as_html(large()))
        levels = [int(tag[1]) for tag, _ in page.found if re.fullmatch(r"h[1-6]", tag)]
        assert levels[0] == 1
        assert all(after - before <= 1 for before, after in pairwise(levels))
        assert {"header", "main", "footer"} <= page.tags()
        assert all(at.get("scope") for tag, at in page.found if tag == "th")
        ids = {at["id"] for _, at in page.found if "id" in at}
        assert {str(at["aria-labelledby"]) for _, at in page.found if "aria-labelledby" in at} <= ids
        assert page.found[0] == ("html", {"lang": "en"})


class TestMarkdown:
    def test_no_text_of_the_repository_is_markup_in_it(self) -> None:
        text = as_markdown(replace(large("|<b>*a*`[x](y)\n# @team"), missing=()))
        assert "<b>" not in text
        assert "\n# @team" not in text
        assert "@team" not in text.replace("\\@team", "")

    async def test_says_what_a_reviewer_wants_to_know(self, ended: dict[str, object], repo: Path) -> None:
        done = run(app, ["report", "--format", "markdown", "--project", str(repo)])
        assert done.exit_code == 0
        shown = done.output.replace("\\", "")
        for told in (
            "**Not verified (unverified)**",
            "Tests: none run by the server",
            "- Commit ",
            "| yes |",
            "Skipped: Announce it",
        ):
            assert told in shown
        assert "| src/stats.py | +" in shown

    def test_a_cell_is_one_line_that_means_nothing(self) -> None:
        assert cell("a | b\n# c") == "a \\| b \\# c"


async def test_json_and_the_page_are_written_where_told(ended: dict[str, object], repo: Path, tmp_path: Path) -> None:
    told = json.loads(run(app, ["report", "--format", "json", "--project", str(repo)]).output)
    assert told["session_id"] == ended["session_id"]
    target = tmp_path / "a.html"
    done = run(app, ["report", str(ended["session_id"]), "-o", str(target), "--project", str(repo)])
    assert (done.exit_code, target.read_text(encoding="utf-8")[:15]) == (0, "<!doctype html>")
    nowhere = run(app, ["report", "-o", str(tmp_path / "no/a.html"), "--project", str(repo)])
    assert (nowhere.exit_code, "cannot be written" in nowhere.output) == (1, True)


@pytest.mark.parametrize(("seconds", "text"), [(0.4, "0 s"), (59, "59 s"), (185, "3 min 05 s"), (7800, "2 h 10 min")])
def test_a_duration_is_told_in_two_units_at_most(seconds: float, text: str) -> None:
    assert duration(seconds) == text
