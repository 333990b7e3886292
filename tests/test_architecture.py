"""docs/architecture.md names the files of one submission: what runs in one is listed there, step by step or beneath."""

import re
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from codeintel_server.demo.stage import find_change
from codeintel_server.mcp.app import CodeIntelServer
from codeintel_server.testing import in_memory, play_to

PAGE = Path(__file__).parents[1] / "docs/architecture.md"
QUESTION = 6
"""The step of Q1, the shortest way through all parts."""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.anyio
async def test_every_file_that_runs_in_a_submission_is_named(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: set[str] = set()
    run = CodeIntelServer._run

    def look(frame: FrameType, event: str, argument: Any) -> None:
        _, found, name = frame.f_code.co_filename.replace("\\", "/").rpartition("/src/codeintel_")
        if event == "call" and found:
            ran.add(f"codeintel_{name}")

    def traced(self: CodeIntelServer, *arguments: Any) -> Any:
        sys.setprofile(look)
        try:
            return run(self, *arguments)
        finally:
            sys.setprofile(None)

    async with in_memory(repo) as call:
        player = await play_to(call, find_change(repo), QUESTION)
        monkeypatch.setattr(CodeIntelServer, "_run", traced)
        await player.one_step()
    assert player.reply["step"] > QUESTION
    page = PAGE.read_text(encoding="utf-8").partition("## One submission")[2].partition("\n## ")[0]
    steps, beneath = (re.findall(r"`(codeintel_\w+/[\w/.]+)`", part) for part in page.split("Beneath them run"))
    assert sorted(each for each in ran if not each.startswith((*steps, *beneath))) == []
    assert [each for each in beneath if not any(one.startswith(each) for one in ran)] == []
