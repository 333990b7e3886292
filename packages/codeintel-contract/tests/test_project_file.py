"""A file is read only inside its root; tests/test_project_file.py holds the hostile cases, for both copies."""

from pathlib import Path

import pytest

from codeintel_contract.project_file import FileRefused, read_file


@pytest.mark.parametrize(
    ("name", "why"), [("../outside.txt", "leads out of the project"), ("a\0b", "is not a path of the project")]
)
def test_a_path_that_leaves_the_root_or_is_none_is_refused(tmp_path: Path, name: str, why: str) -> None:
    (tmp_path / "outside.txt").write_text("secret", encoding="utf-8")
    (root := tmp_path / "project").mkdir()
    with pytest.raises(FileRefused, match=why):
        read_file(root, name, 100)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no files that hold more than their size says")
def test_a_file_that_holds_more_than_its_size_says_has_the_limit_too() -> None:
    with pytest.raises(FileRefused, match="is larger than 5 bytes"):
        read_file(None, "/proc/self/status", 5)
    assert len(read_file(None, "/proc/self/status", 5, whole=False)) == 5
