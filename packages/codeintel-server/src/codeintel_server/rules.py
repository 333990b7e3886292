"""Layer 1 of the context: the rules of the project, from its own file, short enough for every session.

The agent's summary is used while the file is the one it was made from; until then a deterministic
extract of headings and list items stands in.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ruamel.yaml import YAML

from codeintel_contract.violations import ContractViolation
from codeintel_server.projectconfig import Context, content_hash
from codeintel_session.adapters.atomic import write_atomically
from codeintel_session.adapters.home import ensure_home

EXTRACT_BYTES = 2048
SUMMARY_CHARS = 2048
"""Of a summary this much is kept: it is read at the start of every session."""
SOURCE_BYTES = 1_000_000
"""Of a rules file this much is read; what stands behind it is no rule that anybody keeps."""
_TELLING = re.compile(r"^\s*(#{1,6}\s|[-*+]\s|\d+[.)]\s)")


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules' text, and the file whose summary is out of date ("" if it is not)."""

    text: str
    outdated_source: str = ""


def project_rules(root: Path, context: Context) -> Rules:
    """The rules to send with a session's first reply."""
    if not context.source:
        return Rules(context.summary)
    text = _source(root, context)
    if context.summary and context.content_hash == content_hash(text):
        return Rules(context.summary)
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
    """Keep the agent's summary in context.yml, comments and order untouched; returns the source's digest.

    Raises:
        ContractViolation: `summary_required`.
    """
    if not summary.strip():
        raise ContractViolation("tool_errors.update_context.summary_required", problems=("summary: is empty",))
    context = Context.read(root)
    text = _source(root, context)
    digest = content_hash(text)
    path = ensure_home(root) / "context.yml"
    yaml = YAML()
    document = yaml.load(path.read_text(encoding="utf-8")) if path.is_file() else {}
    document = document if document is not None else {}
    rules = document.setdefault("project_rules", {})
    rules.update({"source": context.source, "summary": shortened(summary.strip()), "content_hash": digest})
    document["last_synced"] = datetime.now(UTC).isoformat(timespec="seconds")
    write_atomically(path, _dump(yaml, document))
    return digest


def shortened(summary: str) -> str:
    """A summary within its limit; one that was cut shows it."""
    return summary if len(summary) <= SUMMARY_CHARS else f"{summary[: SUMMARY_CHARS - 1]}…"


def _source(root: Path, context: Context) -> str:
    if not context.source:
        return ""
    try:
        with (root / context.source).open("rb") as file:
            return file.read(SOURCE_BYTES).decode("utf-8", "replace")
    except OSError:  # not to be read, or gone since the session began: as if there were none
        return ""


def _dump(yaml: YAML, document: object) -> bytes:
    from io import BytesIO

    buffer = BytesIO()
    yaml.dump(document, buffer)
    return buffer.getvalue()
