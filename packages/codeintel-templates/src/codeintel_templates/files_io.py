"""Reading and writing in a user's project: inside it only, whole files only, line endings untouched."""

import os
import shutil
import stat
from pathlib import Path

from codeintel_contract import FileRefused, read_file

from .errors import BrokenFile, Obstructed

MAX_BYTES = 8_000_000


def locate(target: Path, path: str) -> Path:
    """Return where `path` leads, links followed.

    Raises Obstructed: it leads out of the project, or to something that cannot be a file.
    """
    try:
        real = (target / path).resolve()
    except (OSError, RuntimeError) as error:  # RuntimeError: how Python before 3.13 calls a circle of links
        raise Obstructed(path, "is a link that leads nowhere") from error
    root = target.resolve()
    if real == root or not real.is_relative_to(root):
        raise Obstructed(path, "leads out of the project")
    if real.exists() and not real.is_file():
        raise Obstructed(path, "is not a file")
    parent = next(folder for folder in real.parents if folder.exists())
    if not parent.is_dir():
        raise Obstructed(path, f"{parent.relative_to(root).as_posix()} is not a folder")
    return real


def read(target: Path, path: str) -> str | None:
    """Return a file's text, None where there is none. Raises BrokenFile: it is not UTF-8."""
    real = locate(target, path)
    if not real.exists():
        return None
    try:
        data = read_file(target, path, MAX_BYTES)
    except FileRefused as error:
        raise Obstructed(path, str(error.strerror)) from error
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BrokenFile(Path(path), data.count(b"\n", 0, error.start) + 1, "not UTF-8") from error


def require_writable(target: Path, path: str) -> None:
    """Say before anything is written that a file cannot be: one made read-only is so on purpose.

    Raises Obstructed: it is, or its folder lets nothing be written.
    """
    real = locate(target, path)
    if real.exists() and not real.stat().st_mode & stat.S_IWUSR:
        raise Obstructed(path, "is read-only")
    folder = next(folder for folder in real.parents if folder.exists())
    if not os.access(folder, os.W_OK):
        raise Obstructed(path, f"nothing can be written in the folder {folder.name}")


def write(target: Path, path: str, text: str) -> None:
    """Write a file in one step: a reader sees the old text or the new one, never a part."""
    real = locate(target, path)
    real.parent.mkdir(parents=True, exist_ok=True)
    draft = real.with_name(f".{real.name}.{os.getpid()}.tmp")
    try:
        draft.write_bytes(text.encode("utf-8"))
        if real.exists():
            shutil.copymode(real, draft)
        draft.replace(real)
    finally:
        draft.unlink(missing_ok=True)


def remove(target: Path, path: str) -> None:
    """Remove a file that is there."""
    locate(target, path).unlink()


def remove_whole(target: Path, path: str) -> None:
    """Remove a file, or a folder with all it holds; of a link only the link."""
    place = target / path
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    else:
        place.unlink()


def missing_folders(target: Path, path: str) -> list[str]:
    """Return the folders that would have to be made for `path`, outermost first."""
    folders = [folder for folder in Path(path).parents if folder != Path()]
    return [folder.as_posix() for folder in reversed(folders) if not (target / folder).exists()]


def remove_folder_if_empty(target: Path, path: str) -> None:
    """Remove a folder that holds nothing; leave any other."""
    folder = target / path
    if folder.is_dir() and not folder.is_symlink() and not any(folder.iterdir()):
        folder.rmdir()
