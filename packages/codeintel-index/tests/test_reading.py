"""Reading files and paging lists: numbered lines, the definitions around a line, and every list to its end."""

from collections.abc import Callable

import pytest

from codeintel_index import BadArgument, BadPattern, Index, NotAFile, PathOutsideProject
from codeintel_index.results import Page
from codeintel_index.testing import write_files

pytestmark = pytest.mark.draws(18)

NESTED = """class Cart:
    class Line:
        def total(self):
            def sum_up():
                return 1

            return sum_up()
"""


def test_lines_are_read_with_their_numbers_as_they_are_on_disk(synced: Index) -> None:
    write_files(synced.root, {"shop/new.txt": "one\r\ntwo\nthree"})
    found = synced.read_lines("shop/new.txt", 2, 3)
    assert (found.path, found.lines, found.numbered) == ("shop/new.txt", ("two", "three"), "2\ttwo\n3\tthree")
    assert (found.total, found.end_line, found.truncated) == (3, 3, False)
    assert synced.read_lines("shop/new.txt").lines == ("one", "two", "three")


def test_more_than_1000_lines_are_read_in_turn(index: Index) -> None:
    write_files(index.root, {"long.txt": "".join(f"line {n}\n" for n in range(1, 2001))})
    first = index.read_lines("long.txt", 1, 1900)
    assert (len(first.lines), first.end_line, first.truncated, first.total) == (1000, 1000, True, 2000)
    rest = index.read_lines("long.txt", first.end_line + 1, 1700)
    assert (rest.lines[0], rest.end_line, rest.truncated) == ("line 1001", 1700, False)
    assert not index.read_lines("long.txt", 1990, 5000).truncated


def test_an_empty_file_has_no_lines(index: Index) -> None:
    write_files(index.root, {"empty.txt": ""})
    found = index.read_lines("empty.txt")
    assert (found.lines, found.total, found.truncated, found.numbered) == ((), 0, False, "")


@pytest.mark.parametrize(("start", "end"), [(0, 3), (-1, None), (5, 4), (8, 9), (8, None)])
def test_a_range_that_no_line_is_in_is_refused(index: Index, start: int, end: int | None) -> None:
    write_files(index.root, {"seven.txt": "x\n" * 7})
    with pytest.raises(BadArgument, match="start"):
        index.read_lines("seven.txt", start, end)


def test_lines_are_read_of_text_files_inside_the_project_alone(index: Index) -> None:
    write_files(index.root, {"data.bin": b"\0\1", ".env": "PASSWORD=hunter2hunter2\n"})
    with pytest.raises(PathOutsideProject):
        index.read_lines("../other")
    with pytest.raises(NotAFile):
        index.read_lines("data.bin")
    assert index.read_lines(".env").lines == ("",)


def test_the_definitions_around_a_line_come_outermost_first(index: Index) -> None:
    write_files(index.root, {"nested.py": NESTED})
    found = index.function_at("nested.py", 5)
    assert found is not None
    assert [each.name for each in (*found.enclosing, found.symbol)] == ["Cart", "Line", "total", "sum_up"]
    assert found.numbered == "4\t            def sum_up():\n5\t                return 1"
    outer = index.function_at("nested.py", 7)
    assert outer is not None
    assert [each.name for each in (*outer.enclosing, outer.symbol)] == ["Cart", "Line", "total"]


def test_a_long_definition_ends_with_a_whole_line_and_says_so(index: Index) -> None:
    write_files(index.root, {"long.py": "def long():\n" + "    count = 1\n" * 100})
    found = index.function_at("long.py", 50, max_chars=100)
    assert found is not None
    assert found.truncated
    assert len(found.text) <= 100
    assert set(found.text.split("\n")) == {"def long():", "    count = 1"}
    whole = index.function_at("long.py", 50)
    assert whole is not None
    assert not whole.truncated
    assert whole.text.count("\n") == 100


def lists(index: Index) -> dict[str, Callable[[int, int], Page[object]]]:
    """Each list of the library as a function of limit and offset."""
    return {
        "definitions": lambda limit, offset: index.definitions("again", limit=limit, offset=offset),
        "definitions by part": lambda limit, offset: index.definitions(
            "AGAI", exact=False, path="many", kind="function", limit=limit, offset=offset
        ),
        "qualified definitions": lambda limit, offset: index.definitions("Many.again", limit=limit, offset=offset),
        "references": lambda limit, offset: index.references("again", limit=limit, offset=offset),
        "symbols": lambda limit, offset: index.symbols("many/m0.py", limit=limit, offset=offset),
        "files": lambda limit, offset: index.files("many/*.py", limit=limit, offset=offset),
    }


@pytest.fixture(params=["cold", "synced", "edited"])
def many(index: Index, request: pytest.FixtureRequest) -> Index:
    """A project with much of everything: without an index, with one, and with files changed since."""
    source = '"""Of again."""\n\n\nclass Many:\n    def again(self):\n        return again()  # again\n\n\n'
    source += "def again():\n    return 'again'\n"
    write_files(index.root, {f"many/m{n}.py": source for n in range(60)})
    if request.param != "cold":
        index.sync()
    if request.param == "edited":
        write_files(index.root, {f"many/m{n}.py": f"{source}\n\nagain()\n" for n in range(20)})
    return index


