"""The task list as the agent hands it in and as the server keeps it.

The shapes are separate on purpose: what the server owns (completion, failure counts, revert reasons)
does not exist in the submitted shape's meaning, so no payload can set it.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

MIN_REASON = 10
"""Characters that a reason for skipping or dropping must have."""


class Shape(BaseModel):
    """Base of everything handed in: unknown fields are errors, no type is bent to fit."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ReportedItem(Shape):
    """A checklist item as submitted."""

    item: str = Field(min_length=1)
    status: Literal["pending", "done", "skipped"] = "pending"
    evidence: str | None = None
    reason: str | None = None


class PlannedTask(Shape):
    """A task as submitted in READY_PLAN. `failure_count` and `revert_reason` are accepted and ignored."""

    id: str = Field(min_length=1, max_length=64)
    description: str = Field(min_length=1)
    status: Literal["pending", "completed"] = "pending"
    checklist: list[ReportedItem] = Field(default_factory=list)
    failure_count: int | None = None
    revert_reason: str | None = None
    drop_reason: str | None = None


class ChecklistItem(BaseModel):
    """A checklist item as the server keeps it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    item: str
    status: Literal["pending", "done", "skipped"] = "pending"
    evidence: str | None = None
    reason: str | None = None


class Task(BaseModel):
    """A task as the server keeps it; `round` is the plan (1, 2, …) under which it was last worked on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    description: str
    status: Literal["pending", "completed"] = "pending"
    checklist: tuple[ChecklistItem, ...] = ()
    failure_count: int = 0
    revert_reason: str = ""
    round: int = 1


def is_real_reason(text: str | None) -> bool:
    """True for at least ten characters after trimming that are not one character repeated."""
    if text is None:
        return False
    folded = text.strip()
    return len(folded) >= MIN_REASON and len(set("".join(folded.split()))) > 1
