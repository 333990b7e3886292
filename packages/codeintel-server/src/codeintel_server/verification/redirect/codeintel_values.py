"""Weigh the comparisons of tests: does one hold with other values in the place of those that changed code gave, too?

The test files of a run call this module: `call`, `part` and `bound` note what comes of code that `entered` says has
changed, and `compared` evaluates a comparison as it is, then with other values of the same types. The test itself has
the right ones. It runs in the user's environment, so it imports the standard library only.

A family of values lies below the right one, above it, or at a distance that only a wide tolerance takes; each must
differ in kind from what honest properties ask for: texts have blanks and both cases, lists repeat and are not sorted,
and two results never get the same value. A place is written down once with `+` if a comparison held with a whole
family, and once with `-` if it did not.
"""

import os
from collections.abc import Callable
from typing import Any

NOTES = os.environ.get("CODEINTEL_VALUES", "")
BELOW, ABOVE, WIDE = ("below", 3), ("above", 3), ("wide", 2)
FAR, BITS = 1_000_003, 20
"""A number is changed by this much; not by more, as a test may count up to it."""
PLAIN = (int, float, str, bytes, list, tuple, dict, set, frozenset)


class State:
    """What is known between two calls."""

    def __init__(self) -> None:
        self.ran = False  # changed code ran since the last question
        self.named: dict[str, Any] = {}  # what changed code gave to names of tests
        self.held: dict[int, Any] = {}  # objects that it gave, by id: their parts are its values, too
        self.found: dict[object, Any] | None = None  # its values in the comparison at hand, None outside of one
        self.turn: tuple[str, int] | None = None  # the family and the number of the values that take their place
        self.given: dict[object, Any] = {}  # these values
        self.seen: dict[object, list[Any]] = {}  # the rounds of a call, and what a part was taken of
        self.written: set[str] = set()


STATE = State()


def entered() -> None:
    """Note that changed code runs."""
    STATE.ran = True


def call(site: int, thunk: "Callable[[], Any]") -> Any:
    """Evaluate a call of a test; its value is that of changed code if some ran, but not within another such call."""
    seen = STATE.seen.setdefault(site, [])
    seen.append(None)
    key = site, len(seen)
    return given(key) if is_turned(key) else noted(key, *watched(thunk))


def part(text: str, owner: Any, get: "Callable[[Any], Any]") -> Any:
    """Evaluate an attribute or an element: what it is taken from may be of changed code."""
    seen = STATE.seen.setdefault(text, [])
    if not any(one is owner for one in seen):
        seen.append(owner)
    key = text, next(at for at, one in enumerate(seen) if one is owner)
    if is_turned(key):
        return given(key)
    value, ran = watched(lambda: get(owner))
    is_of = STATE.held.get(id(owner)) is owner or any(one is owner for one in (STATE.found or {}).values())
    return noted(key, value, ran or is_of)


def bound(names: "tuple[str, ...]", thunk: "Callable[[], Any]") -> Any:
    """Evaluate what a test gives to names."""
    outer, STATE.found = STATE.found, {}
    value, ran = watched(thunk)
    for name in names:
        STATE.named.pop(name, None)
        if ran or STATE.found:
            STATE.named[name] = value
    STATE.found = outer
    return value


def named(name: str, value: Any) -> Any:
    """Return the value of a name in a comparison."""
    if is_turned(name):
        return given(name)
    whole = STATE.named.get(name, STATE)
    is_of = whole is value or (type(whole) in (list, tuple) and any(value is one for one in whole))
    return noted(name, value, is_of)


def compared(place: str, is_strict: bool, thunk: "Callable[[], Any]") -> None:
    """Assert a comparison, and write down whether it holds with other values, too.

    Args:
        place: what is written.
        is_strict: it must hold with values below and above.
        thunk: the comparison.
    """
    STATE.found, STATE.seen = {}, {}
    try:
        if not thunk():
            raise AssertionError(place)
        if STATE.found:
            has_numbers = any(type(one) in (int, float) for one in STATE.found.values())
            below = holds(BELOW, thunk)
            above = holds(ABOVE, thunk) if has_numbers else below
            is_met = (below and above) or (not is_strict and (below or above or (has_numbers and holds(WIDE, thunk))))
            write(f"{'+' if is_met else '-'} {place}")
    finally:
        STATE.found, STATE.turn, STATE.given, STATE.seen = None, None, {}, {}


