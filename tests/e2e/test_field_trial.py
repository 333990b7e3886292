"""`benchmarks/field/trial.py` plays a task from a repository's later history with any agent's command."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from mcp import ClientSession, StdioServerParameters, stdio_client

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="the bridge is a Unix socket"),
]

TRIAL = Path(__file__).resolve().parents[2] / "benchmarks/field/trial.py"
REQUEST = "Add a function mean to stats.py that gives 0 for no values."
AGENT = '''"""A scripted agent: it finds the command that calls a tool in its prompt, and works with it."""

import json, shlex, subprocess, sys
from pathlib import Path

asked = sys.stdin.read()
words = shlex.split(next(line for line in asked.splitlines() if line.endswith("TOOL 'JSON'"))) [:-2]


def call(tool, **arguments):
    done = subprocess.run([*words, tool, "-"], input=json.dumps(arguments), capture_output=True, text=True, check=True)
    reply = json.loads(done.stdout)
    assert reply["success"], reply
    return reply


assert "submit_phase" in subprocess.run([*words, "tools/list"], capture_output=True, text=True, check=True).stdout
call("start_session", intent="IMPLEMENT", query=asked.splitlines()[0].removeprefix("/code "), flags=["--no-doc"])
call("read_lines", path=["stats.py"])
call("search_text", pattern="mean")
plan = {"checklist": [{"item": "stats.py: `mean`, tested in test_stats.py"}]}
call("submit_phase", data=[
    {"phase": "QUERY_FRAME", "summary": "Add it", "target_symbols": ["mean"], "slots": {}},
    {"phase": "EXPLORATION", "summary": "Looked", "explored_files": ["stats.py"], "findings": ["it has total"]},
    {"phase": "READY_PLAN", "summary": "One", "tasks": [{"id": "t", "description": "test_stats.py", **plan}]},
])
with open("stats.py", "a") as file:
    file.write("\\n\\ndef mean(values):\\n    return sum(values) / len(values) if values else 0\\n")
Path("test_stats.py").write_text(
    "from stats import mean\\n\\n\\ndef test_mean():\\n    assert (mean([]), mean([2, 4])) == (0, 3)\\n"
)
done = {"item": 1, "status": "done", "evidence": ["stats.py:mean", "test_stats.py:test_mean"]}
call("submit_phase", data=[
    {"task_id": "t", "checklist": [done]},
    {"phase": "READY_COMPLETE"},
    {"verifier_used": "generic.md", "passed": True, "details": "called it"},
])
call("submit_phase", data=[
    {
        "review_prompt_used": "garbage_detection.md",
        "reviewed_files": ["stats.py", "test_stats.py"],
        "commit_message": "Mean",
    },
    {"quality_prompt_used": "quality_review.md", "issues": []},
    {"phase": "MERGE"},
])
'''


def test_an_agents_command_does_the_task_and_is_judged_by_the_commits_tests(tmp_path: Path) -> None:
    source, folder = tmp_path / "source", tmp_path / "trial"
    source.mkdir()

    def git(*words: str) -> None:
        subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@example.com", *words], cwd=source, check=True)

    git("init", "--quiet")
    (source / "stats.py").write_text("def total(values):\n    return sum(values)\n")
    git("add", ".")
    git("commit", "--quiet", "-m", "Start")
    with (source / "stats.py").open("a") as file:
        file.write("\n\ndef mean(values):\n    return 0\n")
    (source / "test_hidden.py").write_text("import stats\n\nassert (stats.mean([]), stats.mean([1, 3])) == (0, 2)\n")
    (source / "test_run.sh").write_text(f"#!/bin/sh\nexec {sys.executable} test_link.py\n")
    (source / "test_run.sh").chmod(0o755)
    (source / "test_link.py").symlink_to("test_hidden.py")
    git("add", ".")
    git("commit", "--quiet", "-m", "Mean")
    environment = dict(os.environ, CODEINTEL=f"{sys.executable} -m codeintel_server", HOME=str(tmp_path))

    def trial(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, str(TRIAL), *words], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    trial("prepare", str(source), "HEAD", str(folder), "--tests", "test_*")
    (folder / "request.txt").write_text(REQUEST)
    (tmp_path / "agent.py").write_text(AGENT)
    agent = f"{sys.executable} {tmp_path / 'agent.py'}"
    row = json.loads(trial("run", str(folder), "--agent", agent, "--judge", "./test_run.sh"))
    told = (folder / "agent.log").read_text()
    assert (row["agent_exit"], row["hidden_exit"], row["git_status"]) == (0, 0, ""), told
    assert (row["submissions"], row["refused"], row["outcome"]) == (3, [], "unverified"), told
    last = json.loads(json.loads((folder / "calls.jsonl").read_text().splitlines()[-1])["reply"])
    assert last["chosen_by"]["no_doc"] == "agent", "the request was typed to the client's hook, without the flag"
    assert json.loads((folder / "row.json").read_text()) == row


async def test_the_calls_of_an_agents_own_client_are_kept(tmp_path: Path, repo: Path) -> None:
    repo.rename(tmp_path / "project")
    environment = dict(os.environ, CODEINTEL=f"{sys.executable} -m codeintel_server")
    words = [str(TRIAL), "record", str(tmp_path)]
    parameters = StdioServerParameters(command=sys.executable, args=words, env=environment)
    async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        await session.call_tool("get_session_status", {})
    kept = [json.loads(line) for line in (tmp_path / "calls.jsonl").read_text().splitlines()]
    assert [(one["tool"], json.loads(one["reply"])["error"]) for one in kept] == [
        ("get_session_status", "no_active_session")
    ]
