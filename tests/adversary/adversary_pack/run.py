"""Plays the rows of a stage: an honest session first, then one in which each cheat comes before the honest submission.

That the honest submission of a step is accepted is shown twice: alone, and after the cheats, which it differs from only
in what their rows say. Should a cheat be accepted, the session is begun anew without it.
"""

import shutil
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from . import guard
from .row import BLOCKED, FOUND, MISSED, NAMED, RECONCILIATION, REFUSED, Cheat, Outcome
from .scene import Scene, scene
from .snapshot import Snapshot
from .stages import STAGES
from .words import key_of, says

Payload = dict[str, Any]
Place = tuple[int, int]


async def play(folder: Path, stage: str, cheats: Sequence[Cheat]) -> list[Outcome]:
    """What becomes of the cheats of one stage.

    Raises:
        Refused: an honest submission was refused, so that nothing is told by the refusal of a cheat.
    """
    mine = [cheat for cheat in cheats if cheat.stage == stage and can_play(cheat)]
    if not mine:
        return []
    async with scene(folder, STAGES[stage]) as stand:
        honest = await _honest(stand, max((cheat.step, cheat.visit) for cheat in mine))
        outcomes = await _refused(stand, honest, [cheat for cheat in mine if not cheat.goes_on])
        outcomes += [await _alone(stand, cheat) for cheat in mine if cheat.goes_on]
    return outcomes


def can_play(cheat: Cheat) -> bool:
    """Say whether the program that a row needs is installed here."""
    return not cheat.needs or shutil.which(cheat.needs) is not None


async def _honest(stand: Scene, last: Place) -> dict[Place, Payload]:
    """The honest submissions up to a step, each accepted."""
    agent = await stand.begin()
    found: dict[Place, Payload] = {}
    while last not in found:
        place, found[agent.place] = agent.place, await agent.prepare()
        await agent.go_with(found[place])
    return found


async def _refused(stand: Scene, honest: dict[Place, Payload], cheats: Iterable[Cheat]) -> list[Outcome]:
    waiting: dict[Place, list[Cheat]] = defaultdict(list)
    for cheat in cheats:
        waiting[cheat.step, cheat.visit].append(cheat)
    outcomes: list[Outcome] = []
    while waiting:
        agent = await stand.begin()
        while waiting:
            here = waiting.pop(agent.place, [])
            early = [cheat for cheat in here if cheat.early]
            late = [cheat for cheat in here if not cheat.early]
            left = await _try(stand, honest.get(agent.place, {}), early, outcomes)
            if left is None:
                before = Snapshot(stand.root)
                payload = await agent.prepare()
                left, late = await _try(stand, payload, late, outcomes), []
            if left is not None:  # one was accepted: the others need a session that stands where this one stood
                waiting[_place(here)] = [*left, *late]
                break
            if any(not cheat.early and (cheat.calls or cheat.instead) for cheat in here):
                before.restore()  # what the server saw last is not the honest look, which is to be had anew
                payload = await agent.prepare()
            await agent.go_with(payload)
        waiting = defaultdict(list, {place: rows for place, rows in waiting.items() if rows})
    return outcomes


def _place(cheats: Sequence[Cheat]) -> Place:
    return cheats[0].step, cheats[0].visit


async def _try(stand: Scene, honest: Payload, cheats: list[Cheat], outcomes: list[Outcome]) -> list[Cheat] | None:
    """Play cheats until one is accepted; gives those left then, None if all were refused."""
    for at, cheat in enumerate(cheats):
        before = stand.agent.place
        outcomes.append(await _one(stand, honest, cheat))
        if stand.agent.place != before:
            return cheats[at + 1 :]
    return None


async def _one(stand: Scene, honest: Payload, cheat: Cheat) -> Outcome:
    """One cheat; whatever it did to the repository is undone."""
    kept = Snapshot(stand.root)
    try:
        return await _judge(stand, honest, cheat)
    finally:
        kept.restore()


async def _judge(stand: Scene, honest: Payload, cheat: Cheat) -> Outcome:
    if cheat.asks and guard.ask(stand.root, *cheat.asks, cheat.client) == "deny":
        return Outcome(cheat, BLOCKED, "guard")
    _carry_out(stand, cheat)
    for name, arguments in cheat.calls:
        await stand.agent.tool(name, **arguments)
    if cheat.instead:
        reply = await stand.agent.tool(cheat.instead[0], **cheat.instead[1])
    else:
        reply = await stand.agent.hand_in(cheat.submission(honest))
    return _outcome(cheat, reply)


def _carry_out(stand: Scene, cheat: Cheat) -> None:
    """What is done behind the server's back."""
    if cheat.sh:
        stand.run(cheat.sh)
    if cheat.asks is None:
        return
    tool, given = cheat.asks
    if "command" in given and tool != "apply_patch":
        stand.run(given["command"])
    elif "file_path" in given and not Path(given["file_path"]).is_absolute():
        target = stand.root / given["file_path"]
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(given.get("content", "x = 1\n"), encoding="utf-8")


def _outcome(cheat: Cheat, reply: Payload) -> Outcome:
    said = f"{reply.get('error', '')} {reply.get('message', '')}".strip()
    if reply["success"] and cheat.instead and _shows(cheat, [reply]):
        return Outcome(cheat, NAMED, cheat.defence)
    if reply["success"]:
        return Outcome(cheat, MISSED, "", said)
    key = key_of(reply)
    place = BLOCKED if cheat.instead else FOUND if key == RECONCILIATION else REFUSED
    return Outcome(cheat, place, key, said)


async def _alone(stand: Scene, cheat: Cheat) -> Outcome:
    """A cheat that is accepted: played in a session of its own, in the answers of which its defence must show."""
    agent = await stand.begin()
    await agent.advance((cheat.step, cheat.visit))
    if cheat.play:
        reply = await cheat.play(stand)
        place = NAMED if reply["success"] else REFUSED
        return Outcome(cheat, place, cheat.defence) if _shows(cheat, [reply]) else _outcome(cheat, reply)
    honest = await agent.prepare()
    since = len(agent.answers)
    if cheat.asks and guard.ask(stand.root, *cheat.asks, cheat.client) == "deny":
        return Outcome(cheat, BLOCKED, "guard")
    _carry_out(stand, cheat)
    for name, arguments in cheat.calls:
        await agent.tool(name, **arguments)
    reply = await agent.hand_in(cheat.submission(honest))
    if not reply["success"]:
        return _outcome(cheat, reply)
    while not _shows(cheat, agent.answers[since:]) and agent.step != 20:
        if not (reply := await agent.hand_in(await agent.prepare()))["success"]:
            return _outcome(cheat, reply)
    if _shows(cheat, agent.answers[since:]):
        return Outcome(cheat, NAMED, cheat.defence)
    return Outcome(cheat, MISSED, "", str(reply.get("message", "")))


def _shows(cheat: Cheat, answers: list[Payload]) -> bool:
    if cheat.void and answers:
        return cheat.void(answers)
    return any(says(answer, cheat.defence) for answer in answers)
