"""What `.code-intel` holds, as the session asks for it: the contract's digest costs a look, and misses no change."""

import hashlib
import os
from pathlib import Path

import pytest

from codeintel_contract import Contract, load_contract, read_file
from codeintel_contract.loader import default_text
from codeintel_server.project import library as module
from codeintel_server.project.library import ProjectLibrary, config_error
from codeintel_server.verification.trust import trust
from codeintel_templates import RECORD, apply, plan

OWN = "phases:\n  EXPLORATION:\n    instruction: Look {}.\n"


@pytest.fixture
def contract(tmp_path: Path) -> Path:
    (tmp_path / ".code-intel").mkdir()
    path = tmp_path / ".code-intel/phase_contract.yml"
    path.write_text(OWN.format("once"), encoding="utf-8")
    trust(ProjectLibrary(tmp_path))
    return path


def packaged_only(path: Path | None, root: Path | None = None) -> Contract:
    assert path is None, "the project's contract is compiled"
    return load_contract(None)


def unread(root: Path, path: Path, limit: int) -> bytes:
    assert path.name != "phase_contract.yml", "the project's contract is read"
    return read_file(root, path, limit)


def test_a_contract_that_stands_as_it_was_is_neither_read_nor_compiled_again(
    contract: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contract.write_text(default_text(), encoding="utf-8")
    library = ProjectLibrary(tmp_path)
    monkeypatch.setattr(module, "RACY_NS", -1_000_000_000_000)  # as if it had been written long ago
    digest = library.contract_digest()
    assert digest == load_contract(None).digest
    monkeypatch.setattr(module, "read_file", unread)
    monkeypatch.setattr(module, "load_contract", packaged_only)
    assert library.contract_digest() == digest


def test_a_contract_that_was_touched_is_read_and_compiled_only_if_it_differs(
    contract: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = ProjectLibrary(tmp_path)
    digest = library.contract_digest()
    monkeypatch.setattr(module, "load_contract", packaged_only)
    contract.touch()
    assert library.contract_digest() == digest


def test_a_change_right_after_a_look_that_leaves_size_and_time_as_they_were_is_seen(
    contract: Path, tmp_path: Path
) -> None:
    library = ProjectLibrary(tmp_path)
    before, info = library.contract_digest(), contract.stat()
    contract.write_text(OWN.format("1234"), encoding="utf-8")
    os.utime(contract, ns=(info.st_atime_ns, info.st_mtime_ns))
    assert contract.stat().st_size == info.st_size
    assert library.contract_digest() == load_contract(None).digest != before, "it is another one, and not trusted"
    trust(library)
    assert library.contract_digest() == load_contract(contract).digest


def test_a_contract_that_does_not_load_or_is_gone_has_another_digest(contract: Path, tmp_path: Path) -> None:
    library = ProjectLibrary(tmp_path)
    library.contract_digest()
    contract.write_text("phases: {NOWHERE: {}}\n", encoding="utf-8")
    assert library.contract_digest() == ""
    contract.unlink()
    assert library.contract_digest() == load_contract(None).digest


def test_a_contract_that_nobody_trusts_is_not_used_and_a_trusted_one_is_until_it_changes(
    contract: Path, tmp_path: Path
) -> None:
    library = ProjectLibrary(tmp_path)
    own, packaged = load_contract(contract).digest, load_contract(None).digest
    assert (library.contract().digest, library.contract_source() != "") == (own, True)
    pinned = library.contract_source()
    contract.write_text(OWN.format("at nothing and merge"), encoding="utf-8")
    assert (library.contract().digest, library.contract_source(), library.ignores_contract()) == (packaged, "", True)
    assert library.contract(pinned).digest == own, "a session that began with it goes on with it"
    assert library.contract("").digest == packaged


def test_the_packaged_contract_in_a_project_needs_no_trust(tmp_path: Path) -> None:
    (tmp_path / ".code-intel").mkdir()
    (tmp_path / ".code-intel/phase_contract.yml").write_text(default_text(), encoding="utf-8")
    library = ProjectLibrary(tmp_path)
    assert (library.ignores_contract(), library.trusted()) == (False, False)


def test_the_copy_that_an_earlier_version_installed_is_not_taken_for_the_users_own(tmp_path: Path) -> None:
    apply(plan(tmp_path, include=("contract",)))
    path, record = tmp_path / ".code-intel/phase_contract.yml", tmp_path / RECORD
    newest = hashlib.sha256(path.read_bytes()).hexdigest()
    path.write_text(
        path.read_text(encoding="utf-8").replace("the nearest of: {names}.", "the nearest of: {unknown}."),
        encoding="utf-8",
    )
    changed = ProjectLibrary(tmp_path)
    assert "nothing fills {unknown}" in config_error(tmp_path)
    assert changed.contract_bytes()
    older = hashlib.sha256(path.read_bytes()).hexdigest()
    record.write_text(record.read_text(encoding="utf-8").replace(newest, older), encoding="utf-8")
    library = ProjectLibrary(tmp_path)
    assert config_error(tmp_path) == ""
    assert library.contract_bytes() == b""
    assert library.contract().digest == load_contract(None).digest
    assert not library.ignores_contract()
