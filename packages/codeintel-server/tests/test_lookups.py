"""What the look-up tools answer: lines with numbers, definitions with what is around them, all files, honest ends."""

import json
from pathlib import Path
from typing import Any

import pytest

from codeintel_server.demo.change import Change
from codeintel_server.demo.stage import find_change
from codeintel_server.testing import Caller, in_memory, play_to
from codeintel_session.testing import make_repo

pytestmark = [pytest.mark.draws(18), pytest.mark.anyio]

NESTED = '''"""Tests."""


def test_sums():
    before = 1

    def helper(value):
        return value + before

    assert helper(1) == 2
'''


def long_file(lines: int, text: str = "    count = 1") -> str:
    return "\n".join(["def long():", *([text] * (lines - 1)), ""])


def small(reply: dict[str, Any]) -> bool:
    return len(json.dumps(reply, ensure_ascii=False, separators=(",", ":")).encode()) <= 24 * 1024


async def test_lines_of_a_file_are_read_with_their_numbers(call: Caller) -> None:
    found = await call("read_lines", path="src/stats.py", start_line="4", end_line="6")
    assert found["text"] == '4\tdef count_all(values):\n5\t    """How many there are."""\n6\t    return len(values)'
    assert (found["path"], found["start_line"], found["end_line"]) == ("src/stats.py", 4, 6)
    assert (found["total"], found["truncated"], "next_start_line" in found) == (10, False, False)
    whole = await call("read_lines", path="./src/../src/stats.py")
    assert (whole["path"], whole["end_line"], whole["truncated"]) == ("src/stats.py", 10, False)
    assert (await call("read_lines", path="src/stats.py", start_line=9, end_line=900))["end_line"] == 10


async def test_several_ranges_are_read_at_once(call: Caller) -> None:
    read = (await call("read_lines", path=["src/stats.py:4-5", "src/stats.py:9", "src/stats.py"]))["files"]
    assert [(each["start_line"], each["end_line"]) for each in read] == [(4, 5), (9, 9), (1, 10)]
    assert read[0]["text"] == '4\tdef count_all(values):\n5\t    """How many there are."""'
    one = await call("read_lines", path="src/stats.py:4-5")
    assert (one["path"], one["start_line"], one["end_line"]) == ("src/stats.py", 4, 5)
    refused = await call("read_lines", path=["src/stats.py:40", "src/none.py"])
    assert (refused["success"], "start_line: must be at most 10" in str(refused["problems"])) == (False, True)


async def test_what_cannot_be_read_of_a_list_is_named_beside_the_rest(call: Caller) -> None:
    reply = await call("read_lines", path=["src/stats.py:4-5", "src/stats.py:40", "src/none.py"])
    assert [each["start_line"] for each in reply["files"]] == [4]
    assert reply["not_read"] == {
        "src/stats.py:40": "must be at most 10, the last line of src/stats.py",
        "src/none.py": "no such file",
    }


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"start_line": 0}, "start_line: Input should be greater than or equal to 1"),
        ({"start_line": 11}, "start_line: must be at most 10, the last line of src/stats.py"),
        ({"start_line": 5, "end_line": 4}, "end_line: must be at least start_line, 5, not 4"),
        ({"end_line": "x"}, "end_line: Input should be a valid integer, unable to parse string as an integer"),
        ({"lines": 4}, "lines: unknown argument; known are path, start_line, end_line"),
        ({" path": "a.py"}, "' path': unknown argument; known are path, start_line, end_line"),
    ],
)
async def test_a_range_that_cannot_be_read_names_the_argument(
    call: Caller, arguments: dict[str, Any], problem: str
) -> None:
    reply = await call("read_lines", path="src/stats.py", **arguments)
    assert (reply["error"], reply["problems"]) == ("validation_error", [problem])


async def test_a_line_of_a_hundred_thousand_characters_is_cut_and_named(call: Caller, repo: Path) -> None:
    (repo / "minified.js").write_text(f"var a = 1;\n{'x' * 100_000}\nvar b = 2;\n", encoding="utf-8")
    found = await call("read_lines", path="minified.js")
    assert (small(found), found["cut_lines"], found["end_line"], found["truncated"]) == (True, [2], 3, False)
    assert found["text"].split("\n")[1].endswith("x…")


async def test_the_test_around_a_nested_helper_comes_with_its_range(call: Caller, repo: Path) -> None:
    (repo / "test_sums.py").write_text(NESTED, encoding="utf-8")
    found = await call("get_function_at_line", path="test_sums.py", line=8)
    assert found["definition"]["name"] == "helper"
    assert found["enclosing"] == [{"name": "test_sums", "kind": "function", "line": 4, "end_line": 10}]
    assert found["text"] == "7\t    def helper(value):\n8\t        return value + before"
    assert found["truncated"] is False


