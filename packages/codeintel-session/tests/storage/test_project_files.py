"""Words of an agent become paths of the project, or nothing: no spelling leads outside, none raises."""

import os
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from codeintel_contract.violations import ContractViolation
from codeintel_session.storage.project_files import MAX_BYTES, confine, file_fact, files_named, relative, write_target

HOSTILE = ["../x", "/etc/passwd", "a/../../x", "a\0b", "\ud800", "loop", "out/x", "..\\x"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with a file, a link that leads out and links in a circle."""
    (tmp_path / "p" / "a").mkdir(parents=True)
    (tmp_path / "p" / "a" / "x.py").write_text("one\ntwo\n", encoding="utf-8")
    (tmp_path / "p" / "out").symlink_to(tmp_path)
    (tmp_path / "p" / "loop").symlink_to("loop")
    return tmp_path / "p"


@pytest.mark.parametrize("path", HOSTILE)
def test_what_leads_outside_or_nowhere_is_not_inside(root: Path, path: str) -> None:
    assert not file_fact(root, path).inside
    assert not write_target(root, path).inside
    with pytest.raises(ContractViolation, match="path_outside_project"):
        confine(root, path)


@pytest.mark.parametrize("path", ["a/x.py", " ./a/x.py ", "a\\x.py", "a/../a/x.py"])
def test_a_file_is_known_by_one_name(root: Path, path: str) -> None:
    fact = file_fact(root, path)
    assert (fact.path, fact.inside, fact.exists, fact.lines) == ("a/x.py", True, True, 2)


def test_an_absolute_path_inside_is_that_file(root: Path) -> None:
    assert file_fact(root, str(root / "a/x.py")).path == "a/x.py"


@pytest.mark.parametrize("path", ["a", "a/none.py", "A/x.py", ""])
def test_a_folder_or_another_spelling_is_no_file(root: Path, path: str) -> None:
    assert not file_fact(root, path).exists


@pytest.mark.parametrize(
    ("text", "is_named"),
    [
        ("a/x.py counts", True),
        ("`a/x.py: f` counts", True),
        ("`python a/x.py` passes", False),
        ("`python a/x.py` runs a/x.py", True),
    ],
)
def test_what_a_command_is_given_is_not_named(root: Path, text: str, is_named: bool) -> None:
    assert [*files_named(root, text)] == ["a/x.py"] * is_named


def test_binary_and_huge_files_have_no_lines(root: Path) -> None:
    (root / "b.bin").write_bytes(b"a\n\0b\n")
    with (root / "huge").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    assert file_fact(root, "b.bin").lines == 0
    assert (file_fact(root, "huge").exists, file_fact(root, "huge").lines) == (True, 0)


def test_a_file_that_cannot_be_read_does_not_exist(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> bytes:
        raise PermissionError

    monkeypatch.setattr(os, "open", refuse)
    assert not file_fact(root, "a/x.py").exists


def test_a_target_knows_its_nearest_folder(root: Path) -> None:
    found = write_target(root, "a/b/c/new.py")
    assert (found.path, found.exists, found.folder) == ("a/b/c/new.py", False, "a")
    assert (write_target(root, "").path, write_target(root, ".").folder) == ("", "")
    assert relative(root, root.resolve()) == ""


@given(st.text())
def test_no_text_raises_or_escapes(text: str) -> None:
    here = Path(os.curdir).resolve()
    fact = file_fact(here, text)
    target = write_target(here, text)
    assert fact.inside == target.inside
    assert not fact.exists or not fact.path.startswith(("/", ".."))
