"""The user's branches, tags, notes and stashes: which no longer hold what they held, moved on, or are new.

One that moved on from its commit holds it still. A task branch is the server's: it goes when its session is merged or
given up, and its commits are lost only if no ref at all holds them, as the server keeps in the trash what it deletes.
What is in the trash is the user's to give up, and so is the log of what was checked out.
"""

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from codeintel_contract import read_file
from codeintel_session.git.names import HEADS, TASK_PREFIX, TRASH
from codeintel_session.git.worktree import WorkTree, is_object

STASH = "refs/stash"
REMOTES = "refs/remotes/"
MOST = 200
"""Refs that are kept, the newest first, and stashes."""
_TAGS, _LOG = "refs/tags/", "logs/HEAD"
_UNDER = (HEADS, _TAGS, "refs/notes/", STASH, TRASH, "refs/*")
"""Of the last kind, refs without a folder, git takes `refs/main` for what `main` means."""
_EXPECTED = (HEADS + TASK_PREFIX, TRASH)
_LOG_BYTES, _LOGGED = 1_000_000, 20
"""Size of a log that is read, and its newest entries that are kept."""
_REF_BYTES = 1000
_POINTS = re.compile(r"(?:ref: (?P<ref>refs/\S+)|(?P<id>[0-9a-f]{40,64}))\s*\Z")
_OF_GIT = re.compile(r"[A-Z_]+|shallow")
"""Files of git's own that hold an object."""

Refs = Mapping[str, tuple[str, ...]]


def user_refs(tree: WorkTree) -> dict[str, tuple[str, ...]]:
    """Return the newest refs, each with its commit; the stashes with all of theirs."""
    listed = _listed(tree)
    found = {ref: held[:1] for ref, held in [*listed.items()][:MOST]}
    if STASH in listed:
        stashes = _logged(tree.common_dir / "logs" / STASH)
        found[STASH] = tuple(dict.fromkeys([*listed[STASH][:1], *reversed(stashes)]))[:MOST]
    return found | {_LOG: tuple(dict.fromkeys(_logged(tree.git_dir / _LOG)[-_LOGGED:]))}


@dataclass(frozen=True, slots=True)
class MovedRefs:
    """Refs that are gone or hold their commit no longer, with that commit, and refs that moved on, with the new one.

    New ones are not known where there were more at first than are kept.
    """

    lost: tuple[tuple[str, str], ...] = ()
    grown: tuple[tuple[str, str], ...] = ()
    new: tuple[tuple[str, str], ...] = ()


def moved_refs(tree: WorkTree, before: Refs) -> MovedRefs:
    """Compare the refs with what they were. Task branches are expected to grow."""
    now = _listed(tree)
    lost = [(ref, commit) for ref, commits in before.items() for commit in _lost(tree, ref, commits, now.get(ref, ()))]
    kept = {ref: held[0] for ref, held in now.items() if ref in before and ref not in dict(lost)}
    grown = [(ref, at) for ref, at in kept.items() if at != before[ref][0] and not ref.startswith(_EXPECTED)]
    others = [(ref, held[0]) for ref, held in now.items() if ref not in before and not ref.startswith(_EXPECTED)]
    return MovedRefs(tuple(lost), tuple(grown), tuple(others) if len(before.keys() - {_LOG}) < MOST else ())


def remote_refs(tree: WorkTree, commits: Sequence[str]) -> list[tuple[str, str]]:
    """List the remote-tracking branches that contain one of some commits, each with its own newest commit.

    Git is not asked where no folder can hold one that was fetched or pushed meanwhile.
    """
    if not commits or not any((tree.common_dir / place).is_dir() for place in (REMOTES, "reftable")):
        return []
    words = (f"--contains={commit}" for commit in commits)
    found = tree.git.read("for-each-ref", "--format=%(refname) %(objectname)", *words, REMOTES).text
    return [(ref, at) for ref, _, at in (line.rpartition(" ") for line in found.splitlines())]


def _listed(tree: WorkTree) -> dict[str, tuple[str, ...]]:
    """Return each ref with its object and, to spare a question about most that moved, the parents of that."""
    newest = tree.git.probe("for-each-ref", "--sort=-creatordate", _form("%(objectname) %(parent)"), *_UNDER)
    # One ref that names no object makes git fail, unless it need not look at any.
    found = newest if newest.status == 0 else tree.git.read("for-each-ref", _form("%(objectname)"), *_UNDER)
    rows = (line.split("\0") for line in found.text.split("\n") if line)
    listed = {ref: tuple(commits.split()) for ref, commits in rows}
    names = {ref.removeprefix(kind) for kind in (HEADS, _TAGS) for ref in listed if ref.startswith(kind)}
    return listed | _beside(tree, names)


def _beside(tree: WorkTree, names: set[str]) -> dict[str, tuple[str, ...]]:
    """Return the files of git's own folder that git takes for a branch or a tag, before the ref of that name."""
    with suppress(OSError), os.scandir(tree.common_dir) as entries:
        names = names | {entry.name for entry in entries if entry.is_file() and not _OF_GIT.fullmatch(entry.name)}
    found: dict[str, tuple[str, ...]] = {}
    for name in sorted(names):
        with suppress(OSError):
            points = _POINTS.match(os.fsdecode(read_file(None, tree.common_dir / name, _REF_BYTES)))
            if points is not None:
                held = points["id"] or tree.commit(points["ref"]) or points["ref"]
                found[f"{tree.common_dir.name}/{name}"] = (held,)
    return found


def _form(fields: str) -> str:
    return f"--format=%(refname)%00{fields}"


def _lost(tree: WorkTree, ref: str, commits: tuple[str, ...], held: tuple[str, ...]) -> list[str]:
    if ref == _LOG:
        logged = _logged(tree.git_dir / _LOG, lacking=commits)
        return [commit for commit in commits if commit not in logged]
    missing = [commit for commit in commits if commit not in held]
    if ref == STASH:
        return _not_stashed(tree, missing, is_empty=not held)
    missing = [commit for commit in missing if not (held and tree.contains(commit, held[0]))]
    if ref.startswith(HEADS + TASK_PREFIX):
        return [commit for commit in missing if not _is_held(tree, commit)]
    return missing


def _is_held(tree: WorkTree, commit: str) -> bool:
    return bool(tree.git.probe("for-each-ref", "--count=1", f"--contains={commit}").out)


def _not_stashed(tree: WorkTree, commits: list[str], *, is_empty: bool) -> list[str]:
    logged = [] if is_empty else _logged(tree.common_dir / "logs" / STASH)
    left = [commit for commit in commits if commit not in logged]
    if not left or is_empty:
        return left
    # Git keeps the log elsewhere than in a file, or in one that is too long.
    listed = tree.git.probe("log", "-g", "--format=%H", STASH, "--").text.split()
    return [commit for commit in left if commit not in listed]


def _logged(log: Path, lacking: Sequence[str] = ()) -> Sequence[str]:
    """Return the commits that a log names, oldest first; none if there is no such file, `lacking` if it is too long."""
    try:
        text = os.fsdecode(read_file(None, log, _LOG_BYTES))
    except FileNotFoundError:
        return []
    except OSError:
        return lacking
    words = (line.split(" ", 2) for line in text.split("\n") if line)
    return [row[1] for row in words if len(row) > 1 and is_object(row[1])]
