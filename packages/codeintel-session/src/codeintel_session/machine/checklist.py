"""What makes the report of a task valid: its items, and the evidence for each.

Evidence is `path:N` or `path:N-M`, 1-based and inclusive; the last colon splits, so a path may hold one.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from codeintel_contract.tasks import ChecklistItem, ReportedItem, Task, is_real_reason
from codeintel_contract.violations import ContractViolation

from .facts import Changed, Facts, FileFact
from .state import SessionState

_EVIDENCE = re.compile(r"(?P<path>[^\n]+):(?P<start>\d{1,9})(?:-(?P<end>\d{1,9}))?", re.ASCII)
_HERE = re.compile(r"\A(?:\./+|\s)+")


@dataclass(frozen=True, slots=True)
class Evidence:
    """Lines `start` to `end` of `path`."""

    path: str
    start: int
    end: int

    @property
    def text(self) -> str:
        """The canonical spelling."""
        return f"{self.path}:{self.start}" + (f"-{self.end}" if self.end != self.start else "")


def parse_evidence(text: str) -> Evidence | None:
    """Read `path:N` or `path:N-M`; None if it is anything else. Whether there are such lines is not asked here."""
    match = _EVIDENCE.fullmatch(text.strip())
    if match is None:
        return None
    start = int(match["start"])
    end = int(match["end"] or start)
    path = plain_path(match["path"])
    return Evidence(path, start, end) if path else None


def plain_path(path: str) -> str:
    """The path as the server spells it, as far as that can be told without looking."""
    return _HERE.sub("", path.strip().replace("\\", "/"))


def fold(item: str) -> str:
    """Items are compared with white space folded."""
    return " ".join(item.split())


def _fail(name: str, **values: Any) -> ContractViolation:
    return ContractViolation(f"failures.READY.{name}", **values)


def check_report(
    state: SessionState, task: Task, reported: Sequence[ReportedItem], facts: Facts
) -> tuple[ChecklistItem, ...]:
    """The task's checklist as completed.

    Raises:
        ContractViolation: the first `failures.READY.checklist_*` that does not hold.
    """
    _same_items(task, reported)
    taken = _taken(state, task)
    done: list[ChecklistItem] = []
    for entry in reported:
        evidence = _check_item(entry, facts, taken)
        if evidence is not None:
            taken[evidence] = entry.item
        done.append(
            ChecklistItem(
                item=entry.item, status=entry.status, evidence=evidence.text if evidence else None, reason=entry.reason
            )
        )
    return tuple(done)


def _same_items(task: Task, reported: Sequence[ReportedItem]) -> None:
    planned = sorted(fold(item.item) for item in task.checklist)
    given = sorted(fold(item.item) for item in reported)
    if planned == given:
        return
    missing = sorted((Counter(planned) - Counter(given)).elements())
    unknown = sorted((Counter(given) - Counter(planned)).elements())
    raise _fail(
        "checklist_items_mismatch",
        problems=tuple(f"checklist: missing '{item}'" for item in missing),
        missing="; ".join(missing) or "none",
        unknown="; ".join(unknown) or "none",
    )


def _taken(state: SessionState, task: Task) -> dict[Evidence, str]:
    others = (item for other in state.tasks if other.id != task.id for item in other.checklist if item.evidence)
    return {evidence: item.item for item in others if (evidence := parse_evidence(item.evidence or ""))}


def _check_item(entry: ReportedItem, facts: Facts, taken: dict[Evidence, str]) -> Evidence | None:
    if entry.status == "pending":
        raise _fail("checklist_item_pending", item=entry.item)
    if entry.status == "skipped":
        if not is_real_reason(entry.reason):
            raise _fail("checklist_reason_required", item=entry.item)
        return None
    if not (entry.evidence or "").strip():
        raise _fail("checklist_evidence_required", item=entry.item)
    evidence = _existing(entry.evidence or "", facts.files)
    if evidence in taken:
        raise _fail("checklist_evidence_reused", evidence=evidence.text, other=taken[evidence], item=entry.item)
    if (entry.evidence or "").strip() in facts.empty_evidence:
        raise _fail("checklist_evidence_empty_impl", evidence=evidence.text)
    _check_changed(evidence, facts.changes)
    return evidence


def _existing(text: str, files: Mapping[str, FileFact]) -> Evidence:
    evidence = parse_evidence(text)
    if evidence is None:
        raise _fail("checklist_evidence_format_invalid", evidence=text)
    fact = files.get(evidence.path)
    if fact is None or not fact.inside or not fact.exists:
        raise _fail("checklist_evidence_file_not_found", file_path=evidence.path)
    if not 1 <= evidence.start <= evidence.end <= fact.lines:
        lines = evidence.text.rpartition(":")[2]
        raise _fail("checklist_evidence_line_out_of_range", line=lines, total=fact.lines)
    return Evidence(fact.path, evidence.start, evidence.end)


def _check_changed(evidence: Evidence, changes: Iterable[Changed]) -> None:
    change = next((change for change in changes if change.path == evidence.path and not change.older), None)
    if change is None or not change.meets(evidence.start, evidence.end):
        hunks = change.hunks if change else ()
        listed = ", ".join(f"{first}-{last}" for first, last in hunks[:8]) or "none"
        raise _fail("checklist_evidence_unchanged", evidence=evidence.text, changed=listed)


def check_stands(state: SessionState, changes: Iterable[Changed]) -> None:
    """Hold what this round's tasks showed against the tree as it is now.

    Raises:
        ContractViolation: `checklist_evidence_unchanged`, if all of it was taken back.
    """
    tasks = (task for task in state.tasks if task.round == state.plan_round)
    shown = [item.evidence for task in tasks for item in task.checklist if item.evidence]
    if shown and all(change.older for change in changes):
        raise _fail("checklist_evidence_unchanged", evidence=shown[0], changed="none")


def valid_place(text: str, files: Mapping[str, FileFact]) -> str:
    """Why a `file:line` does not hold; "" if it does. Used outside tasks, where nothing was changed yet."""
    try:
        _existing(text, files)
    except ContractViolation as violation:
        return violation.key.rpartition("checklist_evidence_")[2].replace("_", " ")
    return ""
