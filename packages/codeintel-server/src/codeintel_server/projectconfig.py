"""The server's own part of a project's configuration: config.json beside the index's keys, and context.yml.

Whatever cannot be used is refused with the file, the line and the key before anything is done; a key that nobody
knows is told with the nearest one that somebody does.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from codeintel_contract.positions import Document, UnreadableYaml, read, read_text
from codeintel_contract.suggest import did_you_mean
from codeintel_contract.violations import ContractViolation
from codeintel_index.errors import BadConfig
from codeintel_index.settings import Settings
from codeintel_session.machine.limits import Limits

MERGE_MODES = ("no-ff", "squash", "ff")
RULE_SOURCES = ("CLAUDE.md", ".claude/CLAUDE.md", "AGENTS.md")
DOC_PATTERNS = ("**/*.md",)
CONTEXT = ".code-intel/context.yml"
CONTEXT_KEYS: dict[str, tuple[str, ...]] = {
    "project_rules": ("source", "summary", "content_hash"),
    "doc_research": ("enabled", "docs_path", "default_prompts"),
    "document_search": ("include_patterns", "exclude_patterns"),
}
_SWITCHES = {"true": True, "false": False, "1": True, "0": False}


def invalid(place: str, problem: str) -> ContractViolation:
    """The refusal of a file of the project's: which, where, and what is wrong."""
    return ContractViolation(
        "tool_errors.start_session.config_invalid", problems=(f"{place}: {problem}",), path=place, problem=problem
    )


def unusable(fault: BadConfig) -> ContractViolation:
    """The refusal of a key of config.json, whoever found it."""
    return invalid(fault.place or ".code-intel/config.json", fault.problem)


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """Keys of config.json that are the server's. `warnings` name keys that nobody knows."""

    sync_on_start: bool = True
    merge_mode: str = "no-ff"
    limits: Limits = field(default_factory=Limits)
    warnings: tuple[str, ...] = ()

    @classmethod
    def read(cls, root: Path) -> "ServerConfig":
        """Read `.code-intel/config.json`, and what the environment says; a missing file gives the defaults.

        Raises:
            ContractViolation: `config_invalid`, naming the line and the key, or the variable.
        """
        try:
            return cls._from(Settings.read(root / ".code-intel" / "config.json"))
        except BadConfig as fault:
            raise unusable(fault) from fault

    @classmethod
    def _from(cls, settings: Settings) -> "ServerConfig":
        sync: object = settings.data.get("sync_on_start", True)
        if (text := settings.override("sync_on_start")) is not None:
            sync = _SWITCHES.get(text.strip().lower(), text)
        if not isinstance(sync, bool):
            raise settings.wrong("sync_on_start", "must be true or false")
        mode = settings.override("git.merge") or settings.section("git").get("merge", "no-ff")
        if mode not in MERGE_MODES:
            raise settings.wrong("git.merge", f"must be one of {', '.join(MERGE_MODES)}")
        known = (("git", ("merge",)), ("limits", tuple(Limits.model_fields)))
        warnings = tuple(line for section, keys in known for line in settings.unknown(section, keys))
        return cls(sync, str(mode), _limits(settings), warnings)


def _limits(settings: Settings) -> Limits:
    given: dict[str, object] = {}
    section = settings.section("limits")
    for name in Limits.model_fields:
        if name in section:
            given[name] = section[name]
        if (text := settings.override(f"limits.{name}")) is not None:
            given[name] = int(text) if text.strip().isdecimal() else text
    try:
        return Limits.model_validate(given, strict=True)
    except ValidationError as error:
        name = str(error.errors(include_url=False)[0]["loc"][0])
        low, high = bounds(name)
        raise settings.wrong(f"limits.{name}", f"must be a whole number from {low} to {high}") from error


def bounds(name: str) -> tuple[int, int]:
    """The least and the most that a limit may be set to."""
    rules = Limits.model_fields[name].metadata
    least = next(int(rule.ge) for rule in rules if hasattr(rule, "ge"))
    return least, next(int(rule.le) for rule in rules if hasattr(rule, "le"))


