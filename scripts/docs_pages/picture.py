"""docs/images/packages.svg: who depends on whom, read from the packages' own pyproject files.

Only the places of the boxes are set here. A dependency that another one implies is not drawn.
"""

import re
import tomllib
from collections.abc import Iterator
from html import escape
from pathlib import Path

PLACES = {"server": (1.0, 0), "session": (0.0, 1), "templates": (1.0, 1), "index": (2.0, 1), "contract": (0.5, 2)}
SAYS = {
    "server": "MCP, command line, hooks, reports",
    "session": "phases, checkpoints, git",
    "templates": "files in your project",
    "index": "search and impact",
    "contract": "texts and schemas",
}
BOX, GAP, MARGIN = (220, 56), (30, 60), 12


def draw(root: Path) -> str:
    """The picture of the workspace at `root`.

    Raises:
        KeyError: a package that has no place here.
    """
    needs = {path.name.removeprefix("codeintel-"): set(_needs(path)) for path in (root / "packages").iterdir()}
    arrows = sorted((one, other) for one, others in needs.items() for other in _direct(needs, others))
    width, height = MARGIN * 2 + BOX[0] * 3 + GAP[0] * 2, MARGIN * 2 + BOX[1] * 3 + GAP[1] * 2
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="15" role="img" aria-label="The packages and what each depends on">'
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="#556"/></marker></defs><rect width="100%" height="100%" fill="#fff"/>'
    )
    return "\n".join([head, *(_arrow(*each) for each in arrows), *(_box(name) for name in sorted(needs)), "</svg>", ""])


def _needs(package: Path) -> Iterator[str]:
    project = tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for line in project["dependencies"]:
        if found := re.match(r"codeintel-(\w+)", line):
            yield found[1]


def _direct(needs: dict[str, set[str]], others: set[str]) -> set[str]:
    return others - {further for other in others for further in needs[other]}


def _corner(name: str) -> tuple[float, float]:
    column, row = PLACES[name]
    return MARGIN + column * (BOX[0] + GAP[0]), MARGIN + row * (BOX[1] + GAP[1])


def _arrow(source: str, target: str) -> str:
    (x1, y1), (x2, y2) = _corner(source), _corner(target)
    middle = BOX[0] / 2
    lean = (x2 - x1) / 6  # several arrows of one box do not start or end in the same point
    start, end = f"{x1 + middle + lean:g} {y1 + BOX[1]:g}", f"{x2 + middle - lean:g} {y2:g}"
    return f'<path d="M{start}L{end}" stroke="#556" stroke-width="1.5" fill="none" marker-end="url(#tip)"/>'


def _box(name: str) -> str:
    x, y = _corner(name)
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{BOX[0]}" height="{BOX[1]}" rx="7" fill="#eef2fb" stroke="#778"/>'
        f'<text x="{x + BOX[0] / 2:g}" y="{y + 24:g}" text-anchor="middle" font-weight="bold" fill="#223">'
        f"codeintel-{escape(name)}</text>"
        f'<text x="{x + BOX[0] / 2:g}" y="{y + 44:g}" text-anchor="middle" font-size="12" fill="#445">'
        f"{escape(SAYS[name])}</text>"
    )
