"""A released version works with every contract of the same series: what it takes of one it takes as it comes."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import requires, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import codeintel_contract
from codeintel_templates import texts
from codeintel_templates.copy import Plan

pytestmark = pytest.mark.draws(18)

Install = Callable[..., Plan]
CONTRACT = ".code-intel/phase_contract.yml"
SCHEMA = ".code-intel/schemas/phase_contract.schema.json"
RECORD = ".code-intel/manifest.json"
OTHERS = {
    "a later one": [
        ("phase_contract.yml", "\nphases:\n", "\nphases:  # of a later release\n"),
        ("phase_contract.yml", "\nwarnings:\n", "\nwarnings:\n  look_out:\n    message: New words.\n"),
        ("names.py", '    "start_session", ', '    "start_session", "look_ahead", '),
        ("schema.py", "    resources: _Names = ()\n", "    resources: _Names = ()\n    time_limit_s: int = 0\n"),
    ],
    "an earlier one": [
        ("phase_contract.yml", "\nphases:\n", "\nphases:  # of an earlier release\n"),
        ("names.py", ' "record_outcome",\n', "\n"),
        ("schema.py", "    resources: _Names = ()\n", ""),
    ],
}


@pytest.fixture(params=OTHERS.values(), ids=OTHERS)
def other(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of another release of the contract, made of this one."""
    place = tmp_path_factory.mktemp("other")
    package = place / "codeintel_contract"
    shutil.copytree(Path(codeintel_contract.__file__).parent, package)
    for name, here, there in request.param:
        text = (package / name).read_text(encoding="utf-8")
        assert text.count(here) == 1, (name, here)
        (package / name).write_text(text.replace(here, there), encoding="utf-8")
    return place


@pytest.fixture
def run(other: Path, project: Path) -> Callable[..., dict[str, str]]:
    """Run our command in the project beside that contract; returns what it did to which file."""

    def with_other(*words: str) -> dict[str, str]:
        code = "from codeintel_templates.cli import main; main()"
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", code, *words, "--json"],
            cwd=project,
            env=os.environ | {"PYTHONPATH": str(other)},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return {action["path"]: action["kind"] for action in json.loads(done.stdout)["actions"]}

    return with_other


def test_what_is_required_admits_the_series_and_nothing_after_it() -> None:
    (needed,) = (Requirement(line) for line in requires("codeintel-templates") or () if "codeintel-contract" in line)
    major, minor = map(int, version("codeintel-contract").split(".")[:2])
    # Before 1.0 the second number is the one that says that something breaks.
    series, after = (f"0.{minor}", f"0.{minor + 1}.0") if major == 0 else (f"{major}", f"{major + 1}.0.0")
    assert all(needed.specifier.contains(f"{series}.{last}") for last in (0, 1, 99))
    assert not needed.specifier.contains(after)


@pytest.mark.sample
def test_a_project_is_set_up_with_that_contract_as_it_is(
    run: Callable[..., dict[str, str]], other: Path, project: Path
) -> None:
    assert set(run("install", "--client", "all").values()) == {"create"}
    packaged = (other / "codeintel_contract/phase_contract.yml").read_text(encoding="utf-8")
    assert (project / CONTRACT).read_text(encoding="utf-8") == packaged
    shown = (project / SCHEMA).read_text(encoding="utf-8")
    assert ("look_ahead" in shown, "time_limit_s" in shown) == ("of a later" in packaged,) * 2
    assert set(run("install", "--client", "all").values()) == {"keep"}


@pytest.mark.sample
def test_another_contract_changes_what_is_taken_from_it_and_nothing_else(
    run: Callable[..., dict[str, str]], install: Install, project: Path
) -> None:
    install()
    changed = {path: kind for path, kind in run("upgrade").items() if kind != "keep"}
    assert changed == dict.fromkeys((CONTRACT, SCHEMA, RECORD), "update")


@pytest.mark.sample
def test_a_contract_the_user_changed_is_kept_beside_the_other(
    run: Callable[..., dict[str, str]], install: Install, project: Path
) -> None:
    install()
    (project / CONTRACT).write_text("phases: {}\n", encoding="utf-8")
    assert run("upgrade")[CONTRACT] == "conflict"
    assert (project / CONTRACT).read_text(encoding="utf-8") == "phases: {}\n"
    assert (project / f"{CONTRACT}.new").read_text(encoding="utf-8") != texts.phase_contract()
