"""The session's commit: exactly the given paths, made in a scratch index so that the user's index cannot be hurt.

The hooks see the scratch index, as they do with `git commit --only`. Only when the commit stands are its paths set
in the user's index; whatever else is staged there stays staged. A commit that fails has touched nothing.
"""

import os
from collections.abc import Collection, Sequence

from codeintel_session.adapters.git import content
from codeintel_session.adapters.git.faults import CommitFailed, GitFailed, PathRefused
from codeintel_session.adapters.git.index import (
    Entry,
    index_info,
    set_entries,
    staged_entries,
    touched,
    tree_entries,
)
from codeintel_session.adapters.git.names import SESSION_TRAILER, checked, nul, session_word, with_trailers
from codeintel_session.adapters.git.rawdiff import MODULE
from codeintel_session.adapters.git.scratch import Scratch, scratch
from codeintel_session.adapters.git.worktree import WorkTree

_ANSWERS = (0, 1)  # some are ignored, none is


def commit_paths(
    tree: WorkTree,
    paths: Sequence[str],
    message: str,
    session_id: str,
    known: Collection[str] = (),
    left_out: Sequence[str] = (),
    base_commit: str = "",
) -> str:
    """Commit the present versions of these paths, and the base's of those left out; give the commit."""
    head = tree.head()
    text = with_trailers(message, [f"{SESSION_TRAILER}: {session_word(session_id)}"])
    wanted = _committable(tree, paths)
    with scratch(tree, keep_objects=True) as box:
        box.load(head)
        try:
            box.stage(wanted)
        except GitFailed as failed:
            raise CommitFailed(failed.output) from failed
        _leave_out(box, left_out, base_commit)
        is_held = box.write_tree() == tree.git.read("rev-parse", f"{head}^{{tree}}").text
        if is_held and (not known or head in known or _is_of(tree, head, session_id)):
            return _already(tree, head, session_id)
        _commit(box, text, *(["--allow-empty"] if is_held else []))
    return _adopted(tree)


def _leave_out(box: Scratch, paths: Sequence[str], base_commit: str) -> None:
    """Put paths that others committed back to what the base holds."""
    if paths:
        base = tree_entries(box.tree, box.tree.known_commit(base_commit))
        box.put(index_info([base.get(path, Entry(path)) for path in paths], len(base_commit)))


def _is_of(tree: WorkTree, commit: str, session_id: str) -> bool:
    return bool(trailed(tree, commit, SESSION_TRAILER, session_id, "--max-count=1"))


def session_commits(tree: WorkTree, base_commit: str, session_id: str) -> list[str]:
    """List commits since the base that carry the session's trailer, newest first."""
    base = tree.known_commit(base_commit)
    return trailed(tree, f"{base}..{tree.head()}", SESSION_TRAILER, session_word(session_id))


def trailed(tree: WorkTree, span: str, trailer: str, value: str, *more: str) -> list[str]:
    """List commits of a span (made of object ids) that carry a trailer with this value."""
    form = f"%H%x1f%(trailers:key={trailer},valueonly,separator=%x1f)%x1e"
    listed = tree.git.read("rev-list", "--no-commit-header", f"--format={form}", *more, span, "--").out
    records = (record.strip().split("\x1f") for record in os.fsdecode(listed).split("\x1e"))
    return [record[0] for record in records if value in record[1:]]


def _committable(tree: WorkTree, paths: Sequence[str]) -> list[str]:
    """Give the paths back if every one may be committed."""
    if (doing := tree.under_way()) is not None:
        raise CommitFailed(f"{doing} is under way; finish or abort it first")
    try:
        wanted = checked(paths)
        _refuse_repositories(tree, wanted)
        _refuse_ignored(tree, wanted)
    except PathRefused as refused:
        raise CommitFailed(str(refused)) from refused
    return wanted


def _refuse_ignored(tree: WorkTree, paths: Sequence[str]) -> None:
    # "./" because this command knows no literal pathspecs, and a name may begin like a magic one.
    standing = [f"./{path}" for path in paths if content.stands(tree.root, path)]
    found = tree.git.probe("check-ignore", "-z", "--stdin", stdin=nul(standing))
    if found.status not in _ANSWERS:
        raise CommitFailed(found.said)
    if found.out:
        raise PathRefused(os.fsdecode(found.out).split("\0")[0].removeprefix("./"), "ignored by git")


def _refuse_repositories(tree: WorkTree, paths: Sequence[str]) -> None:
    """Refuse repositories of their own that are no registered submodules, and everything inside any."""
    for path in paths:
        if content.is_inside_repository(tree.root, path):
            raise PathRefused(path, "inside a repository of its own")
    inner = [path for path in paths if content.is_repository(tree.root, path)]
    known = staged_entries(tree) if inner else {}
    for path in inner:
        if path not in known or known[path].mode != MODULE:
            raise PathRefused(path, "a repository of its own")


def _commit(box: Scratch, text: str, *options: str) -> None:
    words = ("commit", "--quiet", "--no-status", "--cleanup=whitespace", *options, "-F", "-")
    try:
        said = box.tree.git.attempt(*words, stdin=text.encode("utf-8", "surrogateescape"), env=box.env)
    except GitFailed as failed:
        raise CommitFailed(failed.output) from failed
    if said.status != 0:
        raise CommitFailed(said.said)


def _adopted(tree: WorkTree) -> str:
    """Set the paths of the newest commit in the user's index."""
    head = tree.head()
    try:
        set_entries(tree, [new for _, new in touched(tree, head)])
    except GitFailed as failed:
        raise CommitFailed(f"committed as {head}, but the index could not be written: {failed.output}") from failed
    return head


def _already(tree: WorkTree, head: str, session_id: str) -> str:
    """Recognise the commit as done before, and finish what may have been cut off after it."""
    if not _is_of(tree, head, session_id):
        raise CommitFailed("nothing to commit: these paths stand as in the last commit")
    if tree.git.probe("rev-parse", "--verify", "--quiet", f"{head}^").status == 0:
        staged = staged_entries(tree)
        left = [new for old, new in touched(tree, head) if staged.get(old.path, Entry(old.path)) == old]
        set_entries(tree, left)
    return head
