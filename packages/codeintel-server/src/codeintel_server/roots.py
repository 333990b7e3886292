"""Which folder is the project. Light on purpose: the server answers its client before anything else is imported."""

import os
from pathlib import Path


def find_root(start: Path) -> Path:
    """The git top level of `start`, else `start` itself. A linked worktree is a project of its own."""
    folder = start.resolve()
    for candidate in (folder, *folder.parents):
        if (candidate / ".git").exists():
            return candidate
    return folder


def starting_folder(option: str | None) -> Path:
    """Where the server looks for its project: `--project`, else CLAUDE_PROJECT_DIR, else the working directory."""
    return Path(option or os.environ.get("CLAUDE_PROJECT_DIR") or os.getcwd()).resolve()
