"""Names: of task branches, of trash refs, of paths. What is not a good name never reaches git.

A task branch is called `llm_task_{session_id}_from_{base}`, with `/` in base written `__`. That cannot always be
read back (a base may hold `__` itself), so the true base is kept in the configuration and the name is the fallback.
"""

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from codeintel_session.adapters.git.faults import GitFault, PathRefused

TASK_PREFIX = "llm_task_"
HEADS = "refs/heads/"
TRASH = "refs/codeintel/trash/"
OWN_FOLDER = ".code-intel"
SESSION_TRAILER = "Code-Intel-Session"
SQUASH_TRAILER = "Code-Intel-Merged"

_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_TASK = re.compile(TASK_PREFIX + r"(?P<session>.+?)_from_(?P<base>.+)")
_TRAILER_LINE = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*: \S.*")


def session_word(session_id: str) -> str:
    """Give the session's id back if it can stand in a ref and in a trailer."""
    if not _SESSION.fullmatch(session_id) or "_from_" in session_id:
        raise GitFault(f"not a session id: {session_id!r}")
    return session_id


def written(base: str) -> str:
    """Write a base branch the way it stands in a task branch's name."""
    return base.replace("/", "__")


def task_branch(session_id: str, base: str) -> str:
    """Name the task branch of a session."""
    return f"{TASK_PREFIX}{session_word(session_id)}_from_{written(base)}"


def session_of(task: str) -> str | None:
    """Read the session's id out of a task branch's name."""
    found = _TASK.fullmatch(task)
    return found["session"] if found else None


def base_among(task: str, branches: Iterable[str]) -> str | None:
    """Find the branch a task branch's name speaks of; one with slashes wins over one with the same letters."""
    found = _TASK.fullmatch(task)
    if found is None:
        return None
    fitting = [name for name in branches if written(name) == found["base"] and name != task]
    return max(fitting, key=lambda name: (name.count("/"), name), default=None)


def checked(paths: Sequence[str]) -> list[str]:
    """Give the paths back, each once, if all lie in the work tree and none in `.git`."""
    for path in paths:
        parts = PurePosixPath(path).parts
        if not path or path != "/".join(parts) or path.startswith("/") or "\0" in path:
            raise PathRefused(path, "not a path relative to the top of the repository")
        if ".." in parts or any(part.lower() == ".git" for part in parts):
            raise PathRefused(path, "not a path of the work tree")
    return list(dict.fromkeys(paths))


def with_trailers(message: str, trailers: Sequence[str]) -> str:
    """Add trailers: to the block of trailers that ends the message, or as a block of their own."""
    if not message.strip() or "\0" in message:
        raise GitFault("a commit message must hold text, and no NUL")
    body = message.strip()
    last = body.split("\n\n")[-1].splitlines()
    joined = "\n\n" in body and all(_TRAILER_LINE.fullmatch(line) for line in last)
    return body + ("\n" if joined else "\n\n") + "\n".join(trailers) + "\n"


def nul(paths: Iterable[str]) -> bytes:
    """Paths as standard input for a command with `-z`."""
    return b"".join(os.fsencode(path) + b"\0" for path in paths)
