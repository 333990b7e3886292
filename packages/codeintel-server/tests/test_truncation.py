"""What the protocol sends stays small, whatever a project and its user put into it."""

import json
from pathlib import Path
from typing import Any

import pytest

from codeintel_server.testing import Caller, in_memory

pytestmark = pytest.mark.anyio

START = {"intent": "QUESTION", "query": "Where are numbers counted?"}


def size(reply: dict[str, Any]) -> int:
    return len(json.dumps(reply, ensure_ascii=False, separators=(",", ":")).encode())


async def test_rules_of_any_length_leave_the_first_reply_small_and_whole(repo: Path, call: Caller) -> None:
    (repo / "CLAUDE.md").write_text("- A rule\n" * 400, encoding="utf-8")
    assert (await call("update_context", summary="DON'T: eval. " * 2000))["cut_to"] == 2048
    reply = await call.call("start_session", START)
    assert size(reply) <= 6 * 1024
    assert reply["project_rules"].startswith("DON'T: eval. ")
    assert reply["project_rules"].endswith("…")
    assert (reply["phase"], reply["call"], "state" in reply["index"]) == ("QUERY_FRAME", "submit_phase", True)


async def test_an_offer_to_recover_a_long_request_leaves_the_first_reply_small(repo: Path) -> None:
    (repo / "CLAUDE.md").write_text("- A rule of this project\n" * 200, encoding="utf-8")
    async with in_memory(repo) as call:
        await call.call("start_session", {**START, "query": "Where is it? " * 500})
    async with in_memory(repo) as call:
        reply = await call.call("start_session", {**START, "query": "Where is it? " * 500})
        assert size(reply) <= 6 * 1024
        assert reply["recovery_available"]["session_id"]
        assert size(await call("get_session_status")) <= 12 * 1024
