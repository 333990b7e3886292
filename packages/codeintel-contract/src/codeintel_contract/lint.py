"""Report everything that is wrong with a contract file at once, each finding with its line.

An error is what `load_contract` refuses, or what would leave an agent stuck: a call it cannot make, a field it
may not send. A warning is what loads but probably does not say what was meant. The linter checks only what the
file itself says; what it leaves out comes from the default, which has its own test. No file can remove a phase
from the flow or the limit from a loop: both are code. But a file can demand a call that a phase does not allow,
and then nobody can leave the phase; that is an error.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from . import loader, positions
from .grammar import Choice, Either, ListOf, Node, One, PseudoSchemaError, Record, kind_of, parse, quoted
from .loader import merge, unfillable, unparsable
from .names import EXPLORATION_TOOLS, TOOL_NAMES, Key, plain_tool
from .positions import Document, Place
from .schema import PLACEHOLDER, ContractFile, PhaseEntry, dotted
from .wording import did_you_mean

Level = Literal["error", "warning"]

RESOURCE_ROOT = ".code-intel"

_SNAKE = r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+"
_CALLED = re.compile(rf"(?<![\w.])({_SNAKE})\(")
_QUOTED = re.compile(rf"`({_SNAKE})`")


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """Describe one problem; `key` is its dotted place in the file, empty for the file as a whole."""

    line: int
    level: Level
    key: str
    problem: str


@dataclass(frozen=True, slots=True)
class _Case:
    document: Document
    merged: ContractFile
    default: ContractFile
    raised: frozenset[str]
    callable_in: Mapping[str, Collection[Key]]


_Found = Iterator[tuple[Level, Place, str]]
Loss = tuple[str, bool]
"""A problem, and whether it makes every payload unusable for the server."""
CANNOT_BE_SENT = "which the agent can then not send"
NEEDED = "without which the server refuses every payload"


def lint_contract(
    path: Path | None, *, raised: Collection[str] = (), callable_in: Mapping[str, Collection[Key]] | None = None
) -> list[Finding]:
    """Check a project's contract file, or the packaged one for None.

    Args:
        raised: the dotted keys of all messages the code raises; empty skips the checks that need them.
        callable_in: for every tool that is not allowed everywhere, the contract keys that allow it.

    Returns:
        The findings in the order of their lines; none for a correct file.
    """
    try:
        document = positions.read_document(
            loader.default_text() if path is None else positions.read_document_text(path)
        )
    except positions.UnreadableYaml as error:
        return [Finding(error.line, "error", "", error.problem)]
    merged, refused = merge(document, loader.default_file())
    case = _Case(document, merged, loader.default_file(), frozenset(raised), callable_in or {})
    found: list[tuple[Level, Place, str]] = [("error", place, problem) for place, problem in refused]
    found += [finding for rule in _RULES for finding in rule(case) if finding[1] in document.lines]
    found += _unspoken(case)
    return sorted({Finding(document.line(place), level, dotted(place), text) for level, place, text in found})


def _phases(case: _Case) -> Iterator[tuple[Place, PhaseEntry, PhaseEntry]]:
    for key, entry in case.merged.phases.items():
        yield ("phases", key.value), entry, case.default.phases[key]


def _refused(case: _Case) -> _Found:
    for place, problem in (*unparsable(case.merged), *unfillable(case.merged, case.default)):
        yield "error", place, problem


def _placeholders(case: _Case) -> _Found:
    for place, entry, default in _phases(case):
        for name in set(PLACEHOLDER.findall(entry.instruction)) - set(PLACEHOLDER.findall(default.instruction)):
            yield (
                "warning",
                (*place, "instruction"),
                f"{{{name}}} stays unchanged: nothing fills placeholders in an instruction",
            )


def _fields_left_out(case: _Case) -> _Found:
    """Find fields the server reads and the file does not list: the server would refuse them as unknown."""
    for phase, entry, default in _phases(case):
        place = (*phase, "expected_payload")
        for name in default.expected_payload.keys() - entry.expected_payload.keys():
            if (*place, name) in case.document.lines:  # it has its own finding
                continue
            if parse(default.expected_payload[name]).optional:
                yield "warning", place, f"leaves out {name!r}, {CANNOT_BE_SENT}"
            else:
                yield "error", place, f"leaves out {name!r}, {NEEDED}"


def _types_changed(case: _Case) -> _Found:
    """Find record members that the project's text lacks: like fields, they cannot be sent either."""
    for phase, entry, default in _phases(case):
        for name, text in default.expected_payload.items():
            try:
                own = parse(entry.expected_payload[name]).type
            except (KeyError, PseudoSchemaError):  # these have their own findings
                continue
            for problem, stuck in losses(name, parse(text).type, own):
                yield "error" if stuck else "warning", (*phase, "expected_payload", name), problem


def losses(path: str, default: Node, own: Node) -> Iterator[Loss]:
    """Compare the type a project gives the field at `path` with the default's, member by member.

    The server's types match the default. A member that the project leaves out cannot be sent, because the server
    refuses unknown members; a value that the default lacks passes the project's check and fails the server's.
    """
    shared = False
    for wanted in _options(default):
        fitting = [option for option in _options(own) if kind_of(option) == kind_of(wanted)]
        if fitting:
            shared = True
            yield from _of_one_kind(path, wanted, fitting)
    if not shared:
        yield f"takes {own} for {path}, but the server can only use {default}", True


def _options(node: Node) -> tuple[One, ...]:
    return node.options if isinstance(node, Either) else (node,)


