"""Looping: does the same again until a limit gives way. The limits are counted by the server and must trip."""

from typing import Any

from adversary_pack.row import Cheat
from adversary_pack.scene import Scene

Payload = dict[str, Any]


async def _refused_eight_times(stand: Scene) -> Payload:
    """The same bad submission, until the user is called."""
    agent = stand.agent
    payload = {**await agent.prepare(), "summary": " "}
    for _ in range(7):
        reply = await agent.hand_in(payload)
        if reply.get("requires_user_intervention"):
            raise AssertionError("the user was called too early")
    return await agent.hand_in(payload)


async def _refused_in_turns(stand: Scene) -> Payload:
    """Eight bad submissions, each wrong in another way, with honest looks between."""
    agent = stand.agent
    payload = await agent.prepare()
    reply: Payload = {}
    for number in range(8):
        await agent.tool("search_files", pattern=f"**/*{number}*")
        reply = await agent.hand_in({**payload, f"extra_{number}": number})
    return reply


async def _until(stand: Scene, steps: set[int], limit: int = 60) -> Payload:
    """Go on honestly (which fails verification, where the stage says so) until a step is reached."""
    for _ in range(limit):
        if stand.agent.step in steps:
            return stand.agent.reply
        await stand.agent.go()
    raise AssertionError(f"never came to {steps}")


async def _third_failure(stand: Scene) -> Payload:
    """Plans each time under new ids, so that no task has failed before; the third failure stops it all the same."""
    reply = await _until(stand, {16})
    return {**reply, "message": "", "notices": [f"stopped after {stand.agent.visits[15]} failures"]}


async def _third_intervention(stand: Scene) -> Payload:
    """Takes its own advice twice, and would a third time."""
    while stand.agent.visits[16] < 3:
        await stand.agent.go()
    payload = await stand.agent.prepare()
    return await stand.agent.hand_in({**payload, "prompt_used": "hypothesis_review.md"})


async def _six_failures(stand: Scene) -> Payload:
    """Fails six times where no intervention exists, and plans a seventh round without the user."""
    while stand.agent.visits[15] < 6 or stand.agent.step != 12:
        await stand.agent.go()
    payload = await stand.agent.prepare()
    return await stand.agent.hand_in({name: value for name, value in payload.items() if name != "user_decision"})


async def _fourth_review(stand: Scene) -> Payload:
    """Finds issues for ever; the fourth time the session is finished and says so."""
    agent = stand.agent
    agent.script.issues = [["it could be nicer"]] * 9
    for _ in range(60):
        if agent.reply.get("forced_completion"):
            return agent.reply
        await agent.go()
    raise AssertionError("the review never came to an end")


async def _resumed_failures(stand: Scene) -> Payload:
    """Asks for its state between failures, hoping that a look resets the count."""
    agent = stand.agent
    for _ in range(60):
        if agent.step == 16:
            return {**agent.reply, "notices": [f"stopped after {agent.visits[15]} failures"]}
        await agent.tool("get_session_status")
        await agent.go()
    raise AssertionError("the count was reset")


def _stopped(answers: list[Payload]) -> bool:
    return "stopped after 3 failures" in answers[-1].get("notices", [])


def _forced(answers: list[Payload]) -> bool:
    return answers[-1].get("forced_completion") is True and answers[-1]["step"] == 19


# fmt: off
ROWS = (
    Cheat("looping-same", "hands the same bad exploration in eight times", 5, "common_failures.repeated_refusals",
          play=_refused_eight_times),
    Cheat("looping-in-work", "hands the same bad report in eight times", 13, "common_failures.repeated_refusals",
          play=_refused_eight_times, stage="fast"),
    Cheat("looping-in-verify", "hands the same bad verification in eight times", 15,
          "common_failures.repeated_refusals", play=_refused_eight_times, stage="fast"),
    Cheat("looping-in-commit", "hands the same bad review in eight times", 17, "common_failures.repeated_refusals",
          play=_refused_eight_times, stage="fast"),
    Cheat("looping-in-turns", "is wrong in eight ways, with looks between", 5, "common_failures.repeated_refusals",
          play=_refused_in_turns),
    Cheat("looping-new-ids", "fails verification again under new task ids", 12, "void: the third failure stops it",
          play=_third_failure, void=_stopped, stage="failing"),
    Cheat("looping-status", "asks for its state between failures", 12, "void: the third failure stops it",
          play=_resumed_failures, void=_stopped, stage="failing"),
    Cheat("looping-interventions", "takes its own advice a third time", 12,
          "failures.VERIFY_INTERVENTION.user_escalation", play=_third_intervention, stage="failing"),
    Cheat("looping-quick", "plans a seventh round without the user", 12, "failures.READY.user_decision_required",
          play=_six_failures, stage="failing quick"),
    Cheat("looping-reviews", "finds issues in every review", 12, "void: finished as forced, and said so",
          play=_fourth_review, void=_forced),
)
