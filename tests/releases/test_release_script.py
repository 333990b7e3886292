"""What was tested can be installed: the lock names every file by its hash, and a release says what it is made of."""

import hashlib
import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


def script(name: str) -> ModuleType:
    """Load a script of the repository."""
    spec = importlib.util.spec_from_file_location(name, ROOT / f"scripts/{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


LOCK = script("requirements_lock")


def test_the_lock_names_no_registry_and_every_requirement_has_hashes() -> None:
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert re.findall(r"://|--(?:extra-)?index|--find-links|@ ", text) == []
    rows = LOCK.read(text)
    assert {"mcp", "pydantic", "chromadb"} <= {row.split("==")[0] for row in rows}
    assert [row for row, hashes in rows.items() if not hashes] == []


def test_a_lock_is_current_unless_a_requirement_or_a_file_is_missing() -> None:
    old = "a==1 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\nb==2 ; os_name == 'nt' \\\n    --hash=sha256:cc\n"
    assert LOCK.differences(old, old.replace(" \\\n    --hash=sha256:bb", "")) == []
    assert LOCK.differences(old, old.replace("bb", "dd").replace("nt", "posix")) == []
    assert LOCK.differences(old, old.replace("cc", "dd")) == ["not one file in common: b==2"]
    assert LOCK.differences(old, old.replace("a==1", "a==2")) == ["not locked: a==2", "not resolved any more: a==1"]


@pytest.mark.slow
def test_a_release_names_every_file_by_its_hash_and_where_it_is_from(tmp_path: Path) -> None:
    release = script("release")
    release.build(tmp_path / "release", allow_changes=True)
    known = json.loads((tmp_path / "release/provenance.json").read_text(encoding="utf-8"))
    assert re.fullmatch("[0-9a-f]{40}", known["commit"])
    files = {path.relative_to(tmp_path / "release").as_posix(): path for path in (tmp_path / "release").rglob("*")}
    digests = {
        name: f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"
        for name, path in files.items()
        if path.is_file()
    }
    assert digests.pop("provenance.json")
    assert known["files"] == digests
    first = (tmp_path / "release/requirements.txt").read_text(encoding="utf-8").splitlines()[:5]
    assert [line.split("==")[0].removeprefix("codeintel-") for line in first] == list(release.PACKAGES)
    assert all(line.split("--hash=")[1] in digests.values() for line in first)
