"""Whatever a client sends for whichever key: a payload or one violation, never another exception."""

import json
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from codeintel_contract.grammar import Choice, Either, ListOf, Node, Plain, Record
from codeintel_contract.loader import load_contract
from codeintel_contract.names import Key
from codeintel_contract.payloads import PAYLOADS, Payload
from codeintel_contract.validate import decode_payload, read_payload
from codeintel_contract.violations import ContractViolation

pytestmark = pytest.mark.draws(18)

TEXT = st.text(st.characters(), max_size=6)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
PLAIN: dict[str, st.SearchStrategy[Any]] = {
    "str": TEXT,
    "int": st.integers(),
    "bool": st.booleans(),
    "dict": st.dictionaries(TEXT, JSON, max_size=3),
}


def fitting(node: Node | None) -> st.SearchStrategy[Any]:
    """Values of a type of the pseudo-schema, now and then something else."""
    match node:
        case Plain(kind):
            right = PLAIN[kind]
        case Choice(values):
            right = st.sampled_from(values)
        case ListOf(item):
            right = st.lists(fitting(item), max_size=2)
        case Either(options):
            right = st.one_of(*map(fitting, options))
        case Record(members):
            right = st.fixed_dictionaries(
                {one.name: fitting(one.type) for one in members if not one.optional},
                optional={one.name: fitting(one.type) for one in members if one.optional},
            )
        case None:
            right = JSON
    return st.integers(0, 9).flatmap(lambda dice: JSON if dice == 9 else right)


def payloads(key: Key) -> st.SearchStrategy[object]:
    types = load_contract(None).validator(key).types
    near = st.fixed_dictionaries(
        {name: fitting(kind.type) for name, kind in types.items() if not kind.optional},
        optional={name: fitting(kind.type) for name, kind in types.items() if kind.optional} | {"x": JSON},
    )
    return near | st.dictionaries(st.sampled_from(list(types)) | TEXT, JSON, max_size=4) | JSON


def outcome(key: Key, data: object) -> Payload | ContractViolation:
    try:
        return read_payload(load_contract(None), key, decode_payload(data))
    except ContractViolation as violation:
        return violation


@pytest.mark.parametrize("key", list(Key))
@settings(deadline=None)
@given(data=st.data(), as_text=st.booleans())
def test_any_json_is_a_payload_or_a_violation_that_has_words(key: Key, data: st.DataObject, as_text: bool) -> None:
    sent = data.draw(payloads(key))
    match outcome(key, json.dumps(sent) if as_text else sent):
        case ContractViolation() as violation:
            assert load_contract(None).message(violation.key, violation.values).message
            assert violation.problems
            assert all("\n" not in line for line in violation.problems)
        case found:
            assert type(found) is PAYLOADS[key]


@settings(deadline=None)
@given(st.text(max_size=40) | st.text('{}[]",:a1 \\u', max_size=40))
def test_any_text_is_an_object_or_a_violation(text: str) -> None:
    match outcome(Key.MERGE, text):
        case ContractViolation() as violation:
            assert violation.problems
        case found:
            assert found.summary is not None
