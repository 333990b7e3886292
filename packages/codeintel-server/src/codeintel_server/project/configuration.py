"""The server's own part of a project's configuration: config.json beside the index's keys, and context.yml.

Whatever cannot be used is refused with the file, the line and the key before anything is done; a key that nobody
knows is a warning that names the nearest known one.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field

from codeintel_contract import (
    ContractViolation,
    Document,
    UnreadableYaml,
    did_you_mean,
    read_document,
    read_document_text,
    read_file,
)
from codeintel_index import BadConfig, BadPattern, Settings, compile_glob
from codeintel_server.checked import WrongValue, inner_model, invalid, read_as, unknown_keys, without_empty
from codeintel_session import Limits

RULE_SOURCES = ("CLAUDE.md", ".claude/CLAUDE.md", "AGENTS.md")
CONTEXT = ".code-intel/context.yml"
_SWITCHES = {"true": True, "false": False, "1": True, "0": False}


def unusable(fault: BadConfig) -> ContractViolation:
    """The refusal of a key of config.json, whoever found it."""
    return invalid(fault.place or ".code-intel/config.json", fault.problem)


class _Git(BaseModel):
    merge: Literal["no-ff", "squash", "ff"] = Field("no-ff", description="one of no-ff, squash, ff")
    fixups: Literal["fold", "keep"] = Field("fold", description="fold or keep")


class ServerFile(BaseModel):
    """The server's own keys of config.json; the others are the index's."""

    sync_on_start: bool = Field(True, description="true or false")
    git: _Git = _Git()
    limits: Limits = Limits()


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """What config.json says to the server. `warnings` name keys that nobody knows."""

    file: ServerFile = field(default_factory=ServerFile)
    warnings: tuple[str, ...] = ()

    @classmethod
    def read(cls, root: Path) -> "ServerConfig":
        """Read `.code-intel/config.json`, and what the environment says; a missing file gives the defaults.

        Raises ContractViolation: `config_invalid`, naming the line and the key, or the variable.
        """
        try:
            settings = Settings.read(root / ".code-intel" / "config.json")
            try:
                found = read_as(ServerFile, _given(settings, ServerFile))
            except WrongValue as error:
                raise settings.wrong(".".join(error.place), f"must be {error.wanted}") from error
        except BadConfig as fault:
            raise unusable(fault) from fault
        sections = (("git", _Git), ("limits", Limits))
        warnings = tuple(line for name, model in sections for line in settings.unknown(name, model.model_fields))
        return cls(found, warnings)


def _given(settings: Settings, model: type[BaseModel], section: str = "") -> dict[str, object]:
    """What the file says for each field of a model, and above it what the environment says."""
    written = settings.section(section) if section else settings.data
    found: dict[str, object] = {name: written[name] for name in model.model_fields if name in written}
    for name, each in model.model_fields.items():
        key = f"{section}.{name}" if section else name
        if inner := inner_model(each.annotation):
            found[name] = _given(settings, inner, key)
        elif (text := settings.override(key)) is not None:
            found[name] = _parsed(each.annotation, text.strip())
    return found


def _parsed(kind: object, text: str) -> object:
    """The text of a variable as its field's type; what does not parse is left for the model to refuse."""
    if kind is bool:
        return _SWITCHES.get(text.lower(), text)
    return int(text) if kind is int and text.isdecimal() else text


Text = Annotated[str, Field(description="a text; put it in quotes")]


def _as_tuple(value: object) -> object:
    return (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list) else value


Texts = Annotated[tuple[str, ...], BeforeValidator(_as_tuple), Field(description="a list of texts")]
"""A list of texts; one text is a list of one."""


class _Rules(BaseModel):
    source: Text = ""
    summary: Text = ""
    content_hash: Text = ""


class _Research(BaseModel):
    enabled: bool = Field(True, description="true or false")
    docs_path: Texts = ("docs/",)
    default_prompts: Texts = ()


class _Search(BaseModel):
    include_patterns: Texts = ("**/*.{md,mdx,markdown,rst,rdoc,pod,adoc}",)
    exclude_patterns: Texts = ()


class ContextFile(BaseModel):
    """context.yml as users write it."""

    project_rules: _Rules = Field(_Rules(), description="a mapping")
    doc_research: _Research = Field(_Research(), description="a mapping")
    document_search: _Search = Field(_Search(), description="a mapping")
    last_synced: Any = None


@dataclass(frozen=True, slots=True)
class Context:
    """context.yml, read once a session. `source` is the rules file that exists, "" if none does.

    `research.default_prompts` are those of doc_research/ that the file names, none if it leaves that to the contract.
    """

    file: ContextFile = field(default_factory=ContextFile)
    source: str = ""
    warnings: tuple[str, ...] = ()

    @classmethod
    def read(cls, root: Path) -> "Context":
        """Read `.code-intel/context.yml`; a missing file gives the defaults.

        Raises ContractViolation: `config_invalid`, naming the line and the key.
        """
        document = _document(root)
        given = without_empty(document.data)
        try:
            file = read_as(ContextFile, given)
            patterns = (*file.document_search.include_patterns, *file.document_search.exclude_patterns)
            for pattern in patterns:
                compile_glob(pattern)
        except (WrongValue, BadPattern) as error:
            place = error.place if isinstance(error, WrongValue) else ("document_search",)
            raise invalid(f"{CONTEXT}, line {document.line(place)}", str(error)) from error
        wanted = file.project_rules.source
        source = next((name for name in (wanted, *RULE_SOURCES) if name and is_inside(root, name)), "")
        unknown = (_unknown(document, place, known) for place, known in unknown_keys(ContextFile, given))
        return cls(file, source, (*unknown, *_missing_source(root, wanted)))


def _unknown(document: Document, place: tuple[str, ...], known: Iterable[str]) -> str:
    near = did_you_mean(place[-1], known).replace(", did", "; did")
    return f"{CONTEXT}, line {document.line(place)}: unknown key {'.'.join(place)[:80]!r}{near}"


def is_inside(root: Path, name: str) -> bool:
    """Return whether a file of the project is there once links are followed."""
    try:
        read_file(root, name, 0, whole=False)
    except OSError:
        return False
    return True


def _missing_source(root: Path, name: str) -> Iterator[str]:
    """A name that `init` writes stands for whichever usual file there is; of any other its absence is a slip."""
    if name and name not in RULE_SOURCES and not is_inside(root, name):
        yield f"{CONTEXT}: project_rules.source: there is no file {name[:80]!r} in the project"


def _document(root: Path) -> Document:
    path = root / CONTEXT
    if not path.exists() and not path.is_symlink():
        return Document()
    try:
        document = read_document(read_document_text(path, root))
    except UnreadableYaml as error:
        raise invalid(f"{CONTEXT}, line {error.line}" if error.line else CONTEXT, error.problem) from error
    for place in document.duplicates:
        raise invalid(f"{CONTEXT}, line {document.line(place)}", f"{'.'.join(map(str, place))}: appears twice")
    return document
