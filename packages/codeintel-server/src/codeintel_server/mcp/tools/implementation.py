"""Define the tools of the implementation: write policy, further files, the review, the verifier's run."""

from collections.abc import Callable
from typing import Any

import codeintel_session
from codeintel_contract import ContractViolation
from codeintel_index import NotAFile
from codeintel_index.mcp import ANSWER_BYTES, Paths, Texts, ToolResult, outline_of
from codeintel_server.project.project import Project
from codeintel_server.redaction import redacted, redacted_diff
from codeintel_server.verification.runner import Progress, last_lines
from codeintel_server.verification.trust import is_trusted
from codeintel_session import (
    GitFault,
    Receipt,
    ToolCall,
    assess_receipt,
    describe_receipt,
    receipt_warnings,
    render_message,
)

HEAD_BYTES = 400
"""What an outline needs beside its rows."""


def check_write_target(project: Project, file_path: Paths) -> ToolResult:
    """Check whether these files may be written now: one path, or a list. If not, the reply says what to do."""
    found = codeintel_session.check_write_target(project.session, *file_path)
    return ToolResult(found, subject=", ".join(file_path), count=len(file_path))


def add_explored_files(project: Project, files: Texts) -> ToolResult:
    """Explore further files during READY, so that they may be changed; returns their outlines
    (analyze_structure pages one). New files too."""
    paths = codeintel_session.add_explored_files(project.session, files)
    share = ANSWER_BYTES // max(1, len(paths)) - HEAD_BYTES
    outlines = [_outline(project, path, share) for path in paths]
    return ToolResult({"added": paths, "outlines": outlines}, shown=tuple(paths), count=len(paths))


def _outline(project: Project, path: str, budget: int) -> dict[str, object]:
    """Return as much of a file's outline as fits into its share of the reply: nothing if that is too small."""
    if not (project.root / path).is_file():
        return {"path": path, "submodule" if (project.root / path).is_dir() else "new": True}
    if budget <= 0:
        return {"path": path, "truncated": True, "next_offset": 0}
    try:
        return outline_of(project.code.index, path, budget=budget)
    except NotAFile as refused:  # large or binary: it may be changed or removed nevertheless
        return {"path": path, "no_outline": refused.why}


def review_changes(project: Project, path: str = "", offset: int = 0) -> ToolResult:
    """Show all changes of the session with their whole diffs, for PRE_COMMIT; long ones in pages. path: one file."""
    found = codeintel_session.review_changes(project.session, path, offset, redacted_diff)
    return ToolResult(found, count=found["total"])


def show_changes(project: Project) -> dict[str, Any]:
    """Return the first page of the changes, for the reply that asks to judge them; they count as shown."""
    try:
        found = codeintel_session.review_changes(project.session, redact=redacted_diff)
    except (ContractViolation, GitFault):  # the submission was accepted: review_changes itself says what is wrong
        return {}
    project.session.observe(ToolCall(tool="review_changes", count=found["total"]))
    return redacted(found if found["truncated"] else {"changes": found["changes"]})


def run_verifier(
    project: Project, name: str, *, progress: Progress | None = None, stopped: Callable[[], bool] = lambda: False
) -> ToolResult:
    """Run a verifier's command and keep the receipt; passed: true does so, too."""
    receipt, output = _run(project, name, progress, stopped)
    told = _told(project, receipt, output)
    warnings = [render_message(project.session.contract, say) for say in receipt_warnings(project.session, receipt)]
    project.session.said.update(warnings)
    if warnings:
        told["warning"] = " ".join(warnings)
    return ToolResult(told, subject=receipt.verifier, count=1)


def run_for_pass(project: Project, name: str, progress: Progress | None, stopped: Callable[[], bool]) -> dict[str, Any]:
    """Run a verifier for a submission; return what its reply says of a run that passed, or why it did not.

    Warnings are the verdict's to give.
    """
    told = _told(project, *_run(project, name, progress, stopped))
    return {"receipt": told["receipt"], "passed": True} if told["passed"] else told


def _run(
    project: Project, name: str, progress: Progress | None, stopped: Callable[[], bool]
) -> tuple[Receipt, str | None]:
    known = project.library.verifiers()
    verifier = known.get(name) or known.get(f"{name}.md")
    if verifier is None:
        raise ContractViolation("tool_errors.run_verifier.unknown_verifier", name=name, known=", ".join(known))
    if not verifier.command:
        raise ContractViolation("tool_errors.run_verifier.no_command", name=verifier.name)
    if not is_trusted(project.library, known):  # what was read is what runs: the file may change in between
        raise ContractViolation("tool_errors.run_verifier.untrusted_project")
    project.session.running.append(verifier.name)
    try:
        return project.runs.verify(project.session, verifier, progress, stopped)
    finally:
        project.session.running.remove(verifier.name)


PASSED_CHARS = 600
FAILED_CHARS = 4000
"""The end of the output is shown: of a run that passed enough to see its summary, of another where it failed."""


def _told(project: Project, receipt: Receipt, output: str | None) -> dict[str, Any]:
    """What the agent is shown of a run: the receipt, what it proves, the end of the output.

    All that a reader answered is in the receipt and the warnings.
    """
    contract, state = project.session.contract, project.session.require()
    standing, why = assess_receipt(receipt, state.tasks)
    passed = standing == "passed"
    data: dict[str, Any] = {"receipt": describe_receipt(receipt), "passed": passed}
    if why is not None:
        data["why"] = render_message(contract, why)
    if standing == "unproved":
        data["unproved"] = True
    if output is None:
        data["reused"] = True
    elif not receipt.is_reading or receipt.unanswered:
        data["output"] = last_lines(output, PASSED_CHARS if passed else FAILED_CHARS)
    return data
