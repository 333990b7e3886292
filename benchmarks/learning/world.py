"""A shop whose functions are worked on again and again: a real git repository, and tasks in several wordings.

Each task has a request, a paraphrase of it, and a near miss: a request in nearly the same words for another function.
"""

import csv
from dataclasses import dataclass
from pathlib import Path

from codeintel_session.testing import Repo, make_repo

TABLE = Path(__file__).with_name("tasks.tsv")


@dataclass(frozen=True, slots=True)
class Task:
    """Work on `symbol` in `path`. `near` is the symbol that the near miss is about, `near_ask` how that is asked."""

    path: str
    symbol: str
    ask: str
    again: str
    near: str
    near_ask: str


def rows() -> list[dict[str, str]]:
    """The table of tasks."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def tasks(count: int | None = None) -> list[Task]:
    """The first tasks of the table."""
    names = ("file", "symbol", "ask", "again", "near_symbol", "near_ask")
    return [Task(*(row[name] for name in names)) for row in rows()[:count]]


def make(root: Path, count: int | None = None) -> Repo:
    """A repository with the functions that the tasks are about."""
    files: dict[str, str] = {"shop/__init__.py": "", ".gitignore": ".code-intel\n"}
    for row in rows()[:count]:
        text = function(row["symbol"], row["body"]) + function(row["near_symbol"], row["near_body"])
        files[row["file"]] = files.get(row["file"], "") + text
    return make_repo(root, files)


def function(name: str, body: str) -> str:
    """A function of this name whose statements are separated by semicolons in `body`."""
    return "".join([f"def {name}(*given):\n", *(f"    {line}\n" for line in body.split("; ")), "\n\n"])


def edit(root: Path, path: str, symbol: str, number: int) -> str:
    """Add a statement at the head of a function; returns the evidence for it, `path:line`."""
    lines = (root / path).read_text(encoding="utf-8").split("\n")
    at = next(n for n, line in enumerate(lines) if line.startswith(f"def {symbol}("))
    lines.insert(at + 1, f'    trace("{symbol}", {number})')
    (root / path).write_text("\n".join(lines), encoding="utf-8")
    return f"{path}:{at + 2}"


# What time does to code. Each takes a repository and the place of a function.


def delete(root: Path, path: str, symbol: str) -> None:
    """The function is gone."""
    _replace(root, path, symbol, "")


def rename(root: Path, path: str, symbol: str) -> None:
    """The function has another name, and a new one elsewhere has taken its old one."""
    text = _text(root, path, symbol)
    _replace(root, path, symbol, text.replace(f"def {symbol}(", f"def {symbol}_v2("))
    _add(root, "shop/legacy.py", f"def {symbol}(*given):\n    raise RuntimeError(moved_to, documentation)\n")


def move(root: Path, path: str, symbol: str) -> None:
    """The function stands in another file, as it was."""
    _add(root, "shop/moved.py", _text(root, path, symbol))
    _replace(root, path, symbol, "")


def reuse(root: Path, path: str, symbol: str) -> None:
    """The name stands where it stood and means another thing."""
    _replace(root, path, symbol, f"def {symbol}(*given):\n    return metrics.histogram(bins, percentile=99)\n")


def _text(root: Path, path: str, symbol: str) -> str:
    text = (root / path).read_text(encoding="utf-8")
    start = text.index(f"def {symbol}(")
    end = text.find("\ndef ", start)
    return text[start : end + 1 if end >= 0 else len(text)]


def _replace(root: Path, path: str, symbol: str, new: str) -> None:
    text = (root / path).read_text(encoding="utf-8")
    (root / path).write_text(text.replace(_text(root, path, symbol), new), encoding="utf-8")


def _add(root: Path, path: str, text: str) -> None:
    known = (root / path).read_text(encoding="utf-8") if (root / path).exists() else ""
    (root / path).write_text(f"{known}{text.rstrip()}\n\n\n", encoding="utf-8")
