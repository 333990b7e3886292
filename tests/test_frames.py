"""With the index, which compares words by meaning, few honest frames are warned of and few lies get through."""

from pathlib import Path

import pytest
import yaml

from codeintel_server.project.code import IndexedCode
from codeintel_session.testing import FixedClock, count_frames

FRAMES = Path(__file__).parents[1] / "packages/codeintel-session/tests/machine/frames"


@pytest.mark.parametrize(("name", "warned", "let_through"), [("field", 0, 0), ("develop", 1, 1), ("held_out", 1, 3)])
def test_no_honest_frame_is_refused_and_few_frames_are_misjudged(
    name: str, warned: int, let_through: int, tmp_path: Path
) -> None:
    code = IndexedCode(tmp_path, FixedClock())
    fates = count_frames(yaml.safe_load((FRAMES / f"{name}.yml").read_text(encoding="utf-8")), code)
    code.close()
    assert (fates["honest refused"], fates["extending refused"]) == (0, 0)
    assert fates["honest warned"] <= warned
    assert fates["lies accepted"] <= let_through
