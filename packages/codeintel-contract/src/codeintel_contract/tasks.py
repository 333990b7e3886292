"""Define the task list as the agent submits it and as the server keeps it.

The shapes are separate on purpose: the submitted shape does not control what the server owns (completion, failure
counts, revert reasons), so no payload can set it.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

MIN_REASON = 10
"""Minimum length of a reason for skipping or dropping."""


class Shape(BaseModel):
    """Base of everything submitted: unknown fields are errors, and no type is converted."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class PlannedItem(Shape):
    """Hold a checklist item as planned; the evidence of a completed task may be submitted with it and is ignored."""

    item: str = Field(min_length=1)
    status: Literal["pending", "done", "skipped"] = "pending"
    evidence: str | list[str] | None = None
    reason: str | None = None


class ReportedItem(Shape):
    """Hold a checklist item as reported: by its text, or by its number in the task's checklist."""

    item: Annotated[str, Field(min_length=1)] | Annotated[int, Field(ge=1)]
    status: Literal["pending", "done", "skipped"] = "pending"
    evidence: str | list[str] | None = None
    reason: str | None = None

    def places(self) -> list[str]:
        """Return the locations submitted as evidence, without repetitions."""
        given = [self.evidence] if isinstance(self.evidence, str) else self.evidence or []
        return list(dict.fromkeys(place for text in given if (place := text.strip())))

    def told(self) -> str:
        """Return where the item is seen; `done` where evidence is left out, or why it was skipped."""
        return ", ".join(self.places()) or ("done" if self.status == "done" else f"{self.status}: {self.reason}")


class PlannedTask(Shape):
    """Hold a task as submitted in a plan. `failure_count` and `revert_reason` are accepted and ignored."""

    id: str = Field(min_length=1, max_length=64)
    description: str = Field(min_length=1)
    status: Literal["pending", "completed"] = "pending"
    checklist: list[PlannedItem] = Field(default_factory=list)
    failure_count: int | None = None
    revert_reason: str | None = None
    drop_reason: str | None = None


class ChecklistItem(BaseModel):
    """Hold a checklist item as the server keeps it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    item: str
    status: Literal["pending", "done", "skipped"] = "pending"
    evidence: tuple[str, ...] = ()
    reason: str | None = None


class Task(BaseModel):
    """Hold a task as the server keeps it; `round` is the plan (1, 2, …) that last worked on it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    description: str
    status: Literal["pending", "completed"] = "pending"
    checklist: tuple[ChecklistItem, ...] = ()
    failure_count: int = 0
    revert_reason: str = ""
    round: int = 1


def is_real_reason(text: str | None) -> bool:
    """Return whether the trimmed text has at least ten characters that are not one character repeated."""
    if text is None:
        return False
    folded = text.strip()
    return len(folded) >= MIN_REASON and len(set("".join(folded.split()))) > 1
