"""Precision and recall of the index's symbols against parsers that are not tree-sitter's.

    python scripts/symbol_truth/measure.py LANGUAGE FOLDER... [--differences N]

Both sides name facts: path, name, line, group. Files that the truth cannot read are left out and counted.
The other parsers are looked for on PATH and, for Node's, on NODE_PATH; docs/languages.md says what each language needs.
"""

import argparse
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from truths import TRUTHS, Fact, Language

from codeintel_index.languages.table import find_language, language_id
from codeintel_index.syntax.parsing import parse
from codeintel_index.syntax.tree import LONGEST_LINE

MOST_BYTES = 1_000_000  # as the index has it


def main() -> None:
    """Print one row of Markdown, and the differences if asked."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("language", choices=sorted(TRUTHS))
    options.add_argument("folders", nargs="+", type=Path)
    options.add_argument("--differences", type=int, default=0, metavar="N")
    given = options.parse_args()
    language = TRUTHS[given.language]
    paths = [path for folder in given.folders for path in files(folder, language)]
    truth, unread = language.read(paths)
    unread |= {path for path in paths if len(truth.get(path, [])) > (most_symbols(path) or sys.maxsize)}
    read = [path for path in paths if path not in unread]
    started = time.process_time()
    found = {path: symbols(path, language) for path in read}
    speed = sum(Path(path).stat().st_size for path in read) / max(time.process_time() - started, 1e-9) / 1e6
    missing, extra = compare(truth, found, language)
    total = sum(len({(f.name, f.line, f.group) for f in truth.get(path, [])}) for path in read)
    named = sum(map(len, found.values()))
    sys.stdout.write(
        f"| {given.language} | {language.by} | {len(read)} | {len(unread)} | {total} | {named} "
        f"| {1 - len(extra) / max(named, 1):.4f} | {1 - len(missing) / max(total, 1):.4f} | {speed:.1f} |\n"
    )
    for title, facts in (("missing", missing), ("extra", extra)):
        for fact in facts[: given.differences]:
            sys.stderr.write(f"  {title}: {fact.path}:{fact.line} {fact.group} {fact.name}\n")


def most_symbols(path: str) -> int | None:
    """How many symbols of such a file are kept: a longer one is a table, not a document."""
    row = find_language(path)
    return row.most if row else None


def files(folder: Path, language: Language) -> Iterable[str]:
    """The tracked or plain files of a language below a folder that are not too large for the index to read them."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and language_id(path.name) in language.ids:
            data = path.read_bytes()
            if len(data) <= MOST_BYTES and b"\0" not in data and max(map(len, data.split(b"\n"))) <= LONGEST_LINE:
                yield str(path)


def symbols(path: str, language: Language) -> list[tuple[Fact, int]]:
    """The index's facts about a file, each with the last line of the symbol."""
    found = parse(path, Path(path).read_bytes()).symbols
    facts = [
        (language.fact(path, each.name, each.line, language.groups[each.kind]), each.end_line)
        for each in found
        if each.kind in language.groups
    ]
    return list(dict.fromkeys(facts)) if language.lines else facts


def compare(
    truth: dict[str, list[Fact]], found: dict[str, list[tuple[Fact, int]]], language: Language
) -> tuple[list[Fact], list[Fact]]:
    """What the index lacks and what it has too much of. Clauses of a function count as found within its lines."""
    missing: list[Fact] = []
    extra: list[Fact] = []
    for path, ours in found.items():
        theirs = dict.fromkeys(truth.get(path, []))
        if not language.lines:
            known, named = Counter(truth.get(path, [])), Counter(fact for fact, _ in ours)
            missing += (known - named).elements()
            extra += (named - known).elements()
            continue
        missing += [fact for fact in theirs if not any(_covers(each, last, fact, language) for each, last in ours)]
        extra += [fact for fact, _ in ours if fact not in theirs]
    return missing, extra


def _covers(ours: Fact, last: int, fact: Fact, language: Language) -> bool:
    if (ours.name, ours.group) != (fact.name, fact.group):
        return False
    return ours.line == fact.line or (language.clauses and ours.line <= fact.line <= last)


if __name__ == "__main__":
    try:
        main()
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        sys.exit(f"the truth could not be had: {error}")
