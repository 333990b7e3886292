"""What is known of a project lands in the starting points, and stays known to an upgrade."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from codeintel_templates.copy import Plan, apply, plan, plan_upgrade
from codeintel_templates.proposals import Proposals, Suite

Install = Callable[..., Plan]

FOUND = Proposals(
    source_dirs=("src", "web app"),
    docs_path=("docs/", "notes: old/"),
    suites=(Suite(command='pytest -q --junitxml "$CODEINTEL_JUNIT"', report="junit", match=("**/*.py",)),),
)


def front_matter(path: Path) -> dict[str, object]:
    data = yaml.safe_load(path.read_text(encoding="utf-8").split("\n---\n")[0].removeprefix("---\n"))
    assert isinstance(data, dict)
    return data


def test_each_proposal_stands_in_its_place(project: Path, install: Install) -> None:
    install(proposals=FOUND)
    home = project / ".code-intel"
    assert json.loads((home / "config.json").read_text(encoding="utf-8"))["source_dirs"] == ["src", "web app"]
    context = yaml.safe_load((home / "context.yml").read_text(encoding="utf-8"))
    assert context["doc_research"]["docs_path"] == ["docs/", "notes: old/"]
    assert front_matter(home / "verifiers/tests.md") == {
        "match": ["**/*.py"],
        "command": 'pytest -q --junitxml "$CODEINTEL_JUNIT"',
        "report": "junit",
        "timeout_s": 900,
    }


def test_no_documents_are_an_empty_list(project: Path, install: Install) -> None:
    install(proposals=Proposals(docs_path=()))
    context = yaml.safe_load((project / ".code-intel/context.yml").read_text(encoding="utf-8"))
    assert context["doc_research"]["docs_path"] == []


def test_without_a_test_command_there_is_no_verifier_for_it(project: Path, install: Install) -> None:
    install()
    assert not (project / ".code-intel/verifiers/tests.md").exists()


@pytest.mark.parametrize("again", [lambda root: plan_upgrade(root), lambda root: plan(root)])
def test_what_was_proposed_once_is_not_taken_back(
    again: Callable[[Path], object], project: Path, install: Install
) -> None:
    install(proposals=FOUND)
    assert again(project).changes == ()  # type: ignore[attr-defined]


def test_a_new_proposal_reaches_files_the_user_left_alone_and_no_others(project: Path, install: Install) -> None:
    install(proposals=FOUND)
    config = project / ".code-intel/config.json"
    config.write_text(config.read_text(encoding="utf-8").replace("512", "256"), encoding="utf-8")
    report = apply(
        plan(project, proposals=FOUND.model_copy(update={"source_dirs": (), "suites": (Suite(command="make check"),)}))
    )
    assert json.loads(config.read_text(encoding="utf-8"))["source_dirs"] == ["src", "web app"]
    assert front_matter(project / ".code-intel/verifiers/tests.md")["command"] == "make check"
    assert [action.path for action in report.changes] == [".code-intel/verifiers/tests.md", ".code-intel/manifest.json"]


def test_each_suite_has_a_verifier_that_names_itself(project: Path, install: Install) -> None:
    install(
        proposals=Proposals(suites=(Suite(name="tests-web", command="cd web && npm test", match=("web/**/*.js",)),))
    )
    verifier = project / ".code-intel/verifiers/tests-web.md"
    front = front_matter(verifier)
    assert (front["command"], front["match"]) == ("cd web && npm test", ["web/**/*.js"])
    text = verifier.read_text(encoding="utf-8")
    assert ('run_verifier("tests-web")' in text, "`verifier_used`: `tests-web.md`" in text) == (True, True)
    assert not (project / ".code-intel/verifiers/tests.md").exists()


def test_a_reader_is_a_verifier_without_instructions_of_its_own_and_is_kept(project: Path, install: Install) -> None:
    reader = project / ".code-intel/verifiers/second_reader.md"
    install(proposals=FOUND)
    assert not reader.exists()
    install(proposals=FOUND.model_copy(update={"reader": 'claude -p "x: y"'}))
    said = {"match": ["**/*"], "command": 'claude -p "x: y"', "report": "findings", "timeout_s": 600}
    assert front_matter(reader) == said
    assert reader.read_text(encoding="utf-8").endswith("\n---\n")
    assert (plan(project).changes, plan_upgrade(project).changes) == ((), ())
