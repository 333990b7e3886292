"""The gate file that a client's hook follows, and what the hook reports back."""

import json
from typing import Any

from codeintel_contract import Gate
from codeintel_contract.names import Key
from codeintel_session.testing import MODULE, Driver, Repo, World


def gate(repo: Repo) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(repo.read(".code-intel/sessions/gate.json"))
    return found


def test_the_gate_is_open_while_a_task_is_implemented_and_at_no_other_time(driver: Driver, repo: Repo) -> None:
    driver.start()
    seen = {}
    while driver.service.state is not None:
        seen[driver.key()] = gate(repo)["open"]
        driver.accept()
    assert [key for key, is_open in seen.items() if is_open] == [Key.READY_IMPL]
    assert not (repo.root / ".code-intel/sessions/gate.json").exists()


def test_it_says_what_may_be_written_as_the_machine_would(driver: Driver, repo: Repo) -> None:
    driver.start()
    driver.until(Key.READY_PLAN)
    item = {"item": "write ./src/new.py, and src/[id]/+page.svelte.", "status": "pending"}
    driver.accept(tasks=[{"id": "a", "description": "as in docs/a.md", "status": "pending", "checklist": [item]}])
    found = Gate.load(gate(repo))
    assert found.session_id == driver.state.session_id
    there = {MODULE, "src/new.py", "src/[id]/+page.svelte"}
    assert found.policy.explored == there, "a new file that the plan names stays open once it is there"
    assert all(found.policy.is_planned(path) for path in ("src/new.py", "src/[id]/+page.svelte", "docs/a.md"))
    assert not any(found.policy.is_planned(path) for path in ("new.py", "+page.svelte", "docs/ab.md"))
    assert [found.policy.refuse_write(path, True, "src") for path in ("src/new.py", "src/other.py")] == [
        "",
        "not_planned",
    ]


def test_it_brings_the_words_of_the_sessions_contract(driver: Driver, repo: Repo) -> None:
    driver.start()
    contract = driver.service.contract
    said = gate(repo)["messages"]
    assert "tool_errors.guard.git_commits" in said
    assert said == {key: contract.messages[key].message for key in said}


def test_it_goes_with_the_server_and_comes_back_with_the_session(driver: Driver, world: World, repo: Repo) -> None:
    driver.start()
    driver.service.close()
    assert not (repo.root / ".code-intel/sessions/gate.json").exists()
    world.service().status()
    assert gate(repo)["phase"] == "QUERY_FRAME"


def test_a_gate_that_was_edited_is_noticed_and_written_anew(driver: Driver, repo: Repo) -> None:
    driver.start()
    honest = gate(repo)
    repo.write(".code-intel/sessions/gate.json", json.dumps({**honest, "open": True}))
    reply = driver.accept()
    assert any("gate.json" in line for line in reply["notices"])
    assert gate(repo)["open"] is False
    assert not any("gate.json" in line for line in driver.accept().get("notices", []))


def test_what_the_client_was_seen_to_read_counts_as_seen(driver: Driver, repo: Repo) -> None:
    repo.write("src/other.py", "x = 1\n")
    repo.commit("More")
    driver.start()
    driver.until(Key.EXPLORATION)
    payload = driver.payload() | {"explored_files": [MODULE, "src/other.py"]}
    assert driver.service.submit(payload)["error"] == "unseen_files"

    def note(session_id: str, path: str) -> str:
        return json.dumps({"session_id": session_id, "tool": "Read", "path": path}) + "\n"

    mine = driver.state.session_id
    torn = '{"session_id": "'
    log = note("another", "src/other.py") + note(mine, "no/such.py") + note(mine, "../outside.py") + torn
    repo.write(".code-intel/sessions/seen.jsonl", log)
    assert driver.service.submit(payload)["error"] == "unseen_files"
    repo.write(".code-intel/sessions/seen.jsonl", note(mine, "src/other.py"))
    assert driver.service.submit(payload)["success"]
    assert not (repo.root / ".code-intel/sessions/seen.jsonl").exists()
