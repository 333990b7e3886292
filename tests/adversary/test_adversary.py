"""Cheats meet the defence that their row names, honest agents and honest work meet none.

The default run plays a share of all, drawn by the seed of the run, so that each commit plays another. The full run
plays an eighth of the cheats, in portions that take turns by commit, and compares the verdicts with the table that
docs/benchmarks.md publishes; of the honest agents it plays as many as hold every three settings together. The script
that writes the table plays all, and so does this module alone.
"""

import os
import random
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from adversary_pack import benign, honest, run
from adversary_pack.page import BEGIN, END, published
from adversary_pack.row import MISSED, Cheat
from adversary_pack.stages import STAGES
from adversary_pack.table import CHEATS

BENCHMARKS = Path(__file__).parents[2] / "docs/benchmarks.md"
CHANCE = random.Random(os.environ["CODEINTEL_TEST_SEED"])
WAYS = honest.covering()  # the published table is of all ways
LINES = benign.commands()
PARTS = 4
PORTION = 20
DEAREST = "suite"
"""Each row of this stage has a session of its own, in which the suites of two languages run several times."""
SHARE = CHANCE.sample([cheat for cheat in CHEATS if cheat.stage != DEAREST], 1)

needs_a_shell = pytest.mark.skipif(sys.platform == "win32", reason="the commands are for a POSIX shell")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def share_or_all(name: str, every: Sequence[object], share: int) -> pytest.MarkDecorator:
    """Play a share in the default run, everything in the full one, there in parts for all workers."""
    parts = [
        pytest.param(every[first::PARTS], marks=(pytest.mark.slow, pytest.mark.turns(PARTS)), id=f"part {first}")
        for first in range(PARTS)
    ]
    return pytest.mark.parametrize(name, [pytest.param(CHANCE.sample(every, share), id="a share"), *parts])


def portions() -> list[object]:
    """Give all cheats by stage, in portions that no worker is long at."""
    found = []
    for stage in sorted({cheat.stage for cheat in CHEATS}):
        mine = [cheat for cheat in CHEATS if cheat.stage == stage]
        size = PORTION // 2 if stage == DEAREST else PORTION
        found += [pytest.param(mine[at : at + size], id=f"{stage} {at}") for at in range(0, len(mine), size)]
    return found


async def verdicts(folder: Path, stage: str, cheats: Sequence[Cheat]) -> dict[str, str]:
    """Play the cheats of a stage; one that meets another defence than its row names is given with what was said."""
    return {
        one.cheat.id: one.verdict if one.verdict == one.cheat.verdict else f"{one.place} {one.verdict}: {one.said}"
        for one in await run.play(folder, stage, cheats)
    }


@needs_a_shell
@pytest.mark.anyio
@pytest.mark.parametrize("stage", sorted({cheat.stage for cheat in SHARE}))
async def test_a_share_of_the_cheats_meets_the_defences_that_their_rows_name(stage: str, tmp_path: Path) -> None:
    wanted = {cheat.id: cheat.verdict for cheat in SHARE if cheat.stage == stage and run.can_play(cheat)}
    assert await verdicts(tmp_path, stage, SHARE) == wanted


@needs_a_shell
@pytest.mark.slow
@pytest.mark.turns
@pytest.mark.anyio
@pytest.mark.parametrize("cheats", portions())
async def test_every_cheat_meets_the_defence_that_the_published_table_names(
    cheats: list[Cheat], tmp_path: Path
) -> None:
    table = published(BENCHMARKS.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0])
    wanted = {cheat.id: table[cheat.id] for cheat in cheats if run.can_play(cheat)}
    assert await verdicts(tmp_path, cheats[0].stage, cheats) == wanted


@pytest.mark.anyio
@share_or_all("ways", WAYS, 1)
async def test_an_honest_agent_is_refused_nothing_whatever_its_flags(ways: list[honest.Way], tmp_path: Path) -> None:
    played = await honest.play(tmp_path, ways)
    assert [f"{one.way.label}: {one.refused}" for one in played if one.refused] == []
    assert all(one.steps for one in played)


@needs_a_shell
@pytest.mark.anyio
@share_or_all("lines", LINES, 3)
async def test_honest_commands_and_edits_are_not_stopped(lines: list[str], tmp_path: Path) -> None:
    passed = await benign.play(tmp_path, lines)
    assert passed.stopped == ()


def test_the_pack_is_large_enough_to_mean_something() -> None:
    assert len({cheat.id for cheat in CHEATS}) == len(CHEATS) >= 150
    assert len([cheat for cheat in CHEATS if cheat.agent == "bypasser"]) >= 60
    assert len(set(benign.commands())) + len(benign.EDITS) + len(benign.CHECKED) >= 300
    assert {cheat.stage for cheat in CHEATS} <= set(STAGES)


def test_at_most_one_cheat_in_a_hundred_is_known_to_be_missed() -> None:
    assert len([cheat for cheat in CHEATS if cheat.missed]) <= len(CHEATS) / 100
    assert MISSED not in {cheat.defence for cheat in CHEATS}
