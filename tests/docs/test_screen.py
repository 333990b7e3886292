"""The pages as a browser shows them: light, dark, and on a phone. Skipped where no Chromium is installed."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "scripts"))
from browser import Browser, NoBrowser  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("pages")]
WIDTH = "document.documentElement.scrollWidth"
PAPER = "getComputedStyle(document.body).backgroundColor"
PAGES = {"report": "codeintel report", "stats": "codeintel stats --html"}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    try:
        found = Browser()
    except NoBrowser as missing:
        pytest.skip(str(missing))
    with found:
        yield found


@pytest.fixture(scope="module", params=PAGES)
def page(request: Any, browser: Browser, shell: Callable[[str, Path], None], tmp_path_factory: Any) -> Path:
    """One of the pages; the session on them is played only where there is a browser."""
    path: Path = tmp_path_factory.mktemp("screen") / f"{request.param}.html"
    shell(f"{PAGES[request.param]} -o '{path}'", request.getfixturevalue("played"))
    return path


def test_a_page_fits_a_phone_and_a_desk(browser: Browser, page: Path) -> None:
    for width in (320, 360, 960):
        browser.open(page, width, 700)
        assert browser.evaluate(WIDTH) == width


def test_a_page_is_dark_where_the_user_wants_it_dark(browser: Browser, page: Path) -> None:
    papers = []
    for dark in (False, True):
        browser.open(page, 960, 700, dark=dark)
        papers.append(browser.evaluate(PAPER))
    assert papers == ["rgb(255, 255, 255)", "rgb(20, 24, 29)"]


def test_a_page_asks_for_nothing_but_itself(browser: Browser, page: Path) -> None:
    browser.open(page, 960, 700)
    assert browser.evaluate("performance.getEntriesByType('resource').map(each => each.name)") == []


def test_every_control_of_a_page_can_be_reached_and_used_with_the_keyboard(browser: Browser, page: Path) -> None:
    browser.open(page, 960, 700)
    unreachable = "[...document.querySelectorAll('a, summary, [role=region]')].filter(each => each.tabIndex < 0).length"
    assert browser.evaluate(unreachable) == 0
    browser.evaluate("document.querySelectorAll('summary').forEach(each => { each.focus(); each.click() })")
    assert browser.evaluate("document.querySelectorAll('details:not([open])').length") == 0


def test_on_paper_a_page_is_light_and_hides_nothing(browser: Browser, page: Path) -> None:
    browser.open(page, 700, 900, dark=True, media="print")
    assert browser.evaluate(PAPER) == "rgb(255, 255, 255)"
    assert browser.evaluate("[...document.querySelectorAll('pre')].filter(each => !each.checkVisibility()).length") == 0
    assert browser.evaluate(WIDTH) == 700
