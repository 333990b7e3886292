"""The report: gathered from a session that was played, and from what is left when things are gone."""

import json
import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner

from codeintel_server.cli import app
from codeintel_server.demo.change import Change
from codeintel_server.demo.player import Player, Script
from codeintel_server.report.gather import find_state, gather
from codeintel_server.report.model import DiffLine, FileRow, Report, Step
from codeintel_server.report.page import as_html, as_markdown, cell, duration
from codeintel_server.testing import Caller, play_to

pytestmark = [pytest.mark.draws(6), pytest.mark.anyio]
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
    assert (found.outcome, found.phase) == ("running", "READY")
    assert [file.path for file in found.files if file.is_changed] == ["src/stats.py"]


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
    step = Step("2026-11-21T10:00:00+00:00", "Q1", 6, "no_tasks", "Q1", 2.0, 200, (text * 3,), text, (text,), text)
    lines = tuple(DiffLine("+", number, f"{text} and some code that stands here", number == 2) for number in range(80))
    files = tuple(FileRow(f"{text}/{number}.py", True, True, 80, 0, lines, True) for number in range(50))
    return Report(
        text, text, "MODIFY", (text,), text, (text,), text, text, "MERGE", step.at, step.at, text, text, text, True,
        (step,) * 30,
        ((text, text),), (), files, (), ((text, text),), (text,), {"reverts": 2}, {"risk": text}, (), (text,),
    )  # fmt: skip


class TestThePage:
    def test_nothing_in_it_can_run_or_load(self) -> None:
        page = Page(as_html(large(EVIL)))
        assert page.open == []
        assert not page.tags() & {"script", "img", "iframe", "object", "link", "form", "svg"}
        assert not [name for _, attributes in page.found for name in attributes if name.startswith("on")]
        assert {str(at["href"]) for tag, at in page.found if tag == "a"} == {"#flow"}
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
        assert "**unverified**" in done.output
        assert "| src/stats.py | yes | yes | +" in done.output.replace("\\", "")

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
