"""The packages' READMEs show what really happens: their commands print what stands below them, their Python runs."""

import re
import shlex
from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner

from codeintel_contract import Flags, Intent
from codeintel_index.cli.app import app as index
from codeintel_index.testing import SHOP
from codeintel_session import draw_flow
from codeintel_session.testing import make_repo
from codeintel_templates.cli import app as templates

ROOT = Path(__file__).parents[2]
PROGRAMS = {"codeintel-index": index, "codeintel-templates": templates}
NEEDS_MORE = {
    "SessionService(ports)": "ports are the adapters of a whole server; `codeintel_session.testing` has fakes"
}


def blocks(package: str, language: str) -> list[str]:
    text = (ROOT / f"packages/codeintel-{package}/README.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = make_repo(tmp_path / "shop", SHOP).root
    monkeypatch.chdir(root)
    return root


def printed(command: str) -> str:
    """What one of our commands prints."""
    program, *arguments = shlex.split(command, comments=True)
    done = CliRunner().invoke(PROGRAMS[program], arguments)
    assert done.exit_code in (0, 1), f"{command}\n{done.output}"
    return done.output


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("package", ["index", "templates"])
def test_commands_print_what_stands_below_them(package: str) -> None:
    (session,) = blocks(package, "console")
    for part in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
        command, *shown = part.rstrip().split("\n")
        lines = iter(printed(command).splitlines())
        for line in shown:
            assert line.strip() == "..." or line in lines, f"{command}: {line}"


@pytest.mark.parametrize("package", ["contract", "index", "session", "templates"])
def test_python_runs(package: str, shop: Path, tmp_path: Path) -> None:
    (shop / ".code-intel").mkdir()
    (shop / ".code-intel/phase_contract.yml").write_text("phases: {Q1: {instruction: Think.}}\n", encoding="utf-8")
    known: dict[str, object] = {"tmp_path": tmp_path / "more"}
    for block in blocks(package, "python"):
        if not any(sign in block for sign in NEEDS_MORE):
            exec(compile(block.replace("path/to/project", shop.as_posix()), package, "exec"), known)


def test_the_flow_in_the_projects_readme_has_all_steps_and_only_ways_of_the_table() -> None:
    picture = (ROOT / "README.md").read_text(encoding="utf-8").partition("```mermaid\n")[2].partition("```")[0]
    steps = dict(re.findall(r"(\w+)[\[{](\d+) ", picture)) | {"start": "1", "done": "20"}
    plain = re.sub(r"\(\[.*?\]\)|\[.*?\]|\{.*?\}", "", picture)
    chains = [re.split(r" -- [^>]+ --> | --> ", line.strip()) for line in plain.splitlines() if "-->" in line]
    shown = {(steps[one], steps[other]) for chain in chains for one, other in pairwise(chain)}
    known = set(re.findall(r"s(\d+) -->(?:\|.*?\|)? s(\d+)", draw_flow(Flags(), Intent.IMPLEMENT, "mermaid")))
    assert shown - known == set()
    assert {step for way in shown for step in way} == {step for way in known for step in way}
