"""What people and agents type: ways to write a file that must be denied, and honest work that must pass.

`denied.txt`, `passes.txt`, `looks_like_writing.txt` and `explored.txt` are ours. `everyday.txt` are commands of the
workflows, scripts and guides of 44 public repositories, without those that change a project's files, the machine or
git's state. `ways.txt` was made class by class by the makers of the table, which was then partly tuned with it; what of
it passes is `missed.txt`, and the comparison finds that.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from codeintel_server.testing import command_lines

pytestmark = pytest.mark.draws(18)

HERE = Path(__file__).parent
Ask = Callable[..., tuple[str, str]]


def lines(name: str) -> list[str]:
    return command_lines(HERE / name)


@pytest.mark.parametrize("line", lines("denied.txt"))
def test_a_write_to_a_file_nobody_explored_is_denied(line: str, ask: Ask, gate: Callable[..., Path]) -> None:
    gate()
    assert ask("Bash", command=line)[0] == "deny"


@pytest.mark.parametrize("line", lines("passes.txt") + lines("looks_like_writing.txt"))
def test_work_that_writes_nothing_of_the_project_passes_in_any_phase(
    line: str, ask: Ask, gate: Callable[..., Path]
) -> None:
    gate()
    assert ask("Bash", command=line) == ("", "")
    gate(is_open=False)
    assert ask("Bash", command=line) == ("", "")


@pytest.mark.parametrize("line", lines("explored.txt"))
def test_a_write_to_an_explored_file_passes_while_tasks_are_done(
    line: str, ask: Ask, gate: Callable[..., Path]
) -> None:
    gate()
    assert ask("Bash", command=line) == ("", "")


@pytest.mark.slow
def test_no_everyday_command_is_denied(ask: Ask, gate: Callable[..., Path]) -> None:
    gate()
    everyday = lines("everyday.txt")
    assert len(set(everyday)) >= 1000
    assert [line for line in everyday if ask("Bash", command=line) != ("", "")] == []


@pytest.mark.slow
def test_all_ways_to_write_are_denied_but_those_that_are_listed(ask: Ask, gate: Callable[..., Path]) -> None:
    gate()
    ways, missed = lines("ways.txt"), lines("missed.txt")
    assert len(set(ways)) >= 400
    assert len(missed) <= 0.03 * len(ways)
    assert [line for line in ways if ask("Bash", command=line)[0] != "deny"] == missed


@pytest.mark.parametrize(
    "line",
    [
        *("cargo fmt", "black .", "prettier --write 'src/**/*.js'", "eslint --fix src", "make format", "just fmt"),
        *("npm run lint -- --fix", "npm test -- -u", "ls src/*.py | sed 's/.*/rm &/' | bash"),
        *(
            "gcc main.c -o prog",
            "TF_LOG_PATH=tf.txt terraform version",
            "python3 -m venv env",
            "pytest --update-goldens",
        ),
        *("pytest --debug=debug.txt", "biome init", "uv lock", "curl --hsts-file=hs.txt http://localhost"),
    ],
)
def test_a_formatter_may_go_through_the_project_only_while_files_may_be_changed(
    line: str, ask: Ask, gate: Callable[..., Path]
) -> None:
    gate()
    assert ask("Bash", command=line) == ("", "")
    gate(is_open=False)
    assert ask("Bash", command=line)[0] == "deny"


def test_scripts_and_tasks_of_the_project_may_change_it_only_while_files_may_be_changed(
    folder: Path, ask: Ask, gate: Callable[..., Path]
) -> None:
    texts = {
        "scripts/stamp.sh": "#!/bin/sh\ndate > src/b.py\n",
        "scripts/asks.sh": '#!/bin/sh\nif [ -n "$1" ]; then\n  rm src/b.py\nfi\n',
        "Makefile": "CC ?= cc\nall: docs\ntest:\n\tpytest\ndocs:\n\tcp README.md docs/guide.md\n",
        "package.json": '{"scripts": {"test": "node --test", "pregen": "rm docs/guide.md", "gen": "node -e 1"}}',
    }
    before = {name: (folder / name).read_text() for name in texts if (folder / name).exists()}
    for name, text in texts.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    changing = [
        "bash scripts/stamp.sh",
        "sh ./scripts/stamp.sh",
        "make",
        "make docs",
        "make -n docs | sh",
        "npm run gen",
    ]
    free = ["bash -n scripts/stamp.sh", "sh scripts/asks.sh", "make test", "make -n docs", "npm test", "cat Makefile"]
    try:
        gate(is_open=False)
        assert [line for line in changing if ask("Bash", command=line)[0] != "deny"] == []
        assert [line for line in free if ask("Bash", command=line) != ("", "")] == []
        gate()
        assert [line for line in changing[:-3] if ask("Bash", command=line) != ("", "")] == []
    finally:
        for name in texts:
            (folder / name).write_text(before[name]) if name in before else (folder / name).unlink()
