"""Provide layer 1 of the context: the rules of the project, from its own file, short enough for every session.

A summary that the user wrote into context.yml wins. Otherwise a short file is given whole, and a long one as the
agent's summary while the file is unchanged since; until there is one, an extract of headings and list items replaces
it. The agent's summary is cached in a file that git ignores, and sealed: every later session reads it, and the server
never writes context.yml.
"""

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path

from codeintel_contract import ContractViolation, read_file
from codeintel_server.project.configuration import Context
from codeintel_server.verification.trust import state_folder
from codeintel_session import Seal, ensure_home, write_atomically

EXTRACT_BYTES = 2048
"""Up to this size a rules file is given whole, and an extract is no longer."""
SUMMARY_CHARS = 2048
"""Of a summary this much is kept: it is read at the start of every session."""
SOURCE_BYTES = 1_000_000
"""Maximum bytes read of a rules file; nobody keeps rules beyond that."""
CACHE = "cache/rules.json"
CACHE_BYTES = 64 * 1024
_TELLING = re.compile(r"^\s*(#{1,6}\s|[-*+]\s|\d+[.)]\s)")


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules' text, and the file that needs a summary ("" if none does)."""

    text: str
    outdated_source: str = ""


def project_rules(root: Path, context: Context) -> Rules:
    """Return the rules to send with a session's first reply."""
    if written := context.file.project_rules.summary.strip():
        return Rules(written)
    text = _source(root, context)
    if text.strip() and len(text.encode()) <= EXTRACT_BYTES:
        return Rules(text.strip())
    cached = _cached_summary(root, _digest(text))
    if cached or not context.source:
        return Rules(cached)
    return Rules(extract(text), context.source)


def extract(text: str) -> str:
    """Headings and list items, up to 2 KB."""
    kept: list[str] = []
    size = 0
    for line in text.splitlines():
        if not _TELLING.match(line):
            continue
        size += len(line.encode()) + 1
        if size > EXTRACT_BYTES:
            break
        kept.append(line.rstrip())
    return "\n".join(kept)


def store_summary(root: Path, summary: str) -> str:
    """Cache the agent's summary of the rules file; return the file's digest, for which the summary holds.

    Raises ContractViolation: `summary_required`.
    """
    if not summary.strip():
        raise ContractViolation("tool_errors.update_context.summary_required", problems=("summary: is empty",))
    context = Context.read(root)
    digest = _digest(_source(root, context))
    entry = {"source": context.source, "content_hash": digest, "summary": shortened(summary.strip())}
    data = json.dumps(entry, ensure_ascii=False)
    sealed = {"data": data, "seal": Seal(state_folder()).stamp(_name(root), data.encode("utf-8", "replace"))}
    path = ensure_home(root) / CACHE
    # An older `init` did not list this folder in its .gitignore, and `git status` must stay as it is.
    (path.parent / ".gitignore").write_text("*\n", encoding="utf-8")
    write_atomically(path, json.dumps(sealed, ensure_ascii=False).encode("utf-8", "replace"))
    return digest


def _cached_summary(root: Path, digest: str) -> str:
    """Return the agent's summary if the server stored it, of the rules file as it is now, else ""."""
    try:
        sealed = json.loads(read_file(root, root / ".code-intel" / CACHE, CACHE_BYTES))
        data = str(sealed["data"])
        origin = Seal(state_folder()).origin(_name(root), sealed["seal"], data.encode("utf-8", "replace"))
        entry = json.loads(data)
        is_ours = origin.name == "OURS" and entry["content_hash"] == digest
        return shortened(str(entry["summary"]).strip()) if is_ours else ""
    except (OSError, ValueError, KeyError, TypeError, RecursionError):  # none, or not ours: the agent is asked again
        return ""


def _name(root: Path) -> str:
    return f"rules of {root.resolve()}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def shortened(summary: str) -> str:
    """Limit a summary to its maximum length and mark one that was shortened."""
    return summary if len(summary) <= SUMMARY_CHARS else f"{summary[: SUMMARY_CHARS - 1]}…"


def _source(root: Path, context: Context) -> str:
    if not context.source:
        return ""
    try:
        return read_file(root, context.source, SOURCE_BYTES, whole=False).decode("utf-8", "replace")
    except OSError:  # not to be read, or gone since the session began: as if there were none
        return ""
