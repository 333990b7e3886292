"""What is installed on this machine: the command by which a client starts this server, and the clients themselves.

A client is started elsewhere than `codeintel init`, so a command counts only if it starts without the environment that
`init` happens to run in.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from importlib.metadata import distribution
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import url2pathname

from codeintel_contract import visible

if TYPE_CHECKING:
    from codeintel_templates import Client

START_S = 60
"""How long a server may take to start and, without any input, to end."""
BY_UVX = ("uvx", "--from", "codeintel-server", "codeintel")
CACHED = ("archive-v", "environments-v")
"""How uv names the folders of the environments that uvx makes."""


def install_command() -> str:
    """Return the line that installs this server for every project of the user: by name, or from its clone."""
    said = distribution("codeintel-server").read_text("direct_url.json")
    known = json.loads(said) if said else {}
    url = urlsplit(known.get("url", ""))
    source = url2pathname(url.path) if url.scheme == "file" and "dir_info" in known else "codeintel-server"
    return f"uv tool install {spell([source])}"


def find_command(root: Path) -> tuple[str, ...]:
    """Return the command that starts this server for a client in the project, () if none does.

    The name alone can be committed, so it comes first; then what runs without an installation; then our own program.
    """
    if find_for_client("codeintel") and not command_fault(("codeintel",), root):
        return ("codeintel",)
    if is_cached() and not command_fault(BY_UVX, root):
        return BY_UVX
    own = own_program()
    return (own,) if own and not command_fault((own,), root) else ()


def command_fault(command: Sequence[str], root: Path) -> str:
    """Say why a command does not start the server, "" if it does."""
    place = find_for_client(command[0], root)
    if place is None:
        return f"{visible(command[0])} is not on the PATH of a client"
    if len(command) == 1 and is_own(place):
        return run_fault([place, "--version"], root)  # what this process runs needs no proof but that it starts
    return run_fault([place, *command[1:], "serve"], root)


def run_fault(command: Sequence[str], root: Path) -> str:
    """Start a program as a client does, without any input, which ends it at once; say why it did not work."""
    try:
        done = subprocess.run(
            command, cwd=root, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=START_S
        )
    except subprocess.TimeoutExpired:
        return f"it does not end within {START_S} s of its client"
    except OSError as error:
        return f"it cannot be started: {error.strerror}"
    last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
    return visible(f"it ends with {done.returncode}: {' '.join(last)[:200]}") if done.returncode else ""


def find_for_client(program: str, root: Path | None = None) -> str | None:
    """Find a program where a client will look for it; one that is named by a relative path lies in the project.

    `uvx` and an active environment put their own folder on PATH; a client that is started elsewhere does not have it.
    """
    if os.path.dirname(program):
        return shutil.which(str((root or Path()) / program))
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    if is_environment():
        own = Path(sys.prefix).resolve()
        folders = [folder for folder in folders if folder and not Path(folder).resolve().is_relative_to(own)]
    return shutil.which(program, path=os.pathsep.join(folders))


def is_environment() -> bool:
    """Say whether this Python is one that has to be activated to be on PATH."""
    return sys.prefix != sys.base_prefix or os.environ.get("CONDA_PREFIX") == sys.prefix


def is_cached() -> bool:
    """Say whether this runs in an environment that uvx made in its cache."""
    return any(part.startswith(CACHED) for part in Path(sys.prefix).parts)


def own_program(name: str = "codeintel") -> str | None:
    """Return the path of a program of this installation, None if it has none."""
    return shutil.which(name, path=sysconfig.get_path("scripts"))


def is_own(program: str) -> bool:
    """Say whether a path leads to a program of this installation."""
    own = own_program(Path(program).stem)
    return own is not None and os.path.exists(program) and os.path.samefile(own, program)


def spell(command: Sequence[str]) -> str:
    """Return a command as it is typed in a shell."""
    return subprocess.list2cmdline(command) if os.name == "nt" else shlex.join(command)


def clients_used(root: Path) -> list["Client"]:
    """List the clients that the project holds files of."""
    from codeintel_templates import all_clients

    return [client for client in all_clients() if any((root / mark).exists() for mark in client.marks)]


def clients_installed() -> list["Client"]:
    """List the clients whose program is on PATH, or that left a folder in the user's home."""
    from codeintel_templates import all_clients

    home = Path.home()
    return [
        client
        for client in all_clients()
        if any(map(shutil.which, client.programs)) or any((home / name).is_dir() for name in client.homes)
    ]
