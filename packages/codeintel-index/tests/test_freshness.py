"""Answers follow edits without anybody calling sync."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from codeintel_index import Index
from codeintel_index.store.locks import ROWS, hold, make_data_dir
from codeintel_index.testing import write_files

pytestmark = [pytest.mark.draws(18), pytest.mark.usefixtures("always_look")]


def test_an_edited_file_is_found_by_the_next_search(synced: Index) -> None:
    write_files(synced.root, {"shop/gift.py": "def wrap_gift(paper):\n    return paper\n"})
    assert synced.search("wrap a gift in paper").hits[0].symbol == "wrap_gift"
    assert synced.definitions("wrap_gift")


def test_a_deleted_file_is_no_longer_answered(synced: Index) -> None:
    (synced.root / "shop/mail.py").unlink()
    assert synced.definitions("send_receipt") == ()
    assert "shop/mail.py" not in {hit.path for hit in synced.search("mail a receipt").hits}


def test_within_two_seconds_the_disk_is_not_looked_at_again(synced: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codeintel_index.sync.updater.LOOK_AGAIN_S", 1000.0)
    before = synced.refresh()
    write_files(synced.root, {"shop/gift.py": "def wrap_gift(): ...\n"})
    assert synced.refresh() == before


def test_a_folder_in_the_place_of_the_rows_ends_no_lookup(index: Index) -> None:
    (index.data_dir / "index.db").mkdir(parents=True)
    assert {each.path for each in index.references("Price")} >= {"shop/cart.py"}
    assert index.definitions("send_receipt")


def test_nobody_waits_for_a_first_sync_that_takes_too_long(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first batch says how long all will take; the second does not come before the answer is there."""
    answered = threading.Event()

    def slow(sync: object, progress: Callable[[int, int], None]) -> None:
        time.sleep(0.01)  # a clock that has not moved forecasts nothing
        progress(1, 10**15)
        assert answered.wait(60)

    monkeypatch.setattr("codeintel_index.sync.updater.FORECAST_S", 0.0)
    monkeypatch.setattr("codeintel_index.sync.updater.AT_ONCE", 0)
    updater = index._updater
    monkeypatch.setattr(updater, "_full", lambda force, progress, stopped: slow(force, progress))
    monkeypatch.setattr("codeintel_index.sync.updater.FIRST_SYNC_WAIT_S", 50.0)
    assert updater.refresh_or_wait().stale_files > 0
    answered.set()


@pytest.mark.parametrize(("count", "most_bytes"), [(60, 2_000_000), (3, 10)])
def test_many_or_large_changes_are_counted_and_indexed_behind(
    synced: Index, monkeypatch: pytest.MonkeyPatch, count: int, most_bytes: int
) -> None:
    monkeypatch.setattr("codeintel_index.sync.updater.AT_ONCE_BYTES", most_bytes)
    write_files(synced.root, {f"more/m{n}.py": f"def made_{n}(): ...\n" for n in range(count)})
    assert synced.refresh().stale_files == count
    assert synced._updater.wait(60)
    assert synced.refresh().stale_files == 0
    assert synced.definitions(f"made_{count - 1}")


def test_while_another_writes_the_answer_comes_from_what_is_there(synced: Index) -> None:
    write_files(synced.root, {"shop/gift.py": "def wrap_gift(): ...\n"})
    with hold(synced.data_dir, ROWS, 1):
        assert synced.refresh().stale_files == 1
        assert synced.stats().state == "syncing"
        assert synced.search("mail a receipt").stale_files == 1
    assert synced.refresh().stale_files == 0


def test_answers_say_as_of_when_they_are(synced: Index) -> None:
    first, second = synced.search("cart").fresh_as_of, synced.search("cart").fresh_as_of
    assert first <= second
    assert first.endswith("+00:00")


def test_opening_and_reading_write_nothing(index: Index) -> None:
    index.grep("Cart")
    index.symbols("shop/cart.py")
    index.references("Cart")
    index.stats()
    assert not (index.root / ".code-intel").exists()


def test_closing_stops_the_work_behind(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(index.root, {f"more/m{n}.py": f"def made_{n}(): ...\n" for n in range(120)})
    index.refresh()
    index.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "codeintel-index"]


def test_closing_does_not_wait_for_another_writer(index: Index) -> None:
    write_files(index.root, {f"more/m{n}.py": f"def made_{n}(): ...\n" for n in range(60)})
    make_data_dir(index.data_dir)
    with hold(index.data_dir, ROWS, 1):
        assert index.refresh().stale_files == 67
        index.close()
    assert index.stats().state == "absent"


def test_a_first_look_does_not_wait_for_another_writer(index: Index) -> None:
    make_data_dir(index.data_dir)
    with hold(index.data_dir, ROWS, 1):
        assert index.refresh().stale_files == 7


def test_a_failure_behind_is_shown(synced: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(synced._syncer, "sync", full)
    write_files(synced.root, {f"more/m{n}.py": "x = 1\n" for n in range(60)})
    synced.refresh()
    synced._updater.wait(60)
    assert any("disk full" in note for note in synced.stats().notices)


def test_two_open_indexes_of_one_project_see_each_others_work(synced: Index, shop: Path) -> None:
    with Index.open(shop) as other:
        write_files(shop, {"shop/gift.py": "def wrap_gift(): ...\n"})
        other.sync()
        assert synced.definitions("wrap_gift")
        assert synced.stats().files == other.stats().files == 8


def test_threads_that_end_leave_no_connection_open(dense: Index) -> None:
    for _ in range(8):
        thread = threading.Thread(target=lambda: dense.search("where are carts stored", "forest"))
        thread.start()
        thread.join()
    assert len(dense._database._open) <= 3


def test_closing_breaks_no_query_of_another_thread(synced: Index) -> None:
    over, answers = threading.Event(), []

    def ask() -> None:
        while not over.is_set():
            answers.append(len(synced._reader.files()))

    thread = threading.Thread(target=ask)
    thread.start()
    for _ in range(300):
        synced.close()
    over.set()
    thread.join()
    assert set(answers) == {7}
