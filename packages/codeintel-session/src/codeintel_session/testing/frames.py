"""Judge a list of frames, honest and lying, and count what became of them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from codeintel_contract import ContractViolation
from codeintel_session.machine.facts import Facts
from codeintel_session.ports import Code
from codeintel_session.submission.collect_facts import word_nearness
from codeintel_session.testing.pure import judge, state_at


def count_frames(entries: Iterable[Mapping[str, Any]], code: Code) -> Counter[str]:
    """Count frames by group and fate, such as `honest accepted` or `lies refused`.

    An entry holds a `request` and frames in its groups: slots by name, each a list of a value and its quotes.
    """
    return Counter(
        f"{group} {_fate(entry['request'], frame, code)}" for entry in entries for group, frame in _frames(entry)
    )


def _frames(entry: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for group in ("honest", "extending", "lies"):
        for frame in entry.get(group, ()):
            yield group, {name: texts for name, texts in frame.items() if name != "kind"}


def _fate(request: str, frame: Mapping[str, Sequence[str]], code: Code) -> str:
    slots = {name: {"value": value, "quote": quotes} for name, (value, *quotes) in frame.items()}
    facts = Facts(nearness=word_nearness(code, request, [texts[0] for texts in frame.values()]))
    try:
        decision = judge(state_at(4, query=request), facts, target_symbols=["f"], slots=slots)
    except ContractViolation:
        return "refused"
    return "warned" if decision.warnings else "accepted"
