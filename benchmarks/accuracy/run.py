"""How right the symbols of the index are, against compilers, and how many names that people write are answered.

    uv run python benchmarks/accuracy/run.py REPOSITORY … [--typescript …] [--prism …] [--go …] [--clang …]

A REPOSITORY is a checkout, with its history for the names. `README.md` says what each column means.
"""

import argparse
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from truth import NEEDS_TOOL, SUFFIXES, Row, definitions, rough_definitions, tracked

from codeintel_index import Index, IndexConfig, NotAFile
from codeintel_index.results import Symbol

LINES = 200
COMMITS = 4000
CHANGELOGS = re.compile(r"(?:^|/)(?:CHANGE\w*|HISTORY|NEWS|RELEASES?)[^/]*\.(?:md|rst|txt)$", re.IGNORECASE)
_PART = r"[A-Za-z_$][\w$]*[?!]?"
_QUALIFIED = re.compile(rf"(?<![\w./@$-]){_PART}(?:(?:\.|::|\#){_PART})+(?![\w/-])")
_CALLED = re.compile(rf"(?<![\w./@$#:-])({_PART})\(\)")
_TICKED = re.compile(rf"(?<!`)`({_PART}(?:(?:\.|::|\#){_PART})*)(?:\(\))?`(?!`)")
_FILE = re.compile(r"\.(?:py|js|ts|go|rb|h|cc|cpp|java|md|rst|txt|json|ya?ml|toml|html|com|org|io|dev|net|xml|cfg)$")


def language_of(root: Path, tools: Mapping[str, Path]) -> str:
    """Name the language of most files, "" where its parser is not given."""
    counts = Counter(Path(path).suffix for path in tracked(root))
    best = max(SUFFIXES, key=lambda each: sum(counts[suffix] for suffix in SUFFIXES[each]))
    return "" if best in NEEDS_TOOL and best not in tools else best


def symbols_of(index: Index, path: str) -> list[Symbol]:
    """List the symbols of a file; a compiler also reads what the index takes for a binary file."""
    try:
        return list(index.symbols(path))
    except NotAFile:
        return []


def score_definitions(index: Index, truth: Sequence[Row], misses: int) -> str:
    """Recall and precision of definitions; a definition is found where a symbol of its name is on its line."""
    found: dict[str, set[tuple[int, str]]] = {}
    wanted: defaultdict[str, set[tuple[int, str]]] = defaultdict(set)
    for row in truth:
        wanted[row.path].add((row.line, row.name))
    missed: defaultdict[str, list[Row]] = defaultdict(list)
    of_kind: Counter[str] = Counter()
    for row in truth:
        if row.path not in found:
            found[row.path] = {(each.line, each.name.strip("#")) for each in symbols_of(index, row.path)}
        of_kind[row.kind] += 1
        if (row.line, row.name.strip("#")) not in found[row.path]:
            missed[row.kind].append(row)
    for kind, rows in sorted(missed.items(), key=lambda each: -len(each[1])) if misses else ():
        shown = ", ".join(
            f"{row.path}:{row.line} {row.name}" for row in random.Random(1).sample(rows, min(misses, len(rows)))
        )
        sys.stderr.write(f"  missed {len(rows)} of {of_kind[kind]} {kind}: {shown}\n")
    extra = [
        (path, each)
        for path, names in found.items()
        for each in names
        if each not in {(line, name.strip("#")) for line, name in wanted[path]}
    ]
    if misses:
        shown = ", ".join(
            f"{path}:{line} {name}" for path, (line, name) in random.Random(1).sample(extra, min(misses, len(extra)))
        )
        sys.stderr.write(f"  not in truth {len(extra)}: {shown}\n")
    recall = 1 - sum(map(len, missed.values())) / max(1, len(truth))
    precision = 1 - len(extra) / max(1, sum(map(len, found.values())))
    return f"{len(truth)} | {recall:.3f} | {precision:.3f}"


