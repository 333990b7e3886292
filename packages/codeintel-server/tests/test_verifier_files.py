"""A verifier's file as users write it: what is read from it, and that a slip is named and never passed over."""

from pathlib import Path

import pytest

from codeintel_contract.violations import ContractViolation
from codeintel_server.project.library import ProjectLibrary
from codeintel_server.verification.verifier_file import read_verifier

FULL = """---
match: ["**/*.py"]  # whatever is Python
command: pytest -q
timeout_s: 90
report: junit:out/*.xml
---
# Run it
"""


@pytest.mark.parametrize("form", [FULL, FULL.replace("\n", "\r\n"), "\ufeff" + FULL, FULL.replace("---", "--- ")])
def test_front_matter_is_read_however_the_file_was_saved(form: str) -> None:
    verifier = read_verifier("unit.md", form.encode())
    assert (verifier.fits(["a.py"]), verifier.fits(["a.ts"]), verifier.command) == (True, False, "pytest -q")
    assert (verifier.timeout_s, verifier.report) == (90.0, "junit:out/*.xml")
    assert verifier.text.splitlines() == ["# Run it"]


@pytest.mark.parametrize(
    "text", ["Read it.\n", "---\n---\nRead it.\n", "---\ncommand:\nmatch: '**/*'\n---\nRead it.\n"]
)
def test_what_is_left_out_has_its_default(text: str) -> None:
    verifier = read_verifier("plain.md", text.encode())
    assert (verifier.text, verifier.command, verifier.timeout_s, verifier.report) == ("Read it.\n", "", 600.0, "none")


@pytest.mark.parametrize(
    ("front", "line", "says"),
    [
        ("match: [a]\ncomand: make", 3, "unknown key comand; did you mean 'command'?"),
        ("colour: red", 2, "unknown key colour; known: match, command, timeout_s, report"),
        ("match: '**/*.{ts,tsx'", 2, "match: '**/*.{ts,tsx': a { without its }"),
        ("report: junit:out/[z-a].xml", 2, "report: 'out/[z-a].xml': not a glob"),
        ("timeout_s: soon", 2, "timeout_s must be a number of seconds"),
        ("timeout_s: 0", 2, "timeout_s must be a number of seconds"),
        ("timeout_s: true", 2, "timeout_s must be a number of seconds"),
        ("command: [make, check]", 2, "command must be a shell line"),
        ("match: 5", 2, "match must be a list of globs"),
        ("match:\n  - 5", 2, "match must be a list of globs"),
        ("# what it writes\nreport: xml", 3, "report must be none, findings, junit, or junit:GLOB"),
        ("match: [a\ncommand: x", 3, "expected"),
        ("report: junit: out/*.xml", 2, "mapping values are not allowed"),
        ("- match", 2, "must be a mapping"),
    ],
)
def test_a_slip_is_named_with_its_line(front: str, line: int, says: str) -> None:
    with pytest.raises(ContractViolation, match="config_invalid") as caught:
        read_verifier("unit.md", f"---\n{front}\n---\nRun it.\n".encode())
    (problem,) = caught.value.problems
    assert problem.startswith(f".code-intel/verifiers/unit.md:{line}: ")
    assert says in problem


@pytest.mark.parametrize(("data", "line"), [(b"---\nmatch: [a]\n\nRun it.\n", 1), (b"Run\n\xff\n", 2)])
def test_a_file_that_is_no_verifier_is_named(data: bytes, line: int, tmp_path: Path) -> None:
    (tmp_path / ".code-intel/verifiers").mkdir(parents=True)
    (tmp_path / ".code-intel/verifiers/unit.md").write_bytes(data)
    with pytest.raises(ContractViolation) as caught:
        ProjectLibrary(tmp_path).verifiers()
    assert caught.value.problems[0].startswith(f".code-intel/verifiers/unit.md:{line}: ")


@pytest.mark.parametrize(
    ("front", "why"),
    [
        ("a: &a {k: [x]}\nb: {<<: [*a, *a]}\n", "anchors and aliases"),
        ("a: " + "[" * 5000 + "]" * 5000 + "\n", "nested deeper"),
        ("k: [a, b, c]\n" * 70_000, "longer than"),
    ],
)
def test_front_matter_that_unfolds_or_never_ends_is_refused(front: str, why: str) -> None:
    with pytest.raises(ContractViolation) as caught:
        read_verifier("unit.md", f"---\n{front}---\nRun the tests.\n".encode())
    assert why in str(caught.value.values)


def test_a_folder_of_too_many_verifiers_is_named_and_not_read(tmp_path: Path) -> None:
    folder = tmp_path / ".code-intel/verifiers"
    folder.mkdir(parents=True)
    for number in range(101):
        (folder / f"v{number}.md").write_text("x\n")
    with pytest.raises(ContractViolation) as caught:
        ProjectLibrary(tmp_path).verifiers()
    assert ".code-intel/verifiers: it holds 101 verifiers" in str(caught.value.problems[0])


def test_a_built_in_verifier_that_waits_for_a_command_is_not_named(tmp_path: Path) -> None:
    known = ProjectLibrary(tmp_path).verifiers()
    assert list(known) == ["backend.md", "generic.md", "html_css.md", "tests.md"]
    assert all(verifier.text for verifier in known.values())
