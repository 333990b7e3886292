"""Checkpoints: what goes in comes out, what cannot be trusted does not, and nothing is deleted that could be read."""

import contextlib
import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from codeintel_contract.flags import Flags
from codeintel_contract.violations import ContractViolation
from codeintel_session.machine.limits import CHECKPOINT_BYTES
from codeintel_session.machine.state import Counters, LastReply, ObservedCall, Receipt, SessionState
from codeintel_session.storage.atomic import write_atomically
from codeintel_session.storage.checkpoints import (
    KEEP_ARCHIVED,
    CheckpointStore,
    UnreadableCheckpoint,
    encode,
    read,
)
from codeintel_session.storage.home import ensure_home
from codeintel_session.testing import state_at

pytestmark = pytest.mark.draws(5)

TEXT = st.text(max_size=40)
STATES = st.builds(
    lambda step, **fields: state_at(step, **fields),
    st.integers(2, 19),
    query=TEXT,
    summaries=st.dictionaries(TEXT, TEXT, max_size=4),
    flags=st.builds(Flags, fast=st.booleans(), doc_research=st.tuples(TEXT)),
    dirty_at_start=st.dictionaries(TEXT | st.binary(max_size=9).map(os.fsdecode), TEXT, max_size=3),
    protected=st.none() | st.dictionaries(TEXT | st.binary(max_size=9).map(os.fsdecode), TEXT, max_size=3),
    counters=st.builds(Counters, refusals=st.lists(TEXT, max_size=3).map(tuple)),
    answers=st.dictionaries(TEXT, st.booleans(), max_size=3),
    observed=st.lists(st.builds(ObservedCall, tool=TEXT, digest=TEXT, files=st.tuples(TEXT)), max_size=3).map(tuple),
    receipts=st.dictionaries(
        TEXT, st.builds(Receipt, verifier=TEXT, command=TEXT, exit=st.integers(), tree=TEXT, at=TEXT), max_size=2
    ),
    assessment=st.dictionaries(TEXT, TEXT | st.lists(TEXT, max_size=2) | st.floats(0, 1), max_size=3),
    last_reply=st.none() | st.builds(LastReply, digest=TEXT, reply=st.dictionaries(TEXT, TEXT, max_size=3)),
)


@given(STATES)
def test_a_state_comes_back_as_it_was(state: SessionState) -> None:
    assert read(encode(state)).state == state


@given(STATES, st.data())
def test_no_changed_byte_goes_unnoticed(state: SessionState, data: st.DataObject) -> None:
    raw = bytearray(encode(state))
    at = data.draw(st.integers(0, len(raw) - 1))
    raw[at] ^= data.draw(st.integers(1, 255))
    with contextlib.suppress(UnreadableCheckpoint):
        assert read(bytes(raw)).state == state  # white space and escapes may be spelled in two ways


VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.just("\ud800") | TEXT | st.just([]) | st.just({})


@st.composite
def altered(draw: st.DrawFn) -> bytes:
    """A checkpoint with one value of its tree exchanged, and a digest that holds."""
    body = here = json.loads(encode(draw(STATES)))
    while True:
        key = draw(st.sampled_from(list(here) if isinstance(here, dict) else range(len(here))))
        if not isinstance(here[key], dict | list) or not here[key] or draw(st.integers(0, 4)) == 0:
            break
        here = here[key]
    here[key] = draw(VALUES)
    body.pop("sha256", None)
    text = json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    body["sha256"] = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")


