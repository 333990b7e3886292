"""Sessions judged again from the log alone: the same verdicts whatever was handed in, others under another contract.

The number of generated sessions is CODEINTEL_REPLAY_SESSIONS; how many were run is in docs/replay.md.
"""

import json
import os
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from codeintel_contract.loader import Contract, load_contract
from codeintel_contract.names import Key
from codeintel_session.audit.logs import faults_in
from codeintel_session.audit.replay import ReplayedLine, count_missing, numbered_entries, replay_session
from codeintel_session.service import SessionService
from codeintel_session.submission.elicitation import UserAnswer
from codeintel_session.testing import Driver, Repo, World, crashed, make_repo

pytestmark = pytest.mark.draws(18)

SESSIONS = int(os.environ.get("CODEINTEL_REPLAY_SESSIONS", "6"))
FLAGS: tuple[dict[str, Any], ...] = ({}, {"fast": True}, {"quick": True}, {"gate_level": "full"}, {"no_verify": True})


def log_of(repo: Repo) -> Path:
    return repo.root / ".code-intel/logs/decisions.jsonl"


def judged_again(repo: Repo, session_id: str, contract: Contract | None = None) -> tuple[ReplayedLine, ...]:
    with log_of(repo).open("rb") as file:
        return replay_session(
            session_id, numbered_entries(file), contract or load_contract(None), is_other=contract is not None
        )


class Wild:
    """An agent that does a step right, wrong, or as nobody would, by its own dice; it always comes to an end."""

    def __init__(self, repo: Repo, seed: int) -> None:
        self.dice = random.Random(seed)
        self.world = World(repo.root)
        self.driver = Driver(self.world.service(), repo)
        intent = self.dice.choice(["MODIFY", "MODIFY", "INVESTIGATE"])
        flags = self.dice.choice(FLAGS if intent == "MODIFY" else FLAGS[:1])
        self.session_id: str = self.driver.start(intent, **flags)["session_id"]

    def play(self) -> int:
        """Returns how many submissions were refused."""
        refusals = 0
        for turn in range(60):
            self.driver.answers = {name: self.dice.random() < 0.5 for name in ("q1", "q2", "q3")}
            self.driver.passed = turn > 30 or self.dice.random() < 0.7
            self.driver.issues = [] if turn > 30 or self.dice.random() < 0.6 else ["a name is wrong"]
            if self.dice.random() < 0.1:
                self._die()
            payload = self.driver.payload()
            wrong = turn < 40 and self.dice.random() < 0.4
            reply = self.driver.service.submit(self._spoilt(payload) if wrong else payload, self._answer(wrong))
            refusals += not reply["success"]
            if reply["phase"] == "SESSION_COMPLETE":
                return refusals
        raise AssertionError("never came to an end")

    def _answer(self, wrong: bool) -> UserAnswer | None:
        asked = wrong and self.driver.key() is Key.PRE_COMMIT
        return UserAnswer("decline") if asked and self.dice.random() < 0.5 else None

    def _die(self) -> None:
        crashed(self.driver.service)
        self.driver.service = self.world.service()
        self.driver.service.status()

    def _spoilt(self, payload: dict[str, Any]) -> object:
        name = self.dice.choice(list(payload))
        spoil = {
            "without a field": {key: value for key, value in payload.items() if key != name},
            "with another type": {**payload, name: {"x": [1]}},
            "with an empty field": {**payload, name: type(payload[name])()},
            "with an unknown field": {**payload, "nonsense \ud800": "ü"},
            "with a file that is not there": {**payload, "explored_files": ["gone.py"]},
            "with another task": {**payload, "task_id": "task_99"},
            "with tools that were not called": {**payload, "tools_used": ["get_symbols"]},
            "as text": repr(payload),
            "as a list": [payload],
        }
        return spoil[self.dice.choice(list(spoil))]


@pytest.mark.sample
@pytest.mark.parametrize("seed", range(SESSIONS))
def test_every_verdict_of_a_generated_session_comes_out_again(seed: int, tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "p")
    wild = Wild(repo, seed)
    refusals = wild.play()
    lines = judged_again(repo, wild.session_id)
    # What is no object at all is not kept; all else comes out the same.
    assert [line for line in lines if line.status != "same" and "no object" not in line.why] == []
    assert sum(line.status == "same" for line in lines) > len(lines) / 2
    assert refusals == sum(line.recorded.verdict != "accepted" for line in lines)
    assert faults_in(log_of(repo)) == []


def test_two_sessions_in_one_log_are_told_apart(driver: Driver, world: World, repo: Repo) -> None:
    first = driver.start(quick=True)["session_id"]
    driver.finish()
    second = driver.start(quick=True)["session_id"]
    driver.finish()
    assert {line.status for one in (first, second) for line in judged_again(repo, one)} == {"same"}


