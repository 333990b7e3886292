"""What a second reader needs and finds nowhere in the checkout: it is put beside it, or named.

Files that the user names and git ignores, work that they did not commit, the earlier version of what a diff hides, and
what changed in the user's folder and is in no diff. Of files that may hold secrets the values stay where they are.
"""

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from codeintel_contract import read_file
from codeintel_index import is_private, sign_of
from codeintel_server.redaction import redacted_diff
from codeintel_server.verification import environment
from codeintel_server.verification.checkout import Checkout
from codeintel_session import (
    AskedWords,
    GitFault,
    GitRepository,
    SessionState,
    changed_since,
    copies_of,
    ignored_since,
)

MOST_BESIDE, MOST_LISTED, MOST_LINES = 100, 500, 500
NAMED_BYTES, MOST_BYTES = 1_000_000, 16_000_000
"""Size of one file, and of all files of a folder beside the checkout."""
BEFORE = "before"
"""Folder of the project as it was before the change."""
TOLD_BESIDE = {
    "named": "Files that the user names are not in the checkout as they have them; they are in the folder named/:",
    "own": "The user's uncommitted work in these files is not in the checkout; it is in the folder named/:",
    "late": "Of these files some changed after the work began; if the request does not ask for that, name it:",
    "unseen": "Files that git ignores, and that no diff shows, changed after the work began; as they are now they are "
    "in the folder named/, unless they are large. If the request does not ask for that, name it:",
    "results": "Files in folders of results changed after the work began, as builds and tests change them; as they are "
    "now they are in the folder named/. If data of the user is lost in them, name it:",
    "gone": "Files that git ignores are gone or empty since the work began; if nobody asked for that, name it:",
    "early": "Uncommitted files changed after the request was typed and before the work began, by the user or by the "
    "agent; where that concerns the request, name it:",
    "withheld": "Files that may hold secrets are in the folder named/. There ... is in the place of a hidden value, or "
    "its sign if the user typed it; all else, asterisks too, is as in the file:",
    "left": "More files that the user names or has not committed are not shown; name it if they count:",
    "start": "The user had uncommitted work in these files, which the diff does not show apart; as they were when the "
    "work began, they are in the folder start/. If some of it is gone and the request does not ask for that, name it:",
    "earlier": "These files that git ignores changed or went after the work began; as they were when it began, they "
    "are in the folder start/, with ... in the place of values that may be secret. If something is lost that the "
    "request does not ask to lose, name it:",
    "before": f"What changed in some files is hidden below; as they were before, they are in the folder {BEFORE}/:",
    "encoded": "These files are not UTF-8 as a whole; their lines that are not are shown below as Latin-1:",
}
_NAME = re.compile(r"[\w@+./-]+")
_SETTING = re.compile(r"\s*(?:export\s+)?[\w.-]+\s*[=:]\s*")


class Laid(NamedTuple):
    """Paths by a key of `TOLD_BESIDE`, and when the user's files among them were changed (ns)."""

    told: dict[str, list[str]]
    seen: dict[str, int]


def lay_beside(place: Checkout, patches: Mapping[str, str], root: Path, state: SessionState, base: str) -> Laid:
    """Put files into folders beside the checkout, with which they go; return which. The whole base is one of these.

    The arguments are those of `read_change`.
    """
    call, folder = place.call, place.top.parent
    changed, results, gone, new = ignored_since(place.git, state)
    asked = list(islice(_named(root, call.request), 4 * MOST_LISTED))
    unseen = [*changed, *(path for path in new if path not in asked)]
    ignored = {*unseen, *results}
    names = dict.fromkeys((*asked, *unseen, *results))
    dirty = [path for path in sorted(state.dirty_at_start) if path not in patches and path not in names]
    work = {*dirty[:MOST_LISTED]}
    absent = [path for path in (*names, *dirty[:MOST_LISTED]) if _differs(root, place.root, path)]
    private = [path for path in absent if is_private(path)]
    settings = _settings_as(call.request)
    copied = _copied((path for path in absent if path not in private), root, folder / "named")
    withheld = _copied(private, root, folder / "named", settings)
    shown = [path for path in copied if path not in ignored]
    named, own = ([path for path in shown if (path in work) is is_work] for is_work in (False, True))
    was = place.lay_version(base, BEFORE)
    hidden = [path for path, patch in patches.items() if is_hidden(path, patch) and os.path.lexists(was / path)]
    begun = [path for path in sorted(patches) if path in state.dirty_at_start][:MOST_BESIDE]
    start = [path for path in begun if _put(place.git, state.dirty_at_start[path], path, folder / "start")]
    copies = copies_of(root, state)
    other = [path for path in state.ignored if _differs(copies, root, path)]
    earlier = _copied((path for path in other if not is_private(path)), copies, folder / "start")
    earlier += _copied((path for path in other if is_private(path)), copies, folder / "start", settings)
    given = {*copied, *withheld, *results}
    left = [*(path for path in absent if path not in given), *dirty[MOST_LISTED:]]
    fresh = [path for path in (*named, *withheld) if path not in ignored]
    told = {
        "named": named,
        "own": own,
        "late": list(changed_since(place.git, fresh, state.started_at)),
        "unseen": _bounded(unseen),
        "results": _bounded([path for path in copied if path in results]),
        "gone": _bounded(gone),
        "early": _bounded(state.changes_before),
        "withheld": withheld,
        "left": _bounded(left),
        "start": start,
        "earlier": _bounded(earlier),
        "before": _bounded(hidden, MOST_BESIDE),
    }
    return Laid(told, place.git.changed_at([path for path in (*copied, *withheld) if path not in results]))


