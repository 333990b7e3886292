"""Whatever is done to a log, the line is named where it was done, and how."""

from collections.abc import Callable
from pathlib import Path

import pytest

from codeintel_session.audit.logs import ChainLog, faults_in, link

Lines = list[bytes]


def edited(lines: Lines) -> Lines:
    return [*lines[:2], lines[2].replace(b"refused", b"accepted"), *lines[3:]]


def forged(lines: Lines) -> Lines:
    return [*lines[:2], link({"n": "forged"}, lines[1]) + b"\n", *lines[2:]]


CHANGES: dict[str, tuple[Callable[[Lines], Lines], list[tuple[int, str]]]] = {
    "nothing": (lambda lines: lines, []),
    "edited": (edited, [(3, "was edited")]),
    "the last one edited": (lambda lines: [*lines[:4], lines[4].replace(b"refused", b"accepted")], [(5, "was edited")]),
    "removed": (lambda lines: [*lines[:2], *lines[3:]], [(3, "a line that was removed")]),
    "the first removed": (lambda lines: lines[1:], [(1, "a line that was removed")]),
    "inserted": (forged, [(4, "follows line 2: the lines between")]),
    "written twice": (lambda lines: [*lines[:3], *lines[2:]], [(4, "follows line 2")]),
    "reordered": (
        lambda lines: [lines[0], lines[1], lines[3], lines[2], lines[4]],
        [(3, "which comes after it"), (4, "follows line 2"), (5, "follows line 3")],
    ),
    "cut off": (lambda lines: [*lines[:4], lines[4][:20]], [(5, "truncated")]),
    "written over": (lambda lines: [*lines[:1], b"rubbish\n", *lines[2:]], [(2, "overwritten")]),
    "another log put before": (lambda lines: [link({"n": 0}, b"") + b"\n", *lines], [(2, "the first line of a log")]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_was_done_to_a_log_is_named_by_line(change: str, tmp_path: Path) -> None:
    log = ChainLog(tmp_path / "log.jsonl")
    for number in range(5):
        log.append({"n": number, "verdict": "refused"})
    spoil, expected = CHANGES[change]
    log.path.write_bytes(b"".join(spoil(log.path.read_bytes().splitlines(keepends=True))))
    found = faults_in(log.path)
    assert [fault.line for fault in found] == [line for line, _ in expected]
    assert all(words in str(fault) for fault, (_, words) in zip(found, expected, strict=True))
    assert log.broken_at() == (expected[0][0] if expected else None)


def test_the_digest_of_a_line_cannot_be_left_out_and_written_elsewhere(tmp_path: Path) -> None:
    log = ChainLog(tmp_path / "log.jsonl")
    log.append({"n": 1})
    log.path.write_bytes(log.path.read_bytes().replace(b',"own"', b', "own"'))
    assert [str(fault) for fault in faults_in(log.path)] == ["line 1 was edited"]


def test_a_log_goes_on_after_it_was_broken_and_the_break_stays_where_it_was(tmp_path: Path) -> None:
    log = ChainLog(tmp_path / "log.jsonl")
    log.append({"n": 1})
    log.path.write_bytes(log.path.read_bytes()[:9])
    log.append({"n": 2})
    assert [fault.line for fault in faults_in(log.path)] == [1]
