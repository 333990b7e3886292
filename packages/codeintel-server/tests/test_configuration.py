"""The user's files through a client: what cannot be used is named by file, line and key, and nothing begins on it."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from codeintel_server.cli import app
from codeintel_server.demo.change import Change
from codeintel_server.demo.player import Player, Script
from codeintel_server.testing import Caller

pytestmark = [pytest.mark.draws(18), pytest.mark.anyio]

CONFIG, CONTEXT = ".code-intel/config.json", ".code-intel/context.yml"
BROKEN = [
    ("config.json", '{\n "git": {\n  "merge": "octopus"}}', "line 3: git.merge: must be one of no-ff"),
    ("config.json", '{\n "limits": {"refusals": 1}}', "line 2: limits.refusals: must be a whole number from 2 to 50"),
    (
        "config.json",
        '{"limits": {"quality_reverts": true}}',
        "limits.quality_reverts: must be a whole number from 1 to 10",
    ),
    ("config.json", '{"limits": 3}', "line 1: limits: must be an object, not a number"),
    ("config.json", '{\n"sync_on_start": "yes"}', "line 2: sync_on_start: must be true or false"),
    ("config.json", '{\n\n"chunk_max_tokens": "many"}', "line 3: chunk_max_tokens: must be a whole number"),
    ("config.json", '{"version": 1}', "line 1: version: must be a text"),
    ("config.json", '{"chunk_strategy":\n"lines"}', "line 1: chunk_strategy: must be 'ast'"),
    ("config.json", '{\n"a": 1,\n}', "line 3: is not JSON at column 1"),
    ("context.yml", "project_rules: [\n}", "line 2: is not valid YAML"),
    ("context.yml", "doc_research:\n  docs_path: 7\n", "line 2: doc_research.docs_path: must be a list of texts"),
    ("context.yml", "doc_research:\n  enabled: often\n", "line 2: doc_research.enabled: must be true or false"),
    ("context.yml", "\nproject_rules:\n  source: [a]\n", "line 3: project_rules.source: must be a text"),
    ("context.yml", "document_search: x\n", "line 1: document_search: must be a mapping"),
    ("context.yml", "last_synced: a\nlast_synced: b\n", "line 2: last_synced: appears twice"),
    (
        "context.yml",
        "doc_research:\n  default_prompts: [defualt]\n",
        "no doc_research/defualt.md, did you mean 'default.md'?",
    ),
]


def write(repo: Path, name: str, text: str) -> None:
    (repo / ".code-intel").mkdir(exist_ok=True)
    (repo / ".code-intel" / name).write_text(text, encoding="utf-8")


@pytest.mark.sample(4)
@pytest.mark.parametrize(("name", "text", "said"), BROKEN)
async def test_a_broken_file_is_named_with_line_and_key_and_no_session_begins(
    call: Caller, repo: Path, name: str, text: str, said: str
) -> None:
    write(repo, name, text)
    reply = await call("start_session", intent="QUESTION", query="how?")
    assert (reply["success"], reply["error"]) == (False, "config_invalid")
    assert reply["message"].startswith(f".code-intel/{name}")
    assert said in reply["message"]
    assert said in reply["problems"][0]
    assert not list((repo / ".code-intel").glob("sessions/2*.json"))
    assert (await call("get_session_status"))["error"] == "config_invalid"
    doctor = CliRunner().invoke(app, ["doctor", str(repo), "--json"]).output
    assert said in " ".join(finding["said"] for finding in json.loads(doctor)["findings"])
    for command in (["status", str(repo)], ["init", str(repo), "--yes"]):
        done = CliRunner().invoke(app, command)
        assert (done.exit_code, said in done.output) == (0, True)


async def test_a_wrong_variable_is_named_and_a_right_one_stands_above_the_file(
    call: Caller, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(repo, "config.json", '{"limits": {"refusals": 40}}')
    for name, value, said in (
        ("CODEINTEL_LIMITS_REFUSALS", "many", "limits.refusals: must be a whole number"),
        ("CODEINTEL_GIT_MERGE", "octopus", "git.merge: must be one of"),
        ("CODEINTEL_SYNC_ON_START", "maybe", "sync_on_start: must be true or false"),
        ("CODEINTEL_CHROMA_PORT", "far", "chroma.port: must be a whole number"),
    ):
        monkeypatch.setenv(name, value)
        reply = await call("start_session", intent="QUESTION", query="how?")
        assert f"environment variable {name}: {said}" in reply["message"]
        monkeypatch.delenv(name)
    monkeypatch.setenv("CODEINTEL_LIMITS_REFUSALS", "2")
    monkeypatch.setenv("CODEINTEL_SYNC_ON_START", "false")
    await call("start_session", intent="QUESTION", query="how?")
    assert "requires_user_intervention" not in await call("submit_phase", data={})
    assert (await call("submit_phase", data={}))["requires_user_intervention"] is True


async def test_unknown_keys_of_all_files_are_told_with_line_and_nearest_and_change_nothing(
    call: Caller, repo: Path
) -> None:
    write(repo, "config.json", '{\n"limits": {"refusal": 3},\n"git": {"merges": "ff"}, "sorce_dirs": []}')
    write(repo, "context.yml", "doc_reserch: {}\nproject_rules:\n  sumary: x\n")
    reply = await call("start_session", intent="QUESTION", query="how?")
    told = "\n".join(reply["notices"])
    for line in (
        f"{CONFIG}, line 2: unknown key 'limits.refusal'; did you mean 'limits.refusals'?",
        f"{CONFIG}, line 3: unknown key 'git.merges'; did you mean 'git.merge'?",
        f"{CONFIG}, line 3: unknown key 'sorce_dirs'; did you mean 'source_dirs'?",
        f"{CONTEXT}, line 1: unknown key 'doc_reserch'; did you mean 'doc_research'?",
        f"{CONTEXT}, line 3: unknown key 'project_rules.sumary'; did you mean 'summary'?",
    ):
        assert line in told


async def play(call: Caller, change: Change, **script: Any) -> Player:
    player = Player(call.client, change, Script(answers=False, **script))
    await player.play()
    return player


async def test_limits_of_the_project_hold_for_its_sessions(call: Caller, repo: Path, change: Change) -> None:
    write(repo, "config.json", '{"limits": {"verification_failures": 1, "quality_reverts": 1}}')
    player = await play(call, change, verify=[False], issues=[["one"], ["two"]])
    assert player.steps.count(16) == 1  # the first failure leads there, not the third
    assert player.steps.count(18) == 2
    assert player.reply["forced_completion"] is True


async def test_limits_stay_those_the_session_began_with(call: Caller, repo: Path) -> None:
    write(repo, "config.json", '{"limits": {"refusals": 3}}')
    await call("start_session", intent="QUESTION", query="how?")
    write(repo, "config.json", '{"limits": {"refusals": 50}}')
    replies = [await call("submit_phase", data={}) for _ in range(3)]
    assert [("requires_user_intervention" in reply) for reply in replies] == [False, False, True]
