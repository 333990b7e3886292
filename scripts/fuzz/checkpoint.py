"""Checkpoint files: whatever stands in one, it gives a state that works or one `checkpoint_restore_failed`.

A file that was refused is kept as `.corrupt`, byte for byte, and nothing else is left or changed. Most inputs
have a digest that holds, so that what lies behind it is reached too.
"""

import copy
import hashlib
import json
import os
import random
import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import atheris
from harness import fuzz

with atheris.instrument_imports(include=["codeintel_contract", "codeintel_session"]):
    from codeintel_contract.flags import Flags
    from codeintel_contract.loader import load_contract
    from codeintel_contract.violations import ContractViolation
    from codeintel_session.lifecycle import recovery
    from codeintel_session.machine.state import Counters, LastReply, MandatoryRule, ObservedCall, Receipt
    from codeintel_session.replies.reply import accepted_reply
    from codeintel_session.storage.checkpoints import CheckpointStore, Saved, encode, read as read_saved
    from codeintel_session.testing import state_at

HOSTILE: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    10**30,
    10**400,
    1e308,
    float("nan"),
    float("inf"),
    "",
    "\0",
    "\ud800",
    "\udcff",
    "../../x",
    "a" * 3000,
    [],
    [[]],
    {},
    {"": {}},
    ["x"] * 400,
    "2026-11-21T10:00:02+00:00",
    "READY",
    "plan",
    "completed",
)
DEEP = b'{"sha256":"x","schema_version":1,"orchestrator_state":' + b"[" * 900 + b"]" * 900 + b',"phase_payloads":{}}'
SESSION = "20261121_100002_0001"
FOLDER = Path(tempfile.mkdtemp(prefix="fuzz_checkpoint_"))
FILE = FOLDER / f"{SESSION}.json"
CONTRACT = load_contract(None)


def seeds() -> list[bytes]:
    """Checkpoints of every step, one of them with everything in it."""
    full = state_at(
        13,
        flags=Flags(doc_research=("a.md",)),
        summaries={"step_04_QUERY_FRAME": "s", "step_05_EXPLORATION": "t"},
        dirty_at_start={"b.py": "0" * 40, "caf\udce9.py": "1" * 40},
        counters=Counters(refusals=("x",)),
        tasks=({"id": "t", "description": "d", "checklist": [{"item": "i"}]},),
        observed=(ObservedCall(tool="search_text", digest="d", files=("a.py",)),),
        receipts={"v": Receipt(verifier="v", command="c", exit=0, tree="t", at="t", counts={"tests": 1})},
        mandatory_rules=(MandatoryRule(rule="r", source="a.md:1"),),
        assessment={"risk": "LOW"},
        last_reply=LastReply(digest="d", reply={"success": True}),
    )
    return [encode(full), *(encode(state_at(step)) for step in range(2, 20)), DEEP]


def mutate(data: bytes, max_size: int, seed: int) -> bytes:
    """One to three values of the tree exchanged, most often with the digest made new; now and then bytes."""
    dice = random.Random(seed)
    try:
        body = json.loads(data)
        assert isinstance(body, dict)
    except (ValueError, RecursionError, AssertionError):
        return bytes(atheris.Mutate(data, max_size))
    if dice.random() < 0.2:
        return bytes(atheris.Mutate(data, max_size))
    for _ in range(dice.randint(1, 3)):
        _edit(body, dice)
    return (signed(body) if dice.random() < 0.9 else pack(body))[:max_size]


def _edit(body: dict[str, Any], dice: random.Random) -> None:
    here: Any = body
    while True:
        keys = list(here) if isinstance(here, dict) else list(range(len(here)))
        if not keys:
            return
        key = dice.choice(keys)
        if isinstance(here[key], dict | list) and here[key] and dice.random() < 0.8:
            here = here[key]
            continue
        if dice.random() < 0.15:
            del here[key]
        elif isinstance(here, dict) and dice.random() < 0.2:
            here[dice.choice(("x", "", "a.py", "\ud800", "summary"))] = copy.deepcopy(here[key])
        else:
            here[key] = copy.deepcopy(dice.choice(HOSTILE))
        return


def pack(body: Any) -> bytes:
    """The spelling the digest is of."""
    text = json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


def signed(body: dict[str, Any]) -> bytes:
    """The body with the digest that it has."""
    rest = {name: value for name, value in body.items() if name != "sha256"}
    return pack({"sha256": hashlib.sha256(pack(rest)).hexdigest(), **rest})


def target(data: bytes) -> None:
    """One file through the store, and what is read through a resume."""
    FILE.write_bytes(data)
    store = CheckpointStore(FOLDER)
    try:
        saved = store.load(SESSION)
    except ContractViolation as violation:
        refused(violation, data)
    else:
        assert [path.name for path in FOLDER.iterdir()] == [FILE.name]
        use(saved)
    shutil.rmtree(FOLDER)
    os.mkdir(FOLDER)


def refused(violation: ContractViolation, data: bytes) -> None:
    """The file was set aside as it was, and nothing else is there."""
    named(violation, "session_messages.checkpoint_restore_failed")
    assert [path.name for path in FOLDER.iterdir()] == [f"{FILE.name}.corrupt"]
    assert FILE.with_name(f"{FILE.name}.corrupt").read_bytes() == data


def named(violation: ContractViolation, key: str) -> None:
    """The refusal is the documented one, and has words."""
    assert violation.key == key, violation.key
    assert CONTRACT.message(violation.key, violation.values).message


def use(saved: Saved) -> None:
    """What a resume does with the state: save it, tell of it, stand where it stands."""
    again = encode(saved.state)
    assert encode(read_saved(again).state) == again, "a state does not come back as it was saved"
    recovery.describe(saved, datetime(2026, 11, 21, tzinfo=UTC))
    recovery.overview(saved.state)
    try:
        accepted_reply(CONTRACT, saved.state)
    except ContractViolation as violation:
        named(violation, "common_failures.unknown_phase")


if __name__ == "__main__":
    fuzz(target, seeds(), mutate)
