"""Compute figures from the logs of a project: how sessions end, what is refused, what correlates with failure.

The module is pure: it turns entries of the two logs into one object. It guesses nothing: a figure without data is
None.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from statistics import median
from typing import Any

from codeintel_contract import Phase
from codeintel_server.report.model import Costs
from codeintel_session import Spent, has_failed, last_outcomes

LEAST_SESSIONS = 5
"""Minimum size of each of the two groups of sessions that an insight compares."""
LEAST_DIFFERENCE = 0.2
"""Minimum difference of the failure rates of the two groups."""

Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PhaseCost:
    """Hold what a phase costs: submissions, refusals, median seconds before one, mean tokens of a reply."""

    phase: str
    submissions: int
    refusals: int
    seconds: float | None
    tokens: float


@dataclass(frozen=True, slots=True)
class Insight:
    """Compare the failures of sessions with a trait to those of sessions without it."""

    trait: str
    failed_with: int
    with_it: int
    failed_without: int
    without_it: int


@dataclass(frozen=True, slots=True)
class Figure:
    """Hold a figure in plain words; `better` says whether more of it is better, or less."""

    name: str
    value: str
    better: str


@dataclass(frozen=True, slots=True)
class Stats:
    """Hold all figures. Shares are 0..1; `costs` are of the sessions that kept them, `costed` how many that is."""

    sessions: int
    outcomes: dict[str, int]
    reverts: int
    refusals: dict[str, int]
    phases: tuple[PhaseCost, ...]
    explored_precision: float | None
    explored_recall: float | None
    map_asked: int
    map_answered: int
    insights: tuple[Insight, ...]
    costs: Costs
    costed: int

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Return the figures of the head, each with its direction; one without data is left out."""
        return tuple(self._figures())

    def _figures(self) -> Iterator[Figure]:
        yield Figure("Work sent back to planning, times", str(self.reverts), "less is better")
        if self.explored_recall is not None:
            yield Figure("Changed files that had been explored", f"{self.explored_recall:.0%}", "more is better")
        if self.explored_precision is not None:
            name = "Explored files that were changed"
            yield Figure(name, f"{self.explored_precision:.0%}", "more means less reading")
        if self.map_asked:
            name = "Searches answered by what earlier sessions learned (Map)"
            yield Figure(name, f"{self.map_answered} of {self.map_asked}", "more is better")
        if self.costed:
            for name, total in (("replies", self.costs.replies), ("arguments", self.costs.arguments)):
                yield Figure(f"Tokens of {name} a session, about", f"{total // self.costed:,}", "less is better")
        if self.costs.files:
            name = f"Tokens that lookups returned, of files that hold {self.costs.file_tokens:,}"
            yield Figure(name, f"{self.costs.lookup_tokens:,}", "less is better")


def compute(outcomes: Iterable[Entry], decisions: Iterable[Entry]) -> Stats:
    """Compute the figures of all sessions in the log of outcomes."""
    sessions = list(last_outcomes(outcomes).values())
    steps = list(decisions)
    refused = Counter(step["verdict"] for step in steps if step.get("verdict") != "accepted")
    precision, recall = _exploration(sessions)
    endings = map(_ending, sessions)
    return Stats(
        sessions=len(sessions),
        outcomes=dict(Counter(endings).most_common()),
        reverts=sum(_reverts(session) for session in sessions),
        refusals=dict(refused.most_common()),
        phases=tuple(_phases(steps)),
        explored_precision=precision,
        explored_recall=recall,
        map_asked=sum(session.get("recall", {}).get("asked", 0) for session in sessions),
        map_answered=sum(session.get("recall", {}).get("answered", 0) for session in sessions),
        insights=tuple(_insights(sessions, _tools_of(steps))),
        costs=_costs(sessions),
        costed=sum(bool(session.get("spent")) for session in sessions),
    )


def _costs(sessions: Iterable[Entry]) -> Costs:
    total: Counter[str] = Counter()
    for session in sessions:
        total.update(session.get("spent", {}))
    known = {name: total[name] for name in Spent.model_fields}
    return Costs.of(Spent(**known))


