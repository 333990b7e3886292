"""Housekeeping: the index, the rules' summary, old branches, outcomes."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Literal

import codeintel_session
from codeintel_index.mcp import ToolResult
from codeintel_server.project.project import Project
from codeintel_server.project.rules import SUMMARY_CHARS, store_summary
from codeintel_server.verification.runner import Progress
from codeintel_session import UserAnswer, Who

MOST_ERRORS = 20


def sync_index(
    project: Project,
    force: bool = False,
    *,
    progress: Progress | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> ToolResult:
    """Update the index; force rebuilds it."""
    report = asdict(project.code.index.sync(force, progress, stopped))
    report |= {"errors": list(report["errors"])[:MOST_ERRORS], "errors_total": len(report["errors"])}
    return ToolResult(report, count=report["files"])


def update_context(project: Project, summary: str) -> ToolResult:
    """Store the DO and DON'T list of the project's rules file, so that later sessions start with it."""
    data: dict[str, object] = {"content_hash": store_summary(project.root, summary)}
    codeintel_session.note_rules(project.session, summary)
    if len(summary.strip()) > SUMMARY_CHARS:
        data["cut_to"] = SUMMARY_CHARS
    return ToolResult(data)


def cleanup_stale_branches(
    project: Project,
    action: Literal["delete", "merge"] = "delete",
    checkpoints: bool = False,
    *,
    client: str = "",
    answer: UserAnswer | None = None,
) -> ToolResult:
    """Remove task branches of earlier sessions (kept under refs/codeintel/trash), on request their checkpoints too."""
    done = codeintel_session.cleanup_stale_branches(
        project.session, action, checkpoints=checkpoints, client=client, answer=answer
    )
    return ToolResult(dict(done))


def record_outcome(
    project: Project, outcome: str, session_id: str = "", note: str = "", *, by: Who = Who.AGENT
) -> ToolResult:
    """Record how a finished session turned out: success, failure or partial. abandoned gives up an unfinished one."""
    said = outcome.strip().lower()
    session = codeintel_session.record_outcome(project.session, said, session_id, note, by)
    done: dict[str, object] = {"recorded": said, "session_id": session.session_id}
    if said in ("success", "failure"):
        known = project.code.index.judge(session.session_id, said == "success")
        if said == "success" and by == Who.USER and not known and session.intent.implements:
            changed = codeintel_session.last_changed(project.session, session.session_id)
            done["learned"] = project.code.learn(session, changed, project.clock.now().isoformat(), by="record_outcome")
    if said == "abandoned" and session.branch:
        done["branch_kept"] = session.branch
    return ToolResult(done)
