"""A difference leads from one object to the next, whatever they are, and is small where little changed."""

import json
from typing import Any

from hypothesis import given, strategies as st

from codeintel_session.audit.audit_codec import applied, difference

NAMES = st.sampled_from(["a", "b", "set", "gone", "lists"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | st.sampled_from(["", "x"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=12,
)
OBJECTS = st.dictionaries(NAMES, VALUES, max_size=4)


def as_json(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


@given(OBJECTS, OBJECTS)
def test_it_leads_from_any_object_to_any_other_and_changes_neither(before: Any, after: Any) -> None:
    was, is_ = as_json(before), as_json(after)
    change = json.loads(as_json(difference(before, after)))
    assert applied(before, change) == after
    assert (as_json(before), as_json(after)) == (was, is_)


@given(OBJECTS)
def test_nothing_changed_is_nothing(some: Any) -> None:
    assert difference(some, some) == {}


def test_one_of_many_is_told_alone() -> None:
    tasks = [{"id": number, "status": "pending"} for number in range(200)]
    done = [*tasks[:100], {"id": 100, "status": "completed"}, *tasks[101:]]
    change = difference({"state": {"tasks": tasks}}, {"state": {"tasks": done}})
    assert change == {"inside": {"state": {"lists": {"tasks": [100, 99, [{"id": 100, "status": "completed"}]]}}}}


def test_what_is_added_removed_or_repeated_in_a_list_is_told_by_its_place() -> None:
    def told(old: str, new: str) -> Any:
        return difference({"a": list(old)}, {"a": list(new)})["lists"]["a"]

    assert told("abc", "abxc") == [2, 1, ["x"]]
    assert told("abc", "ac") == [1, 1, []]
    assert told("aa", "aaa") == [2, 0, ["a"]]
    assert told("aaa", "aa") == [2, 0, []]
    assert told("", "a") == [0, 0, ["a"]]
