"""The `.code-intel` folder of a project, made on first need so that `git status` stays clean."""

from pathlib import Path

HOME = ".code-intel"
FOLDERS = ("sessions", "sessions/archive", "logs", "agreements")


def ensure_home(root: Path) -> Path:
    """The folder with its sub-folders. One we make ourselves hides itself from git entirely."""
    home = root / HOME
    home.mkdir(exist_ok=True)
    if not any(home.iterdir()):
        (home / ".gitignore").write_text("*\n", encoding="utf-8")
    for name in FOLDERS:
        (home / name).mkdir(parents=True, exist_ok=True)
    return home
