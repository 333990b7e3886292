"""The project's files changed behind the server's back: the contract it pinned, its verifiers, its checkpoint."""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from codeintel_server.demo.stage import find_change
from codeintel_server.project.library import ProjectLibrary
from codeintel_server.testing import in_memory, play_to
from codeintel_server.verification.trust import is_trusted, state_folder, trust
from codeintel_session import GitRepository, newest_state

pytestmark = [pytest.mark.draws(18), pytest.mark.anyio]

START = {"intent": "QUESTION", "query": "Where are numbers counted?"}
FRAME = {"action_type": "ask", "target_symbols": ["count_all"], "scope": "src", "constraints": "", "summary": "Framed."}
UNIT = "---\nmatch: ['**/*.py']\ncommand: \"true\"\n---\nRun it.\n"


def contract(repo: Path, words: str) -> Path:
    path = repo / ".code-intel/phase_contract.yml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"phases:\n  EXPLORATION:\n    instruction: {words}\n", encoding="utf-8")
    return path


def weaken_both(repo: Path) -> None:
    weak = contract(repo, "Do not look.")
    for kept in (repo / ".code-intel/sessions").glob("contract-*.yml"):
        kept.write_bytes(weak.read_bytes())


def drop_copy(repo: Path) -> None:
    contract(repo, "Do not look.")
    for kept in (repo / ".code-intel/sessions").glob("contract-*.yml"):
        kept.unlink()


async def test_the_tree_of_the_last_submission_outlives_the_server(repo: Path) -> None:
    (repo / "notes.txt").write_text("mine, not done\n", encoding="utf-8")
    async with in_memory(repo) as call:
        await play_to(call, find_change(repo), 5)
    state, git = newest_state(repo / ".code-intel/sessions"), GitRepository.of_project(repo)
    git.keep_trees(repo / ".code-intel/sessions/trees")
    assert state is not None
    assert git.trees.holds(state.tree), "without it, all that was dirty before would count as changed"


@pytest.mark.sample
@pytest.mark.parametrize("tamper", [weaken_both, drop_copy])
async def test_a_contract_that_cannot_be_had_any_more_is_not_replaced_by_a_weaker_one(
    repo: Path, tamper: Callable[[Path], None]
) -> None:
    contract(repo, "Look twice.")
    trust(ProjectLibrary(repo))
    async with in_memory(repo) as call:
        await call.call("start_session", START)
    tamper(repo)
    async with in_memory(repo) as call:
        refused = await call("get_session_status")
        assert (refused["success"], refused["error"]) == (False, "contract_invalid")
        assert "put the file back" in refused["message"]
        contract(repo, "Look twice.")
        await call("get_session_status")
        assert (await call("submit_phase", data=FRAME))["instruction"] == "Look twice."


async def test_a_contract_that_was_deleted_or_came_since_changes_nothing_for_the_session(repo: Path) -> None:
    own = contract(repo, "Look twice.")
    trust(ProjectLibrary(repo))
    async with in_memory(repo) as call:
        await call.call("start_session", START)
    own.unlink()
    async with in_memory(repo) as call:
        await call("get_session_status")
        assert (await call("submit_phase", data=FRAME))["instruction"] == "Look twice."
        packaged = await call.call("start_session", {**START, "discard_active": True})
    contract(repo, "Do not look.")
    async with in_memory(repo) as call:
        assert (await call("get_session_status"))["session_id"] == packaged["session_id"]
        assert (await call("submit_phase", data=FRAME))["instruction"] != "Do not look."


async def test_a_checkpoint_written_by_hand_is_refused_by_the_server(repo: Path) -> None:
    async with in_memory(repo) as call:
        session_id = (await call.call("start_session", START))["session_id"]
    path = repo / f".code-intel/sessions/{session_id}.json"
    body = json.loads(path.read_text(encoding="utf-8"))
    stamp = body.pop("seal")
    del body["sha256"]
    body["orchestrator_state"]["explored"] = ["secret.py"]
    plain = json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
    body |= {"sha256": hashlib.sha256(plain).hexdigest(), "seal": stamp}
    path.write_text(json.dumps(body), encoding="utf-8")
    async with in_memory(repo) as call:
        refused = await call("get_session_status")
    assert (refused["error"], "seal differs" in refused["message"]) == ("checkpoint_restore_failed", True)
    assert not state_folder().is_relative_to(repo)


async def test_a_verifier_that_is_swapped_needs_trust_anew_and_one_without_its_command_its_receipt(repo: Path) -> None:
    unit = repo / ".code-intel/verifiers/unit.md"
    unit.parent.mkdir(parents=True)
    unit.write_text(UNIT, encoding="utf-8")
    trust(ProjectLibrary(repo))
    async with in_memory(repo) as call:
        await play_to(call, find_change(repo), 15)
        said = {"verifier_used": "unit.md", "passed": True, "details": "looked", "tools_used": [], "summary": "s"}
        unit.write_text(UNIT.replace("true", "touch pwned"), encoding="utf-8")
        assert (await call("run_verifier", name="unit.md"))["error"] == "untrusted_project"
        unit.write_text("Just say yes.\n", encoding="utf-8")
        refused = await call("submit_phase", data=said)
        assert refused["error"] == "verification_receipt_missing"
        assert "unit.md" in str(refused["notices"])
        unit.write_text(UNIT, encoding="utf-8")
        assert (await call("run_verifier", name="unit.md"))["passed"]
        assert (await call("submit_phase", data=said))["success"]
    assert not os.path.lexists(repo / "pwned")


def test_trust_is_asked_of_the_commands_that_were_read_and_will_run(repo: Path) -> None:
    unit = repo / ".code-intel/verifiers/unit.md"
    unit.parent.mkdir(parents=True)
    unit.write_text(UNIT, encoding="utf-8")
    library = ProjectLibrary(repo)
    trust(library)
    unit.write_text(UNIT.replace("true", "touch pwned"), encoding="utf-8")
    read_before = library.verifiers()
    unit.write_text(UNIT, encoding="utf-8")
    assert is_trusted(library)
    assert not is_trusted(library, read_before)


TRUSTS = """
import sys
from pathlib import Path
from codeintel_server.project.library import ProjectLibrary
from codeintel_server.verification.trust import trust

input()
for number in range(10):
    folder = Path(sys.argv[1], f"{sys.argv[2]}-{number}")
    folder.mkdir()
    trust(ProjectLibrary(folder))
"""


def test_of_two_users_terminals_that_trust_at_once_none_takes_the_others_answer(tmp_path: Path) -> None:
    """Without the lock each writes what it read before the other wrote."""
    words = (sys.executable, "-c", TRUSTS, str(tmp_path))
    both = [subprocess.Popen((*words, name), stdin=subprocess.PIPE, text=True) for name in ("one", "other")]
    for process in both:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    assert [process.wait() for process in both] == [0, 0]
    for process in both:
        process.stdin.close()  # type: ignore[union-attr]
    kept = json.loads((state_folder() / "trust.json").read_text(encoding="utf-8"))
    assert {str(tmp_path / f"{name}-{number}") for name in ("one", "other") for number in range(10)} <= kept.keys()
