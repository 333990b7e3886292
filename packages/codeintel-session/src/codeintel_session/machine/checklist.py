"""The rules for a valid task report: its items, and the evidence for each of them.

Evidence is `path:N` or `path:N-M`, 1-based and inclusive; the last colon splits, so a path may contain colons. It may
also be `path:name`, for the definition of that name, or a path alone, for all that changed there: the facts hold the
lines. An item that marks a changed definition as code needs none: the server sees it. An item may have several
locations: all must be valid, and one must be code unless the item or its reason speaks of documentation.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from codeintel_contract import ChecklistItem, ContractViolation, ReportedItem, Task, is_real_reason
from codeintel_session.machine.facts import Changed, Facts, FileFact
from codeintel_session.machine.state import SessionState
from codeintel_session.machine.verdict import MessageRef

_EVIDENCE = re.compile(r"(?P<path>[^\n]+):(?P<start>\d{1,9})(?:-(?P<end>\d{1,9}))?", re.ASCII)
_LEADING_DOT = re.compile(r"\A(?:\./+|\s)+")
_DOCUMENTATION = re.compile(
    r"\b(?:docs?|documents?|documented|documenting|documentation|doc-?(?:strings?|blocks?|comments?)|examples?"
    r"|comment(?:s|ed|ary)?|change-?log|changes|news|release notes|read-?me|java-?doc|js-?doc|rust-?doc|go-?doc"
    r"|doc-?tests?|wording|remarks?|explain\w*|explanations?"
    r"|licen[cs]\w+|copyright|spdx|(?:file|source|module) headers?|shebang|typos?|misspell\w+|spelling)\b",
    re.IGNORECASE,
)
"""Words of an item that is about documentation, or about what else only comments hold."""
_DOCUMENTS = re.compile(r"(?:docs?|document(?:s|ed|ing|ation)?|change-?log|read-?me|release notes)\b", re.IGNORECASE)
"""Beginnings of a task that is about documentation as a whole."""
_SPACING = re.compile(
    r"\b(?:white-?\s?space|trailing (?:spaces?|blanks?|tabs?|(?:blank |empty )?lines?|new-?lines?)"
    r"|(?:blank|empty) lines?|line endings?|indentation|re-?indent\w*|formatt(?:er|ing)"
    r"|re-?format\w*|lint\w*|prettier|ruff|gofmt|rustfmt)\b",
    re.IGNORECASE,
)
"""Words of an item that is about white space."""
_MODE = re.compile(
    r"\b(?:modes?|executab\w+|executed?|permissions?|chmod|runs?|runnable|scripts?|hooks?|shebang|bits?|x flag)\b|\+x",
    re.IGNORECASE,
)
"""Words of an item that is about the mode of a file."""
_EMPTY = re.compile(r"\b(?:empty|markers?|placeholders?|packages?)\b", re.IGNORECASE)
"""Words of an item that is about a file without content."""
_EMPTY_FILES = frozenset({"__init__.py", "py.typed", "__init__.pyi"})
EMPTY_BLOB = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
"""What git calls no content, in a repository with SHA-1."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Lines `start` to `end` of `path`; both are 0 for a change that has no lines."""

    path: str
    start: int
    end: int

    @property
    def text(self) -> str:
        """The canonical form, `path:N` or `path:N-M`."""
        return f"{self.path}:{self.start}" + (f"-{self.end}" if self.end != self.start else "")


def parse_evidence(text: str) -> Evidence | None:
    """Parse `path:N` or `path:N-M`; None for anything else. Does not check that the lines exist."""
    match = _EVIDENCE.fullmatch(text.strip())
    if match is None:
        return None
    start = int(match["start"])
    end = int(match["end"] or start)
    path = plain_path(match["path"])
    return Evidence(path, start, end) if path else None


def files_shown(checklist: Iterable[ChecklistItem]) -> set[str]:
    """Return the files that the evidence of a report names."""
    return {place.path for item in checklist for text in item.evidence if (place := parse_evidence(text))}


def speaks_of_documentation(item: str, task: str) -> bool:
    """Whether an item is about documentation, or about what else only comments hold; so is each of a task that begins
    with a word for documents ("Document the mode").
    """
    return _DOCUMENTATION.search(item) is not None or _DOCUMENTS.match(task.strip()) is not None


def plain_path(path: str) -> str:
    """Return the path in the server's spelling, as far as that follows from the text alone."""
    return _LEADING_DOT.sub("", path.strip().replace("\\", "/"))


def fold(item: str) -> str:
    """Return the text of an item with its white space folded, for comparisons."""
    return " ".join(item.split())


