"""The write policy: what a session may change, decided from plain data. Fails closed.

`check_write_target`, the client's hook and the comparison with the real diff all ask this one function. A file may be
written if it was explored. A new one also if its nearest existing folder holds an explored file or was listed by a
tool, and the plan names it, in a folder with any suffix, or `add_explored_files` added it. Paths are relative to the
project with `/`, and compared with their folders, never by their last part.

The hook pays for every import at every call of a client's tool: the standard library only, and little of it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

GATE_FILE = ".code-intel/sessions/gate.json"
"""Where the server says what may be written just now, for the hook, which must answer without the server."""
GATE_VERSION = 2
USER_FOLDER = ".code-intel"
"""Never writable by the agent: it holds the gate itself."""
CLIENT_FILES = (
    ".mcp.json",
    ".claude/settings*",
    ".claude/hooks",
    ".claude/skills/code",
    ".agents/skills/code",
    ".codex",
    ".cursor/mcp.json",
    ".cursor/hooks*",
    ".vscode/mcp.json",
    ".gemini/settings.json",
    ".gemini/commands",
    ".qwen/settings.json",
    ".github/mcp.json",
    ".github/hooks",
    ".github/copilot/settings*",
    ".github/extensions",
    ".augment/settings.json",
    ".amp/settings.json",
    ".opencode/plugin*",
    ".opencode/tool*",
    ".opencode/opencode.json*",
    "opencode.json*",
)
"""Never writable either, with all below them and the folders they are in: by these a client runs hooks and servers."""


class WritePolicy:
    """What a session may write just now.

    Args:
        phase: the current phase and sub-step, for people.
        is_open: whether tasks are being implemented, the only time at which files may be changed.
        explored: files that may be written.
        folders: folders that hold an explored file or were listed; "" is the root.
        planned: new files that `add_explored_files` added.
        plan: the texts of the plan, which may name new files.
    """

    __slots__ = ("explored", "folders", "is_open", "phase", "plan", "planned")

    def __init__(
        self,
        phase: str = "",
        is_open: bool = False,
        explored: Collection[str] = (),
        folders: Collection[str] = (),
        planned: Collection[str] = (),
        plan: Sequence[str] = (),
    ) -> None:
        self.phase = phase
        self.is_open = is_open
        self.explored = frozenset(explored)
        self.folders = frozenset(folders)
        self.planned = frozenset(planned)
        self.plan = tuple(plan)

    def refuse_write(self, path: str, is_new: bool, folder: str) -> str:
        """Return why a path of the project may not be written now, "" if it may.

        The reason is the last part of a key below `tool_errors.check_write_target`. `folder` is the nearest existing
        folder of a new file.
        """
        return self.refuse_change(path, is_new, folder) if self.is_open else "write_phase_blocked"

    def refuse_change(self, path: str, is_new: bool, folder: str) -> str:
        """Return why a path may not differ from the session's base, "" if it may; the phase does not matter."""
        if is_outside(path):
            return "outside_project"
        if is_protected(path):
            return "protected"
        if path in self.explored:
            return ""
        if not is_new:
            return "not_explored"
        if folder not in self.folders and "/" in path:  # whoever works here knows the root
            return "folder_not_explored"
        return "" if self.is_planned(path) else "not_planned"

    def is_planned(self, path: str) -> bool:
        """Say whether the plan names the whole path, or the agent added it while looking.

        In a folder, one with another suffix stands for it: plans write `cases/a.text, .html`.
        """
        if path in self.planned:
            return True
        if is_outside(path):
            return False
        import re

        stem, dot, _ = path.rpartition(".")
        named, ends = (stem, r"(?:\.\w+)+") if dot and "/" in stem and stem[-1] not in "/." else (path, "")
        whole = re.compile(rf"(?<![\w./-])(?:\./)?{re.escape(named)}{ends}(?![\w/-]|\.\w)")
        return any(named in text and whole.search(text) for text in self.plan)


class Gate:
    """The content of the gate file: the policy, whose it is, and the words to refuse a write with.

    Args:
        session_id: the session it speaks for.
        pid: the server that wrote it.
        policy: what may be written.
        messages: texts with `{placeholders}`, by their keys in the contract file.
    """

    __slots__ = ("messages", "pid", "policy", "session_id")

    def __init__(self, session_id: str, pid: int, policy: WritePolicy, messages: Mapping[str, str]) -> None:
        self.session_id = session_id
        self.pid = pid
        self.policy = policy
        self.messages = messages

    def dump(self) -> dict[str, Any]:
        """Return the document to write."""
        policy = self.policy
        return {
            "version": GATE_VERSION,
            "session_id": self.session_id,
            "pid": self.pid,
            "phase": policy.phase,
            "open": policy.is_open,
            "explored": sorted(policy.explored),
            "folders": sorted(policy.folders),
            "planned": sorted(policy.planned),
            "plan": list(policy.plan),
            "messages": dict(self.messages),
        }

    @classmethod
    def load(cls, document: Mapping[str, Any]) -> Gate:
        """Read a document.

        Raises ValueError: another version wrote it. A document of another shape raises what its use raises.
        """
        if document["version"] != GATE_VERSION:
            raise ValueError(f"version {document['version']}, expected {GATE_VERSION}")
        names = (map(str, document[field]) for field in ("explored", "folders", "planned", "plan"))
        policy = WritePolicy(str(document["phase"]), document["open"] is True, *map(tuple, names))
        messages = {str(key): str(text) for key, text in document["messages"].items()}
        return cls(str(document["session_id"]), int(document["pid"]), policy, messages)


def is_outside(path: str) -> bool:
    """Say whether a path leads out of the project: one that is a folder of its repository has neighbours."""
    return path.startswith("../")


def is_protected(path: str) -> bool:
    """Say whether only git, the server, the client or the user may touch a path."""
    parts = [part for part in path.lower().split("/") if part not in ("", ".")]
    if ".git" in parts or parts[:1] == [USER_FOLDER]:
        return True
    return any(_leads_to(parts, place.split("/")) for place in CLIENT_FILES)


def _leads_to(parts: Sequence[str], place: Sequence[str]) -> bool:
    """Say whether a path is a place, a folder that holds it, or a file below it."""
    return bool(parts) and all(
        part == known or (known[-1:] == "*" and part.startswith(known[:-1]))
        for part, known in zip(parts, place, strict=False)
    )


def folder_of(path: str) -> str:
    """Return the folder of a path; "" is the root."""
    return path.rpartition("/")[0]
