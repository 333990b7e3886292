"""Containers: a command that runs in one writes here what is mounted there."""

from __future__ import annotations

import os
import re

from codeintel_server.guard.commands import Shell
from codeintel_server.guard.row import Parsed, Program
from codeintel_server.guard.words import Word

_RUN = Program(
    runs=1,
    values="-v --volume --mount -w --workdir -e --env --env-file -p --publish -u --user --name --network --net -h"
    " --hostname --entrypoint -l --label --add-host --cpus -m --memory --platform --pull --shm-size --gpus --device"
    " --restart --tmpfs --ulimit --cap-add --cap-drop --security-opt --log-driver --link --ip --dns",
)
_SERVICE = Program(runs=1, values="-e --env -w --workdir -u --user -v --volume --name -p --publish -f --index")
_BUILD = Program(values="-f -t --file --tag --build-arg --target --platform", into="-o --output")


def container(shell: Shell, how: str, words: list[Word], fed: Word | None) -> None:
    """Follow `docker run`, where the mounted folders stand for themselves, and `docker compose run`."""
    plain = [word.text for word in words]
    how = f"{how} {plain[0]}" if plain else how
    if plain[:1] == ["compose"] or how.startswith("docker-compose"):
        at = next((at for at, text in enumerate(plain) if text in ("run", "exec")), len(plain))
        _inside(shell, Parsed(_SERVICE, words[at + 1 :]).operands[1:], [], fed)
    elif plain[:1] == ["run"]:
        parsed = Parsed(_RUN, words[1:])
        _inside(shell, parsed.operands[1:], _mounts(shell, parsed), fed, parsed.values(("-w", "--workdir")))
    elif plain[:1] in (["build"], ["buildx"]):
        for word in Parsed(_BUILD, words[1:]).values(_BUILD.into):
            target = re.search(r"(?:^|,)dest=([^,]+)", word.text)
            if target or "=" not in word.text:
                shell.write(how, word.with_text(target[1] if target else word.text), must_exist=True)


def _mounts(shell: Shell, parsed: Parsed) -> list[tuple[str, str]]:
    """Return the folders of this machine that a container may write, each with its place there."""
    found = []
    for word in parsed.values(("-v", "--volume")):
        here, _, rest = word.text.partition(":")
        there, _, mode = rest.partition(":")
        found.append((here, there, mode))
    for word in parsed.values(("--mount",)):
        given = dict(part.partition("=")[::2] for part in word.text.split(","))
        here = given.get("source", given.get("src", ""))
        there = given.get("target", given.get("destination", given.get("dst", "")))
        found.append((here, there, "ro" if given.keys() & {"readonly", "ro"} else ""))
    folder = shell.folder or os.curdir
    return [
        (os.path.normpath(os.path.join(folder, os.path.expanduser(here))), there.rstrip("/"))
        for here, there, mode in found
        if here and there and "ro" not in mode.split(",") and ("/" in here or here.startswith((".", "~")))
    ]


def _inside(
    shell: Shell, words: list[Word], mounts: list[tuple[str, str]], fed: Word | None, folders: list[Word] | None = None
) -> None:
    inner = shell.copy()
    for word in folders or []:
        place = _translated(word.text, mounts)
        inner.folder = place if place != word.text else None
    if folders is not None and not folders:
        inner.folder = None  # of the image; only what is mounted can be named
    inner.run_words([word.with_text(_translated(word.text, mounts)) for word in words], fed)


def _translated(text: str, mounts: list[tuple[str, str]]) -> str:
    for here, there in mounts:
        text = re.sub(rf"(?<![\w./-]){re.escape(there)}(?=/|$|[\s'\";)])", lambda _, here=here: here, text)  # type: ignore[misc]
    return text