def test_a_verdict_that_was_rewritten_with_its_chain_comes_out_otherwise(driver: Driver, repo: Repo) -> None:
    session = driver.start(quick=True)["session_id"]
    driver.submit(nonsense=1)
    driver.finish()
    text = log_of(repo).read_text(encoding="utf-8")
    log_of(repo).write_text(text.replace('"verdict":"payload_mismatch"', '"verdict":"accepted"'), encoding="utf-8")
    first, *rest = judged_again(repo, session)
    assert (first.number, first.status, first.recorded.verdict) == (1, "differs", "accepted")
    assert first.derived is not None
    assert first.derived.verdict == "payload_mismatch"
    assert {line.status for line in rest} == {"same"}


def demanding(tool: str) -> Contract:
    """The contract with one more tool that EXPLORATION asks for."""
    contract = load_contract(None)
    entry = contract.phases[Key.EXPLORATION].model_copy(update={"required_tools": (tool,)})
    return replace(contract, digest="other", phases={**contract.phases, Key.EXPLORATION: entry})


def test_under_another_contract_the_first_difference_is_shown_and_nothing_after_it_is_followed(
    driver: Driver, repo: Repo
) -> None:
    session = driver.start()["session_id"]
    driver.finish()
    frame, exploration, *later = judged_again(repo, session, demanding("get_symbols"))
    assert (frame.status, exploration.status) == ("same", "differs")
    assert exploration.derived is not None
    assert (exploration.recorded.verdict, exploration.derived.verdict) == ("accepted", "payload_mismatch")
    assert "get_symbols" in exploration.derived.reasons[0]
    assert {line.status for line in later} == {"not_followed"}


def test_another_contract_that_asks_for_the_same_changes_nothing(driver: Driver, repo: Repo) -> None:
    session = driver.start()["session_id"]
    driver.finish()
    assert {line.status for line in judged_again(repo, session, demanding("search_text"))} == {"same"}


def test_what_git_refused_is_taken_as_it_was_said(driver: Driver, repo: Repo) -> None:
    session = driver.start()["session_id"]
    driver.until(Key.PRE_COMMIT)
    hook = repo.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho no >&2\nexit 1\n", encoding="utf-8")
    hook.chmod(0o755)
    assert driver.submit()["error"] == "finalize_failed"
    hook.unlink()
    driver.finish()
    lines = judged_again(repo, session)
    assert [line.recorded.verdict for line in lines if line.status == "by_world"] == ["finalize_failed"]
    assert {line.status for line in lines} == {"same", "by_world"}


def test_a_submission_that_is_too_long_is_not_kept_and_the_next_one_is_judged_again(driver: Driver, repo: Repo) -> None:
    session = driver.start(quick=True)["session_id"]
    driver.submit(nonsense="x" * 300_000)
    driver.finish()
    first, *rest = judged_again(repo, session)
    assert (first.status, "too many to keep" in first.why) == ("unknown", True)
    assert {line.status for line in rest} == {"same"}


def test_lines_cut_off_at_the_end_are_missed_by_their_number(driver: Driver, repo: Repo) -> None:
    session = driver.start()["session_id"]
    driver.until(Key.READY_PLAN)
    accepted = len(driver.state.completed_steps)
    lines = log_of(repo).read_bytes().splitlines(keepends=True)
    assert count_missing((entry for _, entry in numbered_entries(lines)), session, accepted) == 0
    assert faults_in(log_of(repo)) == []
    assert count_missing((entry for _, entry in numbered_entries(lines[:-2])), session, accepted) == 2


def test_lines_of_before_cases_were_kept_are_shown_as_unknown(driver: Driver, repo: Repo) -> None:
    session = driver.start(quick=True)["session_id"]
    driver.finish()
    lines = [(number, {k: v for k, v in entry.items() if k != "case"}) for number, entry in _entries(repo)]
    again = replay_session(session, lines, load_contract(None))
    assert {(line.status, line.why) for line in again} == {("unknown", "it was written before records were kept")}


def test_a_line_that_starts_from_a_removed_one_is_unknown(driver: Driver, repo: Repo) -> None:
    session = driver.start(quick=True)["session_id"]
    driver.finish()
    again = replay_session(session, _entries(repo)[1:], load_contract(None))
    assert {line.status for line in again} == {"unknown"}


def _entries(repo: Repo) -> list[tuple[int, dict[str, Any]]]:
    with log_of(repo).open("rb") as file:
        return list(numbered_entries(file))


def test_a_verdict_that_hung_on_a_hidden_text_says_that_this_may_be_why(world: World, repo: Repo) -> None:
    def hide(line: dict[str, Any]) -> dict[str, Any]:
        shown: dict[str, Any] = json.loads(json.dumps(line).replace("QUERY_FRAME done", ""))
        return shown

    driver = Driver(SessionService(replace(world.ports(), redact=hide)), repo)
    session = driver.start(quick=True)["session_id"]
    driver.finish()
    frame, *rest = judged_again(repo, session)
    assert (frame.status, "secrets are redacted" in frame.why) == ("differs", True)
    assert {line.status for line in rest} == {"same"}
