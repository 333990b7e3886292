"""Implement `codeintel verify`: run verifiers as a session does, without a session or beside one.

What is verified is the working tree; the base is that of the session under way, or else the last commit. Nothing is
kept: a session counts only runs of its own server.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path

import typer

from codeintel_contract import visible
from codeintel_server.project.library import ProjectLibrary
from codeintel_server.project.roots import find_root
from codeintel_server.report.checks import check_of
from codeintel_server.report.model import Check
from codeintel_server.terminal import stop
from codeintel_server.verification.clean_runs import CleanRuns
from codeintel_server.verification.runner import last_lines
from codeintel_server.verification.trust import is_trusted
from codeintel_session import GitRepository, SessionState, SystemClock, Verifier, changes_of, newest_state, state_at

OUTPUT_CHARS = 4000
"""The end of the output of a run that did not pass."""


def verify_by_hand(folder: Path, name: str, as_json: bool) -> None:
    """Run verifiers and print what each proves; exit 1 if one does not pass or may not run, 2 if it is unknown."""
    root = find_root(folder)
    library = ProjectLibrary(root)
    git = GitRepository.look_for(root)
    state = _state(root, git)
    changed = [change.path for change in changes_of(git, state) if not change.preexisting]
    chosen = _chosen(library, name, changed)
    runs = CleanRuns(root, SystemClock(), lane="-hand")
    runs.open(git)
    checks = []
    for verifier in chosen:
        if not as_json:
            typer.echo(f"running  {visible(verifier.name)}: {visible(verifier.command)}")
        receipt, output = runs.verify_by_hand(state, verifier)
        check = check_of(receipt, state.tasks)
        checks.append(check if changed else replace(check, facts=()))  # without a change there is nothing to compare
        if not as_json:
            _show(checks[-1], output)
    if as_json:
        typer.echo(json.dumps([asdict(check) for check in checks], ensure_ascii=False))
    raise typer.Exit(0 if all(check.standing == "passed" for check in checks) else 1)


def _state(root: Path, git: GitRepository | None) -> SessionState:
    """Return the session under way, or one that begins at the last commit."""
    state = newest_state(root / ".code-intel" / "sessions")
    if state is not None and state.base_commit:
        return state
    return state_at(git.head_commit() if git is not None and git.has_commit() else "")


def _chosen(library: ProjectLibrary, name: str, changed: list[str]) -> list[Verifier]:
    known = library.verifiers()
    runnable = {key: one for key, one in known.items() if one.command and not one.is_reading}
    if name:
        chosen = [_named(known, name)]
    else:
        chosen = [one for one in runnable.values() if one.fits(changed)] or list(runnable.values())
    if not chosen:
        stop("verify", "no verifier in .code-intel/verifiers has a `command:`. Add one, then run `codeintel trust`.")
    if not is_trusted(library, known):
        stop("verify", "you have not trusted the commands as they are now. `codeintel trust` shows them and asks you.")
    return chosen


def _named(known: Mapping[str, Verifier], name: str) -> Verifier:
    found = known.get(name) or known.get(f"{name}.md")
    if found is None:
        raise typer.BadParameter(f"there is no verifier {name!r}; there are {', '.join(known)}", param_hint="VERIFIER")
    if not found.command:
        stop("verify", f"{found.name} has no `command:`; it tells an agent in words what to check.")
    return found


def _show(check: Check, output: str) -> None:
    if check.standing != "passed":
        typer.echo(visible(last_lines(output, OUTPUT_CHARS)))
    typer.echo(f"{check.standing:<8} {visible(check.verifier)}: {check.now}")
    if check.base:
        typer.echo(f"base     {check.base}")
    for text in (check.why, *check.facts, *check.warnings):
        if text:
            typer.echo(f"         {visible(text)}")
