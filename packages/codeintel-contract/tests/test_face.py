"""The names of a package's face are read from its text, and each is loaded when it is first used."""

from pathlib import Path
from typing import Any

import pytest

from codeintel_contract.face import load_on_use

TEXT = """
def about():
    from os.path import split as split


TYPE_CHECKING = False
if TYPE_CHECKING:
    from os.path import basename as basename, dirname as dirname

    from posixpath import (
        join as join,
    )

def after():
    from os.path import splitext as splitext
"""


def test_the_face_is_what_the_block_of_types_imports(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_text(TEXT, encoding="utf-8")
    package: dict[str, Any] = {"__file__": str(tmp_path / "__init__.py"), "__name__": "some"}
    find = load_on_use(package)
    assert package["__all__"] == ["basename", "dirname", "join"]
    assert "join" not in package, "nothing is imported before it is used"
    assert (find("join"), package["join"]) == (__import__("posixpath").join,) * 2
    with pytest.raises(AttributeError, match="module 'some' has no attribute 'split'"):
        find("split")