def score_enclosing(index: Index, truth: Sequence[Row], misses: int) -> str:
    """How often the innermost callable around a random line is the one the compiler names."""
    callables = [row for row in truth if row.callable and row.end > row.start]
    chosen = random.Random(7).choices(callables, k=LINES) if callables else []
    right = 0
    for row in chosen:
        line = random.Random(f"{row.path}{row.start}").randint(row.start, row.end)
        around = [each for each in callables if each.path == row.path and each.start <= line <= each.end]
        expected = min(around, key=lambda each: (each.end - each.start, -each.start))
        answer = index.function_at(row.path, line) if symbols_of(index, row.path) else None
        chain = [*answer.enclosing, answer.symbol] if answer else []
        kinds = ("function", "method", "constructor", "test", "property")
        inner = next((each for each in reversed(chain) if each.kind in kinds and each.end_line > each.line), None)
        here = next(iter(chain[-1:]), None)
        is_right = any(
            each is not None and (each.name, each.line) == (expected.name, expected.line) for each in (inner, here)
        )
        right += is_right
        if misses and not is_right:
            got = f"{inner.name}:{inner.line}" if inner else "nothing"
            sys.stderr.write(
                f"  {row.path}:{line} is in {expected.name}:{expected.line} ({expected.kind}), not {got}\n"
            )
    return f"{right / len(chosen):.3f}" if chosen else "-"


def written_names(root: Path) -> Counter[str]:
    """Names as people wrote them in commit messages and changelogs."""
    command = ["git", "-C", str(root), "log", "--no-merges", f"-n{COMMITS}", "--format=%B"]
    texts = [subprocess.run(command, check=True, capture_output=True, text=True, errors="replace").stdout]
    texts += [(root / path).read_text("utf-8", "replace") for path in tracked(root) if CHANGELOGS.search(path)]
    names: Counter[str] = Counter()
    for text in texts:
        for line in text.split("\n"):
            if "://" in line or line.startswith(("Co-", "Signed-")):
                continue
            for pattern in (_QUALIFIED, _CALLED, _TICKED):
                names.update(match[match.lastindex or 0] for match in pattern.finditer(line))
    return Counter({name: count for name, count in names.items() if not _FILE.search(name) and len(name) > 2})


def score_names(index: Index, root: Path, truth: Sequence[Row], misses: int) -> str:
    """How many written names whose last part the repository defines are answered with one of those definitions."""
    places: defaultdict[str, set[tuple[str, int]]] = defaultdict(set)
    for row in truth:
        places[row.name.strip("#")].add((row.path, row.line))
    asked = [name for name in sorted(written_names(root)) if places.get(re.split(r"[.#:]+", name)[-1])]
    failed: list[str] = []
    by_last = 0
    for name in asked:
        found = index.definitions(name, limit=50)
        if not any((each.path, each.line) in places[re.split(r"[.#:]+", name)[-1]] for each in found):
            failed.append(name)
        by_last += getattr(found, "matched", "") == "last_name"
    if misses:
        sys.stderr.write(
            f"  unanswered {len(failed)}: {', '.join(random.Random(2).sample(failed, min(5 * misses, len(failed))))}\n"
        )
    return f"{len(asked)} | {1 - len(failed) / max(1, len(asked)):.3f} | {by_last / max(1, len(asked)):.3f}"


def report(root: Path, tools: Mapping[str, Path], misses: int) -> Iterable[str]:
    """Yield the row of one repository."""
    language = language_of(root, tools)
    truth = definitions(root, language, tools) if language else rough_definitions(root)
    config = IndexConfig(embedding_model="off")
    with tempfile.TemporaryDirectory() as folder, Index.open(root, replace(config, data_dir=Path(folder))) as index:
        index.sync()
        sys.stderr.write(f"{root.name}\n")
        compiled = "- | - | - | -"
        if language:
            compiled = f"{score_definitions(index, truth, misses)} | {score_enclosing(index, truth, misses)}"
        yield f"| {root.name} | {compiled} | {score_names(index, root, truth, misses)} |"


def main() -> None:
    """Print a table with a row for each repository."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repositories", nargs="+", type=Path)
    for language, option, needed in (
        ("script", "--typescript", "a folder in which `npm install typescript` was run"),
        ("ruby", "--prism", "a folder in which `npm install @ruby/prism` was run"),
        ("go", "--go", "the go command"),
        ("cpp", "--clang", "Python of an environment in which `pip install libclang` was run"),
    ):
        parser.add_argument(option, type=Path, dest=language, help=needed)
    parser.add_argument("--misses", type=int, default=0, help="show so many misses of each kind")
    arguments = parser.parse_args()
    sys.stdout.write(
        "| repository | definitions | recall | precision | enclosing | names | answered | by last name |\n"
    )
    sys.stdout.write("|---|---|---|---|---|---|---|---|\n")
    tools = {each: place.absolute() for each in NEEDS_TOOL if (place := getattr(arguments, each))}
    for root in arguments.repositories:
        sys.stdout.writelines(f"{row}\n" for row in report(root.resolve(), tools, arguments.misses))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
