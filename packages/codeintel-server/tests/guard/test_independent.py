"""What an author wrote who had not read the guard: ways to write, and everyday calls, in `independent.json`.

The file says what the guard did when it first met them. The lists of today are held here; docs/security.md shows both.
"""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from codeintel_server.guard.main import respond
from codeintel_server.testing import guarded_work, write_gate

pytestmark = pytest.mark.draws(18)

CORPUS: dict[str, Any] = json.loads(Path(__file__).with_name("independent.json").read_text(encoding="utf-8"))
MISSED = [json.dumps(case) for cases in CORPUS["missed"].values() for case in cases]
ROUNDS = [(part, kind) for part in ("first", "second", "third", "fourth", "fifth", "sixth") for kind in CORPUS[part]]
LATER: dict[str, Any] = {
    name: json.loads(Path(__file__).with_name(f"{name}.json").read_text(encoding="utf-8"))
    for name in ("seventh", "eighth")
}
Case = str | list[Any]


def make_project(root: Path, files: dict[str, str]) -> Path:
    """Make a project that an author had in mind, in a repository with a second branch."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    git = ["git", "-C", str(root), "-c", "user.name=Guard", "-c", "user.email=guard@example.org"]
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "one"], ["branch", "feature"]):
        subprocess.run([*git, *words], check=True)
    return root


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project of the first six rounds."""
    return make_project(tmp_path_factory.mktemp("independent") / "project", CORPUS["files"])


@pytest.fixture(scope="module", params=LATER)
def later(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The project of a later round, and its corpus."""
    corpus = LATER[request.param]
    return make_project(tmp_path_factory.mktemp("independent") / "later", corpus["files"]), corpus


def answer(project: Path, case: Case) -> str:
    """What the guard says about a case in a phase in which nothing may be written."""
    write_gate(project, guarded_work(is_open=False, explored=[], plan=[]), os.getpid())
    tool, given = ("Bash", {"command": case}) if isinstance(case, str) else case
    document = {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": given, "cwd": str(project)}
    text = json.dumps(document).replace("{ROOT}", str(project))
    said = respond(["--client", "claude"], text.encode()).get("hookSpecificOutput", {})
    return str(said.get("permissionDecision", ""))


@pytest.fixture
def decide(project: Path, gate: object, monkeypatch: pytest.MonkeyPatch) -> Callable[[Case], str]:
    """What the guard decides about a case of the first six rounds."""
    monkeypatch.chdir(project)  # what a line calls its own folder, as a client starts the hook
    monkeypatch.setattr("codeintel_server.guard.gate.is_scratch", lambda path: path.startswith(("/tmp", "/dev")))
    return lambda case: answer(project, case)


@pytest.fixture
def decide_later(
    later: tuple[Path, dict[str, Any]], gate: object, monkeypatch: pytest.MonkeyPatch
) -> Callable[[Case], str]:
    """What the guard decides about a case of a later round."""
    mine = str(later[0].parent)
    monkeypatch.setattr(
        "codeintel_server.guard.gate.is_scratch",
        lambda path: path.startswith(("/tmp", "/dev")) and not path.startswith(mine),
    )
    return lambda case: answer(later[0], case)


@pytest.mark.sample(3)
@pytest.mark.parametrize(("part", "kind"), ROUNDS)
def test_the_ways_of_an_independent_author_are_denied_but_those_that_are_listed(
    part: str, kind: str, decide: Callable[[Case], str]
) -> None:
    cases = [case for given in CORPUS[part][kind].values() for case in given]
    assert [case for case in cases if decide(case) != "deny"] == [case for case in cases if json.dumps(case) in MISSED]


@pytest.mark.sample(2)
@pytest.mark.parametrize("kind", CORPUS["everyday"])
def test_no_everyday_call_of_an_independent_author_is_stopped(kind: str, decide: Callable[[Case], str]) -> None:
    cases = [case for given in CORPUS["everyday"][kind].values() for case in given]
    assert [case for case in cases if decide(case)] == []


def test_the_independent_corpus_is_large_and_almost_all_of_it_is_denied() -> None:
    ways = [json.dumps(case) for part, kind in ROUNDS for given in CORPUS[part][kind].values() for case in given]
    everyday = [case for kinds in CORPUS["everyday"].values() for given in kinds.values() for case in given]
    assert len(set(ways)) == len(ways) >= 3000
    assert set(MISSED) <= set(ways)
    assert len(MISSED) <= 0.03 * len(ways)
    assert len(everyday) >= 1300


@pytest.mark.slow
@pytest.mark.turns
def test_the_ways_of_a_later_round_are_denied_but_those_that_are_listed(
    later: tuple[Path, dict[str, Any]], decide_later: Callable[[Case], str]
) -> None:
    missed = [case for cases in later[1]["missed"].values() for case in cases]
    ways = [case for kinds in later[1]["ways"].values() for given in kinds.values() for case in given]
    assert len(set(ways)) == len(ways) >= 530
    assert [case for case in ways if decide_later(case) != "deny"] == [case for case in ways if case in missed]


@pytest.mark.slow
@pytest.mark.turns
def test_no_everyday_line_of_a_later_round_is_stopped(
    later: tuple[Path, dict[str, Any]], decide_later: Callable[[Case], str]
) -> None:
    cases = [case for given in later[1]["everyday"].values() for case in given]
    assert len(cases) >= 450
    assert [case for case in cases if decide_later(case)] == []


@pytest.mark.parametrize(("name", "share"), [("seventh", 0.1), ("eighth", 0.01)])
def test_almost_all_of_a_later_round_is_denied(name: str, share: float) -> None:
    count = sum(len(given) for kinds in LATER[name]["ways"].values() for given in kinds.values())
    assert sum(map(len, LATER[name]["missed"].values())) <= share * count
