"""The published tables: what became of every cheat, of honest agents and of honest work, and what the gates cost."""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from . import benign
from .cost import Cost
from .honest import Played
from .row import MISSED, NAMED, PLACES, Cheat, Outcome

AGENTS = ("lazy", "liar", "amnesiac", "looping", "bypasser", "tamperer", "injector")

CATCHES = """{count} cheats, all over stdio against the real server on a real git repository, and what the client's hook
sees through the real `codeintel-guard`; none in memory. Each is the honest submission of its step with one thing
changed, and that submission is accepted before and after it. *Named or void*: the submission is accepted, and the
reply names the cheat or its claim has no effect."""
HONEST = """Of all those sessions, by the steps they went through, on a repository set up by `codeintel init`: bytes / 4
of all replies of start_session and submit_phase, and the time from the first call to the end, looks and edits
included, both as medians."""


@dataclass(frozen=True)
class Results:
    """Everything one run found."""

    outcomes: Sequence[Outcome]
    honest: Sequence[Played]
    passed: benign.Passed
    costs: Sequence[Cost]


def digest(cheats: Sequence[Cheat]) -> str:
    """Tells whether the published tables are of these rows and of this corpus."""
    rows = [(row.id, row.what, row.step, row.stage, row.defence, row.missed) for row in cheats]
    text = json.dumps([rows, benign.commands(), len(benign.EDITS), len(benign.CHECKED)])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def page(results: Results) -> Iterator[str]:
    """The lines of all tables."""
    yield from _catches(results)
    yield from _misses(results.outcomes)
    yield from _defences(results.outcomes)
    yield from _honest(results.honest)
    yield from _costs(results.costs)


def _catches(results: Results) -> Iterator[str]:
    by_agent: dict[str, Counter[str]] = defaultdict(Counter)
    for outcome in results.outcomes:
        by_agent[outcome.cheat.agent][outcome.place] += 1
        by_agent["all"][outcome.place] += 1
    refused, passed = [one for one in results.honest if one.refused], results.passed
    yield CATCHES.format(count=len(results.outcomes))
    yield ""
    yield f"| agent | cheats | {' | '.join(PLACES)} | caught |"
    yield f"|---|---|{'---|' * len(PLACES)}---|"
    for agent in (*AGENTS, "all"):
        counts = by_agent[agent]
        total = counts.total()
        cells = " | ".join(str(counts[place]) for place in PLACES)
        yield f"| {agent} | {total} | {cells} | {1 - counts[MISSED] / max(total, 1):.1%} |"
    yield ""
    yield "| honest | tried | stopped | rate | target |"
    yield "|---|---|---|---|---|"
    yield _row("sessions, every set of flags that is allowed", len(results.honest), len(refused), "0")
    yield _row("commands and edits", passed.tried, len(passed.stopped), "≤ 1 %")
    yield ""


def _row(what: str, tried: int, stopped: int, target: str) -> str:
    return f"| {what} | {tried} | {stopped} | {stopped / max(tried, 1):.1%} | {target} |"


def _misses(outcomes: Sequence[Outcome]) -> Iterator[str]:
    missed = [outcome for outcome in outcomes if outcome.place == MISSED]
    yield "Missed:" if missed else "Missed: none."
    yield ""
    for outcome in missed:
        yield f"- `{outcome.cheat.id}` {outcome.cheat.what}: {outcome.cheat.missed or 'not foreseen'}"
    if missed:
        yield ""


def _defences(outcomes: Sequence[Outcome]) -> Iterator[str]:
    caught: dict[tuple[str, str], list[str]] = defaultdict(list)
    for outcome in outcomes:
        if outcome.place != MISSED:
            name = outcome.defence if outcome.place != NAMED or "." in outcome.defence else outcome.cheat.defence
            caught[outcome.cheat.agent, name].append(outcome.cheat.id.partition("-")[2])
    yield "### Which defence caught which cheat"
    yield ""
    yield "Keys are those of `phase_contract.yml`; `guard` is the write hook."
    yield ""
    yield "| agent | defence | cheats |"
    yield "|---|---|---|"
    for (agent, name), ids in sorted(caught.items(), key=lambda row: (AGENTS.index(row[0][0]), -len(row[1]), row[0])):
        yield f"| {agent} | `{name}` | {', '.join(ids)} |"
    yield ""


def _honest(played: Sequence[Played]) -> Iterator[str]:
    paths: dict[tuple[int, ...], list[Played]] = defaultdict(list)
    for one in played:
        paths[one.steps].append(one)
    yield "### What each path costs an honest agent"
    yield ""
    yield HONEST
    yield ""
    yield "| steps | sessions | for example | tokens | seconds |"
    yield "|---|---|---|---|---|"
    for steps, found in sorted(paths.items(), key=lambda row: (-len(row[0]), row[0])):
        shown = min((one.way for one in found), key=lambda way: (len(way.flags), way.label))
        tokens, seconds = median(one.tokens for one in found), median(one.seconds for one in found)
        label = f"{shown.intent.value.lower()}: {shown.label}"
        yield f"| {_ranges(steps)} | {len(found)} | {label} | {tokens:,.0f} | {seconds:.1f} |"
    yield ""


def _ranges(steps: Sequence[int]) -> str:
    """`4-11, 12`: runs of steps that follow each other."""
    runs: list[list[int]] = []
    for step in steps:
        if runs and step == runs[-1][-1] + 1:
            runs[-1].append(step)
        else:
            runs.append([step])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def _costs(costs: Sequence[Cost]) -> Iterator[str]:
    yield "### What the protocol costs"
    yield ""
    yield "The same on a small repository that was not set up, and what a client reads before any session."
    yield ""
    yield "| path | tokens | target |"
    yield "|---|---|---|"
    for cost in costs:
        yield f"| {cost.what} | {cost.tokens:,} | {f'≤ {cost.target:,}' if cost.target else ''} |"
    yield ""
