"""The brief for an agent that lost its context: everything it needs to go on, within a thousand tokens."""

from pathlib import Path

from codeintel_contract.loader import load_contract
from codeintel_contract.names import Key
from codeintel_session.replies.brief import write_brief
from codeintel_session.testing import Driver

FOUR_CHARACTERS_A_TOKEN = 4000


def test_a_brief_holds_all_that_is_needed_even_of_a_session_full_of_words(driver: Driver) -> None:
    driver.start()
    driver.until(Key.READY_IMPL)
    words = {f"step_{number:02}_X": "word " * 240 for number in range(30)}
    state = driver.service.change({"query": "please " * 900, "summaries": words})
    text = write_brief(load_contract(None), state, rules="- rule\n" * 900)
    assert len(text) <= FOUR_CHARACTERS_A_TOKEN
    entry = load_contract(None).phases[Key.READY_IMPL]
    for part in (
        "step 13, READY implement",
        entry.instruction,
        *(f"{name}: {entry.expected_payload[name]}" for name in ("task_id", "checklist", "compaction_count")),
        "tasks: list[{id: str, description: str, checklist?: list[{item: str}]}]?",
        "0/1, task_1: change count_all",
        "compaction_count is 0",
        "step_29_X: word",
        "- rule - rule",
        "submit_phase",
        "get_session_status",
    ):
        assert part in text


def test_a_project_that_instructs_at_length_does_not_lengthen_the_brief(driver: Driver, tmp_path: Path) -> None:
    path = tmp_path / "phase_contract.yml"
    path.write_text(f"phases:\n  QUERY_FRAME:\n    instruction: {'look ' * 3000}\n", encoding="utf-8")
    driver.start()
    text = write_brief(load_contract(path), driver.state)
    assert len(text) <= FOUR_CHARACTERS_A_TOKEN
    assert "look look" in text
