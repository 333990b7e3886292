"""A history of sessions on one project: what was learned answers alone while it is true, and never when it is not."""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from history import History, root_of
from run import ask_again, go_stale, play
from typer.testing import CliRunner
from world import Task, make, tasks

from codeintel_server.cli import app

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("learning")]
CHOSEN = ("object_to_json", "euro_to_dollar", "render_page", "reserve_stock")
"""Tasks whose near misses are the nearest."""


@pytest.fixture(scope="module")
def work() -> list[Task]:
    return [task for task in tasks() if task.symbol in CHOSEN]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory, work: list[Task], _own_world: None) -> Iterator[History]:
    """Twenty-four sessions: eight things asked for the first time, four in other words, twelve again."""
    history = History(make(root_of(tmp_path_factory.mktemp("learning"))))
    play(history, work, 24)
    yield history
    history.close()


def test_a_repeated_request_takes_the_shortcut_to_what_was_learned(played: History) -> None:
    assert played.rate("repeated") == (12, 0, 0)


def test_a_request_in_like_words_for_another_thing_never_takes_it(played: History) -> None:
    assert played.rate("new") == (0, 0, 4)
    assert played.rate("near miss") == (0, 0, 4)
    assert played.rate("paraphrase")[1] == 0


def test_stats_count_what_happened(played: History) -> None:
    told = json.loads(CliRunner().invoke(app, ["stats", str(played.repo.root), "--json"]).output)
    assert (told["sessions"], told["outcomes"]) == (24, {"verified": 24})
    answered = sum(count for (_, verdict), count in played.told.items() if verdict != "none")
    assert (told["map_asked"], told["map_answered"]) == (24, answered)
    assert (told["explored_precision"], told["explored_recall"]) == (1.0, 1.0)
    assert told["insights"] == []


def test_agreements_say_what_they_rest_on(played: History, work: list[Task]) -> None:
    folder = played.repo.root / ".code-intel/agreements"
    texts = [path.read_text(encoding="utf-8") for path in folder.glob("*.md")]
    (text,) = [text for text in texts if f'nl_term: "{work[0].ask}"' in text]
    assert f'symbol: "{work[0].symbol}"' in text
    assert "verified_by: " in text
    assert f"- change {work[0].symbol} (" in text
    assert f"{work[0].path}:" in text


def test_a_failure_told_later_takes_the_shortcut_back_and_is_told_to_whoever_asks_again(
    played: History, work: list[Task]
) -> None:
    task = work[-1]
    last = played.session("failing", task.ask, task.path, task.symbol)
    assert played.told["failing", "right"] == 1
    for session_id in {last, *played.taught(task.symbol)}:
        played.tool("record_outcome", outcome="failure", session_id=session_id, note="sold what was not there")
    started = played.tool("start_session", intent="MODIFY", query=task.ask, flags={"quick": True}, discard_active=True)
    assert any("sold what was not there" in notice for notice in started["notices"])
    played.submit(action_type="change", target_symbols=[task.symbol], scope=task.path, constraints="none")
    assert played.ask("failed", task.ask, task.path, task.symbol) == "none"
    for session_id in {last, *played.taught(task.symbol)}:
        played.tool("record_outcome", outcome="success", session_id=session_id)
    assert played.ask("mended", task.ask, task.path, task.symbol) == "right"


def test_when_code_has_changed_no_shortcut_is_wrong_and_after_months_none_is_taken(
    played: History, work: list[Task]
) -> None:
    done = go_stale(played, work)
    played.told.clear()
    ask_again(played, work, done)
    assert played.mistakes == []
    assert sum(count for (_, verdict), count in played.told.items() if verdict == "right") == 8 - len(
        [change for change in done.values() if change != "move"]
    )
    played.clock.time += timedelta(days=90)
    played.told.clear()
    ask_again(played, work, done)
    assert {verdict for _, verdict in played.told} == {"none"}


def test_what_is_deleted_is_forgotten(played: History, work: list[Task]) -> None:
    folder: Path = played.repo.root / ".code-intel/agreements"
    for path in folder.glob("*.md"):
        path.unlink()
    reply = played.tool("semantic_search", query=work[0].ask, collection="map")
    assert reply["hits"] == []
