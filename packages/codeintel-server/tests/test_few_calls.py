"""What an honest session costs in calls: one for what only the agent can do, and none for what the server knows."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from codeintel_server.project.library import ProjectLibrary
from codeintel_server.testing import Caller
from codeintel_server.verification.trust import trust

pytestmark = [pytest.mark.draws(5), pytest.mark.anyio]

QUERY = "Add a function mean to src/stats.py that gives 0 for no values."
VERIFIER = """---
match: ['**/*.py']
command: python3 -c "import sys; sys.path.insert(0, 'src'); import stats; assert getattr(stats, 'mean', len)([]) == 0"
---
Run it.
"""
MEAN = """

def mean(values):
    return sum(values) / len(values) if values else 0
"""
LOOKED: list[dict[str, Any]] = [
    {
        "phase": "QUERY_FRAME",
        "compaction_count": 0,
        "target_symbols": ["mean"],
        "slots": {"desired_action": {"value": "a function mean", "quote": "Add a function mean"}},
    },
    {"phase": "EXPLORATION", "explored_files": ["src/stats.py"], "findings": ["src/stats.py:4 takes a list of values"]},
    {
        "phase": "READY_PLAN",
        "tasks": [{"id": "t", "description": "Add it", "checklist": [{"item": "src/stats.py: mean of values"}]}],
    },
]
WRITTEN: list[dict[str, Any]] = [
    {"task_id": "t", "checklist": [{"item": 1, "status": "done", "evidence": "src/stats.py:mean"}]},
    {"phase": "READY_COMPLETE"},
    {"verifier_used": "mean", "passed": True, "details": "called it with no values"},
]


@pytest.fixture
def verified(repo: Path, git: Callable[..., str]) -> Path:
    """The repository with a verifier that the user trusts."""
    (repo / ".code-intel/verifiers").mkdir(parents=True)
    (repo / ".code-intel/verifiers/mean.md").write_text(VERIFIER, encoding="utf-8")
    (repo / ".gitignore").write_text("__pycache__/\n", encoding="utf-8")
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "--message", "Verifier")
    trust(ProjectLibrary(repo))
    return repo


async def start(call: Caller) -> dict[str, Any]:
    await call("start_session", intent="IMPLEMENT", query=QUERY, flags=["--no-doc"])
    await call("read_lines", path=["src/stats.py"])
    await call("search_text", pattern="mean")
    return await call("submit_phase", data=LOOKED)


async def test_an_honest_session_takes_six_calls(call: Caller, verified: Path, git: Callable[..., str]) -> None:
    planned = await start(call)
    assert (planned["success"], planned["substep"]) == (True, "implement"), planned
    assert planned["accepted"] == ["QUERY_FRAME", "EXPLORATION", "Q1", "Q2", "Q3", "READY_PLAN"]
    assert "phase_summaries" not in planned, "its one echo holds for the questions that it passes over"
    module = verified / "src/stats.py"
    module.write_text(module.read_text(encoding="utf-8") + MEAN, encoding="utf-8")
    shown = await call("submit_phase", data=WRITTEN)
    assert (shown["success"], shown["phase"], shown["runs"]["mean.md"]["passed"]) == (True, "PRE_COMMIT", True), shown
    assert [(row["path"], "+def mean(values):" in row["diff"]) for row in shown["changes"]] == [("src/stats.py", True)]
    rest: list[dict[str, Any]] = [
        {
            "review_prompt_used": "garbage_detection.md",
            "reviewed_files": ["src/stats.py"],
            "commit_message": "Add mean",
        },
        {"quality_prompt_used": "quality_review.md", "issues": []},
        {"phase": "MERGE"},
    ]
    end = await call("submit_phase", data=rest)
    assert (end["phase"], end["outcome"]) == ("SESSION_COMPLETE", "verified"), end
    assert "def mean" in git(verified, "show", "main:src/stats.py")


async def test_a_run_that_fails_refuses_the_pass_and_shows_its_end(call: Caller, verified: Path) -> None:
    await start(call)
    module = verified / "src/stats.py"
    module.write_text(module.read_text(encoding="utf-8") + MEAN.replace("else 0", "else 1"), encoding="utf-8")
    refused = await call("submit_phase", data=WRITTEN)
    assert (refused["error"], refused["accepted"]) == ("verification_receipt_failed", ["READY_IMPL", "READY_COMPLETE"])
    assert "AssertionError" in refused["runs"]["mean.md"]["output"]
    ran = {"verifier": "mean.md", "result": "failed", "changed_since": False}
    assert (await call("get_session_status"))["runs"] == [ran]
    failed = {"verifier_used": "mean", "passed": False, "details": "gives 1 for no values", "failed_tasks": ["t"]}
    assert (await call("submit_phase", data=failed))["substep"] == "plan"


async def test_the_only_verifier_runs_on_the_base_from_the_start(call: Caller, verified: Path) -> None:
    """What fails without the change is told with the plan, where the agent or the user can still act on it."""
    verifier = verified / ".code-intel/verifiers/mean.md"
    verifier.write_text("---\nmatch: ['**']\ncommand: echo no yaml here >&2; exit 7\n---\nRun it.\n", encoding="utf-8")
    trust(ProjectLibrary(verified))
    await call("start_session", intent="IMPLEMENT", query=QUERY, flags=["--no-doc"])
    with anyio.fail_after(60):
        while not (told := (await call("get_session_status")).get("notices")):
            await anyio.sleep(0.1)
    assert "verifier mean.md fails in a clean checkout before it runs a test: no yaml here." in told[0]
    await call("read_lines", path=["src/stats.py"])
    await call("search_text", pattern="mean")
    assert told[0] in (await call("submit_phase", data=LOOKED))["notices"]
    assert told[0] not in (await call("submit_phase", data=[*WRITTEN[:1]])).get("notices", ())
