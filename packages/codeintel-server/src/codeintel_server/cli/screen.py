"""Draw the screen of `codeintel watch`. Lines are truncated to the terminal's width; errors wrap instead, because
people need to read them in full."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from codeintel_server.cli.status import RESUME, look
from codeintel_server.report.gather import gather
from codeintel_server.report.model import FileRow, Report, Step, TaskRow
from codeintel_server.report.page import duration
from codeintel_server.terminal import sign
from codeintel_session import STEPS, ObservedCall, SessionState, damaged_checkpoints, is_session_running, newest_state

LAST = STEPS[-1].number
FILES = 8
"""Maximum number of files named in a line; the others are counted."""
REFUSED = 3
REASON = 200
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
    yield "session", Text("none is running; waiting for one to start")
    if last := look(root)["last"]:
        yield "before", Text(f"{last['outcome']}: {_line(last['query'])}")


def _session(root: Path, state: SessionState, console: Console) -> Iterator[Row]:
    found = gather(root, state)
    served = is_session_running(root / ".code-intel" / "sessions")
    yield "session", Text(f"{found.session_id}, {found.intent}{'' if served else '; no server is running it'}")
    yield "request", Text(_line(found.request))
    yield "step", _place(state, found)
    yield "", _course(state, console)
    yield from _tasks(found.tasks, console)
    yield "tools", _tools(state.observed)
    yield from (("refused", _refusal(step)) for step in [step for step in found.steps if not step.accepted][-REFUSED:])
    yield "explored", _files([file for file in found.files if file.is_explored])
    yield "changed", _files([file for file in found.files if file.is_changed], with_lines=True)
    yield (
        "tokens",
        Text(
            f"{sum(step.tokens for step in found.steps):,} of replies, {len(found.steps)} submissions, "
            f"{found.refusals} refused"
        ),
    )
    yield from (("missing", _folded(text, "yellow")) for text in found.missing)


def _place(state: SessionState, found: Report) -> Text:
    where = state.phase_state
    name = " ".join(part for part in (where.current_phase, where.ready_substep) if part)
    since = datetime.fromisoformat(found.ended_at or found.started_at)
    passed = duration(max(0.0, (datetime.now(UTC) - since).total_seconds()))
    text = Text(f"{where.step} of {LAST}, ").append(name, style="bold")
    return text.append(f" for {passed}" + (f", on {found.branch}" if found.branch else ""))


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
        yield "open", Text(_line(pending[0].description), style="bold")
        box = sign(console, "☐", "-")
        yield from (("", Text(f"{box} {_line(item.item)}")) for item in pending[0].items[:5])


def _tools(calls: Sequence[ObservedCall]) -> Text:
    counts = Counter(call.tool if call.ok else f"{call.tool} (failed)" for call in calls)
    said = ", ".join(name if count == 1 else f"{name} ({count})" for name, count in counts.items())
    return Text(said or "none called in this phase yet")


def _refusal(step: Step) -> Text:
    reasons = _line(" ".join(step.reasons))
    text = _folded(f"{step.phase}, ").append(step.verdict, style="red")
    return text.append(f": {reasons[:REASON]}{'…' * (len(reasons) > REASON)}")


def _folded(text: str, style: str = "") -> Text:
    return Text(text, style=style, overflow="fold")


def _files(files: Sequence[FileRow], *, with_lines: bool = False) -> Text:
    named = (f"{file.path} +{file.added} -{file.removed}" if with_lines else file.path for file in files[:FILES])
    more = f", and {len(files) - FILES} more" if len(files) > FILES else ""
    return Text(f"{len(files)}" + (f": {', '.join(named)}{more}" if files else ""))


def _line(text: str) -> str:
    return " ".join(text.split())
