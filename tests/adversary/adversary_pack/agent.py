"""The honest agent of the demonstration, taught to hold a submission back so that a cheat can go first."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any, ClassVar

from codeintel_server.demo.change import Change
from codeintel_server.demo.player import Player, Script

Payload = dict[str, Any]
NOTE = "- The total of nothing is zero.\n"


class Agent(Player):
    """Plays phase by phase. Its plan has two tasks where `second` is set: the function, and a line in a document.

    What it says to `open` before it reports its first task are files of this session, whatever is done to them later.
    """

    def __init__(
        self, client: Any, change: Change, script: Script, *, second: bool = False, opens: Sequence[str] = ()
    ) -> None:
        super().__init__(client, change, script)
        self.second = second
        self.opens = opens
        self.visits: Counter[int] = Counter()
        self.answers: list[Payload] = []
        self._is_holding = False
        self._held: Payload = {}
        self._prepared: tuple[tuple[int, int], int] | None = None

    async def tool(self, name: str, /, **arguments: Any) -> Payload:
        """Call a tool; every answer is kept."""
        self.answers.append(await super().tool(name, **arguments))
        return self.answers[-1]

    async def start(self) -> Payload:
        """Begin the session; one of before is given up."""
        given = {"intent": self.script.intent, "query": self.change.query(), "flags": self.script.flags}
        self.reply = await self.tool("start_session", **given)
        while not self.reply["success"] and self.reply["error"] == "session_active":
            self.reply = await self.tool("start_session", **given, discard_active=True)
        self.visits[self.reply.get("step", 0)] += 1
        return self.reply

    @property
    def step(self) -> int:
        """Where the session stands; 20 is its end."""
        return int(self.reply.get("step", 20))

    @property
    def place(self) -> tuple[int, int]:
        """The step and how often it was come to."""
        return self.step, self.visits[self.step]

    async def prepare(self) -> Payload:
        """Do what the present phase asks for; the submission is given back and not handed in.

        Prepared twice, a plan counts once.
        """
        if self._prepared and self._prepared[0] == self.place:
            self.written = self._prepared[1]
        self._prepared = self.place, self.written
        self._is_holding = True
        await self.one_step()
        self._is_holding = False
        return self._held

    async def hand_in(self, payload: Any) -> Payload:
        """Submit; an accepted submission moves the agent on."""
        reply = await self.tool("submit_phase", data=payload)
        if reply["success"]:
            self.reply = reply
            self.visits[self.step] += 1
        return reply

    async def advance(self, to: tuple[int, int]) -> None:
        """Play honestly up to a step.

        Raises:
            Refused: an honest submission was refused.
        """
        while self.place != to:
            await self.go()

    async def go(self) -> Payload:
        """One honest phase.

        Raises:
            Refused: it was refused, or there is none any more.
        """
        if self.step == 20:
            raise Refused(f"the session is over: {json.dumps(self.reply)[:600]}")
        return await self.go_with(await self.prepare())

    async def go_with(self, payload: Payload) -> Payload:
        """Hand in what must be accepted.

        Raises:
            Refused: it was not.
        """
        reply = await self.hand_in(payload)
        if not reply["success"]:
            raise Refused(f"step {self.step}: {json.dumps(reply)[:1200]}")
        return reply

    async def _hand_in(self, summary: str, fields: Payload) -> Payload:
        self._held = {"summary": summary, "compaction_count": self.reply.get("compaction_count", 0), **fields}
        return self.reply if self._is_holding else await super()._hand_in(summary, fields)

    def _tasks(self, number: int) -> list[Payload]:
        items = [{"item": "Say it in docs/numbers.md", "status": "pending"}]
        note = {"id": f"note_{number}", "description": "Tell of it", "status": "pending", "checklist": items}
        return [*super()._tasks(number), *([note] if self.second and number == 1 else [])]

    async def _task(self) -> None:
        if not self.reply["next_task"]["id"].startswith("note"):
            if self.opens:
                opened = await self.tool("add_explored_files", files=list(self.opens))
                assert opened["success"], opened
            await self._implement()
            return
        path = "docs/numbers.md"
        await self.tool("add_explored_files", files=[path])
        await self.tool("check_write_target", file_path=path)
        file = self.change.root / path
        if NOTE not in file.read_text(encoding="utf-8"):
            file.write_text(file.read_text(encoding="utf-8") + NOTE, encoding="utf-8")
        line = len(file.read_text(encoding="utf-8").splitlines())
        item = {"item": "Say it in docs/numbers.md", "status": "done", "evidence": f"{path}:{line}"}
        report = {"task_id": self.reply["next_task"]["id"], "checklist": [item], "tools_used": ["check_write_target"]}
        await self.submit("Told of it.", **report)

    _phases: ClassVar[Any] = {**Player._phases, ("READY", "implement"): _task}


class Refused(AssertionError):
    """An honest submission was refused."""
