"""Draw the flow from its table: every edge is computed with `next_step`, none is written down here."""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import combinations

from codeintel_contract import Flags, Intent, Key, Phase
from codeintel_session.machine.steps import (
    END,
    JUMPS,
    ROWS,
    START,
    STEPS,
    Step,
    active_tags,
    applies,
    next_step,
    number_of,
)

FACTS = tuple(row.only_if for row in STEPS if row.only_if and row.only_if != "jump")
CERTAIN = {number_of(Key.READY_PLAN): {"pending_task"}}
"""Facts that always hold when a step is left: a plan without a pending task is refused."""

DIAGRAM_FORMATS = ("mermaid", "text", "svg")
_BOX, _ROW, _LEFT, _LANE = (250, 34), 56, 20, 26
_HALO = 'stroke="#fff" stroke-width="4" paint-order="stroke"'
"""Keep a label readable where a line crosses it."""


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    """A transition between steps (1 is start_session, 20 the end). `label` is its condition, "" for the normal one."""

    source: int
    target: int
    label: str = ""


def edges(flags: Flags, intent: Intent) -> tuple[Edge, ...]:
    """Return every edge that a session with these flags can take, each once."""
    active = active_tags(flags, intent)
    labels: dict[tuple[int, int], set[str]] = {}
    for number in _reachable(active):
        for label, target in _transitions(number, active):
            labels.setdefault((number, target), set()).add(label)
    named = ((ends, "" if "accepted" in names else ", ".join(sorted(names))) for ends, names in labels.items())
    return tuple(sorted(Edge(*ends, label) for ends, label in named))


def _reachable(active: frozenset[str]) -> list[int]:
    seen, todo = {START}, [START]
    while todo:
        for _, target in _transitions(todo.pop(), active):
            if target not in seen and target != END:
                seen.add(target)
                todo.append(target)
    return sorted(seen)


def _transitions(number: int, active: frozenset[str]) -> Iterator[tuple[str, int]]:
    outcomes = ["accepted", *sorted({outcome for start, outcome in JUMPS if start == number} - {"accepted"})]
    for outcome in (name for name in outcomes if _is_possible(name, active)):
        for count in range(len(FACTS) + 1):
            for facts in combinations(FACTS, count):
                step = next_step(number, outcome, active, frozenset(facts) | CERTAIN.get(number, set()))
                yield outcome.replace("_", " "), step.number if step else END


def _is_possible(outcome: str, active: frozenset[str]) -> bool:
    if outcome == "failed_at_limit":
        return applies(Key.VERIFY_INTERVENTION, active)
    if outcome in ("failed", "only_verify_failed"):
        return (outcome == "only_verify_failed") == ("only_verify" in active)
    return True


def name_of(number: int) -> str:
    """Return the name of a step in a diagram."""
    if number == START:
        return f"{START} start_session"
    if number == END:
        return Phase.SESSION_COMPLETE.value
    row: Step = ROWS[number]
    return f"{number} {row.phase.value}" + (f" ({row.substep})" if row.substep else "")


def draw_flow(flags: Flags, intent: Intent, form: str) -> str:
    """Return the flow as `mermaid`, `text` or `svg`. Raises KeyError: the format is none of them."""
    return {"mermaid": _mermaid, "text": _text, "svg": _svg}[form](edges(flags, intent))


def _mermaid(drawn: tuple[Edge, ...]) -> str:
    nodes = [f'    s{number}["{name_of(number)}"]' for number in _numbers(drawn)]
    arrows = [f"    s{e.source} -->{f'|{e.label}|' if e.label else ''} s{e.target}" for e in drawn]
    return "\n".join(["flowchart TD", *nodes, *arrows, ""])


def _text(drawn: tuple[Edge, ...]) -> str:
    width = max(len(name_of(number)) for number in _numbers(drawn))
    lines = []
    for number in _numbers(drawn)[:-1]:
        targets = [name_of(e.target) + (f" [{e.label}]" if e.label else "") for e in drawn if e.source == number]
        lines.append(f"{name_of(number):<{width}}  ->  {' | '.join(targets)}")
    return "\n".join([*lines, ""])


def _svg(drawn: tuple[Edge, ...]) -> str:
    numbers = _numbers(drawn)
    row = {number: index for index, number in enumerate(numbers)}
    body = [_svg_box(number, row[number]) for number in numbers]
    lanes = _lanes([e for e in drawn if row[e.target] != row[e.source] + 1], row)
    body += [_svg_lane(row[e.source], row[e.target], lane) for e, lane in lanes.items()]
    body += [_svg_down(e, row[e.source]) for e in drawn if e not in lanes]
    beside = _LEFT + _BOX[0] + _LANE + 3
    body += [_svg_label(e, beside + _LANE * lane, _ROW * row[e.source] + 8 + 21) for e, lane in lanes.items()]
    width = _LEFT * 2 + _BOX[0] + _LANE * (max(lanes.values(), default=0) + 2) + 60
    height = _ROW * len(numbers) + 10
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="13" role="img" aria-label="The flow of a session">'
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="#667"/></marker></defs><rect width="100%" height="100%" fill="#fff"/>'
    )
    return "\n".join([head, *body, "</svg>", ""])


def _lanes(drawn: list[Edge], row: dict[int, int]) -> dict[Edge, int]:
    """Return a lane for each edge that does not lead to the next box: short edges inside, no two overlapping."""
    taken: list[list[tuple[int, int]]] = []
    lanes: dict[Edge, int] = {}
    for edge in sorted(drawn, key=lambda e: abs(row[e.target] - row[e.source])):
        top, bottom = sorted((row[edge.source], row[edge.target]))
        free = (lane for lane, spans in enumerate(taken) if all(bottom < a or b < top for a, b in spans))
        lane = lanes[edge] = next(free, len(taken))
        if lane == len(taken):
            taken.append([])
        taken[lane].append((top, bottom))
    return lanes


def _svg_box(number: int, index: int) -> str:
    top = _ROW * index + 8
    return (
        f'<rect x="{_LEFT}" y="{top}" width="{_BOX[0]}" height="{_BOX[1]}" rx="6" fill="#eef2fb" stroke="#88a"/>'
        f'<text x="{_LEFT + 12}" y="{top + 22}" fill="#223">{escape(name_of(number))}</text>'
    )


def _svg_down(edge: Edge, index: int) -> str:
    x, top = _LEFT + _BOX[0] // 2, _ROW * index + 8 + _BOX[1]
    path = f'<path d="M{x} {top}V{top + _ROW - _BOX[1]}" stroke="#667" fill="none" marker-end="url(#tip)"/>'
    return path + _svg_label(edge, x + 6, top + 15)


def _svg_label(edge: Edge, x: int, y: int) -> str:
    return f'<text x="{x}" y="{y}" fill="#834" font-size="11" {_HALO}>{escape(edge.label)}</text>' if edge.label else ""


def _svg_lane(source: int, target: int, lane: int) -> str:
    right, x = _LEFT + _BOX[0], _LEFT + _BOX[0] + _LANE * (lane + 1)
    start, end = _ROW * source + 8 + 24, _ROW * target + 8 + 10
    return f'<path d="M{right} {start}H{x}V{end}H{right}" stroke="#667" fill="none" marker-end="url(#tip)"/>'


def _numbers(drawn: tuple[Edge, ...]) -> list[int]:
    return sorted({number for e in drawn for number in (e.source, e.target)})