async def test_a_long_function_ends_with_a_whole_line_and_says_where_to_read_on(call: Caller, repo: Path) -> None:
    (repo / "long.py").write_text(long_file(700), encoding="utf-8")
    found = await call("get_function_at_line", path="long.py", line=3)
    assert (found["definition"]["end_line"], found["start_line"], found["end_line"]) == (700, 1, 200)
    assert (found["truncated"], found["next_start_line"]) == (True, 201)
    assert found["text"].split("\n")[-1] == "200\t    count = 1"
    rest = await call("read_lines", path="long.py", start_line=found["next_start_line"])
    assert rest["text"].split("\n")[0] == "201\t    count = 1"


@pytest.mark.parametrize(("line", "text"), [(450, "    count = 1"), (690, "    count = 1"), (650, f"    {'é' * 600}")])
async def test_of_a_long_definition_the_line_that_was_asked_about_is_shown(
    call: Caller, repo: Path, line: int, text: str
) -> None:
    (repo / "long.py").write_text(long_file(700, text), encoding="utf-8")
    found = await call("get_function_at_line", path="long.py", line=line)
    assert found["start_line"] <= line <= found["end_line"]
    assert f"\n{line}\t" in f"\n{found['text']}"
    assert (found["truncated"], small(found)) == (True, True)
    assert ("next_start_line" in found) is (found["end_line"] < 700)


async def test_between_definitions_the_lines_around_are_shown(call: Caller) -> None:
    found = await call("get_function_at_line", path="src/stats.py", line=2)
    assert (found["definition"], found["start_line"], found["end_line"]) == (None, 1, 10)
    refused = await call("get_function_at_line", path="src/stats.py", line=11)
    assert refused["problems"] == ["line: must be between 1 and 10, the last line of src/stats.py, not 11"]


async def test_only_files_on_the_page_count_as_seen(call: Caller, repo: Path) -> None:
    for number in range(300):
        (repo / f"src/m{number:03}.py").write_text(f"{'x' * 300} = 'needle'\n", encoding="utf-8")
    frame = {"action_type": "ask", "target_symbols": [], "scope": "", "constraints": "", "summary": "Framed."}
    await call.call("start_session", {"intent": "QUESTION", "query": "Where is the needle?"})
    await call("submit_phase", data=frame)
    (found,) = (await call("search_text", pattern="needle", max_results=300))["results"]
    await call("search_files", pattern="**")
    shown = {row["path"] for row in found["matches"]}
    assert (found["total"], len(shown) < 300) == (300, True)
    claimed = {"explored_files": ["src/m299.py"], "findings": ["f"], "summary": "Looked."}
    assert (await call("submit_phase", data=claimed))["error"] == "unseen_files"
    assert (await call("submit_phase", data={**claimed, "explored_files": [found["matches"][-1]["path"]]}))["success"]


async def test_symbols_whose_parent_is_on_another_page_name_it(call: Caller, repo: Path) -> None:
    methods = "".join(f"    def {'long_name_' * 20}{n}(self):\n        return {n}\n\n" for n in range(100))
    (repo / "big.py").write_text(f"class Big:\n{methods}", encoding="utf-8")
    first = await call("get_symbols", path="big.py")
    assert [row["name"] for row in first["symbols"]] == ["Big"]
    second = await call("get_symbols", path="big.py", offset=first["next_offset"])
    assert {row["parent"] for row in second["symbols"]} == {"Big"}


@pytest.fixture
def spread(tmp_path: Path) -> Path:
    """A project of which only `src` and `lib` are indexed, with a test, a script and documents beside them."""
    use = "from stats import count_all\n\n\ndef {name}():\n    assert count_all([]) == 0\n"
    files = {
        ".code-intel/config.json": '{"source_dirs": ["src", "lib"]}',
        ".code-intel/context.yml": "document_search:\n  exclude_patterns: ['docs/old/**']\n",
        "src/stats.py": "def count_all(values):\n    return len(values)\n",
        "tests/test_stats.py": "",
        "tests/test_other.py": use.format(name="test_count"),
        "scripts/run.py": use.format(name="run"),
        "docs/stats.md": "Call count_all.\n",
        "docs/old/stats.md": "Call count_all.\n",
    }
    return make_repo(tmp_path / "spread", files).root


async def test_files_outside_source_dirs_are_listed_searched_and_named_by_an_impact(spread: Path) -> None:
    async with in_memory(spread) as call:
        assert "tests/test_stats.py" in (await call("search_files", pattern="*.py"))["files"]
        impact = await call("analyze_impact", target_files=["src/stats.py"])
        definitions = await call("find_definitions", symbol="test_count")
    assert [item["path"] for item in impact["tests"]] == ["tests/test_other.py", "tests/test_stats.py"]
    assert ("scripts/run.py", "possible") in [(item["path"], item["reason"]) for item in impact["should_verify"]]
    assert (definitions["total"], definitions["source_dirs"]) == (0, ["src", "lib"])


