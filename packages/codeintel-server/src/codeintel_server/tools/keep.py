"""Housekeeping: the index, the rules' summary, old branches, outcomes."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Literal

from codeintel_server.answers import Answer
from codeintel_server.project import Project
from codeintel_server.rules import SUMMARY_CHARS, store_summary
from codeintel_server.tools.types import Progress
from codeintel_session import access
from codeintel_session.outcomes import record

MOST_ERRORS = 20


def sync_index(
    project: Project,
    force: bool = False,
    *,
    progress: Progress | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> Answer:
    """Bring the index up to date; force rebuilds it."""
    report = asdict(project.code.index.sync(force, progress, stopped))
    report |= {"errors": list(report["errors"])[:MOST_ERRORS], "errors_total": len(report["errors"])}
    return Answer(report, count=report["files"])


def update_context(project: Project, summary: str) -> Answer:
    """Store the DO and DON'T list of the project's rules file, so that later sessions start with it."""
    data: dict[str, object] = {"content_hash": store_summary(project.root, summary)}
    if len(summary.strip()) > SUMMARY_CHARS:
        data["cut_to"] = SUMMARY_CHARS
    return Answer(data)


def cleanup_stale_branches(
    project: Project, action: Literal["delete", "merge"] = "delete", checkpoints: bool = False
) -> Answer:
    """Remove task branches of earlier sessions (kept under refs/codeintel/trash), on request their checkpoints too."""
    return Answer(dict(access.cleanup(project.session, action, checkpoints=checkpoints)))


def record_outcome(project: Project, outcome: str, session_id: str = "", note: str = "") -> Answer:
    """Record how a finished session turned out in the end: success, failure or partial."""
    said = outcome.strip().lower()
    done = record(project.session, said, session_id, note)
    if said != "partial":
        project.code.index.judge(done, said == "success")
    return Answer({"recorded": said, "session_id": done})
