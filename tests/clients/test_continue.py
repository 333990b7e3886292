"""The entry of Continue in docs/clients.md, read by its command line. Runs where CODEINTEL_TRY_CONTINUE names it.

Tried with @continuedev/cli 1.5.47. It needs no account and no network: its model is a script on loopback.
"""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

CONTINUE = os.environ.get("CODEINTEL_TRY_CONTINUE", "")  # read here: no test sees variables of this prefix
pytestmark = pytest.mark.skipif(not CONTINUE, reason="CODEINTEL_TRY_CONTINUE names no cn to try")

CLIENTS = Path(__file__).parents[2] / "docs/clients.md"
CONFIG = """
name: try
version: 0.0.1
schema: v1
models: [{name: m, provider: openai, model: m, apiBase: URL/v1, apiKey: none}]
"""


@pytest.fixture
def project(bare_project: Path) -> Path:
    """A repository without any file of ours."""
    return bare_project


@pytest.mark.anyio
async def test_its_server_plays_a_session_to_its_end(
    run_client: Callable[..., str], tmp_path: Path, model: Any, question: list[tuple[str, Any]]
) -> None:
    shown = re.search(r"\| Continue, `cn` \|[^|]*\| `([^`]*)`", CLIENTS.read_text(encoding="utf-8"))
    assert shown
    config = tmp_path / ".continue/config.yaml"
    config.parent.mkdir()
    config.write_text(CONFIG.replace("URL", model.url) + shown[1], encoding="utf-8")
    model.calls = question
    run_client([CONTINUE, "--auto", "-p", "do it"], {"CONTINUE_TELEMETRY_ENABLED": "0"})
    assert "The investigation is complete" in model.results()
