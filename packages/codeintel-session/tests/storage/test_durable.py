"""A checkpoint is on the disk before it is in its place, and its place is on the disk before anyone is told."""

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from codeintel_session.storage.atomic import write_atomically


def test_the_file_is_synced_then_renamed_then_its_folder_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    sync, rename = os.fsync, os.replace

    def noting_sync(handle: int) -> None:
        done.append("sync folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "sync file")
        sync(handle)

    def noting_rename(source: Any, target: Any) -> None:
        done.append("rename")
        assert Path(source).parent == Path(target).parent, "a rename across file systems is no rename"
        rename(source, target)

    monkeypatch.setattr(os, "fsync", noting_sync)
    monkeypatch.setattr(os, "replace", noting_rename)
    write_atomically(tmp_path / "x.json", b"{}")
    assert done == ["sync file", "rename", "sync folder"]
    assert [path.name for path in tmp_path.iterdir()] == ["x.json"]
    assert (tmp_path / "x.json").stat().st_mode & 0o777 == 0o600
