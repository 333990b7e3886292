"""The brief for an agent that has lost its context: the position of the session, from the checkpoint alone.

A client's hook writes it in a process of its own, so this module reads the session and never writes it; the mark it
leaves makes the server send the summaries with its next reply.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from codeintel_contract import Contract
from codeintel_session.git import GitFault, GitRepository
from codeintel_session.machine.state import SessionState
from codeintel_session.replies.reply import Reply, position, render_message
from codeintel_session.replies.status import changed_files, rule_line, unreported
from codeintel_session.storage.checkpoints import UnreadableCheckpoint, read_checkpoint, readable

MAX_CHARS = 4000
"""About a thousand tokens."""
MARK = "brief.mark"
SHOWN_SUMMARIES = 5
SHOWN_CHANGES = 10
RULES_CHARS = 400


def newest_state(folder: Path) -> SessionState | None:
    """Return the newest session that can be resumed, None if there is none. Changes no file."""
    return next(readable(sorted(folder.glob("[0-9]*.json"), reverse=True)), None)


@dataclass(frozen=True, slots=True)
class DamagedCheckpoint:
    """A checkpoint that cannot be read, and the reason."""

    name: str
    why: str


def damaged_checkpoints(folder: Path) -> Iterator[DamagedCheckpoint]:
    """Yield the checkpoints that `newest_state` skips. To resume them, the server uses their backups."""
    for path in sorted(folder.glob("[0-9]*.json"), reverse=True):
        try:
            read_checkpoint(path)
        except (UnreadableCheckpoint, OSError) as error:
            yield DamagedCheckpoint(path.name, str(error))


def write_brief(contract: Contract, state: SessionState, rules: str = "", git: GitRepository | None = None) -> str:
    """Return the brief, in at most `MAX_CHARS` characters; `git` tells what was changed."""
    here = position(contract, state)
    values: dict[str, object] = {
        "session_id": state.session_id,
        "intent": state.intent.value,
        "query": state.query[:300],
        "step": here["step"],
        "phase": state.phase_state.name,
        "instruction": here["instruction"],
        "fields": ", ".join(f"{name}: {kind}" for name, kind in here["expected_payload"].items()),
        "count": state.compaction_count,
        "branch": state.branch or "-",
        "base": state.base or "-",
        "changed": _changed(contract, state, git),
        "task_rules": "; ".join(map(rule_line, state.mandatory_rules))[:RULES_CHARS] or "-",
        "work": _work(here),
        "done": _done(state),
        "rules": " ".join(rules.split())[:300] or "-",
    }
    return contract.message("session_messages.brief", values).message[:MAX_CHARS]


def _changed(contract: Contract, state: SessionState, git: GitRepository | None) -> str:
    try:
        rows = changed_files(git, state)
    except GitFault as fault:  # a brief without the changes is better than none, and it says why
        return str(fault)
    shown = ", ".join(f"{row['path']} +{row['added']}/-{row['removed']}" for row in rows[:SHOWN_CHANGES])
    texts = [render_message(contract, say) for say in unreported(state, rows)]
    return " ".join((shown or "-", *texts))


def _work(here: Reply) -> str:
    if "progress" not in here:
        return "-"
    progress, task = here["progress"], here.get("next_task")
    counted = f"{progress['done']}/{progress['total']}"
    return f"{counted}, {task['id']}: {task['description'][:200]}" if task else counted


def _done(state: SessionState) -> str:
    recent = list(state.summaries.items())[-SHOWN_SUMMARIES:]
    return "".join(f"\n- {key}: {text[:160]}" for key, text in recent) or "-"


def leave_mark(folder: Path) -> None:
    """Make the server send the summaries with its next reply."""
    (folder / MARK).touch()


def take_mark(folder: Path) -> bool:
    """Return True, once, if a mark was left."""
    try:
        (folder / MARK).unlink()
    except FileNotFoundError:
        return False
    return True
