"""One write policy: check_write_target, the client's hook and the reconciliation give the same answer to any path."""

import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st

from codeintel_contract import ContractViolation, folder_of, is_protected
from codeintel_server.guard import gate as guard
from codeintel_session.machine.facts import Changed
from codeintel_session.machine.state import SessionState
from codeintel_session.machine.write_policy import check_write, unexplored
from codeintel_session.storage.gate_file import GateFile
from codeintel_session.storage.project_files import write_target
from codeintel_session.testing import FakeLibrary, state_at
from codeintel_templates import Client, all_clients

pytestmark = pytest.mark.draws(18)

ODD = "a.py|b|.git|.gitignore|.Code-Intel|[id].tsx|+page.svelte|a b.md|ü|.claude|settings.json|.mcp.json"
NAMES = st.sampled_from(ODD.split("|"))
LETTERS = st.characters(exclude_categories=["Cs"], exclude_characters="/\\\0")
PARTS = NAMES | st.text(LETTERS, min_size=1, max_size=6).filter(
    lambda part: part == part.strip() and not part.startswith("~")
)
PATHS = st.lists(PARTS, min_size=1, max_size=4).map("/".join)


def by_tool(root: Path, state: SessionState, path: str) -> bool:
    try:
        check_write(state, write_target(root, path))
    except ContractViolation:
        return False
    return True


def by_hook(root: Path, path: str) -> bool:
    gates = guard.Gates(str(root))
    assert gates.of(str(root))
    return gates.refuse(str(root), path) == ""


def by_diff(root: Path, state: SessionState, path: str) -> bool:
    target = write_target(root, path)
    change = Changed(target.path, "modified" if target.exists else "added", folder=target.folder)
    return not unexplored(state, [change]) and target.inside


def put(root: Path, path: str) -> None:
    """Make a file, unless its name is one that the system or another file of the test forbids."""
    try:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).touch()
    except OSError:
        return


@pytest.fixture
def only_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out what only the hook lets pass, because no diff would show it: ignored files, temporary folders."""
    monkeypatch.setattr(guard, "_is_free", lambda root, inside: False)
    monkeypatch.setattr(guard, "is_scratch", lambda path: False)


@pytest.mark.usefixtures("only_ours")
@given(
    pool=st.lists(PATHS, min_size=1, max_size=6),
    flags=st.lists(st.sampled_from(["there", "explored", "listed", "planned", "named", "./named", ""]), max_size=12),
)
@example(pool=["src/routes/+page.svelte", "app/[id].tsx"], flags=["named", "named", "listed", "listed"])
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
def test_three_users_of_the_policy_agree_on_every_path(pool: list[str], flags: list[str]) -> None:
    chosen: Mapping[str, list[str]] = {
        flag: [path for at, path in enumerate(pool) if flag in flags[at :: len(pool)]] for flag in set(flags)
    }
    named = [*chosen.get("named", ()), *(f"./{path}" for path in chosen.get("./named", ()))]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        (root / ".code-intel/sessions").mkdir(parents=True)
        for path in chosen.get("there", ()):
            put(root, path)
        state = state_at(
            13,
            explored=tuple(chosen.get("explored", ())),
            listed=("", *(folder_of(path) for path in chosen.get("listed", ()))),
            planned_files=tuple(chosen.get("planned", ())),
            tasks=({"id": "t", "description": "do", "checklist": [{"item": f"make {', '.join(named)}."}]},),
        )
        GateFile(root / ".code-intel/sessions", FakeLibrary().contract).write(state)
        for path in (
            *pool,
            *(f"{path}.bak" for path in pool),
            *(path[1:].lstrip("/~ ").strip() or "x" for path in pool),
        ):
            answers = (by_tool(root, state, path), by_hook(root, path), by_diff(root, state, path))
            assert len(set(answers)) == 1, (path, answers)


@pytest.mark.usefixtures("only_ours")
@pytest.mark.parametrize("path", [".claude/settings.json", ".mcp.json", ".codex/new/x.toml", ".cursor/hooks.json"])
def test_the_configuration_of_a_client_is_refused_by_all_three(path: str, tmp_path: Path) -> None:
    (tmp_path / ".code-intel/sessions").mkdir(parents=True)
    state = state_at(13, explored=(path,), planned_files=(path,))
    GateFile(tmp_path / ".code-intel/sessions", FakeLibrary().contract).write(state)
    assert (by_tool(tmp_path, state, path), by_hook(tmp_path, path), by_diff(tmp_path, state, path)) == (False,) * 3


@pytest.mark.parametrize("client", all_clients(), ids=lambda client: str(client.name))
def test_what_a_client_is_configured_by_is_protected(client: Client) -> None:
    assert all(is_protected(name) for name in (client.entry_file, client.hooks_file) if name)


@pytest.mark.usefixtures("only_ours")
@pytest.mark.parametrize("path", ["src/routes/+page.svelte", "src/[id].tsx", "src/a b.md", "src/ü.c"])
def test_a_planned_file_with_an_unusual_name_may_be_written(path: str, tmp_path: Path) -> None:
    (tmp_path / ".code-intel/sessions").mkdir(parents=True)
    (tmp_path / "src/routes").mkdir(parents=True)
    tasks = ({"id": "t", "description": f"Add {path}", "checklist": [{"item": "it renders"}]},)
    state = state_at(13, listed=("src", "src/routes"), tasks=tasks)
    GateFile(tmp_path / ".code-intel/sessions", FakeLibrary().contract).write(state)
    assert (by_tool(tmp_path, state, path), by_hook(tmp_path, path), by_diff(tmp_path, state, path)) == (True,) * 3
