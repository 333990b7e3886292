"""What a project is called on a Chroma server that several checkouts share.

Worktrees and clones of one repository have their first commit in common, wherever they lie and whatever they are
called; so that commit, with the folder of the index inside the repository, is the name.
"""

import hashlib
import subprocess
from pathlib import Path

from codeintel_index.tools.binaries import GIT, quiet_environment

DIGITS = 16
PATIENCE_S = 60.0


def project_key(root: Path, configured: str = "") -> str:
    """A short name for the project at `root`: the same in all its worktrees and whole clones.

    `configured` is used in place of the commit. Without git or without any commit the place alone tells the project;
    a shallow clone has another first commit, so it needs a configured name to share.
    """
    name = configured or _first_commit(root) or str(root)
    return hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:DIGITS]


def _first_commit(root: Path) -> str:
    """The first commit and the folder of `root` in its repository, "" where there is no commit."""
    commits = _git(root, "rev-list", "--max-parents=0", "HEAD").split()
    return f"{commits[-1]}/{_git(root, 'rev-parse', '--show-prefix')}" if commits else ""


def _git(root: Path, *arguments: str) -> str:
    """What git says, "" if it cannot."""
    command = [*GIT, "-C", str(root), *arguments]
    try:
        done = subprocess.run(
            command,
            env=quiet_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE_S,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "surrogateescape") if done.returncode == 0 else ""
