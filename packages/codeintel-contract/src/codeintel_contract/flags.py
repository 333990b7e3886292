"""Define the options of a session in one table, for command options and for an object of flags.

`OPTIONS` is the whole list. A row with a `flag` sets a field of `Flags`; for a row without one, the skill calls
another tool, and this module refuses the option and names that tool. `check_combination` says which flags go
together; the machine's table, not this one, says what a flag drops from the flow.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from .names import Intent
from .violations import ContractViolation
from .wording import did_you_mean, short


@dataclass(frozen=True, slots=True)
class Option:
    """Describe one command option. `value` is "" for a switch, otherwise the name of the value after `=`."""

    long: str
    short: str
    flag: str
    help: str
    value: str = ""
    instead: str = ""


OPTIONS: tuple[Option, ...] = (
    Option(
        "--gate", "-g", "gate_level", "full: run every exploration phase; auto: the answers to Q1 to Q3 decide", "LEVEL"
    ),
    Option("--no-verify", "", "no_verify", "skip verification after the implementation"),
    Option("--no-quality", "", "no_quality", "skip the quality review"),
    Option("--only-verify", "-v", "only_verify", "only run a verifier"),
    Option("--only-explore", "-e", "only_explore", "explore and answer, change nothing"),
    Option("--fast", "-f", "fast", "skip exploration and quality review; still use a task branch"),
    Option("--quick", "-q", "quick", "skip exploration, branch, commit and merge"),
    Option("--no-doc-research", "", "no_doc", "skip the document research"),
    Option("--no-doc", "", "no_doc", "same as --no-doc-research"),
    Option("--no-intervention", "-ni", "no_intervention", "never require an intervention"),
    Option("--doc-research", "", "doc_research", "document research prompts to use, separated by commas", "NAMES"),
    Option("--resume", "-r", "", "resume the unfinished session", instead="get_session_status"),
    Option("--clean", "-c", "", "remove stale task branches and checkpoints", instead="cleanup_stale_branches"),
    Option("--rebuild", "", "", "rebuild the index", instead="sync_index(force=true)"),
)

GATE_LEVELS = {"full": "full", "f": "full", "auto": "auto", "a": "auto"}


class Flags(BaseModel):
    """Hold the flags of a session. All default to off; `gate_level` is `auto` or `full`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    gate_level: str = "auto"
    no_verify: bool = False
    no_quality: bool = False
    only_verify: bool = False
    only_explore: bool = False
    fast: bool = False
    quick: bool = False
    no_doc: bool = False
    no_intervention: bool = False
    doc_research: tuple[str, ...] = Field(default=())

    def active(self) -> dict[str, Any]:
        """Return the flags that differ from their default, for replies."""
        return self.model_dump(mode="json", exclude_defaults=True)


FLAG_NAMES = tuple(Flags.model_fields)


def parse_flags(raw: object) -> Flags:
    """Read flags given as an object or as a list of command options.

    Raises ContractViolation: `tool_errors.start_session.invalid_flags`, naming the problem.
    """
    if raw is None:
        return Flags()
    if isinstance(raw, Mapping):
        return _build({str(name): value for name, value in raw.items()})
    if isinstance(raw, list | tuple):
        return _build(dict(_read_option(str(text)) for text in raw))
    raise _invalid("flags must be an object or a list of options")


def check_combination(flags: Flags, intent: Intent) -> tuple[Flags, tuple[str, ...]]:
    """Refuse flags that contradict each other or the intent; resolve fast+quick to quick.

    Returns:
        The flags to use and the names of the notices (under `warnings`) that describe the changes.
    """
    pairs = [
        (flags.only_verify and flags.no_verify, "only_verify and no_verify exclude each other"),
        (flags.only_verify and flags.only_explore, "only_verify and only_explore exclude each other"),
    ]
    explores = flags.only_explore or not intent.implements
    for name in ("fast", "quick"):
        on = getattr(flags, name)
        pairs += [
            (
                on and explores and not flags.only_verify,
                f"{name} skips exploration, but an investigation only explores",
            ),
            (on and flags.gate_level == "full", f"{name} skips the phases that gate_level full requires"),
            (on and flags.only_verify, f"{name} and only_verify exclude each other"),
        ]
    for wrong, why in pairs:
        if wrong:
            raise _invalid(why)
    if flags.fast and flags.quick:
        return flags.model_copy(update={"fast": False}), ("fast_and_quick",)
    return flags, ()


def _read_option(text: str) -> tuple[str, object]:
    name, equals, value = text.partition("=")
    option = next((row for row in OPTIONS if name in (row.long, row.short) and name), None)
    if option is None:
        raise _invalid(f"unknown option {short(name)}{did_you_mean(name, (row.long for row in OPTIONS))}")
    if option.instead:
        raise _invalid(f"{name} is not a flag: call {option.instead} instead")
    if bool(option.value) != bool(equals):
        raise _invalid(f"{name} needs ={option.value}" if option.value else f"{name} takes no value")
    return option.flag, value if option.value else True


def _build(values: dict[str, object]) -> Flags:
    clean: dict[str, object] = {}
    for name, value in values.items():
        if name not in FLAG_NAMES:
            raise _invalid(f"unknown flag {short(name)}{did_you_mean(name, FLAG_NAMES)}")
        if value is not None:  # as in payloads, null counts as a field left out
            clean[name] = _READERS.get(name, _switch)(name, value)
    return Flags.model_validate(clean)


def _switch(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise _invalid(f"{name} must be true or false, got {short(value)}")
    return value


def _gate(name: str, value: object) -> str:
    level = GATE_LEVELS.get(value) if isinstance(value, str) else None
    if level is None:
        raise _invalid(f"{name} must be one of {', '.join(GATE_LEVELS)}, got {short(value)}")
    return level


def _prompts(name: str, value: object) -> tuple[str, ...]:
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list | tuple) or not all(isinstance(part, str) for part in parts):
        raise _invalid(f"{name} must be a list of prompt names, got {short(value)}")
    return tuple(part.strip() for part in parts if part.strip())


_READERS = {"gate_level": _gate, "doc_research": _prompts}


def _invalid(why: str) -> ContractViolation:
    return ContractViolation(
        "tool_errors.start_session.invalid_flags", problems=(f"flags: {why}",), why=why, known=", ".join(FLAG_NAMES)
    )
