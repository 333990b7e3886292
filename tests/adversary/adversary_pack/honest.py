"""Honest agents, one for each set of flags that is allowed: none of their submissions may be refused."""

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path
from typing import Any

from codeintel_contract.flags import Flags, check_combination
from codeintel_contract.names import Intent
from codeintel_contract.violations import ContractViolation
from codeintel_server.demo.player import Script
from codeintel_server.demo.stage import connected, find_change

from . import repository
from .agent import Agent, Refused
from .snapshot import Snapshot

PROTOCOL = ("start_session", "submit_phase")
_SWITCHES = [name for name, field in Flags.model_fields.items() if field.annotation is bool]


@dataclass(frozen=True)
class Way:
    """How an agent is started: the intent, the flags that are on, its answers at the gates."""

    intent: Intent
    flags: tuple[tuple[str, Any], ...]
    answers: bool = True

    @property
    def label(self) -> str:
        """The flags as a reader writes them."""
        words = [f"{name}={value}" if value is not True else name for name, value in self.flags]
        return " ".join(words) or ("none" if self.answers else "none, gates answered no")


@dataclass(frozen=True)
class Played:
    """One honest session: its steps, what was refused, characters / 4 of the protocol's replies, seconds."""

    way: Way
    steps: tuple[int, ...]
    refused: str
    tokens: int
    seconds: float


def ways() -> Iterator[Way]:
    """Every set of flags that start_session takes, for an implementation and an investigation."""
    for intent, level in product((Intent.IMPLEMENT, Intent.INVESTIGATE), ("auto", "full")):
        for values in product((False, True), repeat=len(_SWITCHES)):
            on = {name: True for name, value in zip(_SWITCHES, values, strict=True) if value}
            given = {**on, **({"gate_level": level} if level != "auto" else {})}
            try:
                check_combination(Flags(**given), intent)
            except ContractViolation:
                continue
            yield Way(intent, tuple(given.items()))
    yield Way(Intent.IMPLEMENT, (), answers=False)
    yield Way(Intent.MODIFY, (), answers=False)


def covering() -> list[Way]:
    """As few ways as hold every three settings together that some way holds: of flags, intent and answers."""
    left = {way: set(combinations(_settings(way), 3)) for way in ways()}
    chosen: list[Way] = []
    while any(left.values()):
        best = max(left, key=lambda way: len(left[way]))
        chosen.append(best)
        held = left[best].copy()
        for threes in left.values():
            threes -= held
    return chosen


def _settings(way: Way) -> list[tuple[str, Any]]:
    given = {**dict.fromkeys([*_SWITCHES, "gate_level"], False), **dict(way.flags)}
    return [("intent", way.intent), ("answers", way.answers), *given.items()]


async def play(folder: Path, chosen: Sequence[Way]) -> list[Played]:
    """Play sessions one after the other on one repository, which is put back between them."""
    repo = repository.make(folder / "my project")
    pristine = Snapshot(repo.root)
    found: list[Played] = []
    async with connected(repo.root) as client:
        for way in chosen:
            pristine.restore()
            found.append(await weigh(repo.root, client, way))
    return found


async def weigh(root: Path, client: Any, way: Way) -> Played:
    """Play one session, honest from its first call to its end."""
    weight = _Weight()
    script = Script(intent=way.intent.value, flags=dict(way.flags), answers=way.answers)
    agent = Agent(client, find_change(root), script)
    agent.audience = weight
    began, refused, steps = time.perf_counter(), "", []
    await agent.start()
    try:
        while agent.step != 20:
            steps.append(agent.step)
            await agent.go()
    except Refused as refusal:
        refused = str(refusal)
    return Played(way, tuple(steps), refused, weight.characters // 4, time.perf_counter() - began)


class _Weight:
    """Weighs the protocol's replies, as compact as they are sent."""

    characters = 0

    def called(self, tool: str, arguments: dict[str, Any], reply: dict[str, Any]) -> None:
        if tool in PROTOCOL:
            self.characters += len(json.dumps(reply, ensure_ascii=False, separators=(",", ":")).encode())

    def note(self, text: str) -> None:
        """Nothing to weigh."""
