"""The annotated repositories: `repos.json` and one file of questions a repository, scored as that set's README says."""

import json
from dataclasses import dataclass
from pathlib import Path

from codeintel_index.evaluate.metrics import Target
from codeintel_index.evaluate.questions import Question


@dataclass(frozen=True)
class Repository:
    """One checkout with its questions; `categories` has one entry a question."""

    name: str
    language: str
    root: Path
    questions: tuple[Question, ...]
    categories: tuple[str, ...]


def load(questions: Path, checkouts: Path, only: list[str]) -> tuple[list[Repository], list[str]]:
    """The repositories that are checked out under `checkouts`, and the names of those that are not."""
    found: list[Repository] = []
    missing: list[str] = []
    for row in json.loads((questions / "repos.json").read_text(encoding="utf-8")):
        root = checkouts / row["name"] / (row["root"] or "")
        if only and row["name"] not in only:
            continue
        if not root.is_dir():
            missing.append(row["name"])
            continue
        asked = json.loads((questions / f"{row['name']}.json").read_text(encoding="utf-8"))
        found.append(
            Repository(
                row["name"],
                row["language"],
                root,
                tuple(Question(each["query"], _targets(each)) for each in asked),
                tuple(each["category"] for each in asked),
            )
        )
    return found, missing


def _targets(row: dict[str, list[str | dict[str, str]]]) -> tuple[Target, ...]:
    """Both kinds of answers count alike: NDCG has binary gain."""
    return tuple(_target(each) for each in (*row["relevant"], *row.get("secondary", ())))


def _target(each: str | dict[str, str]) -> Target:
    if isinstance(each, str):
        return Target(each)
    return Target(each["path"], int(each["start_line"]), int(each["end_line"]))
