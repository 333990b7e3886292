"""Every command and snippet in the documentation is run, or validated, or stands below with the reason why not.

A page's commands run one after the other in a project that has codeintel and one ended session. A line that begins
with `/code` is what a user types into a client: the scripted agent plays that session.
"""

import ast
import json
import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from typer.main import get_command

from codeintel_index.cli.app import app as index
from codeintel_server.cli import app as server
from codeintel_server.cli.serve import reader
from codeintel_templates import CLIENTS, plan, read_template
from codeintel_templates.cli import app as templates
from codeintel_templates.texts import contract_schema

pytestmark = pytest.mark.draws(18)

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/**/*.md")])
READMES = sorted(ROOT.glob("packages/*/README.md"))
PLAY = f"{shlex.quote(sys.executable)} {shlex.quote(str(Path(__file__).with_name('play.py')))}"
SHELL, DATA = ("sh", "bash"), ("json", "toml", "yaml")
NOT_RUN = {
    r"uv tool install .*": "needs a package registry",
    r"(pip install uv && )?uv run (pytest|ruff|mypy|lint-imports)\b.*": "is a part of .ci/run, as this test is",
    r"(pip install uv && )?uv run codeintel demo": "tests/e2e/test_demo.py plays it",
    r"uvx .* chroma run .*": "does not end; packages/codeintel-index/tests/test_chroma_server.py starts one",
    r"pip install --require-hashes .*": "needs a package registry; scripts/release.py --install does it",
    r"uv run python scripts/release\.py .*": "builds five packages; tests/releases does",
    r"gh pr create .*": "needs a code host",
    r"codeintel report --format markdown \| gh .*": "needs a code host; tests/docs/test_workflow.py plays one",
    r"git push origin refs/notes/.*": "needs a remote; tests/docs/test_workflow.py plays one",
    r"mutmut .*": "takes minutes and a folder of its own",
    r"python scripts/symbol_truth/measure\.py .*": "needs parsers of other languages and other people's repositories",
    r"\.ci/run": "is what runs this test",
}
SCHEMAS = {
    ".code-intel/config.json": partial(read_template, "code-intel/schemas/config.schema.json"),
    ".code-intel/context.yml": partial(read_template, "code-intel/schemas/context.schema.json"),
    ".code-intel/phase_contract.yml": contract_schema,
}
CLIENT_FILES = (".mcp.json", ".codex/config.toml", ".cursor/mcp.json", ".vscode/mcp.json")
OTHER_FILES = (
    ".github/workflows/codeintel.yml",
    ".github/workflows/codeintel-report.yml",
    "questions.jsonl",
    "pyproject.toml of the copy",
)
PROGRAMS = {"codeintel": server, "codeintel-index": index, "codeintel-templates": templates}


@dataclass(frozen=True, slots=True)
class Snippet:
    """A fenced block: its language, the file its title names, its text and where it stands."""

    page: Path
    line: int
    language: str
    title: str
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def snippets(page: Path) -> list[Snippet]:
    """The fenced blocks of a page."""
    text = page.read_text(encoding="utf-8")
    found = re.finditer(r'^```(\w*)(?: title="([^"]+)")?\n(.*?)^```$', text, re.MULTILINE | re.DOTALL)
    return [Snippet(page, text[: each.start()].count("\n") + 1, each[1], each[2] or "", each[3]) for each in found]


EVERY = [each for page in PAGES for each in snippets(page)]
WITH_COMMANDS = [page for page in PAGES if any(each.language in SHELL for each in snippets(page))]


def named(values: list[Any]) -> dict[str, Any]:
    return {"argvalues": values, "ids": [str(each).removeprefix(f"{ROOT}/") for each in values]}


def script(page: Path) -> Iterator[str]:
    """The commands of a page as one script: what is typed into a client is played, what cannot be run is left out."""
    for each in snippets(page):
        if each.language in SHELL:
            yield f"echo '== {each}'"
            yield from (runnable(line) for line in each.text.splitlines())
        elif each.language == "text" and each.text.startswith("/code "):
            yield PLAY


