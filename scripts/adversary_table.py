"""Write the adversary tables of docs/benchmarks.md: every cheat, every honest path, the benign corpus, the costs.

`uv run python scripts/adversary_table.py` plays all of it, ten minutes on two cores, and writes the block between the
two marks. With `--check` it only says whether the block is of the rows and the corpus as they stand, and gives each
cheat the verdict that its row names (exit 1 if not). That each gets this verdict, the tests in tests/adversary show: a
share of the rows in every run, all of them in the full one.
"""

import os
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import anyio

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "benchmarks.md"
sys.path.insert(0, str(ROOT / "tests" / "adversary"))


def block(folder: Path) -> str:
    """The tables of today, in a folder that may be filled. Stages are played side by side, honest agents alone."""
    from adversary_pack import benign, cost, honest
    from adversary_pack.page import BEGIN, END, Results, digest, page
    from adversary_pack.row import Outcome
    from adversary_pack.run import can_play
    from adversary_pack.stages import STAGES
    from adversary_pack.table import CHEATS

    if lacking := sorted({cheat.needs for cheat in CHEATS if not can_play(cheat)}):
        raise SystemExit(f"not every row can be played without: {', '.join(lacking)}")
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        found = [row for rows in pool.map(_stage, STAGES, [folder] * len(STAGES)) for row in rows]
    known = {cheat.id: cheat for cheat in CHEATS}
    outcomes = sorted((Outcome(known[row[0]], *row[1:]) for row in found), key=lambda one: CHEATS.index(one.cheat))
    if wrong := [one for one in outcomes if one.verdict != one.cheat.verdict]:
        raise SystemExit("\n".join(f"{one.cheat.id}: {one.verdict} in place of {one.cheat.verdict}" for one in wrong))
    played = anyio.run(honest.play, folder / "honest", list(honest.ways()))
    passed = anyio.run(benign.play, folder / "benign", benign.commands())
    costs = anyio.run(cost.measure, folder / "cost")
    return "\n".join([f"{BEGIN}{digest(CHEATS)} -->", "", *page(Results(outcomes, played, passed, costs)), END])


def _stage(name: str, folder: Path) -> list[tuple[str, str, str, str]]:
    """What became of the rows of a stage, by id: rows hold functions, which no other process can be sent."""
    from adversary_pack import run
    from adversary_pack.table import CHEATS

    found = anyio.run(run.play, folder / name, name, CHEATS)
    return [(one.cheat.id, one.place, one.defence, one.said) for one in found]


def main() -> int:
    """Write or check."""
    from adversary_pack.page import BEGIN, END, digest, published
    from adversary_pack.table import CHEATS

    text = PAGE.read_text(encoding="utf-8")
    _, begin, rest = text.partition(BEGIN)
    old, end, _ = rest.partition(END)
    if not begin or not end:
        sys.stdout.write("docs/benchmarks.md lacks the marks around the adversary tables\n")
        return 1
    if "--check" in sys.argv:
        says, wanted = published(old), {cheat.id: cheat.verdict for cheat in CHEATS}
        wrong = sorted(each for each in says | wanted if says.get(each) != wanted.get(each))
        is_current = not wrong and old.startswith(f"{digest(CHEATS)} -->")
        if not is_current:
            sys.stdout.write("docs/benchmarks.md is out of date: uv run python scripts/adversary_table.py\n")
        sys.stdout.writelines(f"{each}: {says.get(each)} in place of {wanted.get(each)}\n" for each in wrong)
        return int(not is_current)
    with tempfile.TemporaryDirectory() as folder:
        _own_world(Path(folder))
        new = block(Path(folder))
    # What was written on the page in those ten minutes stays.
    now = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(now.partition(BEGIN)[0] + new + now.partition(END)[2], encoding="utf-8")
    return 0


def _own_world(folder: Path) -> None:
    """No configuration of the machine reaches a run, and none of a run reaches the machine."""
    for name in [name for name in os.environ if name.startswith(("GIT_", "CODEINTEL_", "CLAUDE_"))]:
        del os.environ[name]
    os.environ |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(folder / "home")}
    os.environ["XDG_STATE_HOME"] = str(folder / "state")
    (folder / "home").mkdir()


if __name__ == "__main__":
    sys.exit(main())