@settings(deadline=None, derandomize=True)
@given(altered() | st.binary(max_size=40))
def test_any_file_is_a_state_that_can_be_saved_or_is_kept_aside_as_it_was(raw: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store, path = CheckpointStore(Path(folder)), Path(folder, "20261121_100002_0001.json")
        path.write_bytes(raw)
        refusal = ""
        try:
            state = store.load("20261121_100002_0001").state
            assert encode(read(encode(state)).state) == encode(state)  # as bytes: a NaN equals nothing
        except ContractViolation as violation:
            refusal = violation.key
        assert refusal in ("", "session_messages.checkpoint_restore_failed")
        name = f"{path.name}.corrupt" if refusal else path.name
        assert [(one.name, one.read_bytes()) for one in Path(folder).iterdir()] == [(name, raw)]


@pytest.mark.parametrize("raw", [b"", b"[]", b"{}", b"nonsense", b'{"sha256":1}', b"[" * 100_000, b"\xff\xfe"])
def test_what_is_no_checkpoint_is_said_to_be_none(raw: bytes) -> None:
    with pytest.raises(UnreadableCheckpoint, match="not a checkpoint"):
        read(raw)


def test_nesting_that_can_be_read_and_not_written_is_no_checkpoint() -> None:
    shell = '{{"sha256":"x","schema_version":1,"orchestrator_state":{0}{1},"phase_payloads":{{}}}}'
    for depth in range(900, 1000):
        with pytest.raises(UnreadableCheckpoint):
            read(shell.format("[" * depth, "]" * depth).encode())


def test_a_state_that_does_not_validate_is_refused_though_its_digest_holds() -> None:
    body: dict[str, Any] = {"schema_version": 1, "orchestrator_state": {"session_id": 1}, "phase_payloads": {}}
    text = json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    body["sha256"] = hashlib.sha256(text.encode()).hexdigest()
    with pytest.raises(UnreadableCheckpoint, match="does not validate"):
        read(json.dumps(body).encode())


def test_older_summaries_are_shortened_first_and_the_state_never() -> None:
    summaries = {f"step_{number}": "x" * 1200 for number in range(400)}
    state = state_at(12, summaries=summaries)
    raw = encode(state)
    assert len(raw) <= CHECKPOINT_BYTES
    back = read(raw).state
    assert len(back.summaries["step_0"]) == 80
    assert len(back.summaries["step_399"]) == 1200
    huge = state_at(12, seen=tuple(f"{number}" * 20 for number in range(9000)))
    assert read(encode(huge)).state == huge


@pytest.fixture
def store(tmp_path: Path) -> CheckpointStore:
    """A store in a fresh folder."""
    return CheckpointStore(ensure_home(tmp_path) / "sessions")


def test_the_previous_checkpoint_is_kept(store: CheckpointStore) -> None:
    store.save(state_at(4))
    store.save(state_at(5))
    path = store.folder / f"{state_at(4).session_id}.json"
    assert read(path.with_suffix(".json.bak").read_bytes()).state == state_at(4)
    assert store.load(path.stem).state == state_at(5)


def test_a_file_system_without_second_names_gets_a_copy(
    store: CheckpointStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError("not supported")

    monkeypatch.setattr(os, "link", refuse)
    test_the_previous_checkpoint_is_kept(store)


def test_a_backup_alone_is_found_and_used(store: CheckpointStore) -> None:
    store.save(state_at(4))
    store.save(state_at(5))
    name = state_at(4).session_id
    (store.folder / f"{name}.json").unlink()
    assert store.ids() == [name]
    saved = store.load(name)
    assert saved.state == state_at(4)


def test_two_torn_files_are_refused_once_and_not_found_again(store: CheckpointStore) -> None:
    name = state_at(4).session_id
    for suffix in (".json", ".json.bak"):
        (store.folder / f"{name}{suffix}").write_text("torn", encoding="utf-8")
    with pytest.raises(ContractViolation) as caught:
        store.load(name)
    assert "not a checkpoint" in caught.value.values["why"]
    assert store.ids() == []
    assert len(list(store.folder.glob("*.corrupt"))) == 2


def test_a_backup_that_is_the_only_and_torn_says_why(store: CheckpointStore) -> None:
    name = state_at(4).session_id
    (store.folder / f"{name}.json.bak").write_text("torn", encoding="utf-8")
    with pytest.raises(ContractViolation) as caught:
        store.load(name)
    assert "not a checkpoint" in caught.value.values["why"]


@pytest.mark.parametrize("name", ["", "../x", "a/b", "a.json", "*"])
def test_a_name_that_is_no_session_is_unknown(store: CheckpointStore, name: str) -> None:
    with pytest.raises(ContractViolation, match="unknown_session"):
        store.load(name)


def test_the_archive_keeps_the_newest(store: CheckpointStore) -> None:
    for number in range(KEEP_ARCHIVED + 5):
        store.archive(state_at(4, session_id=f"20261121_1000{number:02}_abcd"))
    kept = store.archived()
    assert len(kept) == KEEP_ARCHIVED
    assert kept[-1].stem == "20261121_100005_abcd"


def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "file"
    write_atomically(target, b"old")

    def refuse(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OSError, match="disk full"):
        write_atomically(target, b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert target.read_bytes() == b"old"


def test_a_home_made_here_hides_itself_and_a_users_own_is_left_alone(tmp_path: Path) -> None:
    assert (ensure_home(tmp_path) / ".gitignore").read_text(encoding="utf-8") == "*\n"
    users = tmp_path / "users"
    (users / ".code-intel").mkdir(parents=True)
    (users / ".code-intel" / "context.yml").write_text("", encoding="utf-8")
    assert not (ensure_home(users) / ".gitignore").exists()
