"""The site has every page once, and the files that a code host reads are what it expects."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
HOST = ROOT / ".github"


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def pages(nav: Any) -> Iterator[str]:
    """The pages below a part of the navigation."""
    if isinstance(nav, str):
        yield nav
    else:
        for each in nav.values() if isinstance(nav, dict) else nav:
            yield from pages(each)


def test_every_page_stands_in_the_navigation_once() -> None:
    there = sorted(path.relative_to(ROOT / "docs").as_posix() for path in ROOT.glob("docs/**/*.md"))
    assert sorted(pages(read(ROOT / "mkdocs.yml")["nav"])) == there


def test_the_site_is_made_without_fonts_or_scripts_of_others() -> None:
    settings = read(ROOT / "mkdocs.yml")
    assert settings["theme"]["font"] is False
    assert "://" not in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")


def test_the_workflow_runs_the_same_script_on_three_systems() -> None:
    (job,) = read(HOST / "workflows/ci.yml")["jobs"].values()
    systems = job["strategy"]["matrix"]["os"]
    assert [system.split("-")[0] for system in systems] == ["ubuntu", "macos", "windows"]
    assert job["runs-on"] == "${{ matrix.os }}"
    steps = [step for step in job["steps"] if "run" in step]
    assert [(step["run"], step["shell"]) for step in steps if ".ci/run" in step["run"]] == [(".ci/run", "bash")]
    assert all("@" in step["uses"] for step in job["steps"] if "uses" in step)


@pytest.mark.parametrize("form", sorted(HOST.glob("ISSUE_TEMPLATE/*.yml")), ids=lambda path: path.name)
def test_an_issue_form_asks_for_what_its_rows_name(form: Path) -> None:
    document = read(form)
    if form.name == "config.yml":
        assert document["blank_issues_enabled"] is True
        return
    assert document.keys() >= {"name", "description", "body"}
    fields = [row for row in document["body"] if row["type"] != "markdown"]
    assert len({row["id"] for row in fields}) == len(fields)
    assert all(row["attributes"]["label"] for row in fields)
    assert any(row.get("validations", {}).get("required") for row in fields)


def test_there_are_forms_for_faults_and_wishes() -> None:
    assert {"bug.yml", "idea.yml"} <= {path.name for path in HOST.glob("ISSUE_TEMPLATE/*.yml")}
    assert "Changelog" in (HOST / "pull_request_template.md").read_text(encoding="utf-8")
