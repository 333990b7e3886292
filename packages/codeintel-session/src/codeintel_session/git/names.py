"""Names of task branches, trash refs and paths. Only valid names reach git.

A task branch is called `llm_task_{session_id}_from_{base}`, with `/` in the base written as `__`. That cannot always be
reversed (a base may contain `__`), so the configuration keeps the true base and the name is the fallback.
"""

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from codeintel_session.git.faults import GitFault, PathRefused

TASK_PREFIX = "llm_task_"
HEADS = "refs/heads/"
TRASH = "refs/codeintel/trash/"
OWN_FOLDER = ".code-intel"
SESSION_TRAILER = "Code-Intel-Session"
SQUASH_TRAILER = "Code-Intel-Merged"
VERIFIED_TRAILER = "Code-Intel-Verified"
DOUBTS_TRAILER = "Code-Intel-Doubts"

_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_TASK = re.compile(TASK_PREFIX + r"(?P<session>.+?)_from_(?P<base>.+)")
_TRAILER_LINE = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*: \S.*")


def session_word(session_id: str) -> str:
    """Return the session's id. Raises GitFault: it cannot be part of a ref and of a trailer."""
    if not _SESSION.fullmatch(session_id) or "_from_" in session_id:
        raise GitFault(f"not a session id: {session_id!r}")
    return session_id


def encode_base(base: str) -> str:
    """Return a base branch as a task branch's name contains it."""
    return base.replace("/", "__")


def task_branch(session_id: str, base: str) -> str:
    """Return the name of a session's task branch."""
    return f"{TASK_PREFIX}{session_word(session_id)}_from_{encode_base(base)}"


def session_of(task: str) -> str | None:
    """Return the session's id in a task branch's name."""
    found = _TASK.fullmatch(task)
    return found["session"] if found else None


def base_among(task: str, branches: Iterable[str]) -> str | None:
    """Return the branch that a task branch's name refers to; of several, the one with the most slashes."""
    found = _TASK.fullmatch(task)
    if found is None:
        return None
    fitting = [name for name in branches if encode_base(name) == found["base"] and name != task]
    return max(fitting, key=lambda name: (name.count("/"), name), default=None)


def checked(paths: Sequence[str]) -> list[str]:
    """Return the paths without duplicates. Raises PathRefused: one lies outside the work tree or in `.git`."""
    for path in paths:
        parts = PurePosixPath(path).parts
        if not path or path != "/".join(parts) or path.startswith("/") or "\0" in path:
            raise PathRefused(path, "not a path relative to the top of the repository")
        if ".." in parts or any(part.lower() == ".git" for part in parts):
            raise PathRefused(path, "not a path of the work tree")
    return list(dict.fromkeys(paths))


def with_trailers(message: str, trailers: Sequence[str]) -> str:
    """Return the message with the trailers added to its last block of trailers, or as a new block."""
    if not message.strip() or "\0" in message:
        raise GitFault("a commit message must contain text, and no NUL")
    body = message.strip()
    last = body.split("\n\n")[-1].splitlines()
    joined = "\n\n" in body and all(_TRAILER_LINE.fullmatch(line) for line in last)
    return body + ("\n" if joined else "\n\n") + "\n".join(trailers) + "\n"


def nul(paths: Iterable[str]) -> bytes:
    """Return paths as standard input for a command with `-z`."""
    return b"".join(os.fsencode(path) + b"\0" for path in paths)


def names_in(printed: bytes) -> list[str]:
    """Return the names, or the rows, that a command with `-z` printed."""
    return os.fsdecode(printed).split("\0")[:-1]
