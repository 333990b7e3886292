"""Play a session as a scripted agent: read each reply, do what the phase asks for through MCP, and submit it.

The agent is honest by default. `Script` says where it makes mistakes on purpose, fails verification, finds issues,
or stops; the end-to-end tests play every path with it.
"""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from codeintel_server.demo.change import Change

Reply = dict[str, Any]
GATES = {"Q1": "needs_more_information", "Q2": "has_unverified_hypotheses", "Q3": "needs_impact_analysis"}
"""The questions, by the field that answers each."""


class Client(Protocol):
    """Declare what the player needs from an MCP client."""

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> Any:
        """Call a tool; the result has `content` and `is_error`."""


class Audience(Protocol):
    """Observe the play. `called` receives every tool call with its reply."""

    def called(self, tool: str, arguments: dict[str, Any], reply: Reply) -> None:
        """Show a tool call with its reply."""

    def note(self, text: str) -> None:
        """Show what the agent is about to do."""


@dataclass
class Script:
    """Configure the play. `mistakes` provokes refusals on purpose; each round takes the next entry of the lists.

    A `verifier` other than the generic one has a command, which the server runs. With `lies` the first function is
    wrong, and the agent says that the tests pass.
    """

    intent: str = "IMPLEMENT"
    flags: Any = field(default_factory=dict)
    answers: bool = True
    mistakes: bool = False
    verify: list[bool] = field(default_factory=list)
    issues: list[list[str]] = field(default_factory=list)
    choice: str = "delete"
    stop_before: int = 0
    lies: bool = False
    verifier: str = "generic.md"


