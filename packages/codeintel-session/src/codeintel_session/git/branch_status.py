"""The status of a session's branch: compared with the reviewed commit, its base, and the last check.

Only the server is expected to commit on a task branch, but people and agents do too. So the server keeps the last known
tip under a ref of its own, and when history is rewritten or the branch is deleted, that tip is moved to the trash.
"""

import os
from dataclasses import dataclass

from codeintel_session.git.names import HEADS, names_in
from codeintel_session.git.refs import Move, move, trash_name
from codeintel_session.git.worktree import WorkTree

TIPS = "refs/codeintel/tips/"
MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class BranchStatus:
    """A task branch compared with the reviewed commit. `commits` are "id subject" of the later ones, newest first.

    `own` are the paths in which the reviewed commit differs from the base. `late` are the paths in which the branch
    differs from the reviewed commit, except for changes that came from its base. Both leave out the server's own
    folder, which no diff shows: what differs there is in `settings`. `gone` means that nothing of the reviewed work is
    left, or that history was rewritten and a part of it is missing.
    """

    own: tuple[str, ...] = ()
    late: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    gone: bool = False
    in_base: bool = False  # the base contains the reviewed commit: a merge that was cut off has moved it already
    base_moved: bool = False  # the base has commits that the branch lacks


@dataclass(frozen=True, slots=True)
class Tips:
    """The commits of a session's refs, "" for a missing one; `known` is the tip at the last check."""

    is_checked_out: bool
    branch: str
    base: str
    known: str


def tips(tree: WorkTree, branch: str, base: str) -> Tips:
    """Read all tips with one command, because every submission needs them."""
    names = [HEADS + branch, HEADS + base, TIPS + branch]
    listed = tree.git.read("for-each-ref", "--format=%(HEAD)%(refname) %(objectname)", *names).text
    found = {line[1:].rpartition(" ")[0]: (line[0] == "*", line.rpartition(" ")[2]) for line in listed.splitlines()}
    (is_checked_out, tip), (_, base_tip), (_, known) = (found.get(name, (False, "")) for name in names)
    return Tips(is_checked_out, tip, base_tip, known)


def branch_status(tree: WorkTree, found: Tips, task: str, reviewed: str, since: str) -> BranchStatus:
    """Compare a branch's tip with the reviewed commit; changes before the commit `since` are not the session's."""
    tip, base_tip = found.branch or tree.known_commit(HEADS + task), found.base
    if not base_tip:  # the merge will refuse it
        return BranchStatus()
    fork = _fork(tree, reviewed, base_tip)
    own = _differing(tree, fork, reviewed)
    if fork != since:
        own &= _differing(tree, since, reviewed)
    settings = {path for path in own if tree.is_own(path)}
    own -= settings
    if tip == reviewed:
        return BranchStatus(
            own=tuple(sorted(own)),
            settings=tuple(sorted(settings)),
            in_base=fork == reviewed,
            base_moved=fork != base_tip,
        )
    differing = _differing(tree, reviewed, tip)
    from_base = differing - _differing(tree, _fork(tree, tip, base_tip), tip)
    late = differing - (from_base - own)
    late_settings = {path for path in late if tree.is_own(path)}
    lost = own & from_base
    is_complete = tree.contains(reviewed, tip)
    return BranchStatus(
        own=tuple(sorted(own)),
        late=tuple(sorted(late - late_settings)),
        settings=tuple(sorted(settings | late_settings)),
        commits=commits_between(tree, tip, reviewed, base_tip),
        in_base=fork == reviewed,
        gone=bool(lost) and (lost == own or not is_complete),
        base_moved=_fork(tree, tip, base_tip) != base_tip,
    )


def commits_between(tree: WorkTree, new: str, *without: str) -> tuple[str, ...]:
    """List the newest commits that `new` contains and `without` do not, by short id and subject.

    Commits of `without` that are gone count as nothing.
    """
    span = [new, *(f"^{commit}" for commit in without)]
    listed = tree.git.read("log", "--ignore-missing", f"--max-count={MOST_NAMED}", "--format=%h %s", *span, "--")
    return tuple(os.fsdecode(listed.out).splitlines())


