"""The server's own part of a project's configuration: config.json beside the index's keys, and context.yml."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from codeintel_contract.violations import ContractViolation

MERGE_MODES = ("no-ff", "squash", "ff")
RULE_SOURCES = ("CLAUDE.md", ".claude/CLAUDE.md", "AGENTS.md")
DOC_PATTERNS = ("**/*.md",)


def _invalid(path: str, problem: str) -> ContractViolation:
    return ContractViolation(
        "tool_errors.start_session.config_invalid", problems=(f"{path}: {problem}",), path=path, problem=problem
    )


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """Keys of config.json that are the server's."""

    sync_on_start: bool = True
    merge_mode: str = "no-ff"

    @classmethod
    def read(cls, root: Path) -> "ServerConfig":
        """Read `.code-intel/config.json`; a missing file gives the defaults.

        Raises:
            ContractViolation: `config_invalid`, naming the key.
        """
        path = root / ".code-intel" / "config.json"
        if not path.is_file():
            return cls()
        name = ".code-intel/config.json"
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise _invalid(name, str(error)) from error
        if not isinstance(document, dict) or not isinstance(document.get("git", {}), dict):
            raise _invalid(name, "the file and its key git must be objects")
        sync, mode = document.get("sync_on_start", True), document.get("git", {}).get("merge", "no-ff")
        if not isinstance(sync, bool):
            raise _invalid(name, "sync_on_start must be true or false")
        if mode not in MERGE_MODES:
            raise _invalid(name, f"git.merge must be one of {', '.join(MERGE_MODES)}")
        return cls(sync, mode)


@dataclass(frozen=True, slots=True)
class Context:
    """context.yml, read once a session. `source` is the rules file that exists, "" if none does."""

    source: str = ""
    summary: str = ""
    content_hash: str = ""
    research_enabled: bool = True
    docs_path: tuple[str, ...] = ("docs/",)
    include: tuple[str, ...] = DOC_PATTERNS
    exclude: tuple[str, ...] = ()

    @classmethod
    def read(cls, root: Path) -> "Context":
        """Read `.code-intel/context.yml`; a missing file gives the defaults.

        Raises:
            ContractViolation: `config_invalid` if it is not a YAML mapping of the right shapes.
        """
        path = root / ".code-intel" / "context.yml"
        document = _mapping(yaml_text(path), "the file") if path.is_file() else {}
        rules = _mapping(document.get("project_rules"), "project_rules")
        research = _mapping(document.get("doc_research"), "doc_research")
        search = _mapping(document.get("document_search"), "document_search")
        wanted = filter(None, [_text(rules, "source")])
        return cls(
            source=next((name for name in (*wanted, *RULE_SOURCES) if _is_inside(root, name)), ""),
            summary=_text(rules, "summary").strip(),
            content_hash=_text(rules, "content_hash"),
            research_enabled=bool(research.get("enabled", True)),
            docs_path=_texts(research.get("docs_path", ["docs/"]), "doc_research.docs_path"),
            include=_texts(search.get("include_patterns", list(DOC_PATTERNS)), "document_search.include_patterns"),
            exclude=_texts(search.get("exclude_patterns", []), "document_search.exclude_patterns"),
        )


def yaml_text(path: Path) -> Any:
    """The YAML in a file of `.code-intel`."""
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise _invalid(".code-intel/context.yml", " ".join(str(error).split())) from error


def _is_inside(root: Path, name: str) -> bool:
    """Whether a file of the project stands there, links followed."""
    place = (root / name).resolve()
    return place.is_relative_to(root.resolve()) and place.is_file()


def _text(mapping: dict[str, Any], key: str) -> str:
    value = mapping.get(key) or ""
    if not isinstance(value, str):
        raise _invalid(".code-intel/context.yml", f"project_rules.{key} must be a string")
    return value


def _mapping(value: object, name: str) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _invalid(".code-intel/context.yml", f"{name} must be a mapping")
    return value


def _texts(value: object, name: str) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise _invalid(".code-intel/context.yml", f"{name} must be a list of strings")
    return tuple(value)


def content_hash(text: str) -> str:
    """16 hex digits of the SHA-256 of a rules file."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]
