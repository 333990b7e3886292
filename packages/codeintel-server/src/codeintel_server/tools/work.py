"""Tools of the implementation: the write rule, adding what was looked at, the review, the verifier's run."""

from collections.abc import Callable

from codeintel_contract.violations import ContractViolation
from codeintel_server.answers import Answer, page
from codeintel_server.hiding import hidden_diff
from codeintel_server.project import Project
from codeintel_server.tools.look import outline_of
from codeintel_server.tools.types import Progress, Texts
from codeintel_server.trust import is_trusted
from codeintel_server.verify import run_command
from codeintel_session import access, receipts
from codeintel_session.machine.promises import losses
from codeintel_session.reply import text_of


def check_write_target(project: Project, file_path: str) -> Answer:
    """May this file be written now? If not, the answer says what to do."""
    return Answer(access.check_write_target(project.session, file_path), subject=file_path, count=1)


def add_explored_files(project: Project, files: Texts) -> Answer:
    """Look at further files during READY, so that they may be changed; returns their outlines. New files too."""
    paths = access.add_explored_files(project.session, files)
    outlines = [
        outline_of(project, path) if (project.root / path).is_file() else {"path": path, "new": True} for path in paths
    ]
    rows = page(outlines, len(outlines))
    return Answer({"added": paths, "outlines": rows.pop("items"), **rows}, shown=tuple(paths), count=len(paths))


def review_changes(project: Project) -> Answer:
    """All changes of the session with their diffs, for PRE_COMMIT."""
    found = access.review_changes(project.session)
    found = [row | {"diff": hidden_diff(row["path"], row["diff"])} if "diff" in row else row for row in found]
    rows = page(found, len(found), budget=60_000)
    return Answer({"changes": rows.pop("items"), **rows}, count=len(found))


def run_verifier(
    project: Project,
    name: str,
    *,
    progress: Progress | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> Answer:
    """Run a verifier's command and keep the receipt that passed: true needs."""
    known = project.library.verifiers()
    verifier = known.get(name) or known.get(f"{name}.md")
    if verifier is None:
        raise ContractViolation("tool_errors.run_verifier.unknown_verifier", name=name, known=", ".join(known))
    if not verifier.command:
        raise ContractViolation("tool_errors.run_verifier.no_command", name=verifier.name)
    if not is_trusted(project.library, known):  # what was read is what runs: the file may change in between
        raise ContractViolation("tool_errors.run_verifier.untrusted_project")
    ran = run_command(project.root, verifier, progress, stopped)
    receipt = receipts.keep(project.session, verifier.name, verifier.command, ran.exit, ran.counts)
    data = {"receipt": receipt.model_dump(exclude_defaults=True), "passed": ran.exit == 0, "output": ran.output}
    if lost := [text_of(project.session.contract, say) for say in losses(receipt)]:
        data["warning"] = " ".join(lost)
    return Answer(data, subject=verifier.name, count=1)