def followed(tree: WorkTree, base_commit: str, branch: str, base: str) -> str:
    """Return the newest commit of the base that HEAD contains, if it descends from the base commit; else that commit.

    On a task branch such a commit arrives with a merge or a rebase; in place, with a pull, so there the upstream branch
    counts.
    """
    source = HEADS + base if branch != base else _upstream(tree, base)
    tip = tree.commit(source) if source else None
    if tip is None or tip == base_commit or not tree.contains(base_commit, tip):
        return base_commit
    found = _fork(tree, tree.head(), tip)
    return found if tree.contains(base_commit, found) else base_commit


def keep_tip(tree: WorkTree, branch: str) -> str:
    """Record the tip of a branch; return the trash ref of commits it lost since the last check, or ""."""
    found = tips(tree, branch, branch)
    lost, trash_ref = _lost(tree, branch, found)
    if found.known != found.branch:
        move(tree, *lost, Move(TIPS + branch, found.known, found.branch))
    return trash_ref


def forget_tip(tree: WorkTree, branch: str) -> list[Move]:
    """Return the moves that drop the known tip of a branch; commits it lost since the last check go to the trash."""
    found = tips(tree, branch, branch)
    return [*_lost(tree, branch, found)[0], Move(TIPS + branch, found.known, "")] if found.known else []


def _lost(tree: WorkTree, branch: str, found: Tips) -> tuple[list[Move], str]:
    """Return the move that keeps commits a branch lost since the last check, and the trash ref; none and "" if none."""
    last, tip = found.known, found.branch
    if not last or last == tip or (tip and tree.contains(last, tip)):
        return [], ""
    trash_ref = trash_name(tree, branch)
    return [Move(trash_ref, "", last)], trash_ref


def own_commits(tree: WorkTree, task: str, base: str | None) -> list[str]:
    """List the commits of a branch that its base lacks, newest first; without a base, those of no other branch."""
    tip = tree.known_commit(HEADS + task)
    base_tip = tree.tip(base) if base else None
    others = [f"^{commit}" for name, commit in tree.branches().items() if name != task]
    less = [f"^{base_tip}"] if base_tip else others
    return tree.git.read("rev-list", tip, *less, "--").text.split()


def own_changes(tree: WorkTree, task: str, base: str | None) -> str:
    """Return the commits of a branch by subject, and the size of its change of each file, for a person to read."""
    commits = own_commits(tree, task, base)
    if not commits:
        return ""
    fork = fork_of(tree, task, base)
    subjects = tree.git.read(
        "log", f"--max-count={len(commits[:20])}", "--format=  %h %s", commits[0], f"^{fork}", "--"
    )
    stat = tree.git.read("diff", "--no-ext-diff", "--no-textconv", "--stat=100", fork, commits[0], "--")
    return os.fsdecode(subjects.out + stat.out).rstrip()


def fork_of(tree: WorkTree, task: str, base: str | None) -> str:
    """Return the commit at which a branch left its base; the parent of its first own commit if there is no base."""
    tip = tree.known_commit(HEADS + task)
    base_tip = tree.tip(base) if base else None
    if base_tip is not None:
        return _fork(tree, tip, base_tip)
    commits = own_commits(tree, task, base)
    parent = tree.git.probe("rev-parse", "--verify", "--quiet", f"{commits[-1]}^") if commits else None
    return (parent.text or commits[-1]) if parent else tip


def _differing(tree: WorkTree, old: str, new: str) -> set[str]:
    words = ("diff-tree", "-r", "-z", "--name-only", "--no-renames", "--ignore-submodules=none", old, new)
    return set(names_in(tree.git.read(*words, "--").out))


def _fork(tree: WorkTree, one: str, other: str) -> str:
    """Return the commit at which two histories diverged; `other` if they share none."""
    found = tree.git.probe("merge-base", one, other)
    return found.text if found.status == 0 else other


def _upstream(tree: WorkTree, branch: str) -> str:
    """Return the full name of the remote branch that a branch tracks, "" if it tracks none."""
    name = tree.git.read("for-each-ref", "--format=%(upstream)", HEADS + branch).text if branch else ""
    return name if name.startswith("refs/remotes/") else ""
