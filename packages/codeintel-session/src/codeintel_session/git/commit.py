"""The session's commit: exactly the given paths, from a temporary index so that the user's index cannot be damaged.

Hooks see the temporary index, as they do with `git commit --only`. Only after the commit are its paths set in the
user's index; whatever else is staged there stays staged. A commit that fails has changed nothing.
"""

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import takewhile
from textwrap import indent

from codeintel_session.git import content
from codeintel_session.git.branch_status import keep_tip
from codeintel_session.git.faults import CommitFailed, GitFailed, PathRefused
from codeintel_session.git.index import Entry, index_info, set_entries, staged_entries, touched, tree_entries
from codeintel_session.git.names import HEADS, SESSION_TRAILER, checked, names_in, nul, session_word, with_trailers
from codeintel_session.git.refs import Move, move
from codeintel_session.git.snapshot import TemporaryIndex, temporary_index
from codeintel_session.git.trees import LINK
from codeintel_session.git.worktree import WorkTree

_CHECKED = (0, 1)  # exit codes of check-ignore: some paths are ignored, none is


def commit_paths(
    tree: WorkTree,
    paths: Sequence[str],
    message: str,
    session_id: str,
    known: Collection[str] = (),
    left_out: Sequence[str] = (),
    base_commit: str = "",
    contents: Mapping[str, str] | None = None,
) -> str:
    """Commit the present versions of these paths, and the base's versions of those left out; return the commit."""
    head = tree.head()
    text = with_trailers(message, [f"{SESSION_TRAILER}: {session_word(session_id)}"])
    wanted = _committable(tree, paths)
    with temporary_index(tree, keep_objects=True) as index:
        index.load(head)
        try:
            index.stage(wanted)
        except GitFailed as failed:
            raise CommitFailed(failed.output) from failed
        _check_contents(index, contents or {})
        _leave_out(index, left_out, base_commit)
        is_unchanged = not index.differs(head)
        if is_unchanged and (not known or head in known or _is_from_session(tree, head, session_id)):
            return _resume_commit(tree, head, session_id)
        _commit(index, text, *(["--allow-empty"] if is_unchanged else []))
    return _update_user_index(tree)


def _leave_out(index: TemporaryIndex, paths: Sequence[str], base_commit: str) -> None:
    """Restore the base's versions of paths that others committed."""
    if paths:
        base = tree_entries(index.tree, index.tree.known_commit(base_commit))
        index.put(index_info([base.get(path, Entry(path)) for path in paths], index.tree.id_width))


def _check_contents(index: TemporaryIndex, contents: Mapping[str, str]) -> None:
    """Refuse paths that changed after they were judged."""
    if not contents:
        return
    staged = staged_entries(index.tree, index.env)
    if changed := sorted(path for path, text in contents.items() if staged.get(path, Entry(path)).text != text):
        raise CommitFailed("changed while the submission was judged: " + ", ".join(changed))


def fold(tree: WorkTree, branch: str, session_id: str) -> tuple[str, str] | None:
    """Make the session's newest commits on its branch one commit; return it and the trash ref that keeps them.

    Its tree is that of the last, author and message are those of the first; what the later ones say is listed above its
    trailers. Commits of others end the row.
    """
    tip = tree.known_commit(HEADS + branch)
    own = set(trailed(tree, tip, SESSION_TRAILER, session_word(session_id)))
    history = [
        line.split(" ")
        for line in tree.git.read("rev-list", "--first-parent", "--parents", tip, "--").text.splitlines()
    ]
    row = list(takewhile(lambda line: line[0] in own and len(line) == 2, history))
    if len(row) < 2:
        return None
    first, parent = row[-1]
    form = tree.git.read("show", "-s", "--format=%an%x00%ae%x00%ad%x00%B", "--date=raw", first, "--").text
    name, mail, date, message = form.split("\0", 3)
    env = {"GIT_AUTHOR_NAME": name, "GIT_AUTHOR_EMAIL": mail, "GIT_AUTHOR_DATE": date}
    later = tree.git.read("show", "-s", "--format=%B%x00", *(line[0] for line in reversed(row[:-1])), "--").text
    text = _with_list(message, later.split("\0")).encode("utf-8", "surrogateescape")
    words = ("commit-tree", *tree.signing(), f"{tip}^{{tree}}", "-p", parent, "-F", "-")
    made = tree.git.write(*words, stdin=text, env=env).text
    keep_tip(tree, branch)
    move(tree, Move(HEADS + branch, tip, made))
    return made, keep_tip(tree, branch)