class Player:
    """Play one session. `reply` is the last reply of the protocol; `refusals` are the codes met so far."""

    def __init__(self, client: Client, change: Change, script: Script, audience: Audience | None = None) -> None:
        self.client = client
        self.change = change
        self.script = script
        self.audience = audience
        self.reply: Reply = {}
        self.refusals: list[str] = []
        self.steps: list[int] = []
        self.written = 0
        self.is_fixing = False

    async def play(self) -> Reply:
        """Start a session and play to its end (or to the step the script stops before)."""
        arguments = {"intent": self.script.intent, "query": self.change.query(), "flags": self.script.flags}
        self.reply = await self.tool("start_session", **arguments)
        return await self.go_on()

    async def resume(self) -> Reply:
        """Resume the newest session, as after a restart."""
        self.reply = await self.tool("get_session_status")
        return await self.go_on()

    async def go_on(self) -> Reply:
        """Play from the current phase to the end."""
        while self.reply.get("success") and self.reply["phase"] != "SESSION_COMPLETE":
            step = self.reply["step"]
            if step == self.script.stop_before:
                break
            await self.one_step()
        return self.reply

    async def one_step(self) -> None:
        """Do what the current phase asks for."""
        self.steps.append(self.reply["step"])
        if field_name := GATES.get(self.reply["phase"]):
            await self._gate(field_name)
        else:
            await self._phases[self.reply["phase"], self.reply.get("substep", "")](self)

    async def tool(self, name: str, /, **arguments: Any) -> Reply:
        """Call a tool and read its reply."""
        result = await self.client.call_tool(name, arguments)
        reply: Reply = json.loads(result.content[0].text)
        if self.audience:
            self.audience.called(name, arguments, reply)
        return reply

    async def submit(self, summary: str, **fields: Any) -> Reply:
        """Submit the current phase and remember the reply."""
        self.reply = await self._hand_in(summary, fields)
        return self.reply

    async def stumble(self, why: str, summary: str, **fields: Any) -> None:
        """Submit something that the server must refuse."""
        if self.audience:
            self.audience.note(why)
        reply = await self._hand_in(summary, fields)
        if reply["success"]:
            raise AssertionError(f"not refused: {why}")
        self.refusals.append(reply["error"])

    async def _hand_in(self, summary: str, fields: dict[str, Any]) -> Reply:
        count = self.reply.get("compaction_count", 0)
        return await self.tool("submit_phase", data={"summary": summary, "compaction_count": count, **fields})

    # -- one method per phase

    async def _branches(self) -> None:
        await self.submit(f"The user chose {self.script.choice}.", choice=self.script.choice)

    async def _documents(self) -> None:
        lists = [notice.partition(": ")[2].rstrip(".").split(", ") for notice in self.reply["notices"]]
        listed = next(names for names in lists if (self.change.root / names[0]).is_file())
        rules = [{"rule": "Keep to what the document says first", "source": f"{listed[0]}:1"}]
        await self.submit("Read the relevant documents.", documents_reviewed=listed, mandatory_rules=rules)

    async def _frame(self) -> None:
        name, path, anchor = self.change.name(), self.change.path, self.change.anchor
        slots = {
            "target_feature": {"value": f"a function {name}", "quote": f"Add a function {name}"},
            "trigger_condition": {"value": "empty lists", "quote": "on empty lists"},
            "observed_issue": {"value": "divide by zero", "quote": "divide by zero on empty lists"},
            "desired_action": {"value": "gives the total and the mean", "quote": "that gives the total and the mean"},
        }
        await self.submit(
            f"Add {name} to {path}.",
            action_type="add function",
            target_symbols=[anchor],
            scope=path,
            constraints="no change to existing behavior",
            slots=slots,
        )

    async def _explore(self) -> None:
        path, anchor = self.change.path, self.change.anchor
        found = {"explored_files": [path], "findings": [f"{anchor} lives here; nothing sums yet"]}
        if self.script.mistakes:
            await self.stumble("It skips ahead: a plan before any look at the code.", "Done.", tasks=self._tasks(1))
        if self.change.is_text:
            await self.tool("search_text", pattern=anchor, path=path, fixed=True)
            await self.tool("analyze_structure", path=path)
            await self.submit(f"{path} is where it belongs.", **found)
            return
        await self.tool("find_definitions", symbol=anchor)
        await self.tool("find_references", symbol=anchor)
        await self.tool("analyze_structure", path=path)
        tools = ["find_definitions", "find_references", "analyze_structure"]
        if self.script.mistakes:
            claimed = [*tools, "search_text"]
            await self.stumble("It claims a search it never made.", "Searched it all.", **found, tools_used=claimed)
        await self.submit(f"{path} defines {anchor}; the new function goes to its end.", **found, tools_used=tools)

    async def _gate(self, field_name: str) -> None:
        reason = "The first look leaves this open." if self.script.answers else "The first look settled it."
        await self.submit(reason, **{field_name: self.script.answers, "reason": reason})

    async def _semantic(self) -> None:
        query = "sum numbers and compute the average"
        hits = (await self.tool("semantic_search", query=query, n_results=3))["hits"]
        lines = [f"{hit['path']}:{hit['start_line']} does not do it already" for hit in hits]
        await self.submit(
            "Nothing like it exists.", search_query=query, search_results=lines, tools_used=["semantic_search"]
        )

    async def _verify_hypotheses(self) -> None:
        name = self.change.name()
        await self.tool("search_text", pattern=name, fixed=True)
        checked = {"hypothesis": f"{name} does not exist yet", "result": True, "evidence": "search_text"}
        await self.submit("The name is free.", hypotheses_verified=[checked], tools_used=["search_text"])

    async def _impact(self) -> None:
        found = await self.tool("analyze_impact", target_files=[self.change.path], change_description="add a function")
        summary = {item["path"]: "no_change_needed: a new function changes nothing" for item in found["must_verify"]}
        summary[self.change.path] = "will_modify: gets the function"
        await self.submit("Only one file changes.", impact_summary=summary, tools_used=["analyze_impact"])

    def _tasks(self, number: int) -> list[dict[str, Any]]:
        name = self.change.name(number)
        if self.is_fixing:
            item = {"item": f"Let {name} give zero for an empty list", "status": "pending"}
            return [{"id": "fix", "description": f"Fix {name}", "status": "pending", "checklist": [item]}]
        items = [{"item": f"Write {name} at the end of {self.change.path}", "status": "pending"}]
        if number == 1:
            items.append({"item": "Announce it in the changelog", "status": "pending"})
        return [{"id": f"task_{number}", "description": f"Add {name}", "status": "pending", "checklist": items}]

    async def _plan(self) -> None:
        self.written += not self.is_fixing
        await self.submit("One task.", tasks=self._tasks(self.written), user_decision="go on")

    async def _implement(self) -> None:
        path, number = self.change.path, self.written
        if not (await self.tool("check_write_target", file_path=path))["success"]:
            await self.tool("add_explored_files", files=[path])
            await self.tool("check_write_target", file_path=path)
        if self.script.mistakes and self.change.recipe.stub and number == 1 and not self.is_fixing:
            await self.stumble(
                "It reports a function that only pretends to work.",
                "Implemented.",
                **self._report(number, self.change.write(number, pretend=True)),
            )
        evidence = self.change.write(number, wrong=self.script.lies and not self.is_fixing)
        await self.submit(f"Wrote {self.change.name(number)}.", **self._report(number, evidence))

    def _report(self, number: int, evidence: str) -> dict[str, Any]:
        items = [entry["item"] for entry in self._tasks(number)[0]["checklist"]]
        done = {"item": items[0], "status": "done", "evidence": evidence}
        skipped = [{"item": item, "status": "skipped", "reason": "Internal, users do not see it"} for item in items[1:]]
        return {
            "task_id": (self.reply.get("next_task") or self.reply["task_progress"]["next_task"])["id"],
            "checklist": [done, *skipped],
        }

    async def _complete(self) -> None:
        await self.submit("The function is written.")

    async def _verify(self) -> None:
        passed = self.script.verify.pop(0) if self.script.verify else True
        verifier = self.script.verifier
        if self.script.lies and not self.is_fixing:
            claim = {"verifier_used": verifier, "passed": True, "details": "All tests pass."}
            await self.stumble("It says that the tests pass. The server runs them.", "All tests pass.", **claim)
            self.is_fixing, passed = True, False
        elif not passed and verifier != Script.verifier:
            await self.tool("run_verifier", name=verifier.removesuffix(".md"))
        details = "The new function gives what it should." if passed else "An empty list divides by zero."
        await self.submit(details, verifier_used=verifier, passed=passed, details=details)

    async def _intervene(self) -> None:
        escalated = self.reply.get("requires_user_intervention")
        prompt = "user_escalation.md" if escalated else "step_back.md"
        await self.submit("Stepped back.", prompt_used=prompt, action_taken="Wrote down what was assumed.")

    async def _commit(self) -> None:
        page = self.reply if "changes" in self.reply else await self.tool("review_changes")
        changes = page["changes"]
        while page.get("truncated"):
            page = await self.tool("review_changes", offset=page["next_offset"])
            changes += page["changes"]
        own = (change for change in changes if change["whose"] != "preexisting" and not change.get("committed"))
        files = list(dict.fromkeys(change["path"] for change in own))
        await self.submit(
            "The change is what was planned.",
            review_prompt_used="garbage_detection.md",
            reviewed_files=files,
            commit_message=f"Add {self.change.name(self.written)}",
        )

    async def _quality(self) -> None:
        issues = self.script.issues.pop(0) if self.script.issues else []
        await self.submit("Read once more.", quality_prompt_used="quality_review.md", quality_score="9", issues=issues)

    async def _merge(self) -> None:
        await self.submit(f"{self.change.name()} is in place.")

    _phases: ClassVar[dict[tuple[str, str], Callable[["Player"], Awaitable[None]]]] = {
        ("BRANCH_INTERVENTION", ""): _branches,
        ("DOCUMENT_RESEARCH", ""): _documents,
        ("QUERY_FRAME", ""): _frame,
        ("EXPLORATION", ""): _explore,
        ("SEMANTIC", ""): _semantic,
        ("VERIFICATION", ""): _verify_hypotheses,
        ("IMPACT_ANALYSIS", ""): _impact,
        ("READY", "plan"): _plan,
        ("READY", "implement"): _implement,
        ("READY", "complete"): _complete,
        ("POST_IMPL_VERIFY", ""): _verify,
        ("VERIFY_INTERVENTION", ""): _intervene,
        ("PRE_COMMIT", ""): _commit,
        ("QUALITY_REVIEW", ""): _quality,
        ("MERGE", ""): _merge,
    }
