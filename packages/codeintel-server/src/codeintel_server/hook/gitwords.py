"""git on a command line while a session runs: which files it would change, and what it must not do at all.

The session commits, switches and merges itself; a move of HEAD or of a branch behind its back would lose or smuggle
work. Looking, staging, fetching and pushing pass.
"""

from collections.abc import Sequence

_TAKES_VALUE = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"})
FORBIDDEN: dict[str, str] = {
    "commit": "the session commits, in PRE_COMMIT",
    "merge": "the session merges, at its end",
    "rebase": "it would rewrite the session's branch",
    "reset": "it would move the session's branch or undo work",
    "cherry-pick": "it would add commits the session does not know",
    "revert": "it would add commits the session does not know",
    "am": "it would add commits the session does not know",
    "switch": "it would leave the session's branch",
    "stash": "it would take the work away",
    "clean": "it would delete files for good",
    "filter-branch": "it would rewrite history",
    "filter-repo": "it would rewrite history",
    "replace": "it would rewrite history",
    "read-tree": "it would change the index and the work tree",
    "checkout-index": "it would write files from the index",
    "bisect": "it would move HEAD",
    "pull": "it would merge; fetch only looks",
    "sparse-checkout": "it would take files away",
}
_HARMLESS = {
    "merge": ("--abort", "--quit"),
    "stash": ("list", "show"),
    "reset": (),
    "clean": ("--dry-run",),
    "bisect": ("log", "view"),
    "sparse-checkout": ("list",),
    "commit": ("--dry-run",),
}
_BRANCH_CHANGES = frozenset({"-d", "-D", "--delete", "-m", "-M", "--move", "-f", "--force", "-c", "-C", "--copy", "-u"})


def split(words: Sequence[str]) -> tuple[str, str, list[str]]:
    """The folder given by -C ("" for none), the sub-command, and the words after it."""
    folder, at = "", 0
    while at < len(words) and words[at].startswith("-"):
        if words[at] == "-C" and at + 1 < len(words):
            folder = words[at + 1]
        at += 2 if words[at] in _TAKES_VALUE else 1
    return folder, words[at] if at < len(words) else "", list(words[at + 1 :])


def forbidden(command: str, words: Sequence[str]) -> str:
    """Why a git command must not run while a session does, "" if it may."""
    if command == "clean" and any(word[:1] == "-" and word[:2] != "--" and "n" in word for word in words):
        return ""
    if command in FORBIDDEN:
        return "" if any(word in _HARMLESS.get(command, ()) for word in words) else FORBIDDEN[command]
    if command == "branch":
        return "it would change branches" if _BRANCH_CHANGES & set(words) else ""
    if command == "checkout":
        return "" if "--" in words or _is_restoring(words) else "it would leave the session's branch"
    if command == "update-ref" or (command == "symbolic-ref" and len(_plain(words)) > 1):
        return "it would move branches behind the session's back"
    if command == "config" and _sets(words):
        return "git's configuration belongs to the user"
    if command == "worktree" and words[:1] and words[0] not in ("list",):
        return "the session works in this work tree alone"
    return ""


def changed(command: str, words: Sequence[str]) -> list[str]:
    """The files that a git command would change; ["."] for all of them."""
    if command == "checkout":
        return list(words[words.index("--") + 1 :]) if "--" in words else _plain(words)
    if command in ("rm", "mv"):
        if {"--cached", "-n", "--dry-run"} & set(words):
            return []
        return _plain(words)
    if command == "restore":
        return [] if "--staged" in words and "--worktree" not in words else _plain(words) or ["."]
    return []


def _plain(words: Sequence[str]) -> list[str]:
    return [word for word in words if not word.startswith("-")]


def _is_restoring(words: Sequence[str]) -> bool:
    """`git checkout FILE`: a name with a suffix or a folder in it is taken for a file."""
    plain = _plain(words)
    return bool(plain) and not {"-b", "-B", "--orphan"} & set(words) and all("." in name for name in plain)


def _sets(words: Sequence[str]) -> bool:
    reading = {"--get", "--get-all", "--list", "-l", "--get-regexp", "get", "list", "--show-origin"}
    return not reading & set(words) and (len(_plain(words)) > 1 or "--unset" in words or "unset" in words)
