"""Draw the screen of `codeintel watch`. Lines are truncated to the terminal's width; errors wrap instead, because
people need to read them in full."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from codeintel_server.cli.status import RESUME, relative_to
from codeintel_server.report.gather import find_state, gather
from codeintel_server.report.model import FileRow, Report, TaskRow
from codeintel_server.report.page import duration, tone_of
from codeintel_server.report.words import plain_ending, plain_phase
from codeintel_server.report.writer import ARCHIVE
from codeintel_server.terminal import counted, on_one_line, sign
from codeintel_session import STEPS, ObservedCall, SessionState, damaged_checkpoints, newest_state

LAST = STEPS[-1].number
FILES = 8
"""Maximum number of files named in a line; the others are counted."""
REFUSED = 3
REASON = 200
REQUEST = 200
"""Characters of a request, of which the report has all."""
LABELS = 8

Row = tuple[str, Text]


def draw(root: Path, console: Console) -> Table:
    """Draw the screen for the current state of a project."""
    folder = root / ".code-intel" / "sessions"
    state = newest_state(folder)
    rows = _idle(root) if state is None else _session(root, state, console)
    broken = (("damaged", _folded(f"{each.name}: {each.why}; {RESUME}", "red")) for each in damaged_checkpoints(folder))
    table = Table.grid(padding=(0, 2))
    table.add_column(style="cyan", no_wrap=True, min_width=LABELS)
    table.add_column()
    for name, text in (("project", Text(str(root))), *rows, *broken):
        if text.overflow is None:
            text.no_wrap, text.overflow = True, "ellipsis"
        table.add_row(name, text)
    return table


def _idle(root: Path) -> Iterator[Row]:
    """Say how the last session ended: what became of it, its commit, its tests, and where its report is."""
    yield "session", Text("none is running; waiting for one to start")
    state = find_state(root, "")
    if state is None:
        return
    found = gather(root, state)
    tone = {"good": "green", "bad": "red"}.get(tone_of(found.outcome), "yellow")
    ended = plain_ending(found.outcome)
    yield "before", _folded(ended, tone).append(f": {on_one_line(found.request, REQUEST)}", "default")
    yield "", _folded(" ".join((*found.proof, found.became)).strip())
    yield from (("commit", Text(f"{commit.sha[:12]} {commit.subject}")) for commit in found.commits)
    yield from _checks(found)
    if count := len(found.attention):
        noted = f"{counted(count, 'thing')} warned of, skipped or chosen by the agent: see the report"
        yield "look at", _folded(noted)
    page = root / ARCHIVE / f"{found.session_id}.html"
    yield "report", _folded(relative_to(root, page) if page.is_file() else "codeintel report --open writes it")


def _checks(found: Report) -> Iterator[Row]:
    for check in found.checks:
        yield "tests", _folded(f"{check.standing}: {check.now} (base: {check.base})")
    if not found.checks:
        yield "tests", Text("none run by the server")


def _session(root: Path, state: SessionState, console: Console) -> Iterator[Row]:
    found = gather(root, state)
    gone = "" if found.outcome == "running" else "; no server is running it"
    yield "session", Text(f"{found.session_id}, {found.intent}{gone}")
    yield "request", _folded(on_one_line(found.request, REQUEST))
    yield "step", _place(state, found)
    yield "", _course(state, console)
    if found.branch:
        yield "branch", _folded(f"{found.branch}, to be merged into {found.base}")
    yield from _tasks(found.tasks, console)
    yield "tools", _tools(state.observed)
    for step in [step for step in found.steps if not step.accepted][-REFUSED:]:
        text = _folded(f"{step.phase}, ").append(step.verdict, style="red")
        yield "refused", text.append(f": {on_one_line(' '.join(step.reasons), REASON)}")
    yield from (
        ("back", _folded(f"from step {step.number}: {step.why}", "yellow")) for step in found.sent_back[-REFUSED:]
    )
    yield "explored", _files([file for file in found.files if file.is_explored])
    yield "changed", _files(found.changed, with_lines=True)
    if found.checks:
        yield from _checks(found)
    costs = found.costs
    yield (
        "tokens",
        _folded(
            f"about {costs.replies:,} of replies, {costs.arguments:,} of arguments in {costs.calls} calls; "
            f"{len(found.steps)} submissions, {found.refusals} refused"
        ),
    )
    yield from (("missing", _folded(text, "yellow")) for text in found.missing)


def _place(state: SessionState, found: Report) -> Text:
    since = datetime.fromisoformat(found.ended_at or found.started_at)
    passed = duration(max(0.0, (datetime.now(UTC) - since).total_seconds()))
    text = _folded(f"{state.phase_state.step} of {LAST}, ").append(plain_phase(found.phase), style="bold")
    return text.append(f" ({found.phase}) for {passed}")


def _course(state: SessionState, console: Console) -> Text:
    """Draw a cell for each step: done, current, or not entered."""
    done, here, ahead = sign(console, "●", "#"), sign(console, "◉", "@"), sign(console, "·", ".")
    text = Text()
    for row in STEPS:
        if row.number == state.phase_state.step:
            text.append(here, style="bold yellow")
        else:
            is_done = row.number in state.completed_steps
            text.append(done if is_done else ahead, style="green" if is_done else "dim")
    return text


def _tasks(tasks: Sequence[TaskRow], console: Console) -> Iterator[Row]:
    if not tasks:
        return
    pending = [task for task in tasks if task.status == "pending"]
    yield "tasks", Text(f"{len(tasks) - len(pending)} of {len(tasks)} done")
    if pending:
        yield "open", Text(" ".join(pending[0].description.split()), style="bold")
        box = sign(console, "☐", "-")
        yield from (("", Text(f"{box} {' '.join(item.item.split())}")) for item in pending[0].items[:5])


def _tools(calls: Sequence[ObservedCall]) -> Text:
    counts = Counter(call.tool if call.ok else f"{call.tool} (failed)" for call in calls)
    said = ", ".join(name if count == 1 else f"{name} ({count})" for name, count in counts.items())
    return Text(said or "none called in this phase yet")


def _folded(text: str, style: str = "") -> Text:
    return Text(text, style=style, overflow="fold")


def _files(files: Sequence[FileRow], *, with_lines: bool = False) -> Text:
    named = (f"{file.path} +{file.added} -{file.removed}" if with_lines else file.path for file in files[:FILES])
    more = f", and {len(files) - FILES} more" if len(files) > FILES else ""
    return Text(f"{len(files)}" + (f": {', '.join(named)}{more}" if files else ""))