def fail(name: str, **values: Any) -> ContractViolation:
    """Return a refusal of READY."""
    return ContractViolation(f"failures.READY.{name}", **values)


def several(faults: Mapping[int, ContractViolation], line: str) -> ContractViolation:
    """Return the first of several faults in a list, with a line for each, by its number.

    Args:
        line: the key of the message of such a line, with `{number}` and `{problem}`.
    """
    lines = (
        MessageRef(line, {"number": number, "problem": MessageRef(fault.key, fault.values)})
        for number, fault in faults.items()
    )
    first = next(iter(faults.values()))
    return ContractViolation(first.key, problems=tuple(lines), **first.values)


def check_report(
    state: SessionState, task: Task, reported: Sequence[ReportedItem], facts: Facts
) -> tuple[ChecklistItem, ...]:
    """Return the completed checklist of the task, in the registered order.

    Raises ContractViolation: the items are not those of the task, or all items that are not valid, as `problems`.
    """
    entries = _match_items(task, reported)
    others = (item for other in state.tasks if other.id != task.id for item in other.checklist)
    taken = {place: item.item for item in others for text in item.evidence if (place := parse_evidence(text))}
    done: list[ChecklistItem] = []
    faults: dict[int, ContractViolation] = {}
    for number, (item, entry) in enumerate(zip(task.checklist, entries, strict=True), 1):
        try:
            shown = _check_item(task, item.item, entry, facts, taken)
        except ContractViolation as fault:
            faults[number] = fault
            continue
        taken |= dict.fromkeys(shown if entry.places() else (), item.item)
        evidence = tuple(place.text for place in shown)
        done.append(ChecklistItem(item=item.item, status=entry.status, evidence=evidence, reason=entry.reason))
    if faults:
        raise several(faults, "hints.checklist_problem")
    return tuple(done)


def _match_items(task: Task, reported: Sequence[ReportedItem]) -> list[ReportedItem]:
    """Return the reported items in the registered order; each is named by its text or its number."""
    by_text = {fold(item.item): number for number, item in enumerate(task.checklist, 1)}
    found: dict[int, ReportedItem] = {}
    unknown: list[str] = []
    for entry in reported:
        number = entry.item if isinstance(entry.item, int) else by_text.get(fold(entry.item), 0)
        if 1 <= number <= len(task.checklist) and number not in found:
            found[number] = entry
        else:
            unknown.append(str(entry.item))
    missing = [item.item for number, item in enumerate(task.checklist, 1) if number not in found]
    if missing or unknown:
        raise fail(
            "checklist_items_mismatch",
            problems=tuple(MessageRef("hints.item_missing", {"item": item}) for item in missing),
            missing="; ".join(missing) or "none",
            unknown="; ".join(unknown) or "none",
        )
    return [found[number] for number in sorted(found)]


def _check_item(
    task: Task, item: str, entry: ReportedItem, facts: Facts, taken: Mapping[Evidence, str]
) -> list[Evidence]:
    if entry.status == "pending":
        raise fail("checklist_item_pending", item=item)
    if entry.status == "skipped":
        if not is_real_reason(entry.reason):
            raise fail("checklist_reason_required", item=item)
        return []
    if not (given := entry.places()):
        seen = facts.evident.get(item, ())
        given = [text for text in seen if facts.kinds.get(text) != "empty"] or list(seen)
    if not given:
        raise fail("checklist_evidence_required", item=item)
    # Whoever names a definition may name it for several items: each is about a part of it.
    named = {*facts.places, *facts.evident.get(item, ())}
    listed = {text: {} if each in named else taken for each in given for text in _meant(each, facts)}
    places = {text: others for text, others in listed.items() if not _is_space(text, facts)} or listed
    found = list(dict.fromkeys(_check_place(item, text, facts, others) for text, others in places.items()))
    is_prose = all(facts.kinds.get(text) == "documentation" for text in places)
    is_about_it = speaks_of_documentation(f"{item}\n{entry.reason or ''}", task.description)
    # Nothing else could be shown where comments alone had to change: that is named, and not refused.
    if is_prose and not is_about_it and not {place.path for place in found} <= facts.only_comments:
        raise fail("checklist_evidence_documentation", evidence=found[0].text, item=item)
    return found


def _meant(given: str, facts: Facts) -> Sequence[str]:
    """Return the places of evidence; of several those with something in them: a removed line leaves an empty one."""
    places = facts.places.get(given, (given,))
    return [text for text in places if facts.kinds.get(text) != "empty"] or places


