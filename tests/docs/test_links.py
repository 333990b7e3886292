"""Links of the documentation lead somewhere: to a file that is there, and to a heading that is in it.

Pages of the site link to pages of the site alone; a file elsewhere in the repository is written as code. Links to the
world are listed here and followed by people.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeintel_templates import all_clients

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(
    [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("packages/*/*.md"), *ROOT.glob(".github/**/*.md")]
)
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
IN_THE_WORLD = {"https://modelcontextprotocol.io"}


def prose(page: Path) -> str:
    """The page without what is code."""
    return re.sub(r"`[^`\n]*`", "", FENCE.sub("", page.read_text(encoding="utf-8")))


def links() -> Iterator[tuple[Path, str]]:
    for page in PAGES:
        yield from ((page, target) for target in LINK.findall(prose(page)))


def anchors(page: Path) -> set[str]:
    """What headings are called in links."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def test_every_link_leads_to_a_file_and_to_a_heading_in_it() -> None:
    dead = []
    for page, target in links():
        name, _, anchor = target.partition("#")
        if name.startswith(("https://", "http://")):
            continue
        file = (page.parent / name).resolve() if name else page
        if not file.exists() or (anchor and anchor not in anchors(file)):
            dead.append(f"{page.relative_to(ROOT)}: {target}")
    assert dead == []


def test_pages_of_the_site_link_to_nothing_outside_it() -> None:
    outside = [
        f"{page.relative_to(DOCS)}: {target}"
        for page, target in links()
        if page.is_relative_to(DOCS) and "://" not in target
        if not (page.parent / target.partition("#")[0]).resolve().is_relative_to(DOCS)
    ]
    assert outside == []


def test_links_to_the_world_are_known() -> None:
    assert {target for _, target in links() if "://" in target} == IN_THE_WORLD


@pytest.mark.parametrize("picture", sorted((DOCS / "images").iterdir()), ids=lambda path: path.name)
def test_every_picture_is_small_and_is_shown_with_words_for_those_who_cannot_see_it(picture: Path) -> None:
    assert picture.stat().st_size < 200_000
    shown = re.compile(rf"!\[[^\]]{{8,}}\]\([^)]*{re.escape(picture.name)}\)")
    assert any(shown.search(page.read_text(encoding="utf-8")) for page in PAGES)
    if picture.suffix == ".svg":
        text = picture.read_text(encoding="utf-8")
        assert "aria-label=" in text
        assert set(re.findall(r"https?://[^\"')\s]+", text)) <= {"http://www.w3.org/2000/svg"}
    else:
        assert picture.read_bytes().startswith(b"\x89PNG")


def test_files_of_the_repository_that_pages_name_are_there() -> None:
    """`scripts/x.py` in running text or in a command, also with `::a_test` behind it or a glob in it."""
    named = re.compile(
        r"(?<![\w./-])((?:scripts|benchmarks|tests|packages|docs|\.github|codeintel_\w+)/[\w./*{},-]*\w)"
    )
    of_clients = {file for client in all_clients() for file in (client.entry_file, client.hooks_file)}
    gone = [
        f"{page.relative_to(ROOT)}: {path}"
        for page in PAGES
        if "CHANGELOG" not in page.name
        for code in re.findall(r"`([^`\n]+)`", FENCE.sub("", page.read_text(encoding="utf-8")))
        for path in named.findall(code)
        if path not in of_clients
        if not any({*ROOT.glob(start + path)} for start in ("", "packages/*/", "packages/*/src/"))
    ]
    assert gone == []


def test_no_picture_names_a_folder_of_the_machine_it_was_made_on() -> None:
    pictures = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "docs/images").glob("*.svg")}
    assert pictures
    assert [name for name, text in pictures.items() if re.search(r"&quot;/|\.venv", text)] == []
