"""One part of the measurement of one tree, in a process of its own: `measure.py build|ask ROOT`; prints JSON."""

import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROUNDS = 50


def build(root: Path) -> dict[str, float]:
    """The first sync, from nothing, vectors included."""
    from codeintel_index import Index

    shutil.rmtree(root / ".code-intel", ignore_errors=True)
    with Index.open(root) as index:
        source = sum((root / path).stat().st_size for path in index.source_files())
        before, began = os.times(), time.perf_counter()
        report = index._syncer.sync()  # without what follows behind, which would be measured along
        cold, after = time.perf_counter() - began, os.times()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "files": report.files,
        "chunks": report.chunks,
        "mb": source / 1e6,
        "cold_s": cold,
        "cold_cpu_s": sum(after[:4]) - sum(before[:4]),
        "peak_mb": peak,
        "disk_mb": sum(each.stat().st_size for each in (root / ".code-intel").glob("index.db*")) / 1e6,
    }


def ask(root: Path) -> dict[str, float]:
    """Questions to an index that is complete, and an edit."""
    from codeintel_index import Index

    index = Index.open(root)
    start = resident()
    index.sync()
    chance = random.Random(2)
    names = chance.sample(
        [row[0] for row in index._reader._rows("SELECT DISTINCT name FROM symbols LIMIT 5000")], ROUNDS
    )
    files = chance.sample(index._reader.paths(), ROUNDS)
    questions = [f"where is the {' '.join(pair)} handled" for pair in zip(names, reversed(names), strict=True)]
    index.search(questions[0], "forest")
    searches = times(lambda at: index.search(questions[at], "forest"))
    figures = {
        "rss_start_mb": start,
        "idle_ms": p50([unchanged(index) for _ in range(7)]),
        "definitions_ms": p50(times(lambda at: index.definitions(names[at]))),
        "search_ms": p50(searches),
        "search_p95_ms": sorted(searches)[int(ROUNDS * 0.95)],
        **text_search(root, names, lambda name: index.grep(name, fixed=True)),
        "references_ms": p50(times(lambda at: index.references(names[at]), 20)),
        "impact_ms": p50(times(lambda at: index.impact([files[at]]), 20)),
        "edit_ms": p50([edited(index, root, number) for number in range(7)]),
    }
    figures["rss_open_mb"] = resident()
    index.close()
    return figures


def text_search(root: Path, names: list[str], search: Callable[[str], object]) -> dict[str, float]:
    """Ours and plain ripgrep's time for the same words, in turn."""
    from codeintel_index.tools.binaries import find_rg

    ours, plain = [], []
    for name in names:
        ours.append(timed(lambda name=name: search(name)))
        command = [str(find_rg()), "--no-config", "--json", "--hidden", "-g", "!.git", "-F", "-e", name, "--", "./"]
        plain.append(timed(lambda command=command: subprocess.run(command, cwd=root, capture_output=True, check=False)))
    return {"text_ms": p50(ours), "rg_ms": p50(plain)}


def unchanged(index: object) -> float:
    """Milliseconds of a sync that finds nothing; what it starts in the background ends before the next one."""
    took = timed(index.sync)  # type: ignore[attr-defined]
    index.wait_dense()  # type: ignore[attr-defined]
    return took


def edited(index: object, root: Path, number: int) -> float:
    """Milliseconds from a file written to its new name found."""
    name = f"a_name_of_this_benchmark_{number}"
    (root / "edited.py").write_text(f"def {name}():\n    return {number}\n", encoding="utf-8")

    def find() -> None:
        index.sync()  # type: ignore[attr-defined]
        assert index.definitions(name)  # type: ignore[attr-defined]
        assert index.search(name, "forest").hits  # type: ignore[attr-defined]

    took = timed(find)
    index.wait_dense()  # type: ignore[attr-defined]
    (root / "edited.py").unlink()
    return took


def times(call: Callable[[int], object], rounds: int = ROUNDS) -> list[float]:
    """Milliseconds of each of the calls."""
    return [timed(lambda at=at: call(at)) for at in range(rounds)]


def timed(call: Callable[[], object]) -> float:
    """Milliseconds of one call."""
    began = time.perf_counter()
    call()
    return (time.perf_counter() - began) * 1000


def p50(values: list[float]) -> float:
    """The median."""
    return statistics.median(values)


def resident() -> float:
    """Memory of this process now, in MB."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


if __name__ == "__main__":
    part, place = sys.argv[1:]
    sys.stdout.write(json.dumps({"build": build, "ask": ask}[part](Path(place))))
