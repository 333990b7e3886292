"""The write rule as a pure function, and the gate file that carries it to the hook."""

import json

import pytest
from hypothesis import given, strategies as st

from codeintel_contract import Gate, WritePolicy, folder_of, is_protected

POLICY = WritePolicy("READY (implement)", True, {"src/a.py"}, {"src", ""}, {"src/added.py"}, ["Make src/[id].tsx."])


@pytest.mark.parametrize(
    ("path", "is_new", "folder", "why"),
    [
        ("src/a.py", False, "src", ""),
        ("src/a.py", True, "src", ""),
        ("src/[id].tsx", True, "src", ""),
        ("src/added.py", True, "src", ""),
        ("src/b.py", False, "src", "not_explored"),
        ("src/b.py", True, "src", "not_planned"),
        ("src/[id].tsx", True, "lib", "folder_not_explored"),
        (".git/config", True, "", "protected"),
        ("../src/a.py", False, "../src", "outside_project"),
        ("./.CODE-INTEL/config.json", True, "", "protected"),
    ],
)
def test_a_path_is_judged_with_its_reason(path: str, is_new: bool, folder: str, why: str) -> None:
    assert POLICY.refuse_write(path, is_new, folder) == why


def test_while_nothing_is_implemented_nothing_may_be_written_and_what_was_written_still_counts() -> None:
    closed = WritePolicy("Q1", explored=POLICY.explored)
    assert closed.refuse_write("src/a.py", False, "src") == "write_phase_blocked"
    assert closed.refuse_change("src/a.py", False, "src") == ""


def test_in_a_folder_a_plan_may_name_a_file_with_another_suffix() -> None:
    """A plan had `cases/a.text, .html`, and the second file was refused."""
    policy = WritePolicy(plan=["cases/a.text, .html: both", "b/c.d.ts", "root.py", ".github/x", "n/.env.local"])
    assert all(map(policy.is_planned, ("cases/a.html", "cases/a.options", "b/c.js", "b/c.d.ts", ".github/x")))
    others = (
        "cases/ab.html",
        "cases/a",
        "other/a.html",
        "root.cfg",
        "b/c",
        "b/x/c.ts",
        ".github/x.yml",
        "n/.env",
        "a.html",
    )
    assert not any(map(policy.is_planned, others))


@pytest.mark.parametrize(
    ("text", "is_planned"),
    [
        ("x.py", True),
        ("make ./x.py.", True),
        ("(x.py), then", True),
        ("docs/x.py", False),
        ("x.pyi", False),
        ("x.py/y", False),
        ("my-x.py", False),
        ("", False),
    ],
)
def test_a_plan_names_whole_paths(text: str, is_planned: bool) -> None:
    assert WritePolicy(plan=[text]).is_planned("x.py") is is_planned
    assert not WritePolicy(plan=[text, "../x.py"]).is_planned("../x.py"), "no plan reaches out of the project"


TEXTS = st.lists(st.text(max_size=12), max_size=3)


@given(st.text(max_size=5), st.booleans(), TEXTS, TEXTS, TEXTS, TEXTS, st.dictionaries(st.text(), st.text()))
def test_a_gate_read_back_is_the_one_that_was_written(
    phase: str,
    is_open: bool,
    explored: list[str],
    folders: list[str],
    planned: list[str],
    plan: list[str],
    messages: dict[str, str],
) -> None:
    gate = Gate("s", 7, WritePolicy(phase, is_open, explored, folders, planned, plan), messages)
    assert Gate.load(json.loads(json.dumps(gate.dump()))).dump() == gate.dump()


def test_a_gate_of_another_version_is_refused() -> None:
    document = Gate("s", 7, POLICY, {}).dump()
    with pytest.raises(ValueError, match="version 1, expected 2"):
        Gate.load({**document, "version": 1})


def test_the_folder_of_a_path_at_the_root_is_empty() -> None:
    assert [folder_of(path) for path in ("a.py", "src/a.py", "a/b/c")] == ["", "src", "a/b"]
    assert not is_protected("src/.gitignore")