def _with_list(message: str, later: Iterable[str]) -> str:
    """Return a message of the session with others, each once, as a list above its last paragraph, the trailers.

    Trailers of the others that it lacks are added.
    """
    head, _, own = message.rstrip().rpartition("\n\n")
    parts = [each.strip().rpartition("\n\n") for each in later]
    said = dict.fromkeys(text for text, _, _ in parts if text not in ("", head, head.partition("\n")[0]))
    listed = [f"- {indent(text, '  ').lstrip()}" for text in said]
    # Blank lines are around a body; subjects alone are a list of lines.
    apart = "\n\n" if any("\n" in each for each in listed) else "\n"
    of_others = (line for _, _, last in parts for line in last.splitlines() if not line.startswith("Code-Intel-"))
    trailers = dict.fromkeys((*own.splitlines(), *of_others))
    return "\n\n".join(part for part in (head, apart.join(listed), "\n".join(trailers)) if part)


def _is_from_session(tree: WorkTree, commit: str, session_id: str) -> bool:
    return bool(trailed(tree, commit, SESSION_TRAILER, session_id, "--max-count=1"))


def session_commits(tree: WorkTree, base_commit: str, session_id: str) -> list[str]:
    """List the commits since the base that carry the session's trailer, newest first."""
    base = tree.known_commit(base_commit)
    return trailed(tree, f"{base}..{tree.head()}", SESSION_TRAILER, session_word(session_id))


def trailed(tree: WorkTree, span: str, trailer: str, value: str, *more: str) -> list[str]:
    """List the commits of a range (of object ids) that carry a trailer with this value."""
    form = f"%H%x1f%(trailers:key={trailer},valueonly,separator=%x1f)%x1e"
    listed = tree.git.read("rev-list", "--no-commit-header", f"--format={form}", *more, span, "--").out
    records = (record.strip().split("\x1f") for record in os.fsdecode(listed).split("\x1e"))
    return [record[0] for record in records if value in record[1:]]


def _committable(tree: WorkTree, paths: Sequence[str]) -> list[str]:
    """Return the paths without duplicates.

    Raises CommitFailed: one of them must not be committed, or a merge or rebase is under way.
    """
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
    # "./" because this command has no literal pathspecs, and a name may begin like a magic one.
    present = [f"./{path}" for path in paths if content.exists(tree.root, path)]
    found = tree.git.probe("check-ignore", "-z", "--stdin", stdin=nul(present))
    if found.status not in _CHECKED:
        raise CommitFailed(found.output)
    if found.out:
        raise PathRefused(names_in(found.out)[0].removeprefix("./"), "ignored by git")


def _refuse_repositories(tree: WorkTree, paths: Sequence[str]) -> None:
    """Refuse nested repositories that are not registered submodules, and every path inside any of them."""
    for path in paths:
        if content.is_inside_repository(tree.root, path):
            raise PathRefused(path, "inside a nested repository")
    inner = [path for path in paths if content.is_repository(tree.root, path)]
    known = staged_entries(tree) if inner else {}
    for path in inner:
        if path not in known or known[path].mode != LINK:
            raise PathRefused(path, "a nested repository")


def _commit(index: TemporaryIndex, text: str, *options: str) -> None:
    words = ("commit", "--quiet", "--no-status", "--cleanup=whitespace", *options, "-F", "-")
    try:
        done = index.tree.git.attempt(*words, stdin=text.encode("utf-8", "surrogateescape"), env=index.env)
    except GitFailed as failed:
        raise CommitFailed(failed.output) from failed
    if done.status != 0:
        raise CommitFailed(done.output)


def _update_user_index(tree: WorkTree) -> str:
    """Set the paths of the newest commit in the user's index; return that commit."""
    head = tree.head()
    try:
        set_entries(tree, [new for _, new in touched(tree, head)])
    except GitFailed as failed:
        raise CommitFailed(f"committed as {head}, but the index could not be written: {failed.output}") from failed
    return head


def _resume_commit(tree: WorkTree, head: str, session_id: str) -> str:
    """Recognize a commit that was made before a crash, and finish setting its paths in the user's index."""
    if not _is_from_session(tree, head, session_id):
        raise CommitFailed("nothing to commit: these paths are as in the last commit")
    if tree.git.probe("rev-parse", "--verify", "--quiet", f"{head}^").status == 0:
        staged = staged_entries(tree)
        left = [new for old, new in touched(tree, head) if staged.get(old.path, Entry(old.path)) == old]
        set_entries(tree, left)
    return head
