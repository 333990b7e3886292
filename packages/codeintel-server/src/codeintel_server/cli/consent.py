"""Implement the commands by which a person speaks, trust and decide. Both need a terminal; no option answers them.

An agent that runs a command gets no terminal from its client; that a session's agent makes itself one is left to the
guard, which keeps these commands from it.
"""

import os
import sys
from pathlib import Path

import typer

from codeintel_contract import load_contract, visible
from codeintel_server.project.library import ProjectLibrary
from codeintel_server.project.roots import find_root
from codeintel_server.terminal import stop
from codeintel_server.verification.trust import commands_of, digest_of, is_trusted, last_trusted, state_folder, trust
from codeintel_session import GitFault, Seal, answer_to, keep_answer, newest_state, open_questions, render_message

AGENT_VARIABLES = ("CLAUDECODE", "CODEX_SANDBOX", "CURSOR_AGENT", "GEMINI_CLI", "QWEN_CODE", "OPENCODE", "COPILOT_CLI")
"""What clients set in the environment of the commands that their agents run."""

TRUSTED = "Trusted. Run `codeintel trust` again after any change of these verifiers or of the contract."


def can_answer() -> bool:
    """Return True if a person at a terminal can answer."""
    return sys.stdin.isatty() and sys.stdout.isatty() and not any(map(os.environ.get, AGENT_VARIABLES))


def trust_project(folder: Path) -> bool:
    """Show the commands of the project's verifiers and what changed, and record the user's agreement.

    Return False if they refused, or if nobody can be asked.
    """
    library = ProjectLibrary(find_root(folder))
    if not commands_of(library) and not library.ignores_contract():
        typer.echo("No verifier of this project has a command and its contract is the packaged one: nothing to trust.")
        return True
    for line in what_to_trust(library):
        typer.echo(line)
    if is_trusted(library):
        typer.echo("Trusted already: nothing has changed since.")
        return True
    if not can_answer():
        typer.echo("codeintel trust: it asks you, so it needs a terminal of yours. Nothing was changed.", err=True)
        return False
    contract = ", and follow the project's own contract," if library.ignores_contract() else ""
    if not typer.confirm(f"May the server run these commands{contract} in this project?"):
        typer.echo("Not trusted. Run `codeintel trust` to be asked again.")
        return False
    trust(library)
    typer.echo(TRUSTED)
    return True


def what_to_trust(library: ProjectLibrary) -> list[str]:
    """Return the commands line by line, each with the one that was trusted before if it differs, and the digests."""
    last, now = last_trusted(library.root), commands_of(library)
    lines = []
    for name in sorted({*now, *(last.commands if last else ())}):
        new, old = now.get(name, ""), last.commands.get(name, "") if last else ""
        if last is None or new == old:
            lines.append(f"{visible(name)}: {visible(new)}")
            continue
        lines.append(f"{visible(name)} changed")
        lines.append(f"  trusted before: {visible(old) or 'no command'}")
        lines.append(f"  now:            {visible(new) or 'no command'}")
    if library.ignores_contract():
        lines.append(f"phase_contract.yml: the project's own words for {', '.join(own_parts(library))}")
    digest = digest_of(library)
    if last is not None and last.digest != digest:
        lines.append(f"digest  {last.digest[:12]} before, {digest[:12]} now")
        if now == last.commands:
            lines.append("The commands are the same; a verifier's text or report, or the contract, has changed.")
    return lines


def own_parts(library: ProjectLibrary) -> list[str]:
    """List the phases and messages of a contract that differ from the packaged one."""
    own, packaged = load_contract(library.home / "phase_contract.yml", library.root), load_contract(None)
    phases = [key.value for key, entry in own.phases.items() if entry != packaged.phases[key]]
    return [*phases, *(visible(key) for key, said in own.messages.items() if said != packaged.messages.get(key))]


def trust_at_setup(folder: Path, yes: bool) -> None:
    """Agree to the detected test command while a project is set up.

    `yes` agrees for a project that nobody has trusted and in which no session is open: a command that changed later is
    never agreed to without a person.
    """
    root = find_root(folder)
    if can_answer() and not yes:
        trust_project(folder)
        return
    is_first = last_trusted(root) is None and newest_state(root / ".code-intel" / "sessions") is None
    library = ProjectLibrary(root)
    if is_trusted(library):
        return
    if not (yes and is_first):
        typer.echo("next     codeintel trust, in a terminal, lets the server run these commands itself")
        return
    for line in what_to_trust(library):
        typer.echo(f"trusted  {line}")
    trust(library)
    typer.echo(TRUSTED)


def decide_in(folder: Path) -> None:
    """Show each open question with what is at stake, and keep what the user types. Exit 1 if nobody can answer."""
    root, seal = find_root(folder), Seal(state_folder())
    try:
        questions = open_questions(root)
    except GitFault as fault:
        stop("decide", fault)
    if not questions:
        typer.echo("Nothing in this project waits for your decision.")
        return
    for question in questions:
        if question.stake:
            typer.echo(visible(question.stake))
        typer.echo(visible(render_message(load_contract(None), question.say)))
        if typed := answer_to(root, seal, question):
            typer.echo(f"You decided: {visible(typed)}")
    if not can_answer():
        stop("decide", "it asks you, so it needs a terminal of yours. Nothing was changed.")
    for question in questions:
        typed = _ask(question.options)
        keep_answer(root, seal, question, typed)
        typer.echo("Kept. The agent's next submission follows it.")


def _ask(options: tuple[str, ...]) -> str:
    while True:
        typed = str(typer.prompt(" / ".join(options) or "Your decision")).strip()
        if typed and (not options or typed in options):
            return typed
        typer.echo(f"One of: {', '.join(options)}" if options else "Type what should happen.")
