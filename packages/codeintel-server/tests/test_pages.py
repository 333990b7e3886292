"""Every list answer can be paged to its end: the pages joined by `next_offset` are the whole list, each row once.

Random small projects, pages of random sizes, and replies bounded to random sizes.
"""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from codeintel_index.mcp.meaning import IMPACT_LISTS
from codeintel_server.mcp.dispatch import call
from codeintel_server.mcp.registry import TOOLS
from codeintel_server.project.host import Host
from codeintel_session.testing import make_repo

Reply = dict[str, Any]
Rows = Callable[[Reply], Iterator[Any]]

NAMES = ("alpha", "beta", "gamma_ray", "DeltaForce", "é_word")
TARGET = "src/target.py"
QUERY = "how does alpha use gamma_ray"


@st.composite
def module(draw: st.DrawFn) -> str:
    """A module of classes and functions that share a few names and use the target's."""
    lines = ["from target import alpha, gamma_ray", "import os"][: draw(st.integers(0, 2))]
    for number in range(draw(st.integers(0, 6))):
        name, used = draw(st.sampled_from(NAMES)), draw(st.sampled_from(NAMES))
        if draw(st.booleans()):
            lines += ["", f"class {name}:", f"    def {used}(self):", f"        return {used}({number})  # {name}"]
        else:
            lines += ["", f"def {name}_{number}():", f"    return {used}('{name}', {used})"]
    return "\n".join([*lines, ""])


PLACES = ("src/a.py", "src/b.py", "src/deep/c.py", "tests/test_target.py", "tests/test_d.py", "lib/e f.py")
FILES = st.dictionaries(st.sampled_from(PLACES), module(), max_size=len(PLACES))
DOCUMENT = "Guide\n=====\n\nalpha\n\nMore\n----\n\ngamma_ray and alpha\n\n### Deep\n\nSee src/target.py.\n"


def flat(symbols: list[Reply], around: str = "") -> Iterator[tuple[str, int]]:
    for each in symbols:
        parent = each.get("parent", around)
        name = f"{parent}.{each['name']}" if parent else each["name"]
        yield name, each["line"]
        yield from flat(each.get("children", []), name)


def rows_of(*names: str) -> Rows:
    """The rows of lists, each with the name of its list."""
    return lambda reply: ((name, str(row)) for name in names for row in reply[name])


def symbols_of(reply: Reply) -> Iterator[Any]:
    yield from flat(reply["symbols"])
    yield from (("imports", name) for name in reply.get("imports", ()))
    yield from (("exports", name) for name in reply.get("exports", ()))


def matches_of(reply: Reply) -> Iterator[Any]:
    for each in reply["results"]:
        yield from ((each["pattern"], row["path"], row["line"], row["text"]) for row in each["matches"])


IMPACT = (*IMPACT_LISTS, "depth_2")
LISTS: dict[str, tuple[str, Reply, str, Rows]] = {
    "text": ("search_text", {"pattern": ["alpha", "def ", "nowhere"], "context_lines": 2}, "max_results", matches_of),
    "files": ("search_files", {"pattern": "**"}, "max_results", rows_of("files")),
    "definitions": ("find_definitions", {"symbol": "alpha"}, "", rows_of("definitions")),
    "definitions by part": ("find_definitions", {"symbol": "a", "exact": False}, "", rows_of("definitions")),
    "references": ("find_references", {"symbol": "alpha"}, "max_results", rows_of("references")),
    "symbols": ("get_symbols", {"path": TARGET}, "", symbols_of),
    "headings": ("get_symbols", {"path": "docs/guide.md"}, "", symbols_of),
    "functions": ("get_symbols", {"path": TARGET, "kind": "method"}, "", symbols_of),
    "outline": ("analyze_structure", {"path": TARGET}, "", symbols_of),
    "hits": ("semantic_search", {"query": QUERY, "collection": "forest"}, "n_results", rows_of("hits")),
    "impact": ("analyze_impact", {"target_files": [TARGET], "depth_2": True}, "max_results", rows_of(*IMPACT)),
}


