"""A change that reaches much is told page by page, all lists together, and every file is on one page."""

import json
from pathlib import Path
from typing import Any

import pytest

from codeintel_server.testing import Caller

pytestmark = [pytest.mark.draws(18), pytest.mark.anyio]

USERS = 130
LISTS = ("likely_to_change", "should_verify", "tests", "docs", "markup")


@pytest.fixture
def repo(repo: Path) -> Path:
    """The repository with many users of `count_all`, one of which uses it on many lines, and some tests."""
    uses = "\n".join(f"    total = count_all([{number}])" for number in range(60))
    for number in range(USERS):
        code = f"from stats import count_all\n\n\ndef use_{number}():\n{uses if number == 7 else '    count_all([])'}\n"
        (repo / "src" / f"user_{number:03}.py").write_text(code, encoding="utf-8")
    for number in range(9):
        test = f"from stats import count_all\n\n\ndef test_{number}():\n    assert count_all([]) == 0\n"
        (repo / f"test_stats_{number}.py").write_text(test, encoding="utf-8")
    return repo


async def pages(call: Caller, **options: int) -> list[dict[str, Any]]:
    found = [await call("analyze_impact", target_files=["src/stats.py"], **options)]
    while found[-1]["truncated"]:
        found.append(
            await call("analyze_impact", target_files=["src/stats.py"], offset=found[-1]["next_offset"], **options)
        )
    return found


@pytest.mark.parametrize("options", [{}, {"max_results": 30}, {"max_results": 1000}])
async def test_every_file_is_on_one_page_and_each_page_is_small(call: Caller, options: dict[str, int]) -> None:
    await call("sync_index")
    found = await pages(call, **options)
    for name in LISTS:
        paths = [item["path"] for each in found for item in each[name]]
        assert len(paths) == len(set(paths)) == found[0]["counts"][name]
    assert len({item["path"] for each in found for item in each["must_verify"]}) == 10
    assert found[0]["counts"]["must_verify"] == USERS
    assert found[0]["counts"]["tests"] == 9
    assert all(len(json.dumps(each)) < 26_000 for each in found)


async def test_a_file_with_many_uses_is_told_with_its_first_lines_and_their_number(call: Caller) -> None:
    await call("sync_index")
    found = await pages(call)
    (item,) = [item for each in found for item in each["must_verify"] if item["path"] == "src/user_007.py"]
    assert (len(item["lines"]), item["lines_total"]) == (20, 61)


async def test_without_more_there_is_no_next_page(call: Caller) -> None:
    found = await call("analyze_impact", target_files=["src/user_001.py"], depth_2=True)
    assert (found["truncated"], "next_offset" in found, found["depth_2"]) == (False, False, [])


async def test_a_target_that_does_not_exist_and_that_no_plan_names_is_refused(call: Caller) -> None:
    found = await call("analyze_impact", target_files=["src/nowhere.py", "src/stats.py"])
    assert (found["success"], found["error"]) == (False, "validation_error")
    assert "src/nowhere.py: no such file, and no plan names it" in found["message"]


async def test_the_definitions_that_change_may_be_named(call: Caller) -> None:
    await call("sync_index")
    found = await call("analyze_impact", target_files=["src/stats.py"], symbols=["count_all"])
    assert found["symbols"] == ["count_all"]
