"""Honest frames of real requests pass, lying ones are refused or warned of: here by words alone, without an index.

tests/test_frames.py holds the numbers with the index, which also compares by meaning.
"""

from pathlib import Path
from typing import Any

import pytest
import yaml

from codeintel_session.testing import FakeCode, count_frames

FRAMES = Path(__file__).parent / "frames"


def read(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load((FRAMES / f"{name}.yml").read_text(encoding="utf-8"))
    return found


def test_the_list_is_large_enough_to_mean_something() -> None:
    entries = [entry for name in ("field", "develop", "held_out") for entry in read(name)]
    assert len({entry["request"] for entry in entries}) >= 40
    assert sum(len(entry["honest"]) for entry in entries) >= 100
    assert sum(len(entry["lies"]) for entry in entries) >= 80


def test_what_honest_agents_once_were_refused_for_passes_without_a_warning() -> None:
    assert count_frames(read("field"), FakeCode()) == {"honest accepted": 9}


@pytest.mark.parametrize(("name", "warned", "let_through"), [("develop", 1, 1), ("held_out", 5, 2)])
def test_words_alone_refuse_no_honest_frame_and_find_the_lies(name: str, warned: int, let_through: int) -> None:
    fates = count_frames(read(name), FakeCode())
    assert (fates["honest refused"], fates["extending refused"]) == (0, 0)
    assert fates["honest warned"] <= warned
    assert fates["lies accepted"] <= let_through
