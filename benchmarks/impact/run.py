"""Impact analysis against real commits: of the files that changed together, how many does one of them point at?

    uv run python benchmarks/impact/run.py REPOSITORY … [--commits 12] [--seed 1] [--misses]

A REPOSITORY is a git repository, bare or not; it is cloned to a temporary folder and never written to. A case is one
source file of a commit that touched two to five of them; it is analyzed in the state before that commit, with no
history but what came before it. What has to be found are the commit's other source files.
"""

import argparse
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median

from codeintel_index import Index, IndexConfig
from codeintel_index.languages.table import DATA_LANGUAGES, language_id
from codeintel_index.results import Impact
from codeintel_index.tools.binaries import find_rg

RECENT = 600  # commits to choose from
MIN_FILES, MAX_FILES = 2, 5
FIRST = 5  # a reader may stop here
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? ", re.MULTILINE)


@dataclass(frozen=True)
class Case:
    """A file to analyze at `parent`, and the files that its commit changed as well."""

    commit: str
    parent: str
    target: str
    others: tuple[str, ...]


@dataclass(frozen=True)
class Outcome:
    """One list of files as an answer to a case."""

    files: tuple[str, ...]
    case: Case

    def recall(self, first: int | None = None) -> float:
        """The part of the other files that is in the list, or in its first so many files."""
        return sum(path in self.files[:first] for path in self.case.others) / len(self.case.others)


def git(place: Path, *arguments: str) -> str:
    """What git prints."""
    return subprocess.run(["git", "-C", str(place), *arguments], check=True, capture_output=True, text=True).stdout


def is_source(path: str) -> bool:
    """Whether a file holds code in a language that is parsed."""
    return language_id(path) not in ("", *DATA_LANGUAGES)


def cases(place: Path, count: int, seed: int) -> list[Case]:
    """Cases of `count` commits drawn from the recent ones, oldest first."""
    form = "--format=%x00%H %P"
    log = git(place, "log", "--no-merges", "--no-renames", "--diff-filter=M", "--name-only", form, f"-n{RECENT}")
    fitting = []
    for entry in log.split("\0")[1:]:
        head, *paths = entry.split("\n")
        commit, _, parent = head.partition(" ")
        sources = [path for path in paths if path and is_source(path)]
        if parent and MIN_FILES <= len(sources) <= MAX_FILES:
            fitting.append((commit, parent, sources))
    chosen = random.Random(seed).sample(range(len(fitting)), min(count, len(fitting)))
    return [
        Case(commit, parent, target, tuple(path for path in sources if path != target))
        for commit, parent, sources in (fitting[number] for number in sorted(chosen, reverse=True))
        for target in sources
    ]


def stem_matches(place: Path, target: str) -> tuple[str, ...]:
    """The baseline: files in which the target's name without its suffix occurs."""
    stem = Path(target).name.partition(".")[0]
    command = [find_rg() or "rg", "--no-config", "--files-with-matches", "--fixed-strings", "--sort=path"]
    done = subprocess.run([*command, f"--regexp={stem}", "--", "./"], cwd=place, capture_output=True, text=True)
    paths = (line.removeprefix("./") for line in done.stdout.splitlines())
    return tuple(path for path in paths if path != target and is_source(path))


def changed_lines(place: Path, case: Case) -> list[tuple[int, int]]:
    """The lines of the target that its commit replaced, numbered as before; of an insertion those beside it."""
    patch = git(place, "diff", "--unified=0", "--no-color", case.parent, case.commit, "--", case.target)
    found = []
    for match in _HUNK.finditer(patch):
        start, count = int(match[1]), int(match[2] or 1)
        found.append((start, start + count - 1) if count else (max(1, start), start + 1))
    return found


def listed(found: Impact) -> tuple[str, ...]:
    """Source files in the order in which a reader meets them: what is likely, then what uses the change."""
    items = (*found.likely_to_change, *found.must_verify)
    return tuple(dict.fromkeys(item.path for item in items if is_source(item.path)))


