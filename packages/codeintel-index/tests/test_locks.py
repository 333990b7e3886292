"""Who asks whether a lock is held must not be taken for its holder."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from codeintel_index.store import locks

ASKED = 300


def test_a_lock_that_nobody_holds_is_free_for_all_who_ask_at_once(tmp_path: Path) -> None:
    with locks.hold(tmp_path, locks.VECTORS, 1):
        assert locks.is_held(tmp_path, locks.VECTORS)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: locks.is_held(tmp_path, locks.VECTORS), range(ASKED)))
    assert not any(answers)


def test_a_lock_is_held_for_all_who_ask_while_one_holds_it(tmp_path: Path) -> None:
    with locks.hold(tmp_path, locks.VECTORS, 1), ThreadPoolExecutor(8) as pool:
        assert all(pool.map(lambda _: locks.is_held(tmp_path, locks.VECTORS), range(ASKED // 10)))
