"""The `.code-intel` folder of a project, made on first need so that `git status` stays clean.

It comes with the repository, so whoever wrote that may have put links there: what is written through one would land
in any file of the user's. Nothing is, as long as there is one where we write.
"""

from pathlib import Path

from codeintel_contract.violations import ContractViolation

HOME = ".code-intel"
FOLDERS = ("sessions", "sessions/archive", "logs", "agreements")
WRITTEN = ("", ".gitignore", "context.yml", *FOLDERS)


def ensure_home(root: Path) -> Path:
    """The folder with its sub-folders. One we make ourselves hides itself from git entirely.

    Raises:
        ContractViolation: `config_invalid`, for a link in the place of what we write.
    """
    home = root / HOME
    _refuse_links(root, home)
    home.mkdir(exist_ok=True)
    if not any(home.iterdir()):
        (home / ".gitignore").write_text("*\n", encoding="utf-8")
    for name in FOLDERS:
        (home / name).mkdir(parents=True, exist_ok=True)
    return home


def _refuse_links(root: Path, home: Path) -> None:
    places = [home / name for name in WRITTEN]
    places += [entry for folder in FOLDERS for entry in sorted((home / folder).glob("*"))]
    for place in places:
        if place.is_symlink():
            raise ContractViolation(
                "tool_errors.start_session.config_invalid",
                path=place.relative_to(root).as_posix(),
                problem="it is a link, and what is written there would go elsewhere",
            )