def run(place: Path, wanted: Sequence[Case]) -> Iterator[tuple[Case, Impact, tuple[str, ...], float]]:
    """Each case with the analysis, the baseline's list and the seconds that the analysis took."""
    parent = ""
    with Index.open(place, IndexConfig(embedding_model="off")) as index:
        for case in wanted:
            if case.parent != parent:
                parent = case.parent
                git(place, "checkout", "--quiet", "--force", "--detach", parent)
                index.sync()
            started = time.perf_counter()
            found = index.impact([case.target], changed={case.target: changed_lines(place, case)})
            took = time.perf_counter() - started
            yield case, found, stem_matches(place, case.target), took


def figures(outcomes: Sequence[Outcome]) -> str:
    """Recall in the first files, of all, precision, and the length of the lists."""
    lengths = [len(each.files) for each in outcomes]
    right = sum(path in each.case.others for each in outcomes for path in each.files)
    short, whole = (mean(each.recall(first) for each in outcomes) for first in (FIRST, None))
    return f"{short:.2f} | {whole:.2f} | {right / max(1, sum(lengths)):.2f} | {mean(lengths):.1f}"


def tally(case: Case, found: Impact, named: Counter[str], right: Counter[str]) -> None:
    """Count the files named for each reason, and those of them that the commit changed."""
    for list_, items in (("likely", found.likely_to_change), ("must", found.must_verify)):
        for item in items:
            if is_source(item.path):
                named[f"{list_}: {item.reason}"] += 1
                right[f"{list_}: {item.reason}"] += item.path in case.others


def report(repository: Path, count: int, seed: int, misses: bool, named: Counter[str], right: Counter[str]) -> None:
    """Print the row of one repository."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "project"
        git(repository, "clone", "--quiet", "--shared", "--no-checkout", ".", str(place))
        try:
            done = list(run(place, cases(place, count, seed)))
        except subprocess.CalledProcessError as error:
            sys.stderr.write(f"{repository}: left out, {error.stderr.strip()}\n")
            return
    if not done:
        sys.stderr.write(f"{repository}: no commit fits\n")
        return
    for case, found, _, _ in done:
        tally(case, found, named, right)
    must = [Outcome(tuple(item.path for item in found.must_verify), case) for case, found, _, _ in done]
    full = [Outcome(listed(found), case) for case, found, _, _ in done]
    likely = [Outcome(tuple(item.path for item in found.likely_to_change), case) for case, found, _, _ in done]
    plain = [Outcome(stems, case) for case, _, stems, _ in done]
    for each in full if misses else ():
        missed = " ".join(sorted(set(each.case.others) - set(each.files))) or "nothing"
        sys.stderr.write(f"{each.case.commit[:10]} {each.case.target}: {len(each.files)} named, missed: {missed}\n")
    p50 = median(seconds for *_, seconds in done) * 1000
    name = repository.parent.name if repository.name in ("repo", "repo.git") else repository.name
    columns = (name, len(done), figures(likely), figures(must), figures(plain))
    sys.stdout.write("| " + " | ".join(map(str, columns)) + f" | {p50:.0f} |\n")
    sys.stdout.flush()


def main() -> None:
    """Print a table with a row for each repository."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--commits", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--misses", action="store_true")
    arguments = parser.parse_args()
    lists = " | ".join(
        f"{each}: first 5 | all | precision | files" for each in ("likely to change", "must verify", "rg")
    )
    sys.stdout.write(f"| repository | cases | {lists} | p50 ms |\n{'|---' * 15}|\n")
    named: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for repository in arguments.repositories:
        report(repository, arguments.commits, arguments.seed, arguments.misses, named, right)
    for reason, count in named.most_common():
        sys.stdout.write(f"{reason}: {right[reason]} of {count} changed\n")


if __name__ == "__main__":
    main()
