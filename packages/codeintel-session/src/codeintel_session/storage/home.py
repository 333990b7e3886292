"""The `.code-intel` folder of a project, created when first needed, so that `git status` stays clean.

The folder may come with the repository, whose author may have put links into it, and writing through a link could
overwrite any file of the user. So the server refuses to start while there is a link in a place that it writes to, or
anything but a folder where one belongs.
"""

import re
from pathlib import Path

from codeintel_contract import ContractViolation

HOME = ".code-intel"
FOLDERS = ("sessions", "sessions/archive", "logs", "agreements", "cache")
WRITTEN = ("", ".gitignore", *FOLDERS)
_STATE = re.compile(rf"{re.escape(HOME)}/(?:(?:{'|'.join(FOLDERS)}|chroma)/|index\.db|[^/]*\.lock$)")


def ensure_home(root: Path) -> Path:
    """Create the folder and its sub-folders, and return it. A folder that the server creates is ignored by git.

    Raises ContractViolation: `config_invalid`, for a link in a place that the server writes to, or a file for a folder.
    """
    home = root / HOME
    _refuse_traps(root, home)
    home.mkdir(exist_ok=True)
    if not any(home.iterdir()):
        (home / ".gitignore").write_text("*\n", encoding="utf-8")
    for name in FOLDERS:
        (home / name).mkdir(parents=True, exist_ok=True)
    return home


def is_server_state(path: str) -> bool:
    """Return True for a file that the server keeps for itself; what else the folder holds is the user's."""
    return _STATE.match(path) is not None


def _refuse_traps(root: Path, home: Path) -> None:
    places = [home / name for name in WRITTEN]
    places += [entry for folder in FOLDERS for entry in sorted((home / folder).glob("*"))]
    for place in places:
        if place.is_symlink():
            _refuse(root, place, "it is a link, and what is written there would go elsewhere")
    for place in (home, *(home / name for name in FOLDERS)):
        if place.exists() and not place.is_dir():
            _refuse(root, place, "it is not a folder, and the server keeps its files there; move it away")


def _refuse(root: Path, place: Path, problem: str) -> None:
    path = place.relative_to(root).as_posix()
    raise ContractViolation("tool_errors.start_session.config_invalid", path=path, problem=problem)
