"""The gate file: what may be written just now, for the hook of a client, which must answer without this package.

It follows every checkpoint and is a copy: nothing reads it back, so that an agent that edits it gains a hook that says
yes and a reconciliation that says no. An edit is noticed, because the server knows what it wrote.
"""

import json
import os
import re
from pathlib import Path

from codeintel_contract.names import Phase
from codeintel_session.machine.gate import open_folders
from codeintel_session.machine.state import SessionState

NAME = "gate.json"
_PATH = re.compile(r"(?<![\w./-])(?:\./)?(?P<path>[\w./-]*\w)(?![\w/-])")


class GateFile:
    """The gate file of one project."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        self._written = ""

    def write(self, state: SessionState) -> None:
        """Say what the session may write, if that differs from what was said last."""
        text = _text(state)
        if text == self._written and not self.was_changed():
            return
        new = self._path.with_suffix(".tmp")
        new.write_text(text, encoding="utf-8", errors="surrogatepass")
        new.chmod(0o600)
        os.replace(new, self._path)
        self._written = text

    def was_changed(self) -> bool:
        """Whether the file is not as this process wrote it last."""
        if not self._written:
            return False
        try:
            return self._path.read_text(encoding="utf-8", errors="surrogatepass") != self._written
        except OSError:
            return True

    def remove(self) -> None:
        """Take it away: no session is running here any more."""
        if self._written:
            self._path.unlink(missing_ok=True)
        self._written = ""


def _text(state: SessionState) -> str:
    where = state.phase_state
    return json.dumps(
        {
            "version": 1,
            "session_id": state.session_id,
            "pid": os.getpid(),
            "phase": " ".join(part for part in (where.current_phase, where.ready_substep) if part),
            "open": where.current_phase == Phase.READY and where.ready_substep == "implement",
            "explored": sorted(state.explored),
            "folders": sorted(open_folders(state)),
            "names": sorted(_names(state)),
        },
        ensure_ascii=False,
    )


def _names(state: SessionState) -> set[str]:
    """New files that the plan names, and those added while looking: `machine.gate.named`, listed beforehand."""
    texts = [task.description for task in state.tasks] + [item.item for task in state.tasks for item in task.checklist]
    return {match["path"] for text in texts for match in _PATH.finditer(text)} | set(state.planned_files)