@dataclass(frozen=True, slots=True)
class Context:
    """context.yml, read once a session. `source` is the rules file that exists, "" if none does.

    `prompts` are those of doc_research/ that the file names, none if it leaves that to the contract.
    """

    source: str = ""
    summary: str = ""
    content_hash: str = ""
    research_enabled: bool = True
    docs_path: tuple[str, ...] = ("docs/",)
    prompts: tuple[str, ...] = ()
    include: tuple[str, ...] = DOC_PATTERNS
    exclude: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @classmethod
    def read(cls, root: Path) -> "Context":
        """Read `.code-intel/context.yml`; a missing file gives the defaults.

        Raises:
            ContractViolation: `config_invalid`, naming the line and the key.
        """
        file = _ContextFile(_document(root / ".code-intel" / "context.yml"))
        wanted = file.text("project_rules", "source")
        return cls(
            source=next((name for name in (wanted, *RULE_SOURCES) if name and is_inside(root, name)), ""),
            summary=file.text("project_rules", "summary").strip(),
            content_hash=file.text("project_rules", "content_hash"),
            research_enabled=file.switch("doc_research", "enabled", default=True),
            docs_path=file.texts("doc_research", "docs_path", ("docs/",)),
            prompts=file.texts("doc_research", "default_prompts", ()),
            include=file.texts("document_search", "include_patterns", DOC_PATTERNS),
            exclude=file.texts("document_search", "exclude_patterns", ()),
            warnings=(*file.unknown(), *_missing_source(root, wanted)),
        )


def is_inside(root: Path, name: str) -> bool:
    """Whether a file of the project stands there once links are followed."""
    place = (root / name).resolve()
    return place.is_file() and place.is_relative_to(root.resolve())


def _missing_source(root: Path, name: str) -> Iterator[str]:
    """A name that `init` writes stands for whichever usual file there is; of any other its absence is a slip."""
    if name and name not in RULE_SOURCES and not is_inside(root, name):
        yield f"{CONTEXT}: project_rules.source: there is no file {name[:80]!r} in the project"


def _document(path: Path) -> Document:
    if not path.exists():
        return Document()
    try:
        document = read(read_text(path))
    except UnreadableYaml as error:
        raise invalid(f"{CONTEXT}, line {error.line}" if error.line else CONTEXT, error.problem) from error
    for place in document.duplicates:
        raise invalid(f"{CONTEXT}, line {document.line(place)}", f"{'.'.join(map(str, place))}: stands twice")
    return document


@dataclass(frozen=True, slots=True)
class _ContextFile:
    """The values of context.yml, each checked when it is asked for."""

    document: Document

    def _value(self, section: str, key: str) -> Any:
        found = self.document.data.get(section)
        if found is None:
            return None
        if not isinstance(found, dict):
            raise self._wrong(f"{section}: must be a mapping", section)
        return found.get(key)

    def _wrong(self, problem: str, *place: str) -> ContractViolation:
        return invalid(f"{CONTEXT}, line {self.document.line(place)}", problem)

    def text(self, section: str, key: str) -> str:
        """A text, "" if it is left out."""
        value = self._value(section, key)
        if value is not None and not isinstance(value, str):
            raise self._wrong(f"{section}.{key}: must be a text; put it in quotes", section, key)
        return value or ""

    def switch(self, section: str, key: str, *, default: bool) -> bool:
        """True or false."""
        value = self._value(section, key)
        if value is not None and not isinstance(value, bool):
            raise self._wrong(f"{section}.{key}: must be true or false", section, key)
        return default if value is None else value

    def texts(self, section: str, key: str, default: tuple[str, ...]) -> tuple[str, ...]:
        """A list of texts; one text is a list of one."""
        value = self._value(section, key)
        if value is None:
            return default
        found = [value] if isinstance(value, str) else value
        if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
            raise self._wrong(f"{section}.{key}: must be a list of texts", section, key)
        return tuple(found)

    def unknown(self) -> Iterator[str]:
        """A warning for each key that is not known, with the nearest that is."""
        sections = (*CONTEXT_KEYS, "last_synced")
        for section, value in self.document.data.items():
            if section not in sections:
                yield self._unknown(sections, section)
            for key in value if isinstance(value, dict) and section in CONTEXT_KEYS else ():
                if key not in CONTEXT_KEYS[section]:
                    yield self._unknown(CONTEXT_KEYS[section], section, key)

    def _unknown(self, known: tuple[str, ...], *place: str) -> str:
        near = did_you_mean(place[-1], known).replace(", did", "; did")
        return f"{CONTEXT}, line {self.document.line(place)}: unknown key {'.'.join(place)[:80]!r}{near}"


def content_hash(text: str) -> str:
    """16 hex digits of the SHA-256 of a rules file."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
