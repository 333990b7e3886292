"""How fast the index is and how it grows: a table over trees of several sizes, beside plain ripgrep in the same run.

uv run python benchmarks/index/run.py [--sizes 1000,10000] [--keep FOLDER]
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from tree import LARGEST, make_tree

Figures = dict[str, float]
HERE = Path(__file__).parent
ROWS: list[tuple[str, str, Callable[[Figures], str]]] = [
    ("files; source; chunks", "", lambda f: f"{f['files']:,.0f}; {f['mb']:.0f} MB; {f['chunks']:,.0f}"),
    ("first sync", "", lambda f: f"{f['cold_s']:.1f} s"),
    ("… files a second", "", lambda f: f"{f['files'] / f['cold_s']:.0f}"),
    ("… MB a second", "", lambda f: f"{f['mb'] / f['cold_s']:.1f}"),
    ("… files a second and core (CPU time)", "300", lambda f: f"{f['files'] / f['cold_cpu_s']:.0f}"),
    ("… MB a second and core (CPU time)", "", lambda f: f"{f['mb'] / f['cold_cpu_s']:.1f}"),
    ("sync without a change", "100 ms at 2,000, 500 at 20,000", lambda f: f"{f['idle_ms']:.0f} ms"),
    ("one changed file until it is found", "300 ms", lambda f: f"{f['edit_ms']:.0f} ms"),
    ("definitions, p50", "5 ms", lambda f: f"{f['definitions_ms']:.2f} ms"),
    ("search, p50 (p95)", "20 ms at 20,000 chunks", lambda f: f"{f['search_ms']:.1f} ms ({f['search_p95_ms']:.1f})"),
    ("text search against plain ripgrep, p50", "1.3", lambda f: _against(f)),
    ("references, p50", "", lambda f: f"{f['references_ms']:.0f} ms"),
    ("impact, p50", "", lambda f: f"{f['impact_ms']:.0f} ms"),
    ("memory before first use", "150 MB", lambda f: f"{f['rss_start_mb']:.0f} MB"),
    ("memory with the index open and asked", "400 MB", lambda f: f"{f['rss_open_mb']:.0f} MB"),
    ("highest memory of the first sync (without its workers)", "", lambda f: f"{f['peak_mb']:.0f} MB"),
    ("index on disk", "", lambda f: f"{f['disk_mb']:.0f} MB"),
]


def main() -> None:
    """Measure every size, then print the table and how the figures per file grow."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--sizes", default="1000,10000", help="numbers of files, smallest first")
    options.add_argument("--largest", type=int, default=LARGEST, help="size of the largest file, in bytes")
    options.add_argument("--keep", type=Path, help="a folder for the trees, which are then left there")
    chosen = options.parse_args()
    found: list[Figures] = []
    with tempfile.TemporaryDirectory() as scratch:
        for size in map(int, chosen.sizes.split(",")):
            root = (chosen.keep or Path(scratch)).resolve() / f"tree_{size}_{chosen.largest}"
            if not root.exists():
                root.mkdir(parents=True)
                make_tree(root, size, chosen.largest)
            found.append(_measure(root))
            sys.stderr.write(f"{json.dumps(found[-1])}\n")
    sys.stdout.writelines(f"{line}\n" for line in _table(found))


def _measure(root: Path) -> Figures:
    """Two processes, so that memory of the first sync is not taken for that of questions."""
    figures: Figures = {}
    for part in ("build", "ask"):
        command = [sys.executable, str(HERE / "measure.py"), part, str(root)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        figures |= json.loads(done.stdout)
    return figures


def _against(figures: Figures) -> str:
    text, plain = figures["text_ms"], figures["rg_ms"]
    return f"{text:.0f} ms / {plain:.0f} ms = {text / plain:.2f}"


def _table(found: list[Figures]) -> Iterator[str]:
    yield _line(["", *(f"{each['files']:,.0f} files" for each in found), "target"])
    yield "|---" * (len(found) + 2) + "|"
    for name, target, show in ROWS:
        yield _line([name, *map(show, found), target])
    first = found[0]
    for name, key in (("CPU time of the first sync", "cold_cpu_s"), ("index on disk", "disk_mb")):
        grown = [each[key] / each["files"] / (first[key] / first["files"]) for each in found]
        yield _line([f"{name} per file, against the smallest", *(f"{each:.2f}" for each in grown), "1.5"])


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