def _of_one_kind(path: str, wanted: One, fitting: list[One]) -> Iterator[Loss]:
    """Compare with the nearest option; an option that takes any value of the kind has no losses."""
    match wanted:
        case ListOf(item):
            lists = [option for option in fitting if isinstance(option, ListOf)]
            yield from losses(f"{path}[]", item, lists[0].item)
        case Record():
            records = [option for option in fitting if isinstance(option, Record)]
            if len(records) == len(fitting):
                names = {member.name for member in wanted.members}
                nearest = max(records, key=lambda one: len(names & {member.name for member in one.members}))
                yield from _members(path, wanted, nearest)
        case Choice(known):
            for option in fitting:
                if isinstance(option, Choice):
                    foreign = tuple(value for value in option.values if value not in known)
                    if foreign:
                        yield f"offers {quoted(foreign, ', ')} for {path}, which the server refuses", False


def _members(path: str, wanted: Record, own: Record) -> Iterator[Loss]:
    ours = {member.name: member.type for member in own.members}
    for member in wanted.members:
        here = f"{path}.{member.name}"
        if member.name not in ours:
            yield f"leaves out {here}, {CANNOT_BE_SENT if member.optional else NEEDED}", not member.optional
            continue
        theirs = ours[member.name]
        if member.type and theirs:
            yield from losses(here, member.type, theirs)


def _tools(case: _Case) -> _Found:
    levels: dict[str, Level] = {"required_tools": "error", "recommended_tools": "warning"}
    for place, entry, _ in _phases(case):
        for name, level in levels.items():
            for at, tool in enumerate(getattr(entry, name)):
                if tool not in TOOL_NAMES:
                    hint = did_you_mean(plain_tool(tool), TOOL_NAMES)
                    yield level, (*place, name, at), f"there is no tool {tool!r}{hint}"
                elif level == "error" and Key(str(place[-1])) not in case.callable_in.get(tool, tuple(Key)):
                    problem = f"{tool} cannot be called in this phase, so the session could never leave it"
                    yield level, (*place, name, at), problem


def _tools_named(case: _Case) -> _Found:
    known = TOOL_NAMES | _field_names(case.merged)
    for place, text in _instructions(case):
        for name in _CALLED.findall(text):
            if name not in TOOL_NAMES:
                yield ("error", place, f"calls {name}(), but there is no such tool{did_you_mean(name, TOOL_NAMES)}")
        for name in _QUOTED.findall(text):
            if name not in known:
                yield (
                    "warning",
                    place,
                    f"names `{name}`, which is neither a tool nor a field{did_you_mean(name, known)}",
                )


def _instructions(case: _Case) -> Iterator[tuple[Place, str]]:
    for place, entry, _ in _phases(case):
        yield (*place, "instruction"), entry.instruction
    for key, message in case.merged.messages().items():
        for name in loader.TEXTS:
            yield (*key.split("."), name), getattr(message, name)


def _field_names(merged: ContractFile) -> set[str]:
    found: set[str] = set()
    for entry in merged.phases.values():
        found |= entry.expected_payload.keys()
        for text in entry.expected_payload.values():
            try:
                found |= _member_names(parse(text).type)
            except PseudoSchemaError:  # it has its own finding
                continue
    return found


def _member_names(node: Node | None) -> set[str]:
    match node:
        case ListOf(item):
            return _member_names(item)
        case Either(options):
            return {name for option in options for name in _member_names(option)}
        case Record(members):
            return {name for one in members for name in (one.name, *_member_names(one.type))}
        case _:
            return set()


def _required_tools_left_out(case: _Case) -> _Found:
    for place, entry, default in _phases(case):
        dropped = [tool for tool in default.required_tools if tool not in entry.required_tools]
        listed = (*place, "required_tools")
        whole = all((*place, name) in case.document.lines for name in ("instruction", "expected_payload"))
        if dropped:
            yield "warning", listed, f"no longer requires {', '.join(dropped)}"
        elif default.required_tools and whole and listed not in case.document.lines:
            yield (
                "warning",
                place,
                f"has no required_tools; those of the default apply: {', '.join(default.required_tools)}",
            )


def _limits(case: _Case) -> _Found:
    for place, entry, _ in _phases(case):
        if entry.min_distinct_tools > len(EXPLORATION_TOOLS):
            problem = f"{entry.min_distinct_tools} cannot be reached: {len(EXPLORATION_TOOLS)} exploration tools exist"
            yield "error", (*place, "min_distinct_tools"), problem
        for at, resource in enumerate(entry.resources):
            parts = PurePosixPath(resource).parts
            if parts[:1] != (RESOURCE_ROOT,) or ".." in parts or "\\" in resource:
                yield "error", (*place, "resources", at), f"{resource!r} is not under {RESOURCE_ROOT}/"


def _messages(case: _Case) -> _Found:
    known = case.default.messages()
    for key, message in case.merged.messages().items():
        place = tuple(key.split("."))
        if not message.message:
            yield "error", place, "has no message, and neither has the default"
        if key not in known:
            yield "warning", place, f"no code raises this message{did_you_mean(key, known)}"
        elif case.raised and key not in case.raised:
            yield "warning", place, "no code raises this message"


def _unspoken(case: _Case) -> _Found:
    """Find what neither the file nor the default contains."""
    for phase in Key:
        if phase not in case.merged.phases:
            yield "error", ("phases", phase.value), "is missing"
    for key in sorted(case.raised - case.merged.messages().keys()):
        yield "error", tuple(key.split(".")), "is raised but has no message"


_RULES: tuple[Callable[[_Case], _Found], ...] = (
    _refused,
    _placeholders,
    _fields_left_out,
    _types_changed,
    _tools,
    _tools_named,
    _required_tools_left_out,
    _limits,
    _messages,
)
