"""Which documents may bear on a request: found by the patterns of context.yml, ranked by shared words.

Runs before the index is there and must not wait for it, so it reads the documents themselves: at most
`MAX_FILES` of at most `MAX_BYTES` each, scored by how rare the words are that they share with the request.
"""

import math
import re
import subprocess
from collections import Counter
from fnmatch import fnmatch
from functools import partial
from pathlib import Path

from codeintel_index.errors import IndexFault
from codeintel_index.paths import confine
from codeintel_index.tools.binaries import GIT, quiet_environment
from codeintel_server.projectconfig import Context

MAX_FILES = 400
MAX_BYTES = 64 * 1024
OFFERED = 5
_WORD = re.compile(r"[^\W_]{3,}")
_COMMON = frozenset(
    {
        "the",
        "and",
        "for",
        "with",
        "that",
        "this",
        "from",
        "into",
        "when",
        "what",
        "how",
        "why",
        "add",
        "are",
        "not",
        "should",
        "does",
    }
)


def find_documents(root: Path, context: Context, query: str) -> tuple[str, ...]:
    """Paths of documents that share a telling word with the query, best first, at most five."""
    wanted = set(_words(query)) - _COMMON
    texts = {path: Counter(_words(f"{path} {_text(root / path)}")) for path in _candidates(root, context)}
    rarity = {word: math.log(1 + len(texts) / (1 + sum(word in bag for bag in texts.values()))) for word in wanted}
    scores = {path: sum(rarity[word] for word in wanted if bag[word]) for path, bag in texts.items()}
    ranked = sorted((path for path, score in scores.items() if score > 0), key=lambda path: (-scores[path], path))
    return tuple(ranked[:OFFERED])


def _candidates(root: Path, context: Context) -> list[str]:
    folders = [folder for folder in map(partial(_confined, root), context.docs_path) if folder]
    listed = _listed(root, folders) if folders else []
    kept = [path for path in listed if _fits(path, context.include) and not _fits(path, context.exclude)]
    return kept[:MAX_FILES]


def _confined(root: Path, folder: str) -> str:
    """A folder of documents as a path below the root; "" for what is none, or leads out of the project."""
    try:
        path = confine(root, folder)
    except IndexFault:
        return ""
    return (path or ".") if (root / path).is_dir() else ""


def _listed(root: Path, folders: list[str]) -> list[str]:
    command = [*GIT, "--literal-pathspecs", "ls-files", "-z", "-co", "--exclude-standard", "--", *folders]
    done = subprocess.run(
        command,
        cwd=root,
        env=quiet_environment(),
        capture_output=True,
        stdin=subprocess.DEVNULL,
        check=False,
        timeout=20,
    )
    if done.returncode == 0:
        return sorted(name for name in done.stdout.decode("utf-8", "replace").split("\0") if name)
    found = (path for folder in folders for path in (root / folder).rglob("*") if path.is_file())
    return sorted(path.relative_to(root).as_posix() for path in found)


def _fits(path: str, globs: tuple[str, ...]) -> bool:
    return any(fnmatch(path, glob) or fnmatch(path, glob.removeprefix("**/")) for glob in globs)


def _text(path: Path) -> str:
    if path.is_symlink() or not path.is_file():
        return ""
    with path.open("rb") as file:
        return file.read(MAX_BYTES).decode("utf-8", "replace")


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]
