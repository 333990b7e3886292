"""Whatever start_session and get_session_status are given: a session, or a refusal that leaves nothing behind."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from codeintel_contract.flags import FLAG_NAMES, OPTIONS
from codeintel_contract.loader import load_contract
from codeintel_contract.violations import ContractViolation
from codeintel_session.lifecycle.session_start import INTENTS, read_request
from codeintel_session.testing import World

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6)
JSON = st.recursive(
    SCALARS, lambda one: st.lists(one, max_size=3) | st.dictionaries(st.text(max_size=4), one), max_leaves=5
)
SPELLINGS = st.sampled_from(
    [text for row in OPTIONS for text in (row.long, row.short, f"{row.long}=x", f"{row.long}=f")]
)
FLAGS = st.dictionaries(st.sampled_from(FLAG_NAMES), SCALARS | st.just("full"), max_size=3) | st.lists(
    SPELLINGS, max_size=3
)
REFUSING = settings(
    deadline=None,
    derandomize=True,
    max_examples=settings.default.max_examples // 5,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def spoken(violation: ContractViolation) -> bool:
    """A refusal has words for each of its values."""
    return bool(load_contract(None).message(violation.key, violation.values).message)


@settings(deadline=None, derandomize=True)
@given(
    intent=st.sampled_from([*INTENTS, "modify "]) | st.text(max_size=9), query=st.text(max_size=5), flags=FLAGS | JSON
)
def test_any_request_is_read_or_refused_in_words(intent: str, query: str, flags: Any) -> None:
    try:
        chosen, checked, said = read_request(intent, query, flags)
    except ContractViolation as violation:
        refused = spoken(violation)
    else:
        refused = False
        assert chosen is INTENTS[intent.strip().lower()]
        assert json.loads(json.dumps(checked.active())) == checked.active()
        assert all(say.key in load_contract(None).messages for say in said)
    assert refused or query.strip()


@REFUSING
@given(
    session_id=st.text(min_size=1, max_size=12)
    | st.sampled_from(["../../x", "a\0b", "x" * 300, "20261121", ".", "\ud800"])
)
def test_any_name_of_a_session_that_is_not_there_is_refused_and_leaves_nothing(world: World, session_id: str) -> None:
    service = world.service()
    with pytest.raises(ContractViolation) as caught:
        service.status(session_id)
    assert spoken(caught.value)
    assert service.state is None
    assert service.records.store.ids() == []
    assert list(world.root.rglob("*.corrupt")) == []
