"""What is learned over 200 sessions, and whether it is still true after the code has changed.

uv run python benchmarks/learning/run.py
"""

import os
import random
import sys
import tempfile
from collections.abc import Callable
from datetime import timedelta
from itertools import cycle
from pathlib import Path

from history import History, root_of
from world import Task, delete, make, move, rename, reuse, tasks

SESSIONS = 200
STALE = 0.4
FADES: tuple[Callable[[Path, str, str], None], ...] = (delete, rename, move, reuse)


def play(history: History, work: list[Task], sessions: int, seed: int = 7) -> None:
    """First every task and its near miss once, then repetitions and paraphrases in any order."""
    for task in work:
        history.session("new", task.ask, task.path, task.symbol)
        history.session("near miss", task.near_ask, task.path, task.near)
    later = [("paraphrase", task.again, task.path, task.symbol) for task in work]
    both = [
        each
        for task in work
        for each in (
            ("repeated", task.ask, task.path, task.symbol),
            ("repeated", task.near_ask, task.path, task.near),
        )
    ]
    repeated = cycle(both)
    later += [next(repeated) for _ in range(sessions - history.played - len(later))]
    random.Random(seed).shuffle(later)
    for entry in later:
        history.session(*entry)


def go_stale(history: History, work: list[Task]) -> dict[str, str]:
    """Change what 40 % of the functions are, each kind of change in turn; returns what was done to which."""
    places = [(task.path, name) for task in work for name in (task.symbol, task.near)]
    random.Random(11).shuffle(places)
    done: dict[str, str] = {}
    for (path, symbol), change in zip(places[: round(STALE * len(places))], cycle(FADES), strict=False):
        change(history.repo.root, path, symbol)
        done[symbol] = change.__name__
    history.repo.commit("Time passes")
    history.tool("sync_index")
    return done


def ask_again(history: History, work: list[Task], done: dict[str, str]) -> None:
    """Every request once more. A function that merely moved is right at its new place; the others are nowhere."""
    for task in work:
        for query, symbol in ((task.ask, task.symbol), (task.near_ask, task.near)):
            change = done.get(symbol, "")
            path = "shop/moved.py" if change == "move" else task.path if not change else "nowhere"
            history.ask(f"stale: {change}" if change else "still there", query, path, symbol)


def show(history: History, kinds: list[str]) -> None:
    """The table."""
    sys.stdout.write(f"{'request':<20}{'asked':>7}{'right':>7}{'wrong':>7}{'no shortcut':>13}\n")
    for kind in kinds:
        right, wrong, none = history.rate(kind)
        sys.stdout.write(f"{kind:<20}{right + wrong + none:>7}{right:>7}{wrong:>7}{none:>13}\n")


def main() -> None:
    """Play it and print what came of it."""
    os.environ.update(GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1")
    work = tasks()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder
        history = History(make(root_of(Path(folder))))
        try:
            play(history, work, SESSIONS)
            done = go_stale(history, work)
            ask_again(history, work, done)
            stale = [f"stale: {change.__name__}" for change in FADES]
            show(history, ["new", "near miss", "repeated", "paraphrase", "still there", *stale])
            history.clock.time += timedelta(days=90)
            history.told.clear()
            ask_again(history, work, done)
            sys.stdout.write("90 days later, nothing done meanwhile\n")
            show(history, ["still there"])
            sys.stdout.write("".join(f"wrong: {each}\n" for each in history.mistakes))
        finally:
            history.close()


if __name__ == "__main__":
    main()
