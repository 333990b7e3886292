"""Each package's wheel works with nothing but what it declares, and with every release of its siblings it accepts.

A release is a wheel of this tree, built as it is, or as a copy whose version is the next patch or the next minor one.
"""

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from codeintel_session.testing import make_repo

pytestmark = [pytest.mark.slow, pytest.mark.turns(2), pytest.mark.xdist_group("releases")]

ROOT = Path(__file__).parents[2]
PACKAGES = ("contract", "index", "session", "templates", "server")
EXTRAS = {"index": ("codeintel_index.mcp.server", "codeintel_index.mcp.stdio", "codeintel_index.mcp.tool")}
"""Modules that need an extra of their package."""
IMPORT_ALL = """
import importlib, pkgutil
import codeintel_{package} as package
for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    if not found.name.endswith(("__main__", ".testing")) and found.name not in {extras}:
        importlib.import_module(found.name)
"""
SMOKE = {
    "contract": """
from codeintel_contract import Key, load_contract, parse_flags
assert load_contract(None).phases.keys() == set(Key)
assert parse_flags(["--quick"]).quick
""",
    "index": """
from codeintel_index import Index
with Index.open(".") as index:
    index.sync()
    assert [one.path for one in index.definitions("count_all")] == ["src/stats.py"]
    assert [hit.path for hit in index.search("count all values").hits] == ["src/stats.py"]
""",
    "session": """
from pathlib import Path
from codeintel_session.testing import Driver, Repo, World
repo = Repo(Path.cwd())
driver = Driver(World(repo.root).service(), repo)
driver.start(fast=True)
assert driver.finish()["outcome"] == "unverified"
""",
    "templates": """
from pathlib import Path
from codeintel_templates import SKILL, read_template
from codeintel_templates.copy import apply, plan
apply(plan(Path.cwd(), clients=["all"]))
assert Path(".claude/skills/code/SKILL.md").read_text("utf-8") == read_template(SKILL)
""",
    "server": """
import subprocess, sys
done = subprocess.run([sys.executable, "-m", "codeintel_server", "demo", "--flags", "quick"], capture_output=True)
assert done.returncode == 0, done.stdout + done.stderr
assert b"left in the working tree" in done.stdout
""",
}


def released(package: str) -> str:
    """Its present version."""
    project = ROOT / f"packages/codeintel-{package}/pyproject.toml"
    return str(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"])


def patched(package: str) -> str:
    """Its version after a repair."""
    major, minor, patch = released(package).split(".")
    return f"{major}.{minor}.{int(patch) + 1}"


def next_minor(package: str) -> str:
    """Its version after something went away: a new minor one before 1.0."""
    major, minor, _ = released(package).split(".")
    return f"{major}.{int(minor) + 1}.0"


def uv(*words: str | Path) -> "subprocess.CompletedProcess[str]":
    command = ["uv", *map(str, words)]
    # Byte code of thousands of modules of which a test imports some would take a third of a minute at each install.
    variables = {**os.environ, "UV_COMPILE_BYTECODE": "0"}
    return subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False)


def done(outcome: "subprocess.CompletedProcess[str]") -> None:
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr


class Environment:
    """A virtual environment of its own, into which wheels of one folder are installed."""

    def __init__(self, folder: Path, wheels: Path) -> None:
        self.folder, self.wheels = folder, wheels
        done(uv("venv", "--quiet", folder))

    @property
    def python(self) -> Path:
        """Its interpreter, where the system has it."""
        posix = self.folder / "bin/python"
        return posix if posix.exists() else self.folder / "Scripts/python.exe"

    def install(self, **versions: str) -> "subprocess.CompletedProcess[str]":
        """Install releases, and what they declare."""
        names = [f"codeintel-{package}=={version}" for package, version in versions.items()]
        return uv("pip", "install", "--quiet", "--python", self.python, "--find-links", self.wheels, *names)

    def run(self, script: str, where: Path) -> None:
        """Run Python in a folder, warnings being errors."""
        command = [self.python, "-W", "error", "-c", script]
        done(subprocess.run(command, cwd=where, capture_output=True, text=True, check=False))


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three releases of each package."""
    folder = tmp_path_factory.mktemp("wheels")
    done(uv("build", "--quiet", "--all-packages", "--wheel", "--out-dir", folder))
    for package in PACKAGES:
        copy = tmp_path_factory.mktemp(package) / package
        shutil.copytree(ROOT / f"packages/codeintel-{package}", copy)
        project = copy / "pyproject.toml"
        text = project.read_text(encoding="utf-8")
        for version in (patched(package), next_minor(package)):
            line = f'version = "{version}"'
            project.write_text(re.sub(r'^version = ".*"$', line, text, flags=re.MULTILINE), encoding="utf-8")
            done(uv("build", "--quiet", "--wheel", "--out-dir", folder, copy))
    return folder


@pytest.fixture(scope="module")
def whole(wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The server and all that it stands on, in which releases take each other's place."""
    return Environment(tmp_path_factory.mktemp("whole") / "env", wheels)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository to work on."""
    return make_repo(tmp_path / "my project").root


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_works_with_nothing_but_what_it_declares(
    package: str, wheels: Path, project: Path, tmp_path: Path
) -> None:
    environment = Environment(tmp_path / "env", wheels)
    done(environment.install(**{package: released(package)}))
    environment.run(IMPORT_ALL.format(package=package, extras=EXTRAS.get(package, ())), tmp_path)
    environment.run(SMOKE[package], project)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_release_that_repairs_works_with_its_older_siblings(package: str, whole: Environment, tmp_path: Path) -> None:
    """The wheels differ in their versions alone, so that what was installed is all there is to see."""
    done(whole.install(**{each: released(each) for each in PACKAGES} | {package: patched(package)}))
    wanted = {f"codeintel-{each}": patched(each) if each == package else released(each) for each in PACKAGES}
    script = f"from importlib.metadata import version\nassert {{name: version(name) for name in {wanted}}} == {wanted}"
    whole.run(f"{script}\nimport codeintel_server.mcp.app", tmp_path)


@pytest.mark.parametrize("package", PACKAGES[:-1])
def test_a_release_in_which_something_went_away_is_refused_by_its_older_siblings(
    package: str, whole: Environment
) -> None:
    refused = whole.install(server=released("server"), **{package: next_minor(package)})
    assert refused.returncode != 0
    assert f"codeintel-{package}=={next_minor(package)}" in refused.stderr
    assert "unsatisfiable" in refused.stderr