def answer(host: Host, tool: str, arguments: Reply) -> Reply:
    reply = call(host, tool, arguments)
    assert reply["success"], reply
    return reply


def extents(reply: Reply) -> list[Reply]:
    return reply.get("results", [reply])


def walk(host: Host, tool: str, arguments: Reply, rows: Rows) -> list[Any]:
    """The rows of all pages in the order in which they come."""
    found: list[Any] = []
    offset, totals = 0, None
    while True:
        reply = answer(host, tool, {**arguments, "offset": offset})
        found += rows(reply)
        here = [each["total"] for each in extents(reply)]
        assert totals in (None, here)
        totals = here
        following = {each["next_offset"] for each in extents(reply) if each["truncated"]}
        assert all(("next_offset" in each) == each["truncated"] for each in extents(reply))
        if not following:
            assert len(found) == sum(totals)
            return found
        (following_offset,) = following  # one offset pages all lists
        assert following_offset > offset
        offset = following_offset


@settings(
    max_examples=max(3, settings.default.max_examples // 25),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(files=FILES, target=module(), size=st.integers(1, 7), budget=st.integers(1, 3000))
def test_pages_joined_by_their_offsets_are_the_whole_list(
    files: dict[str, str], target: str, size: int, budget: int
) -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        root = make_repo(Path(folder) / "p", {**files, TARGET: target, "docs/guide.md": DOCUMENT}).root
        host = Host(root)
        try:
            index = host.project("sync_index", {}).code.index
            index.sync()
            index.wait_dense(30)
            for name, (tool, arguments, limit, rows) in LISTS.items():
                whole = list(rows(answer(host, tool, arguments | ({limit: 50} if limit else {}))))
                with patch("codeintel_index.mcp.answers.ANSWER_BYTES", budget):
                    paged = walk(host, tool, arguments | ({limit: size} if limit else {}), rows)
                assert len(set(paged)) == len(paged), name
                assert sorted(paged, key=str) == sorted(whole, key=str), name
        finally:
            host.close()


def test_every_tool_that_takes_an_offset_is_among_them() -> None:
    paged = {name for name, tool in TOOLS.items() if "offset" in tool.arguments.model_fields}
    assert {tool for tool, *_ in LISTS.values()} == paged - {"review_changes"}


@settings(max_examples=30, deadline=None)
@given(
    lines=st.lists(st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=60), min_size=1),
    budget=st.integers(1, 900),
)
def test_lines_read_in_turn_are_the_file(lines: list[str], budget: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "a.txt").write_text("\n".join([*lines, "end"]), encoding="utf-8", newline="")
        host = Host(Path(folder))
        try:
            found: list[str] = []
            start: int | None = 1
            while start is not None:
                with patch("codeintel_index.mcp.answers.ANSWER_BYTES", budget):
                    reply = answer(host, "read_lines", {"path": "a.txt", "start_line": start})
                numbers, texts = zip(*(row.split("\t", 1) for row in reply["text"].split("\n")), strict=True)
                assert [*map(int, numbers)] == [*range(start, reply["end_line"] + 1)]
                found += texts
                start = reply.get("next_start_line")
                assert reply["truncated"] == (start is not None)
        finally:
            host.close()
    assert found == [*lines, "end"]


@pytest.mark.parametrize("offset", [-1, "x", 1.5, None])
def test_an_offset_that_is_no_position_is_refused_by_name(repo: Path, offset: object) -> None:
    host = Host(repo)
    try:
        for tool, arguments, *_ in LISTS.values():
            reply = call(host, tool, {**arguments, "offset": offset})
            assert (reply["success"], reply["problems"][0].split(":")[0]) == (False, "offset"), tool
    finally:
        host.close()