def runnable(line: str) -> str:
    if any(re.fullmatch(pattern, line.strip()) for pattern in NOT_RUN):
        return ":"
    return re.sub(r"^(pip install uv && )?uv run ", "", line)


@pytest.mark.slow
@pytest.mark.turns
@pytest.mark.xdist_group("pages")
@pytest.mark.parametrize("page", **named(WITH_COMMANDS))
def test_the_commands_of_a_page_work_one_after_the_other(
    page: Path, played: Path, shell: Callable[[str, Path], None], tmp_path: Path
) -> None:
    home = tmp_path / "shop"
    shutil.copytree(played, home)
    for each in snippets(page):
        if each.title and not each.title.startswith(".") and each.language in DATA:
            (home / each.title).write_text(each.text, encoding="utf-8")
    shell("\n".join(script(page)), home)


def test_every_block_says_what_it_is() -> None:
    known = {*SHELL, *DATA, "text", "mermaid"}
    assert [str(each) for each in EVERY if each.language not in known] == []


def test_every_exception_is_used() -> None:
    lines = [line.strip() for each in EVERY if each.language in SHELL for line in each.text.splitlines()]
    assert [pattern for pattern in NOT_RUN if not any(re.fullmatch(pattern, line) for line in lines)] == []


def parsed(each: Snippet) -> Any:
    return {"json": json.loads, "toml": tomllib.loads, "yaml": yaml.safe_load}[each.language](each.text)


@pytest.mark.parametrize("each", **named([each for each in EVERY if each.language in DATA]))
def test_data_is_what_the_file_it_names_may_hold(each: Snippet, tmp_path: Path) -> None:
    value = parsed(each)
    assert value, "an empty example"
    if each.title in SCHEMAS:
        jsonschema.validate(value, json.loads(SCHEMAS[each.title]()))
    elif each.title.startswith(".code-intel/verifiers/"):
        assert value.keys() <= {"match", "command", "setup", "timeout_s", "report"}
    elif each.title in CLIENT_FILES:
        written = {action.path: action.content for action in plan(tmp_path, clients=CLIENTS).changes}
        assert value == parsed(replace(each, text=written[each.title]))
    else:
        assert each.title in OTHER_FILES, "what file is this? name it with a title"


@pytest.mark.parametrize(
    "each", **named([each for page in READMES for each in snippets(page) if each.language == "python"])
)
def test_python_of_the_readmes_is_python_and_what_it_imports_is_there(each: Snippet) -> None:
    tree = ast.parse(each.text.replace(", ...}", "}"))  # which stands for more of the same
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    assert imports
    exec(compile(ast.Module(imports, []), str(each), "exec"), {})


def told() -> Iterator[tuple[str, str]]:
    """Every command of ours that stands in running text, with the page."""
    for page in [*PAGES, *READMES]:
        text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        for code in re.findall(r"`((?:codeintel|codeintel-index|codeintel-templates) [^`]+)`", text):
            yield page.relative_to(ROOT).as_posix(), " ".join(code.split())


@pytest.mark.parametrize(("page", "code"), sorted(set(told())))
def test_commands_in_the_text_exist_with_their_options(page: str, code: str) -> None:
    program, *words = shlex.split(re.sub(r"[\[\]]|\\", "", code.partition(" > ")[0]))
    command: Any = get_command(PROGRAMS[program])
    for word in words:
        if hasattr(command, "commands"):
            names = word.strip(",").split("|")
            assert set(names) <= command.commands.keys(), f"{page}: {code}"
            command = command.commands[names[0]]
        elif word.startswith("-"):
            known = {name for each in command.params for name in (*each.opts, *each.secondary_opts)} | {"--help"}
            if command.name == "serve":  # parses its options without typer
                known |= set(reader()._option_string_actions)
            assert word.split("=")[0] in known, f"{page}: {code}"
