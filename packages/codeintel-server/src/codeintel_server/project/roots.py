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


def is_project(root: Path) -> bool:
    """Say whether a root is a work tree of git, or was initialized."""
    return (root / ".git").exists() or (root / ".code-intel" / "config.json").is_file()


def starting_folder(option: str | None) -> Path:
    """Where the server looks for its project: `--project`, else CLAUDE_PROJECT_DIR, else the working directory."""
    return Path(option or os.environ.get("CLAUDE_PROJECT_DIR") or os.getcwd()).resolve()


def is_start_named(option: str | None) -> bool:
    """Say whether someone named the starting folder, instead of leaving the client to start in it."""
    return bool(option or os.environ.get("CLAUDE_PROJECT_DIR"))
