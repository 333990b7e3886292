"""Render a report as a page, as Markdown for a pull request, or as JSON; render the figures of all sessions as a page.

A page is one file that loads nothing and runs nothing: its policy forbids scripts, and the template engine escapes
every text of the repository or the agent.
"""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import asdict
from functools import cache, partial
from typing import TYPE_CHECKING

from codeintel_server.report.model import Report
from codeintel_server.report.words import ASKED_BY, plain_ending, plain_outcome, plain_phase

if TYPE_CHECKING:
    from jinja2 import Environment

    from codeintel_server.report.stats import Stats

TONES = {"verified": "good", "answered": "good", "failed": "bad", "running": "soft", "passed": "good"}
SHOWN_ATTENTION = 8
SHOWN_FILES = 8
"""Rows of the head; all of them follow below it."""
WORTH_A_BAR = 5.0
"""Minimum seconds of the longest step for bars to compare the steps."""


def as_html(report: Report) -> str:
    """Render the report as an HTML page."""
    times = [step.seconds for step in report.steps]
    share = partial(_share, times if max(times, default=0.0) >= WORTH_A_BAR else [])
    limits = {"most": SHOWN_ATTENTION, "most_files": SHOWN_FILES}
    return _environment(True).get_template("report.html.j2").render(report=report, share=share, **limits) + "\n"


def stats_as_html(stats: "Stats", project: str) -> str:
    """Render the figures of all sessions of a project as a page in the same style."""
    return _environment(True).get_template("stats.html.j2").render(stats=stats, project=project, share=_share) + "\n"


def as_markdown(report: Report) -> str:
    """Render the report as the body of a pull request."""
    text = _environment(False).get_template("report.md.j2").render(report=report)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def as_json(report: Report) -> str:
    """Render the report as JSON, in one line."""
    return json.dumps({**asdict(report), "attention": report.attention}, ensure_ascii=False) + "\n"


FORMATS: dict[str, Callable[[Report], str]] = {"html": as_html, "markdown": as_markdown, "json": as_json}


@cache
def _environment(escape: bool) -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("codeintel_server.report"),
        autoescape=escape,
        finalize=None if escape else cell,
        undefined=StrictUndefined,
        trim_blocks=not escape,
        lstrip_blocks=not escape,
    )
    made.filters |= {
        "duration": duration,
        "phase": plain_phase,
        "outcome": plain_outcome,
        "outcomes": plain_ending,
        "date": date,
    }
    made.globals |= {"tone": tone_of, "asked": ASKED_BY}
    return made


def duration(seconds: float) -> str:
    """Format a duration: `42 s`, `3 min 05 s`, `2 h 10 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def date(at: str) -> str:
    """Format a time of ISO 8601: `2026-11-22 20:41`."""
    return at[:16].replace("T", " ")


def cell(text: object) -> str:
    """Escape a text for Markdown and keep it on one line."""
    return re.sub(r"([\\`*_{}\[\]<>()#+!|~$@&])", r"\\\1", " ".join(str(text).split()))


def tone_of(outcome: str) -> str:
    """Return good, bad, warn or soft for an outcome."""
    return TONES.get(outcome, "warn")


def _share(values: Iterable[float], value: float) -> int:
    """Return the percentage of the greatest value; 0 if there is nothing to compare with."""
    most = max(values, default=0.0)
    return round(100 * value / most) if most else 0
