"""What people and agents type: ways to write a file that must be denied, and honest work that must pass."""

from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).parent
Ask = Callable[..., tuple[str, str]]


def lines(name: str) -> list[str]:
    """The command lines of a corpus; a new line within one is written `\\n`."""
    return [line.replace("\\n", "\n") for line in (HERE / name).read_text("utf-8").splitlines()]


@pytest.mark.parametrize("line", lines("denied.txt"))
def test_a_write_to_a_file_nobody_explored_is_denied(line: str, ask: Ask, gate: Callable[..., Path]) -> None:
    gate()
    assert ask("Bash", command=line)[0] == "deny"


@pytest.mark.parametrize("line", lines("passes.txt"))
def test_work_that_writes_nothing_of_the_project_passes_in_any_phase(
    line: str, ask: Ask, gate: Callable[..., Path]
) -> None:
    gate()
    assert ask("Bash", command=line) == ("", "")
    gate(open=False, phase="EXPLORATION")
    assert ask("Bash", command=line) == ("", "")


@pytest.mark.parametrize("line", lines("explored.txt"))
def test_a_write_to_an_explored_file_passes_while_tasks_are_done(
    line: str, ask: Ask, gate: Callable[..., Path]
) -> None:
    gate()
    assert ask("Bash", command=line) == ("", "")


def test_the_corpora_are_large_enough_to_mean_something() -> None:
    assert len(set(lines("denied.txt"))) >= 80
    assert len({*lines("passes.txt"), *lines("explored.txt")}) >= 320
