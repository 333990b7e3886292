"""docs/security.md: how the guard does on its corpora, and what it misses of them, between two marks.

Tests hold `missed.txt`, `independent.json`, `seventh.json` and `eighth.json` to what the guard does.
"""

import json
from pathlib import Path
from typing import Any

from docs_pages import between_marks

CASES = Path(__file__).parents[2] / "packages/codeintel-server/tests/guard"
LATER = ("seventh", "eighth")


def guard(page: Path) -> str:
    """The page with today's figures."""
    corpus = json.loads((CASES / "independent.json").read_text(encoding="utf-8"))
    missed = (CASES / "missed.txt").read_text(encoding="utf-8").splitlines()
    for name in LATER:
        later = json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))
        corpus[name] = later["ways"]
        corpus["everyday"] |= {f"of the {name} round": later["everyday"]}
        corpus["missed"] |= {f"Of the {name} round: {why}": cases for why, cases in later["missed"].items()}
    lines = [*figures(corpus), "", "What passes of the eight rounds:", "", *reasons(corpus)]
    return between_marks(page, [*lines, "", "What passes of the makers' own ways:", "", "```text", *missed, "```"])


def figures(corpus: dict[str, Any]) -> list[str]:
    """Return the table: what was denied when the guard first met it, and what is denied now."""
    missed = {json.dumps(case) for cases in corpus["missed"].values() for case in cases}
    found = ["| round | kind | ways | denied at first | denied now |", "|---|---|---|---|---|"]
    for part in ("first", "second", "third", "fourth", "fifth", "sixth", *LATER):
        rows = []
        for kind, given in corpus[part].items():
            cases = [json.dumps(case) for case in (*given["denied"], *given["passed"])]
            rows.append((kind, len(cases), len(given["denied"]), len(cases) - len(missed & set(cases))))
        rows.append(("all", *(sum(row[at] for row in rows) for at in (1, 2, 3))))
        found += [
            f"| {part} | {kind} | {ways} | {share(at_first, ways)} | {share(now, ways)} |"
            for kind, ways, at_first, now in rows
        ]
    free = list(corpus["everyday"].values())
    count = sum(len(given["denied"]) + len(given["passed"]) for given in free)
    found.append(f"| everyday calls | all | {count} | {sum(len(given['denied']) for given in free)} | 0 |")
    return found


def share(part: int, whole: int) -> str:
    """Return a number with its share of another."""
    return f"{part} ({100 * part / whole:.1f} %)"


def reasons(corpus: dict[str, Any]) -> list[str]:
    """Return the ways that pass, under the reason why."""
    found = ["```text"]
    for why, cases in corpus["missed"].items():
        names = (case if isinstance(case, str) else f"{case[0]} {json.dumps(case[1])}" for case in cases)
        found += [f"# {why}", *names]
    return [*found, "```"]
