"""Make the pictures of the README and the documentation from real runs: `uv run python scripts/pictures.py`.

A small project is made, `codeintel demo` is played on it and drawn as it stands on the terminal; then sessions are
played in it, and the pages they leave are photographed. The screen shots need Chromium; without it the rest is made.
"""

import contextlib
import html
import io
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import anyio
from rich.console import Console
from rich.text import Text

from codeintel_server.demo.player import Player, Script
from codeintel_server.demo.run import run_demo
from codeintel_server.demo.stage import connected, find_change

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "scripts"))  # tests load this file by its path
from browser import Browser, NoBrowser  # noqa: E402

IMAGES = ROOT / "docs/images"
COLUMNS = 104
LARGEST = 200_000
"""Bytes of a picture, above which it is too large for a repository."""
FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
SVG = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"
role="img" aria-label="What codeintel demo prints">
<style>{styles}
.{unique_id}-matrix {{ font: {char_height}px {font}; }} .{unique_id}-title {{ font: bold 18px sans-serif; }}</style>
<defs><clipPath id="{unique_id}-clip-terminal"><rect width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}</defs>{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">{backgrounds}
<g class="{unique_id}-matrix">{matrix}</g></g></svg>
"""

SHOP = {
    "src/basket.py": '''"""Prices of a basket."""


def total(prices: list[float]) -> float:
    """What all of it costs."""
    return sum(prices)
''',
    "src/checkout.py": '''"""From a basket to an order."""

from basket import total


def order(prices: list[float]) -> dict[str, float]:
    """The order that is sent: how much, and how much each on average."""
    amount = total(prices)
    return {"amount": amount, "average": amount / len(prices)}
''',
    "tests/test_basket.py": """from basket import total


def test_the_total_is_the_sum():
    assert total([1.0, 2.0]) == 3.0
""",
    "docs/prices.md": "# Prices\n\n- An empty basket is no error: callers get zero.\n",
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["src"]\n',
}
SESSIONS = (
    Script(mistakes=True, verify=[False, True], issues=[["the empty list has no test"]], verifier="tests.md"),
    Script(verifier="tests.md"),
    Script(flags={"fast": True}, verifier="tests.md"),
    Script(intent="QUESTION", flags={"only_explore": True}),
    Script(mistakes=True, answers=False, verifier="tests.md"),
)


def main() -> int:
    """Make them all; 1 if Chromium is missing, 2 if a picture is too large."""
    IMAGES.mkdir(exist_ok=True)
    with project() as shop:
        (IMAGES / "demo.svg").write_text(demo(shop), encoding="utf-8")
        pages = sessions(shop)
        try:
            photograph(*pages)
        except NoBrowser as missing:
            sys.stdout.write(f"demo.svg is made; no screen shots: {missing}\n")
            return 1
    large = [path.name for path in IMAGES.iterdir() if path.stat().st_size > LARGEST]
    sys.stdout.write(f"too large: {', '.join(large)}\n" if large else f"made in {IMAGES}\n")
    return 2 if large else 0


@contextlib.contextmanager
def project() -> Iterator[Path]:
    """A small shop with codeintel in it, in a folder of its own, trusted there and nowhere else."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.environ["XDG_STATE_HOME"] = f"{folder}/state"
        root = Path(folder) / "shop"
        for name, text in SHOP.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        for command in (
            ("git", "init", "--quiet", "--initial-branch=main"),
            ("git", "config", "user.name", "A user"),
            ("git", "config", "user.email", "user@example.invalid"),
            ("git", "add", "--all"),
            ("git", "commit", "--quiet", "--message=A small shop"),
        ):
            subprocess.run(command, cwd=root, check=True)
        codeintel(root, "init", "--yes")
        for command in (("git", "add", "--all"), ("git", "commit", "--quiet", "--message=Set up codeintel")):
            subprocess.run(command, cwd=root, check=True)
        yield root


def _without_folder(found: re.Match[str]) -> str:
    """Name Python without the folder it is in on this machine; the text's width shrinks with it."""
    before, after = (html.unescape(found[3]), html.unescape(found[3]).replace(sys.executable, "python3"))
    text = found[3].replace(sys.executable, "python3")
    return f'textLength="{float(found[1]) * len(after) / len(before):g}"{found[2]}{text}'


def demo(shop: Path) -> str:
    """What `codeintel demo` prints, as SVG that loads no font."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, highlight=False)
    console.print(Text("$ codeintel demo", style="bold"))
    if run_demo(shop, {}, False, console):
        raise SystemExit("the demonstration did not come to its end")
    console.print()  # or the frame cuts into the last line
    form = SVG.replace("{font}", FONT)
    svg = console.export_svg(title="codeintel demo", code_format=form, unique_id="demo")
    svg = re.sub(rf'textLength="([\d.]+)"([^>]*>)([^<]*{re.escape(sys.executable)}[^<]*)', _without_folder, svg)
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


def sessions(shop: Path) -> tuple[Path, Path]:
    """Play sessions; the report of the first one and the page of figures."""
    played = []
    for script in SESSIONS:
        played.append(anyio.run(play, shop, script))
        if "fast" in script.flags:
            codeintel(shop, "outcome", "failure", "--note", "the mean of one price is wrong")
    pages = shop.parent / "report.html", shop.parent / "stats.html"
    for command, page in zip((["report", played[0]], ["stats", "--html"]), pages, strict=True):
        codeintel(shop, *command, "-o", str(page))
    return pages


def codeintel(shop: Path, *arguments: str) -> None:
    """Run a command of ours in the project."""
    done = [sys.executable, "-m", "codeintel_server", *arguments]
    subprocess.run(done, cwd=shop, check=True, stdout=subprocess.DEVNULL)


async def play(shop: Path, script: Script) -> str:
    """One session, which adds a function of a new name; returns its id."""
    change = find_change(shop)
    async with connected(shop) as client:
        end = await Player(client, change, script).play()
    if end.get("phase") != "SESSION_COMPLETE":
        raise SystemExit(f"a session stopped: {end}")
    return str(end["session_id"])


def photograph(report: Path, stats: Path) -> None:
    """The pages as a desktop and a phone show them, light and dark."""
    with Browser() as browser:
        browser.open(report, 960, 900)
        (IMAGES / "report-light.png").write_bytes(browser.picture())
        browser.evaluate("document.getElementById('h-tasks').scrollIntoView()")
        (IMAGES / "report-evidence.png").write_bytes(browser.picture())
        browser.open(report, 960, 900, dark=True)
        (IMAGES / "report-dark.png").write_bytes(browser.picture())
        browser.open(report, 360, 740, scale=1.5)
        (IMAGES / "report-phone.png").write_bytes(browser.picture())
        browser.open(stats, 960, 900)
        (IMAGES / "stats.png").write_bytes(browser.picture())


if __name__ == "__main__":
    sys.exit(main())
