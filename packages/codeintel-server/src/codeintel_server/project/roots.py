"""Which folder is the project. Light on purpose: the server answers its client before anything else is imported."""

import os
from pathlib import Path

RECORD = ".code-intel/manifest.json"
"""What `codeintel init` writes into every project."""


def find_root(start: Path) -> Path:
    """The project that holds `start`: the nearest folder that was initialized, else the git top level, else `start`.

    A linked worktree is a project of its own, and so is a folder that `init --project` made one.
    """
    folder, top = start.resolve(), find_top(start)
    if top is None:
        return folder
    inside = (folder, *folder.parents)
    return next((each for each in inside if each == top or (each / RECORD).is_file()), top)


def find_top(start: Path) -> Path | None:
    """The git top level of `start`, None outside of a repository."""
    folder = start.resolve()
    return next((each for each in (folder, *folder.parents) if (each / ".git").exists()), None)


def is_project(root: Path) -> bool:
    """Say whether a root is a work tree of git, or was initialized."""
    return (root / ".git").exists() or any((root / name).is_file() for name in (RECORD, ".code-intel/config.json"))


def starting_folder(option: str | None) -> Path:
    """Where the server looks for its project: `--project`, else CLAUDE_PROJECT_DIR, else the working directory."""
    return Path(option or os.environ.get("CLAUDE_PROJECT_DIR") or os.getcwd()).resolve()


def is_start_named(option: str | None) -> bool:
    """Say whether someone named the starting folder, instead of leaving the client to start in it."""
    return bool(option or os.environ.get("CLAUDE_PROJECT_DIR"))
