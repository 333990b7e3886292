"""The picture of the flow shows what sessions do: every step walked is an arrow, and nothing dropped is drawn."""

import re
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from itertools import pairwise
from typing import Any

import pytest

from codeintel_contract.flags import Flags
from codeintel_contract.names import Intent
from codeintel_session.diagram import DIAGRAM_FORMATS, draw_flow, edges
from codeintel_session.machine.steps import END, ROWS, active_tags, applies
from codeintel_session.testing import Driver

ARROW = re.compile(r"s(\d+) -->(?:\|[^|]*\|)? s(\d+)")
SESSIONS: list[dict[str, Any]] = [{}, {"fast": True}, {"quick": True}, {"gate_level": "full"}, {"only_verify": True}]


def arrows(intent: Intent = Intent.MODIFY, **flags: Any) -> set[tuple[int, int]]:
    drawn = ARROW.findall(draw_flow(Flags(**flags), intent, "mermaid"))
    return {(int(source), int(target)) for source, target in drawn}


@pytest.mark.sample
@pytest.mark.parametrize("flags", SESSIONS, ids=lambda flags: " ".join(flags) or "default")
def test_every_step_a_session_takes_is_drawn(driver: Driver, flags: dict[str, Any]) -> None:
    steps = [1, driver.start(**flags)["step"]]
    driver.issues = ["once more"]
    while driver.service.state is not None:
        reply = driver.accept()
        driver.issues = driver.issues if reply.get("step") != 12 else []
        steps.append(reply.get("step", END))
    assert set(pairwise(steps)) <= arrows(**flags)


@pytest.mark.parametrize("intent", list(Intent))
@pytest.mark.parametrize("flags", [*SESSIONS, {"no_verify": True}, {"no_intervention": True}, {"no_quality": True}])
def test_nothing_is_drawn_that_the_flags_drop(flags: dict[str, Any], intent: Intent) -> None:
    active = active_tags(Flags(**flags), intent)
    met = {number for arrow in arrows(intent, **flags) for number in arrow} - {1, END}
    assert {number for number in met if not applies(ROWS[number].key, active)} == set()
    assert met <= ROWS.keys()


def test_the_ways_back_carry_their_reason() -> None:
    back = {(edge.source, edge.target): edge.label for edge in edges(Flags(), Intent.IMPLEMENT) if edge.label}
    assert back == {
        (13, 13): "tasks left",
        (15, 12): "failed",
        (15, 16): "failed at limit",
        (18, 12): "issues",
        **dict.fromkeys([(14, 13), (15, 13), (17, 13), (18, 13), (19, 13)], "unreported"),
        **dict.fromkeys([(17, 15), (18, 15), (19, 15)], "unverified"),
        **dict.fromkeys([(18, 17), (19, 17)], "unreviewed"),
    }
    assert {(16, 12), (18, 19), (19, END)} <= arrows()
    assert (12, 14) not in arrows(), "a plan without a pending task is refused"


@pytest.mark.parametrize("form", DIAGRAM_FORMATS)
def test_every_format_names_every_step_of_the_flow(form: str) -> None:
    picture = draw_flow(Flags(), Intent.IMPLEMENT, form)
    assert [row.number for row in ROWS.values() if f"{row.number} {row.phase.value}" not in picture] == []


def test_the_vector_picture_is_well_formed() -> None:
    assert ElementTree.fromstring(draw_flow(Flags(), Intent.IMPLEMENT, "svg")).tag.endswith("svg")


def test_lines_of_the_picture_do_not_run_upon_one_another() -> None:
    svg = draw_flow(Flags(), Intent.IMPLEMENT, "svg")
    lanes: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for start, x, end in re.findall(r'd="M\d+ (\d+)H(\d+)V(\d+)H', svg):
        lanes[x].append((min(int(start), int(end)), max(int(start), int(end))))
    assert sum(map(len, lanes.values())) > len(lanes) > 1
    for spans in lanes.values():
        assert all(before[1] < after[0] for before, after in pairwise(sorted(spans)))