def _bounded(paths: Collection[str], most: int = 20) -> list[str]:
    more = len(paths) - most
    return [*islice(paths, most), *([f"{more} more"] if more > 0 else [])]


def is_hidden(path: str, patch: str) -> bool:
    """Whether the diff of a file does not show all of it: it is binary, or holds secrets."""
    return "\nBinary files " in patch or redacted_diff(path, patch) != patch


def _named(root: Path, words: AskedWords) -> list[str]:
    """Return the files that the user's words name, relative to the project, and those below named folders."""
    texts = (*words.asked, words.told, *words.before)
    names = (name.lstrip("@") for text in texts for name in _NAME.findall(text))
    found: dict[str, None] = {}
    for name in filter(None, dict.fromkeys(name.rstrip("./") for name in names if "." in name[:-1] or "/" in name)):
        within = root / name
        if not within.is_relative_to(root) or not {"..", ".git"}.isdisjoint(within.parts):
            continue
        is_folder = within.is_dir() and not within.is_symlink()
        paths = _below(within) if is_folder else iter([within])
        found |= dict.fromkeys(path.relative_to(root).as_posix() for path in islice(paths, MOST_LISTED))
    return list(found)


def _below(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder and its folders, but none of dependencies, and none of git's own."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted({*folders} - environment.FOLDERS - environment.WRITTEN - {".git"})
        yield from (Path(place, name) for name in sorted(names) if name != ".git")


def _differs(root: Path, checkout: Path, path: str) -> bool:
    """Whether the user has a file otherwise than the checkout: ignored, new, or changed without a commit."""
    try:
        now = _begins(root, path)
    except OSError:  # none, or none of the project
        return False
    try:
        return _begins(checkout, path) != now
    except OSError:
        return True


def _begins(root: Path, path: str) -> tuple[bytes, int]:
    """Return the first bytes of a file and its size: what is longer is named and not copied."""
    return read_file(root, path, NAMED_BYTES, whole=False), (root / path).stat().st_size


def _put(git: GitRepository, entry: str, path: str, target: Path) -> bool:
    """Write a file as it was at the start below a folder; return whether there was one, and it may be shown."""
    with suppress(GitFault):
        if not is_private(path) and (data := git.contents(entry, NAMED_BYTES)):
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            (target / path).write_bytes(data)
            return True
    return False


def _settings_as(words: AskedWords) -> Callable[[bytes], bytes]:
    """Return what shows the names of settings, and of values those that the user typed or that hide nothing."""
    said = "\n".join((*words.asked, words.told, *words.before))

    def shown(line: str) -> str:
        name = _SETTING.match(line)
        value = line[name.end() :].strip().strip("\"'") if name else ""
        if name is None or not value:
            return f"{name[0]}\n" if name else ""
        if len({*value}) == 1 or re.search(rf"(?<!\w){re.escape(value)}(?!\w)", said):
            return f"{name[0]}{value}\n"
        sign = sign_of(value)
        return f"{name[0]}{sign if sign and sign in said else '...'}\n"

    return lambda data: "".join(map(shown, data.decode("utf-8", "replace").splitlines()[:MOST_LINES])).encode()


def _copied(paths: Iterable[str], source: Path, target: Path, shown: Callable[[bytes], bytes] = bytes) -> list[str]:
    """Copy a few files below another folder, but no large one and none outside of the first; return which."""
    found: list[str] = []
    left = MOST_BYTES
    for path in paths:
        if len(found) == MOST_BESIDE or left <= 0:
            break
        with suppress(OSError):
            data = read_file(source, path, NAMED_BYTES)
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            (target / path).write_bytes(shown(data))
            found.append(path)
            left -= len(data)
    return found
