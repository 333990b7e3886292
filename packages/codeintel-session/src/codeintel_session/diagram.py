"""The flow drawn from its own table: every edge is found by asking `next_step`, none is written down here."""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import combinations

from codeintel_contract.flags import Flags
from codeintel_contract.names import Intent, Phase
from codeintel_session.machine.steps import END, JUMPS, ROWS, STEPS, Step, applies, next_step, tags

FACTS = tuple(row.only_if for row in STEPS if row.only_if and row.only_if != "jump")
CERTAIN = {12: {"pending_task"}}
"""Facts that hold whenever a step is left: a plan without a pending task is refused."""

FORMATS = ("mermaid", "text", "svg")
_BOX, _ROW, _LEFT, _LANE = (250, 34), 56, 20, 26
_HALO = 'stroke="#fff" stroke-width="4" paint-order="stroke"'
"""Keeps a label readable where a line runs through it."""


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    """From a step to a step (1 is start_session, 20 the end). `label` says when, "" for the ordinary way on."""

    source: int
    target: int
    label: str = ""


def edges(flags: Flags, intent: Intent) -> tuple[Edge, ...]:
    """Every edge a session with these flags can take, each once."""
    active = tags(flags, intent)
    found: dict[tuple[int, int], set[str]] = {}
    for number in _reached(active):
        for label, target in _ways(number, active):
            found.setdefault((number, target), set()).add(label)
    return tuple(sorted(Edge(*ends, _label(labels)) for ends, labels in found.items()))


def _reached(active: frozenset[str]) -> list[int]:
    seen, todo = {1}, [1]
    while todo:
        for _, target in _ways(todo.pop(), active):
            if target not in seen and target != END:
                seen.add(target)
                todo.append(target)
    return sorted(seen)


def _ways(number: int, active: frozenset[str]) -> Iterator[tuple[str, int]]:
    outcomes = ["accepted", *sorted({outcome for start, outcome in JUMPS if start == number} - {"accepted"})]
    for outcome in (name for name in outcomes if _possible(name, active)):
        for count in range(len(FACTS) + 1):
            for facts in combinations(FACTS, count):
                step = next_step(number, outcome, active, frozenset(facts) | CERTAIN.get(number, set()))
                yield outcome.replace("_", " "), step.number if step else END


def _possible(outcome: str, active: frozenset[str]) -> bool:
    if outcome == "failed_at_limit":
        return applies(16, active)
    if outcome in ("failed", "only_verify_failed"):
        return (outcome == "only_verify_failed") == ("only_verify" in active)
    return True


def _label(labels: set[str]) -> str:
    return "" if "accepted" in labels else ", ".join(sorted(labels))


def name_of(number: int) -> str:
    """How a step is written in a picture."""
    if number == 1:
        return "1 start_session"
    if number == END:
        return Phase.SESSION_COMPLETE.value
    row: Step = ROWS[number]
    return f"{number} {row.phase.value}" + (f" ({row.substep})" if row.substep else "")


def draw(flags: Flags, intent: Intent, form: str) -> str:
    """The flow as `mermaid`, `text` or `svg`.

    Raises:
        KeyError: another format.
    """
    return {"mermaid": _mermaid, "text": _text, "svg": _svg}[form](edges(flags, intent))


def _mermaid(found: tuple[Edge, ...]) -> str:
    nodes = [f'    s{number}["{name_of(number)}"]' for number in _numbers(found)]
    arrows = [f"    s{e.source} -->{f'|{e.label}|' if e.label else ''} s{e.target}" for e in found]
    return "\n".join(["flowchart TD", *nodes, *arrows, ""])


def _text(found: tuple[Edge, ...]) -> str:
    width = max(len(name_of(number)) for number in _numbers(found))
    lines = []
    for number in _numbers(found)[:-1]:
        ways = [name_of(e.target) + (f" [{e.label}]" if e.label else "") for e in found if e.source == number]
        lines.append(f"{name_of(number):<{width}}  ->  {' | '.join(ways)}")
    return "\n".join([*lines, ""])


def _svg(found: tuple[Edge, ...]) -> str:
    numbers = _numbers(found)
    place = {number: index for index, number in enumerate(numbers)}
    body = [_svg_box(number, place[number]) for number in numbers]
    lanes = _lanes([e for e in found if place[e.target] != place[e.source] + 1], place)
    body += [_svg_lane(e, place[e.source], place[e.target], lane) for e, lane in lanes.items()]
    body += [_svg_down(e, place[e.source]) for e in found if e not in lanes]
    body += [_svg_lane_label(e, place[e.source], lane) for e, lane in lanes.items()]
    width = _LEFT * 2 + _BOX[0] + _LANE * (max(lanes.values(), default=0) + 2) + 60
    height = _ROW * len(numbers) + 10
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="13" role="img" aria-label="The flow of a session">'
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="#667"/></marker></defs><rect width="100%" height="100%" fill="#fff"/>'
    )
    return "\n".join([head, *body, "</svg>", ""])


def _lanes(found: list[Edge], place: dict[int, int]) -> dict[Edge, int]:
    """The lane of each edge that is not the ordinary way on: short ones inside, none upon another."""
    taken: list[list[tuple[int, int]]] = []
    lanes: dict[Edge, int] = {}
    for edge in sorted(found, key=lambda e: abs(place[e.target] - place[e.source])):
        top, bottom = sorted((place[edge.source], place[edge.target]))
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


def _svg_lane(edge: Edge, source: int, target: int, lane: int) -> str:
    right, x = _LEFT + _BOX[0], _LEFT + _BOX[0] + _LANE * (lane + 1)
    start, end = _ROW * source + 8 + 24, _ROW * target + 8 + 10
    return f'<path d="M{right} {start}H{x}V{end}H{right}" stroke="#667" fill="none" marker-end="url(#tip)"/>'


def _svg_lane_label(edge: Edge, source: int, lane: int) -> str:
    return _svg_label(edge, _LEFT + _BOX[0] + _LANE * (lane + 1) + 3, _ROW * source + 8 + 21)


def _numbers(found: tuple[Edge, ...]) -> list[int]:
    return sorted({number for e in found for number in (e.source, e.target)})
