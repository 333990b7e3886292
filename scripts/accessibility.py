"""Check our pages with axe-core in headless Chromium, light and dark, on a desktop and a phone.

`npm install axe-core` somewhere, then `uv run python scripts/accessibility.py node_modules/axe-core/axe.min.js`. The
pages are those of real sessions, as in `pictures.py`; more files, such as pages of the built site, are named after the
script of axe. Exit 1 on any finding; what axe could not judge is counted.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "scripts"))
from browser import Browser, NoBrowser  # noqa: E402
from pictures import project, sessions  # noqa: E402

SCREENS = [(width, dark) for width in (960, 360) for dark in (False, True)]


def main(axe: Path, more: Sequence[Path]) -> int:
    """Print a line for each page and screen, and one for each finding; 1 if there is any."""
    script = axe.read_text(encoding="utf-8") + ";0"
    found = 0
    try:
        with project() as shop, Browser() as browser:
            for page in (*sessions(shop), *more):
                for width, dark in SCREENS:
                    browser.open(page, width, 800, dark=dark)
                    browser.evaluate(script)
                    found += tell(f"{page.parent.name}/{page.name}, {width} px, {'dark' if dark else 'light'}", browser)
    except NoBrowser as missing:
        sys.stdout.write(f"not checked: {missing}\n")
        return 2
    return 1 if found else 0


def tell(title: str, browser: Browser) -> int:
    """Run the rules on the page that is open and print what they say; how many were broken."""
    result: dict[str, list[Any]] = browser.evaluate("axe.run()")
    width = browser.evaluate("document.documentElement.scrollWidth - innerWidth")
    broken, unsure = result["violations"], sum(len(rule["nodes"]) for rule in result["incomplete"])
    sys.stdout.write(f"{title}: {len(result['passes'])} rules hold, {len(broken)} broken, {unsure} places not judged\n")
    for rule in broken:
        sys.stdout.writelines(f"  {rule['impact']} {rule['id']}: {node['html'][:160]}\n" for node in rule["nodes"])
    if width > 0:
        sys.stdout.write(f"  wider than the screen by {width} px\n")
    return len(broken) + (width > 0)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), [Path(name).resolve() for name in sys.argv[2:]]))