def _is_space(text: str, facts: Facts) -> bool:
    """Whether only white space changed in the lines: who lists a diff lists them beside the work."""
    evidence = parse_evidence(text)
    change = _change_at(evidence, facts) if evidence else None
    if evidence is None or change is None or not change.meets(evidence.start, evidence.end):
        return False
    return not change.meets_more_than_space(evidence.start, evidence.end)


def _change_at(evidence: Evidence, facts: Facts) -> Changed | None:
    fact = facts.files.get(evidence.path)
    path = fact.path if fact else evidence.path
    return next((change for change in facts.changes if change.path == path and not change.preexisting), None)


def _check_place(item: str, text: str, facts: Facts, taken: Mapping[Evidence, str]) -> Evidence:
    whole = parse_evidence(text)
    if whole and whole.start == whole.end == 0 and (change := _without_lines(whole.path, facts.changes)):
        _check_without_lines(item, whole, change)
        return whole
    evidence = _existing_lines(text, facts.files)
    if evidence in taken:
        raise fail("checklist_evidence_reused", evidence=evidence.text, other=taken[evidence], item=item)
    if facts.kinds.get(text) == "empty":
        raise fail("checklist_evidence_empty_impl", evidence=evidence.text)
    if evidence.path in facts.ignored:
        raise fail("checklist_evidence_ignored", evidence=evidence.text)
    _check_changed(item, evidence, _change_at(evidence, facts))
    return evidence


def _without_lines(path: str, changes: Iterable[Changed]) -> Changed | None:
    """Return the change of a path, if it has no lines to name, or one that git takes for a move of the path."""
    of_session = [change for change in changes if not change.preexisting]
    here = (change for change in of_session if change.path == path and not change.has_lines)
    moved = (change for change in of_session if change.old_path == path and change.status == "renamed")
    return next(chain(here, moved), None)


def _check_without_lines(item: str, evidence: Evidence, change: Changed) -> None:
    name = evidence.path.rpartition("/")[2]
    is_marker = name.startswith(".") or name in _EMPTY_FILES or evidence.path in item or _EMPTY.search(item)
    if change.status == "added" and change.content.endswith(EMPTY_BLOB) and not is_marker:
        raise fail("checklist_evidence_empty_impl", evidence=evidence.path)


def _existing_lines(text: str, files: Mapping[str, FileFact]) -> Evidence:
    evidence = parse_evidence(text)
    if evidence is None:
        raise fail("checklist_evidence_format_invalid", evidence=text)
    fact = files.get(evidence.path)
    if fact is None or not fact.is_there:
        raise fail("checklist_evidence_file_not_found", file_path=evidence.path)
    if not 1 <= evidence.start <= evidence.end <= fact.lines:
        lines = evidence.text.rpartition(":")[2]
        raise fail("checklist_evidence_line_out_of_range", line=lines, total=fact.lines)
    return Evidence(fact.path, evidence.start, evidence.end)


def _check_changed(item: str, evidence: Evidence, change: Changed | None) -> None:
    if change is None or not change.meets(evidence.start, evidence.end):
        hunks = change.hunks if change else ()
        listed = ", ".join(f"{first}-{last}" for first, last in hunks[:8]) or "none"
        raise fail("checklist_evidence_unchanged", evidence=evidence.text, changed=listed)
    if change.status == "mode" and not _MODE.search(item.replace(evidence.path, "")):
        raise fail("checklist_evidence_mode", evidence=evidence.path, item=item)
    if not change.meets_more_than_space(evidence.start, evidence.end) and not _SPACING.search(item):
        raise fail("checklist_evidence_blank", evidence=evidence.text)


def check_work_remains(state: SessionState, changes: Iterable[Changed]) -> None:
    """Check that the present tree still contains a change, if this round's tasks gave evidence of one.

    Raises ContractViolation: `checklist_evidence_unchanged`, if every change was reverted.
    """
    tasks = (task for task in state.tasks if task.round == state.plan_round)
    shown = [place for task in tasks for item in task.checklist for place in item.evidence]
    if shown and all(change.preexisting for change in changes):
        raise fail("checklist_evidence_unchanged", evidence=shown[0], changed="none")


LOCATION_FAULTS = {
    "format_invalid": "hints.location_form",
    "file_not_found": "hints.location_file",
    "line_out_of_range": "hints.location_line",
}


def location_fault(text: str, files: Mapping[str, FileFact]) -> MessageRef | None:
    """Return why a `file:line` is not valid, None if it is. Used outside tasks, where the lines need not be changed."""
    try:
        _existing_lines(text, files)
    except ContractViolation as violation:
        return MessageRef(LOCATION_FAULTS[violation.key.rpartition("checklist_evidence_")[2]])
    return None