def test_every_list_can_be_paged_to_its_end(many: Index) -> None:
    for name, listed in lists(many).items():
        if name == "definitions by part" and many.stats().state == "absent":
            continue  # a part of a name needs the index
        whole = listed(10_000, 0)
        assert (len(whole), whole.total_is_minimum) == (whole.total, False), name
        paged: list[object] = []
        while len(paged) < whole.total:
            page = listed(7, len(paged))
            assert page, name
            assert page.total == whole.total or page.total_is_minimum, name
            paged += page
        assert paged == list(whole), name
        assert listed(7, whole.total) == ()


def test_the_symbols_of_an_outline_are_paged(index: Index) -> None:
    whole = index.structure("shop/cart.py")
    part = index.structure("shop/cart.py", limit=2, offset=1)
    assert (part.symbols, part.total_symbols) == (whole.symbols[1:3], len(whole.symbols))
    assert part.imports == whole.imports


def test_text_search_says_when_it_stopped_counting(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codeintel_index.tools.grep.CAP", 50)
    write_files(index.root, {f"many/m{n}.txt": "needle\n" * 30 for n in range(4)})
    (found,) = index.grep("needle", limit=10)
    assert (len(found.matches), found.total, found.total_is_minimum, found.truncated) == (10, 50, True, True)
    (last,) = index.grep("needle", limit=60, offset=100)
    assert (len(last.matches), last.total, last.total_is_minimum, last.truncated) == (20, 120, False, False)


def test_lines_of_context_are_shown_once(index: Index) -> None:
    text = "".join(f"{'needle' if n in (4, 6, 10, 11) else 'line'} {n}\n" for n in range(1, 21))
    write_files(index.root, {"near.txt": text, "other.txt": "before\nneedle\nafter\n"})
    (found,) = index.grep("needle", context_lines=3, glob="near.txt")
    shown = [line for each in found.matches for line in (*each.before, each.text, *each.after)]
    assert shown == text.split("\n")[:14]
    (page,) = index.grep("needle", context_lines=3, glob="near.txt", limit=1)
    assert page.matches[0].after == ("line 5", "needle 6", "line 7")
    (both,) = index.grep("needle", context_lines=1)
    assert [each.before for each in both.matches if each.path == "other.txt"] == [("before",)]


@pytest.mark.parametrize("context_lines", [21, -1, 10_000])
def test_context_above_the_cap_is_refused(index: Index, context_lines: int) -> None:
    with pytest.raises(BadArgument, match="between 0 and 20"):
        index.grep("x", context_lines=context_lines)
    with pytest.raises(BadPattern):
        index.grep("", context_lines=20)


def test_underlined_headings_nest_by_their_rank(index: Index) -> None:
    text = "Guide\n=====\n\n## Install\n\nDetails\n-------\n\n# Use\n\nMore\n----\n\n### Deep\n\nEnd\n===\n\ntext\n"
    write_files(index.root, {"guide.md": text})
    assert [(each.name, each.parent, each.line, each.end_line) for each in index.symbols("guide.md")] == [
        ("Guide", "", 1, 8),
        ("Install", "Guide", 4, 5),
        ("Details", "Guide", 6, 8),
        ("Use", "", 9, 15),
        ("More", "Use", 11, 15),
        ("Deep", "Use.More", 14, 15),
        ("End", "", 16, 19),
    ]


def test_a_name_with_one_capital_is_looked_up_in_a_question(synced: Index) -> None:
    found = synced.ask("where is Price defined")
    assert {"tool": "find_definitions", "argument": "Price", "found": 1} in found["ran"]  # type: ignore[operator]
    assert [each["name"] for each in found["definitions"]] == ["Price"]  # type: ignore[attr-defined]
    other = synced.ask("Explain The Receipt please")
    assert [each["tool"] for each in other["ran"]] == ["forest_search"]  # type: ignore[attr-defined]


@pytest.mark.parametrize("line", [0, 4, 900])
def test_a_line_that_the_file_does_not_have_is_refused(index: Index, line: int) -> None:
    write_files(index.root, {"three.py": "def f():\n    return 1\n\n"})
    with pytest.raises(BadArgument, match="between 1 and 3"):
        index.function_at("three.py", line)


def test_hits_are_paged_without_a_gap(dense: Index) -> None:
    write_files(dense.root, {f"many/m{n}.py": f"def price_{n}():\n    return 'price of {n}'\n" for n in range(30)})
    dense.sync()
    assert dense.wait_dense() == 0
    whole = dense.search("price", "forest", 1000)
    assert len(whole.hits) == whole.total > 30
    paged = [hit for offset in range(0, whole.total, 7) for hit in dense.search("price", "forest", 7, offset).hits]
    assert paged == list(whole.hits)
    assert dense.search("price", "forest", 7, whole.total).hits == ()


def test_references_that_take_too_long_to_parse_are_answered_as_far_as_they_are(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    uses = "".join(f"def use_{at}():\n    return often()\n\n" for at in range(3))
    write_files(index.root, {f"late_{at}.py": uses for at in range(4)})
    whole = index.references("often")
    assert (len(whole), whole.total, whole.total_is_minimum) == (12, 12, False)
    monkeypatch.setattr("codeintel_index.lookup.references.PARSING_S", -1.0)
    monkeypatch.setattr("codeintel_index.lookup.references.JUDGING_S", -1.0)
    late = index.references("often")
    assert (len(late), late.total_is_minimum) == (3, True)
    assert {(each.path, each.certainty) for each in late} == {("late_0.py", "possible")}
