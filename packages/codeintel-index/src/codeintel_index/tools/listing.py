"""Which files a folder has, ignored ones left out: asked of git, else of ripgrep, else walked.

Names that are not UTF-8 cannot be stored or shown and are left out here, once for everybody.
"""

import os
import subprocess
from pathlib import Path

import pathspec

from codeintel_index.git_traps import find_trap
from codeintel_index.project_file import read_file
from codeintel_index.tools.binaries import ask, find_rg, git_command

TIMEOUT_S = 60.0
MAX_IGNORE = 1_000_000
ALWAYS_OUT = (".git", ".code-intel")


def list_files(root: Path) -> list[str]:
    """List relative paths with `/`, sorted, hidden ones included; they may be links, folders of submodules, or gone."""
    # An outer repository that ignores this folder answers "nothing": then the folder is looked at for itself.
    found = list_with_git(root) or (None if find_trap(str(root)) else _ripgrep(root))
    return found if found is not None else _walk(root)


def list_with_git(root: Path, which: str = "-co") -> list[str] | None:
    """Have git list files; None where it cannot, nothing where an outer repository ignores the folder.

    `which` are options of `git ls-files`: by default what is tracked and what is neither tracked nor ignored.
    """
    try:
        return _run(git_command(root, "ls-files", "-z", which, "--exclude-standard"), root)
    except FileNotFoundError:
        return None


def _ripgrep(root: Path) -> list[str] | None:
    rg = find_rg()
    if rg is None:
        return None
    options = [
        "--no-config",
        "--files",
        "-0",
        "--hidden",
        "--no-ignore-dot",
        "--no-require-git",
        "--no-ignore-parent",
        "-g",
        "!.git",
    ]
    return _run([rg, *options, "--", "./"], root)


def _run(command: list[str], root: Path) -> list[str] | None:
    try:
        done = ask(command, TIMEOUT_S, root=root)
    except (FileNotFoundError, subprocess.TimeoutExpired):
        return None
    # ripgrep answers 1 for "no file" and 2 with a partial list when a folder cannot be read.
    return _decoded(done.stdout) if done.returncode in (0, 1) or done.stdout else None


def _decoded(output: bytes) -> list[str]:
    names: set[str] = set()
    for raw in output.split(b"\0"):
        try:
            name = raw.removeprefix(b"./").decode("utf-8")
        except UnicodeDecodeError:
            continue
        if name and not name.endswith("/"):
            names.add(name.replace("\\", "/") if os.name == "nt" else name)
    return sorted(name for name in names if not {*ALWAYS_OUT} & {*name.split("/")})


def _walk(root: Path) -> list[str]:
    """Without git and ripgrep: every folder's .gitignore applied to what lies below it."""
    found: list[str] = []
    _walk_folder(root, "", [], found)
    return sorted(found)


def _walk_folder(root: Path, folder: str, rules: list[tuple[str, pathspec.GitIgnoreSpec]], found: list[str]) -> None:
    ignore = root / folder / ".gitignore"
    try:
        lines = read_file(root, ignore, MAX_IGNORE).decode("utf-8", "replace").splitlines()
        rules = [*rules, (folder, pathspec.GitIgnoreSpec.from_lines(lines))]
    except OSError:  # there is none, or one that nobody could mean
        pass
    for entry in sorted(os.scandir(root / folder), key=lambda each: each.name):
        path = f"{folder}{entry.name}"
        if not _encodable(path) or entry.name in ALWAYS_OUT:
            continue
        if entry.is_dir(follow_symlinks=False):
            if not _ignored(f"{path}/", rules):
                _walk_folder(root, f"{path}/", rules, found)
        elif not _ignored(path, rules):
            found.append(path)


def _ignored(path: str, rules: list[tuple[str, pathspec.GitIgnoreSpec]]) -> bool:
    return any(spec.match_file(path.removeprefix(folder)) for folder, spec in rules)


def _encodable(path: str) -> bool:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