async def test_documents_that_the_project_leaves_out_are_not_named_by_an_impact(spread: Path) -> None:
    async with in_memory(spread) as call:
        impact = await call("analyze_impact", target_files=["src/stats.py"])
    assert [item["path"] for item in impact["docs"]] == ["docs/stats.md"]
    assert "docs/old/stats.md" not in json.dumps(impact)
    assert impact["counts"]["docs"] == 1
    assert impact["total"] == sum(
        len(impact[name]) for name in ("must_verify", "should_verify", "tests", "docs", "markup")
    )


@pytest.mark.parametrize("files", [10, 40, 150])
async def test_the_outlines_of_added_files_share_one_reply(call: Caller, repo: Path, files: int) -> None:
    for number in range(files):
        source = "".join(f"def function_{n}():\n    return {n}\n\n\n" for n in range(60))
        (repo / f"src/m{number}.py").write_text(source, encoding="utf-8")
    await play_to(call, find_change(repo), 13, flags={"fast": True})
    added = await call("add_explored_files", files=[f"src/m{number}.py" for number in range(files)])
    assert (len(added["outlines"]), small(added)) == (files, True)
    first = added["outlines"][0]
    assert first["truncated"] is True
    rest = await call("analyze_structure", path="src/m0.py", offset=first["next_offset"])
    assert [row["name"] for row in first.get("symbols", []) + rest["symbols"]] == [f"function_{n}" for n in range(60)]


async def test_a_definition_found_by_less_than_its_name_is_marked(call: Caller, repo: Path) -> None:
    (repo / "package.json").write_text('{"scripts": {"build_docs": "make"}}\n', encoding="utf-8")
    await call("sync_index")
    exact = await call("find_definitions", symbol="stats.count_all")
    assert (exact["total"], "matched" in exact, "nearest" in exact) == (1, False, False)
    assert (await call("find_definitions", symbol="Nothing.count_all"))["matched"] == "last_name"
    data = await call("find_definitions", symbol="build_docs")
    assert (data["definitions"][0]["path"], data["matched"]) == ("package.json", "data")


async def test_an_answer_of_no_definition_lists_the_nearest_names(call: Caller, repo: Path) -> None:
    names = [f"count_{'x' * 100}_{number}" for number in range(30)]
    (repo / "src/many.py").write_text("".join(f"def {name}(): ...\n" for name in names), encoding="utf-8")
    await call("sync_index")
    found = await call("find_definitions", symbol="count_al")
    assert (found["definitions"], found["total"], found["nearest"]) == ([], 0, ["count_all"])
    long = await call("find_definitions", symbol=f"count_{'x' * 100}")
    assert (len(long["nearest"]), small(long)) == (5, True)


@pytest.mark.parametrize("read", [{}, {"path": "src/stats.py", "start_line": 9, "end_line": 10}])
async def test_a_changed_function_that_no_tool_showed_is_named(
    call: Caller, repo: Path, change: Change, read: dict[str, Any]
) -> None:
    player = await play_to(call, change, 13, flags={"quick": True})
    if read:
        await call("read_lines", **read)
    path = repo / "src/stats.py"
    path.write_text(path.read_text().replace(" numbers", " values"), encoding="utf-8")
    player.script.stop_before = 14
    await player.go_on()
    reply = await call("submit_phase", data={})
    is_named = "src/stats.py: report" in reply.get("warning", "")
    assert (reply["success"], is_named) == (True, not read), reply


async def test_a_place_that_is_not_searched_is_named_as_such(call: Caller, repo: Path) -> None:
    (repo / ".gitignore").write_text("node_modules/\n", encoding="utf-8")
    (repo / "node_modules").mkdir()
    (repo / "node_modules/a.py").write_text("needle\n", encoding="utf-8")
    for path in ("node_modules", "./node_modules/"):
        found = await call("search_text", pattern="needle", path=path)
        assert (found["results"][0]["total"], found["note"]) == (
            0,
            f"no file of {path} is searched: git ignores them, or they are left out",
        )
    for path in ("", ".", "src", "src/stats.py", "node_modules/a.py"):
        assert "note" not in await call("search_text", pattern="needle", path=path)


async def test_a_line_is_listed_under_the_first_pattern_that_matches_it(call: Caller) -> None:
    first, second = (await call("search_text", pattern=["def count_all", "count_all"]))["results"]
    assert [row["line"] for row in first["matches"]] == [4]
    assert ([row["line"] for row in second["matches"]], second["listed_above"], second["total"]) == ([10], 1, 2)


async def test_read_lines_answers_a_list_as_a_list(call: Caller) -> None:
    (one,) = (await call("read_lines", path=["src/stats.py:4-6"]))["files"]
    assert (one["start_line"], one["end_line"]) == (4, 6)
    for spelled in ("src/stats.py:4-6", "src/stats.py:4:6"):
        assert (await call("read_lines", path=spelled))["text"] == one["text"]