def _ending(session: Entry) -> str:
    """Return how a session ended, and what was recorded about it later."""
    ended = f"{session['outcome']}, with doubts" if session.get("doubts") else str(session["outcome"])
    return ", recorded later: ".join(filter(None, (ended, str(session.get("recorded", "")))))


def _reverts(session: Entry) -> int:
    counters = session.get("counters", {})
    return int(counters.get("quality_revert_count", 0)) + int(counters.get("intervention_count", 0))


def _exploration(sessions: Sequence[Entry]) -> tuple[float | None, float | None]:
    """Return precision and recall of exploration against the changed files, counted over all sessions."""
    pairs = [(set(session.get("explored", ())), set(session.get("changed", ()))) for session in sessions]
    pairs = [(explored, changed) for explored, changed in pairs if explored and changed]
    both = sum(len(explored & changed) for explored, changed in pairs)
    looked, touched = (sum(len(pair[at]) for pair in pairs) for at in (0, 1))
    return (both / looked, both / touched) if pairs else (None, None)


def _phases(steps: Sequence[Entry]) -> Iterable[PhaseCost]:
    grouped: dict[str, list[Entry]] = defaultdict(list)
    seconds: dict[str, list[float]] = defaultdict(list)
    last: dict[str, Entry] = {}
    for step in steps:
        name = " ".join(part for part in (step["phase"], step.get("substep", "")) if part)
        grouped[name].append(step)
        if (before := last.get(step["session_id"])) is not None:
            seconds[name].append((_time(step) - _time(before)).total_seconds())
        last[step["session_id"]] = step
    for name, group in sorted(grouped.items(), key=lambda item: item[1][0].get("step", 0)):
        refusals = sum(step["verdict"] != "accepted" for step in group)
        tokens = sum(step.get("tokens", 0) for step in group) / len(group)
        yield PhaseCost(name, len(group), refusals, median(seconds[name]) if seconds[name] else None, round(tokens, 1))


def _time(step: Entry) -> datetime:
    return datetime.fromisoformat(step["at"])


def _tools_of(steps: Iterable[Entry]) -> Mapping[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for step in steps:
        found[step["session_id"]].update(step.get("observed", ()))
    return found


def _insights(sessions: Sequence[Entry], tools: Mapping[str, set[str]]) -> list[Insight]:
    """Find traits that correlate with failure or success; this does not show causes."""
    # One abandoned halfway says nothing about what makes work fail.
    judged = [one for one in sessions if has_failed(one) or one.get("phase") == Phase.SESSION_COMPLETE]
    found = []
    for trait, has in _traits(judged, tools).items():
        holders = [session for session in judged if has(session)]
        others = [session for session in judged if not has(session)]
        if min(len(holders), len(others)) >= LEAST_SESSIONS:
            one, other = _failed(holders), _failed(others)
            if abs(one / len(holders) - other / len(others)) >= LEAST_DIFFERENCE:
                found.append(Insight(trait, one, len(holders), other, len(others)))
    return sorted(found, key=lambda each: -abs(each.failed_with / each.with_it - each.failed_without / each.without_it))


def _failed(sessions: Sequence[Entry]) -> int:
    return sum(map(has_failed, sessions))


def _traits(sessions: Sequence[Entry], tools: Mapping[str, set[str]]) -> dict[str, Callable[[Entry], bool]]:
    traits: dict[str, Callable[[Entry], bool]] = {
        "risk HIGH": lambda session: session.get("assessment", {}).get("risk") == "HIGH",
        "confidence low": lambda session: session.get("assessment", {}).get("confidence") == "low",
        "a gate overruled": lambda session: bool(session.get("overruled")),
        "work sent back": lambda session: _reverts(session) > 0,
        "merged with open issues": lambda session: bool(session.get("forced")),
    }
    for flag in sorted({flag for session in sessions for flag in session.get("flags", {})}):
        traits[f"flag {flag}"] = partial(lambda name, session: name in session.get("flags", {}), flag)
    for tool in sorted(set().union(*tools.values())):
        traits[f"{tool} used"] = partial(lambda name, session: name in tools.get(session["session_id"], ()), tool)
    return traits
