"""What a judge returns: an outcome for the table, changes of the state, effects, and what to tell."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .effects import Effect


@dataclass(frozen=True, slots=True)
class Say:
    """A message of the contract file by its key, with the values of its placeholders."""

    key: str
    values: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verdict:
    """An accepted submission. `updates` are fields of the state; `outcome` names a jump or "accepted"."""

    outcome: str = "accepted"
    updates: dict[str, Any] = field(default_factory=dict)
    effects: tuple[Effect, ...] = ()
    warnings: tuple[Say, ...] = ()
    hints: tuple[Say, ...] = ()
