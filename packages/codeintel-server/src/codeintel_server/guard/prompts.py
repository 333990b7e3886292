"""Keep the user's last prompts, as a client's hook reports them, and read them again.

They lie in the user's state folder and not in the project: whoever writes to the project alone cannot change what the
user typed. An agent that may run any command can. The hook writes and the server reads.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from pathlib import Path

from codeintel_contract import read_file
from codeintel_server.guard.gate import git_says, repository_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

MAX_TEXT = 64_000
MOST_KEPT = 100
MAX_FILE = 8_000_000
MOST_TIPS = 50
MAX_SETTINGS = 1_000_000
MOST_HOOKS = 50
TASK_BRANCHES, STASH = " refs/heads/llm_task_", " refs/stash"
_HEADS = "ref: refs/heads/"
_OF_BRANCH = re.compile(r"^\s*\[(?:branch|submodule) .*\n(?:(?!\s*\[).*\n?)*", re.MULTILINE)
MAX_AGE_S = 12 * 3600
"""If the newest prompt is older, none is read: a hook that no longer runs must not make a request look invented."""


def keep_prompt(client: str, document: Mapping[str, Any]) -> None:
    """Keep a prompt, with its secrets redacted and its length bounded, beside the last ones of the project.

    The commits of the branches are kept with it, the stashes, the branch that is checked out with its commit, and
    digests of git's settings: what a branch has more when a session begins came after the prompt, and a stash or
    commit that is gone, or another setting, went after it.
    """
    from codeintel_index import signed_text

    text = str(document.get("prompt", ""))
    half = MAX_TEXT // 2  # the request is before what is pasted, or behind it
    kept_text = text if len(text) <= MAX_TEXT else f"{text[:half]}\n[...]\n{text[-half:]}"
    entry = {
        "at": _iso(time.time()),
        "client": client,
        "digest": hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        "text": signed_text(kept_text),
        "is_cut": len(text) > MAX_TEXT,
    }
    folder = str(document.get("cwd") or ".")
    newest = ("--sort=-committerdate", f"--count={MOST_TIPS}", "--format=%(objectname) %(refname)")
    refs = os.fsdecode(git_says(folder, "for-each-ref", *newest, "refs/heads", "refs/stash") or b"").splitlines()
    stashed = [line for line in refs if line.endswith(STASH)]
    # What a branch of the server's holds is not in any base yet.
    entry["tips"] = [line.partition(" ")[0] for line in refs if TASK_BRANCHES not in line and line not in stashed]
    listed = git_says(folder, "stash", "list", f"--max-count={MOST_TIPS}", "--format=%H") if stashed else None
    entry["stashes"] = os.fsdecode(listed or b"").split()
    entry["branch"] = branch = _branch(folder)
    entry["settings"] = git_settings(folder)
    entry["head"] = next((line.partition(" ")[0] for line in refs if line.endswith(f" refs/heads/{branch}")), "")
    path = prompts_file(folder)
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    lines = [json.dumps(each) + "\n" for each in [*_entries(path), entry][-MOST_KEPT:]]
    while len(lines) > 1 and sum(map(len, lines)) > MAX_FILE:
        del lines[0]
    new = f"{path}.{os.getpid()}"
    handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8", errors="surrogatepass") as file:
        file.writelines(lines)
    os.replace(new, path)


def _branch(folder: str) -> str:
    """Return the branch that is checked out, as git's file says, "" if it names none: no process for that."""
    head = _text(_git_folder(folder) / "HEAD")
    return head.removeprefix(_HEADS).strip() if head.startswith(_HEADS) else ""


def git_settings(folder: str) -> dict[str, str]:
    """Return digests of the repository's settings, hooks and own rules by name, less what git sets for each branch."""
    place = _git_folder(folder)
    common = place / _text(place / "commondir").strip()
    hooks = sorted(path for path in common.glob("hooks/*") if path.suffix != ".sample")[:MOST_HOOKS]
    texts = {path: _text(path) for path in (common / "info/exclude", common / "info/attributes", *hooks)}
    texts[common / "config"] = _OF_BRANCH.sub("", _text(common / "config"))
    return {
        f".git/{path.relative_to(common).as_posix()}": hashlib.sha256(os.fsencode(text)).hexdigest()[:16]
        for path, text in texts.items()
        if text
    }


def _git_folder(folder: str) -> Path:
    """Return git's folder of a work tree; one that does not exist for a folder without a repository."""
    place = Path(repository_of(os.path.realpath(folder)) or os.devnull, ".git")
    # In a linked work tree it is a file that names the folder.
    return place.parent / _text(place).removeprefix("gitdir:").strip() if place.is_file() else place


def _text(path: Path) -> str:
    try:
        return os.fsdecode(read_file(None, path, MAX_SETTINGS))
    except (OSError, ValueError):
        return ""


def kept_prompts(folder: str, client: str) -> list[dict[str, Any]]:
    """Return the last prompts of a project that were typed to a client with this name, oldest first.

    The name is the client's own, such as `claude-code`, and holds ours; the prompts of another one prove nothing.
    """
    found = [entry for entry in _entries(prompts_file(folder)) if entry["client"] and entry["client"] in client.lower()]
    return found if found and found[-1]["at"] >= _iso(time.time() - MAX_AGE_S) else []


def _iso(seconds: float) -> str:
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{int(seconds * 1000) % 1000:03d}+00:00"


def prompts_file(folder: str) -> str:
    """Return the place of the prompts of a folder's repository, else of the folder, as the server finds it."""
    base = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    here = os.path.realpath(folder)
    name = hashlib.sha256((repository_of(here) or here).encode("utf-8", "surrogateescape")).hexdigest()[:24]
    return os.path.join(base, "codeintel", "prompts", f"{name}.jsonl")


def _entries(path: str) -> Iterator[dict[str, Any]]:
    """Yield the entries of a file; a line that is not one is passed over."""
    try:
        with open(path, encoding="utf-8", errors="surrogatepass") as file:
            lines = file.read(MAX_FILE).splitlines()
    except OSError:
        return
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict) and all(isinstance(entry.get(key), str) for key in ("at", "client", "text")):
            yield entry
