"""Where a session's branch stands: against the commit that was reviewed, its base, and the last look at it.

Only the server is expected to commit on a task branch, but people and agents do. So every tip that was seen is kept
by a ref of the server's own, and when history is rewritten or the branch is gone, that tip goes to the trash first.
"""

import os
from dataclasses import dataclass

from codeintel_session.adapters.git.names import HEADS, OWN_FOLDER
from codeintel_session.adapters.git.refs import Move, move, trash_name
from codeintel_session.adapters.git.worktree import WorkTree

TIPS = "refs/codeintel/tips/"
MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Standing:
    """A task branch against the reviewed commit. `commits` are "id subject" of those after it, newest first.

    `own` are the paths that the reviewed commit changes of the base. `late` are paths the branch holds otherwise than
    that, unless its base brought them; `gone` means that of the reviewed work nothing is left, or that it was
    rewritten and lacks a part.
    """

    own: tuple[str, ...] = ()
    late: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Tips:
    """Where a session's refs stand: "" for none. `here` says whether HEAD stands on the branch."""

    here: bool
    branch: str
    base: str
    noted: str


def tips(tree: WorkTree, branch: str, base: str) -> Tips:
    """Look at all of them at once: this is asked at every submission."""
    names = [HEADS + branch, HEADS + base, TIPS + branch]
    listed = tree.git.read("for-each-ref", "--format=%(HEAD)%(refname) %(objectname)", *names).text
    found = {line[1:].rpartition(" ")[0]: (line[0] == "*", line.rpartition(" ")[2]) for line in listed.splitlines()}
    here, tip = found.get(HEADS + branch, (False, ""))
    return Tips(here, tip, found.get(HEADS + base, (False, ""))[1], found.get(TIPS + branch, (False, ""))[1])


def standing(tree: WorkTree, task: str, base: str, reviewed: str, since: str) -> Standing:
    """Compare a branch's tip with the reviewed commit; what came before `since` is not of this session."""
    tip, base_tip = tree.known_commit(HEADS + task), tree.tip(base)
    if base_tip is None:  # the merge will refuse it
        return Standing()
    fork = _fork(tree, reviewed, base_tip)
    own = _differing(tree, fork, reviewed)
    if fork != since:
        own &= _differing(tree, since, reviewed)
    if tip == reviewed:
        return Standing(own=tuple(sorted(own)))
    differing = _differing(tree, reviewed, tip)
    brought = differing - _differing(tree, _fork(tree, tip, base_tip), tip)
    lost = own & brought
    whole = tree.contains(reviewed, tip)
    return Standing(
        own=tuple(sorted(own)),
        late=tuple(sorted(differing - (brought - own))),
        commits=between(tree, reviewed, tip, base_tip),
        gone=bool(lost) and (lost == own or not whole),
    )


def between(tree: WorkTree, old: str, new: str, *without: str) -> tuple[str, ...]:
    """Name the newest commits that one side has and the other has not: short id and subject."""
    span = [new, *(f"^{commit}" for commit in (old, *without))]
    listed = tree.git.read("log", f"--max-count={MOST_NAMED}", "--format=%h %s", *span, "--")
    return tuple(os.fsdecode(listed.out).splitlines())


def followed(tree: WorkTree, base_commit: str, branch: str, base: str) -> str:
    """Give the newest commit of the base that HEAD holds, if it goes on from the base commit; else the base commit.

    On a task branch it comes with a merge or a rebase; in place, with a pull, so there what was published counts.
    """
    source = HEADS + base if branch != base else _published(tree, base)
    tip = tree.commit(source) if source else None
    if tip is None or tip == base_commit or not tree.contains(base_commit, tip):
        return base_commit
    found = _fork(tree, tree.head(), tip)
    return found if tree.contains(base_commit, found) else base_commit


def keep_tip(tree: WorkTree, branch: str) -> str:
    """Note where a branch stands; what it held at the last look and lacks now goes to the trash. Gives that ref."""
    note = TIPS + branch
    last, tip = tree.commit(note), tree.tip(branch)
    if last == tip:
        return ""
    lacking = last is not None and (tip is None or not tree.contains(last, tip))
    kept = trash_name(tree, branch) if lacking else ""
    moves = [Move(kept, "", last)] if kept and last else []
    move(tree, *moves, Move(note, last or "", tip or ""))
    return kept


def forget_tip(tree: WorkTree, branch: str) -> None:
    """Drop the note of a branch that is about to go; what it held once and lost since is in the trash then."""
    if tree.commit(TIPS + branch) is not None:
        keep_tip(tree, branch)
        move(tree, Move(TIPS + branch, tree.tip(branch) or "", ""))


def _differing(tree: WorkTree, old: str, new: str) -> set[str]:
    words = ("diff-tree", "-r", "-z", "--name-only", "--no-renames", "--ignore-submodules=none", old, new, "--")
    names = os.fsdecode(tree.git.read(*words, ".", f":(exclude){OWN_FOLDER}").out).split("\0")[:-1]
    return set(names)


def _fork(tree: WorkTree, one: str, other: str) -> str:
    """Give the commit at which two histories parted; one of the two where they share nothing."""
    found = tree.git.probe("merge-base", one, other)
    return found.text if found.status == 0 else other


def _published(tree: WorkTree, branch: str) -> str:
    """Give the full name of the remote branch that a branch follows, "" if it follows none."""
    form = tree.git.read("for-each-ref", "--format=%(upstream)", HEADS + branch).text if branch else ""
    return form if form.startswith("refs/remotes/") else ""
