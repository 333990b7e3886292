"""The logs are append-only chains: a line taken out shows, a torn one is passed over and swallows nothing."""

import io
from pathlib import Path
from typing import Any

import pytest

from codeintel_session.audit import logs
from codeintel_session.audit.logs import BLOCK, ChainLog, digest_of


@pytest.fixture
def log(tmp_path: Path) -> ChainLog:
    """An empty log."""
    return ChainLog(tmp_path / "log.jsonl")


def holds(log: ChainLog) -> bool:
    previous = ""
    for line in log.path.read_bytes().splitlines():
        if f'"previous":"{previous}"'.encode() not in line:
            return False
        previous = digest_of(line)
    return True


def test_an_empty_log_reads_as_nothing(log: ChainLog) -> None:
    assert list(log.read()) == []


def test_every_line_carries_the_digest_of_the_one_before(log: ChainLog) -> None:
    for number in range(4):
        log.append({"number": number, "text": "ü\ud800"})
    assert [entry["number"] for entry in log.read()] == [0, 1, 2, 3]
    assert holds(log)
    lines = log.path.read_bytes().splitlines(keepends=True)
    log.path.write_bytes(b"".join([lines[0], *lines[2:]]))
    assert not holds(log)


def test_lines_longer_than_a_block_are_chained_whole(log: ChainLog) -> None:
    log.append({"text": "x" * (BLOCK * 2 + 7)})
    log.append({"text": "short"})
    log.append({"text": "y" * BLOCK})
    log.append({"text": "last"})
    assert holds(log)


def test_a_line_of_any_length_is_read_in_a_few_steps(log: ChainLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "BLOCK", 1)
    log.append({"text": "x" * 100_000})
    opened: list[Counted] = []

    def count(*place: Any) -> Counted:
        opened.append(Counted(log.path))
        return opened[-1]

    monkeypatch.setattr(logs, "open_file", count)
    log.append({})
    assert holds(log)
    assert [each.reads for each in opened] == [18]  # 2 ** 17 bytes are the first that hold it


class Counted(io.FileIO):
    """A file that counts how often it is read."""

    reads = 0

    def read(self, size: int | None = -1, /) -> bytes:
        self.reads += 1
        return super().read(size)


def test_a_torn_line_does_not_swallow_the_next(log: ChainLog) -> None:
    log.append({"number": 1})
    with log.path.open("ab") as file:
        file.write(b'{"number": 2, "torn')
    log.append({"number": 3})
    assert [entry["number"] for entry in log.read()] == [1, 3]


def test_what_is_no_object_is_passed_over(log: ChainLog) -> None:
    log.path.write_bytes(b'\n[1]\n"text"\n\xff\xfe\n{"number":1}\n')
    assert [entry["number"] for entry in log.read()] == [1]