def holds(family: "tuple[str, int]", thunk: "Callable[[], Any]") -> bool:
    """Return True if a comparison holds with every value of a family."""
    for number in range(family[1]):
        STATE.turn, STATE.given, STATE.seen = (family[0], number), {}, {}
        try:
            if not thunk():
                return False
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            return False
        finally:
            STATE.turn = None
    return True


def watched(thunk: "Callable[[], Any]") -> "tuple[Any, bool]":
    """Return a value, and whether changed code ran for it."""
    outer, STATE.ran = STATE.ran, False
    try:
        value = thunk()
        return value, STATE.ran
    finally:
        STATE.ran = outer


def noted(key: object, value: Any, is_of: bool) -> Any:
    """Return a value; note it if it is one of changed code."""
    if is_of and STATE.turn is None:
        if type(value) not in PLAIN and not isinstance(value, (bool, type, type(None))):
            STATE.held[id(value)] = value
        if STATE.found is not None and other(value, "below", 0, 0) is not value:
            STATE.found[key] = value
    return value


def is_turned(key: object) -> bool:
    """Return True if another value takes the place of this one now."""
    return STATE.turn is not None and STATE.found is not None and key in STATE.found


def given(key: object) -> Any:
    """Return what takes the place of a value; of two values never the same."""
    if key not in STATE.given and STATE.found is not None and STATE.turn is not None:
        STATE.given[key] = other(STATE.found[key], *STATE.turn, list(STATE.found).index(key))
    return STATE.given[key]


def other(value: Any, family: str, number: int, apart: int) -> Any:
    """Return another value of the same type, the value itself if there is none that certainly is."""
    kind: Any = type(value)
    if kind is int or kind is float:
        return moved(value, family, number, 3 * apart)
    if kind is str:
        return (f" \u03a9{apart}|", f"Zz-{apart}\n\t 9z", f"{value[::-1]}\u00ac{apart} ")[number]
    if kind is bytes:
        return (b" \x01%d|" % apart, b"Zz-%d\n 9z" % apart, value[::-1] + b"\x7f%d " % apart)[number]
    if kind is dict:
        odd = {f"\u03a9 {apart} {at}": at for at in range(len(value) + 1 + apart)}
        return (odd, dict.fromkeys(value, f"\u03a9 {apart}") or odd, {} if value else odd)[number]
    if kind not in PLAIN:
        return value
    many = [f"\u03a9 z {apart}", f"\u03a9 a {apart}", *[f"\u03a9 z {apart}"] * (len(value) + apart)]
    inner = [moved(one, family, 0, apart) if type(one) in (int, float) else f"\u03a9 {apart}" for one in value]
    return kind((many, inner[::-1] or many, [] if value else many)[number])


def moved(value: Any, family: str, number: int, apart: int) -> Any:
    """Return a number that lies below another one, or above it; of one of three no bit is the same."""
    if value != value or value in (float("inf"), float("-inf")):
        return value
    if family == "wide":
        step = type(value)(abs(value) / 2) + 1 + apart
        return value + step if number else value - step
    if number < 2:
        step = (1, FAR)[number] + apart
        return value + step if family == "above" else value - step
    if family == "below":
        return -value - 1 - apart if value >= 0 else 3 * value - 5 - apart
    if isinstance(value, float):
        return 3 * abs(value) + 2.5 + apart
    return (~value & ((1 << BITS) - 1)) + (((value >> BITS) + 1 + apart) << BITS)


def write(line: str) -> None:
    """Write a line down, once a process."""
    if line not in STATE.written:
        STATE.written.add(line)
        with open(NOTES, "a", encoding="utf-8") as notes:
            notes.write(line + "\n")
