"""A brief for an agent that has lost its context: where the session stands, from the checkpoint alone.

Run by a client's hook in a process of its own, so it reads and never writes the session; the mark it
leaves makes the server send the summaries with its next reply.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from codeintel_contract.loader import Contract
from codeintel_session.adapters.checkpoints import Unreadable, decode
from codeintel_session.machine.state import SessionState
from codeintel_session.reply import Reply, position

MAX_CHARS = 4000
"""About a thousand tokens."""
MARK = "brief.mark"
SHOWN_SUMMARIES = 6


def newest_state(folder: Path) -> SessionState | None:
    """The newest session that can be resumed, None if there is none. Nothing is set aside or repaired."""
    for path in sorted(folder.glob("[0-9]*.json"), reverse=True):
        try:
            return decode(path.read_bytes())
        except (Unreadable, OSError):
            continue
    return None


@dataclass(frozen=True, slots=True)
class Damaged:
    """A checkpoint that cannot be read, and why."""

    name: str
    why: str


def damaged(folder: Path) -> Iterator[Damaged]:
    """Checkpoints that `newest_state` passes over. The server, once asked to resume them, takes the copy before."""
    for path in sorted(folder.glob("[0-9]*.json"), reverse=True):
        try:
            decode(path.read_bytes())
        except (Unreadable, OSError) as error:
            yield Damaged(path.name, str(error))


def write_brief(contract: Contract, state: SessionState, rules: str = "") -> str:
    """The brief, at most 4,000 characters."""
    here = position(contract, state)
    values: dict[str, object] = {
        "session_id": state.session_id,
        "intent": state.intent.value,
        "query": state.query[:300],
        "step": here["step"],
        "phase": " ".join((here["phase"], here.get("substep", ""))).strip(),
        "instruction": here["instruction"],
        "fields": ", ".join(f"{name}: {kind}" for name, kind in here["expected_payload"].items()),
        "count": state.compaction_count,
        "work": _work(here),
        "done": _done(state),
        "rules": " ".join(rules.split())[:400] or "-",
    }
    return contract.message("session_messages.brief", values).message[:MAX_CHARS]


def _work(here: Reply) -> str:
    if "progress" not in here:
        return "-"
    progress, task = here["progress"], here.get("next_task")
    counted = f"{progress['done']}/{progress['total']}"
    return f"{counted}, {task['id']}: {task['description'][:200]}" if task else counted


def _done(state: SessionState) -> str:
    recent = list(state.summaries.items())[-SHOWN_SUMMARIES:]
    return "".join(f"\n- {key}: {text[:200]}" for key, text in recent) or "-"


def leave_mark(folder: Path) -> None:
    """Have the server send the summaries with its next reply."""
    (folder / MARK).touch()


def take_mark(folder: Path) -> bool:
    """True once after a mark was left."""
    try:
        (folder / MARK).unlink()
    except FileNotFoundError:
        return False
    return True
