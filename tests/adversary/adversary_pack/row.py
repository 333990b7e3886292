"""A cheat as a row: what an agent does instead of the honest thing, at which step, and the defence that must catch it.

A row is the honest submission of its step with one thing changed, so that nothing but the cheat can be what is refused.
The defence is a key of the contract file, `guard`, `reconciliation`, or `void: ...` for a claim that the server
overrules with its own knowledge.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

RECONCILIATION = "common_failures.unexplored_changes"
Payload = dict[str, Any]
Call = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Cheat:
    """One row. `change` replaces fields of the honest submission (`...` takes one away) or makes another of it.

    `sh` runs behind the server's back, `calls` are tools called first, both before the submission. `early` cheats
    before the phase's own work is done. `asks` is a call of the client's own tools that its hook puts to the guard; let
    pass, it is carried out. `instead` is a call of ours that is the cheat itself. `play` is for what a row cannot say;
    `void` tells from the answers whether the claim had no effect. `missed` says why nothing catches it. `needs` is a
    program without which the row cannot be played.
    """

    id: str
    what: str
    step: int
    defence: str
    change: Mapping[str, Any] | Callable[[Payload], Any] = field(default_factory=dict)
    sh: str = ""
    calls: tuple[Call, ...] = ()
    early: bool = False
    visit: int = 1
    stage: str = "default"
    asks: Call | None = None
    client: str = "claude"
    instead: Call | None = None
    play: Callable[[Any], Awaitable[Any]] | None = None
    void: Callable[[list[Payload]], bool] | None = None
    missed: str = ""
    needs: str = ""

    @property
    def agent(self) -> str:
        """Who does it: the first word of the id."""
        return self.id.partition("-")[0]

    @property
    def verdict(self) -> str:
        """The defence that must catch it, by its key; `missed` where none does."""
        if self.missed:
            return MISSED
        return RECONCILIATION if self.defence == "reconciliation" else self.defence

    @property
    def goes_on(self) -> bool:
        """Whether the submission is accepted, and the cheat named or void: such a row has a session of its own.

        A call of ours that names the cheat in its own answer changes nothing of the session.
        """
        is_named = self.defence.startswith(("warnings.", "session_messages.", "void"))
        return self.play is not None or (is_named and self.instead is None)

    def submission(self, honest: Payload) -> Any:
        """What is handed in instead of the honest payload."""
        if callable(self.change):
            return self.change({**honest})
        return {name: value for name, value in {**honest, **self.change}.items() if value is not ...}


BLOCKED = "blocked before"
REFUSED = "refused at submission"
FOUND = "found at reconciliation"
NAMED = "named or void"
MISSED = "missed"
PLACES = (BLOCKED, REFUSED, FOUND, NAMED, MISSED)


@dataclass(frozen=True)
class Outcome:
    """What became of a cheat: where it ended, which defence ended it, and what was said."""

    cheat: Cheat
    place: str
    defence: str
    said: str = ""

    @property
    def verdict(self) -> str:
        """The defence that caught it, or `missed`."""
        return MISSED if self.place == MISSED else self.defence
