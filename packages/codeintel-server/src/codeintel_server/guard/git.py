"""git where its operands decide: whether a command may run, and what it writes."""

from __future__ import annotations

import os
import re

from codeintel_server.guard import gate
from codeintel_server.guard.commands import Shell
from codeintel_server.guard.gate import repository_of
from codeintel_server.guard.row import Parsed
from codeintel_server.guard.searches import existing, grep, listing
from codeintel_server.guard.table import TABLE, UNKNOWN
from codeintel_server.guard.words import Word, joined
from codeintel_server.guard.writers import patch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def git(shell: Shell, how: str, words: list[Word], fed: Word | None) -> Word | None:
    name, parsed = how.removeprefix("git "), Parsed(TABLE.get(how, UNKNOWN), words)
    operands = parsed.operands
    if name == "apply":
        patch(shell, how, words, fed)
    if how == "git" and operands:
        name, operands = operands[0].text, operands[1:]
    if name == "grep":
        return _grep(shell, words, fed)
    if how == "git" and (alias := shell.values.get(f"git alias {name}")) is not None:
        shell.run([Word("git"), *alias.split(), *operands], fed)
        return None
    if how == "git" and (line := shell.values.get(f"git line {name}")) is not None:
        shell.copy().lines([joined([line, *operands], " ")], fed)
    plain = {word.text for word in words}
    if name == "rev-parse" and "--git-dir" in plain:
        return Word(".git")
    if name == "rev-parse" and "--show-toplevel" in plain:
        folder = repository_of(shell.folder) if shell.folder else ""
        return Word(folder) if folder else Word(is_open=True)
    if name in ("ls-files", "ls-tree", "for-each-ref") or (name in ("diff", "status", "show", "log") and fed is None):
        for word in words:
            form = re.match(r"--(?:format|pretty)=(?:t?format:)?(.*)", word.text)
            if form and " " in form[1]:
                return Word(form[1])
        is_names = name in ("ls-files", "status") or "--name-only" in plain
        return listing(shell, existing(shell, operands) or [os.curdir]) if is_names else None
    return None


def _grep(shell: Shell, words: list[Word], fed: Word | None) -> Word | None:
    for word in words:
        if word.text.startswith(("-O", "--open-files-in-pager=")):
            opener = word.text.removeprefix("-O").removeprefix("--open-files-in-pager=")
            names = grep(shell, "grep", [Word("-l"), *(other for other in words if other is not word)], fed)
            shell.copy().run([Word(opener), *([names] if names else [])], fed)
    return grep(shell, "grep", words, fed)


def fetch(shell: Shell, how: str, parsed: Parsed, _: list[Word]) -> bool:
    """Say whether no branch of this repository is moved: `git fetch origin main:main` moves one."""
    operands = [word.text for word in parsed.operands]
    if how == "git push" and operands[:1] != [os.curdir]:
        return True
    heads = os.path.join(repository_of(os.path.realpath(shell.folder or os.curdir)), ".git", "refs", "heads")
    names = (text.partition(":")[2].removeprefix("refs/heads/") for text in operands[1:] if ":" in text)
    return not any(name and os.path.exists(os.path.join(heads, name)) for name in names)


def patches(shell: Shell, how: str, parsed: Parsed, _: list[Word]) -> bool:
    """Note the folder that patches are written into; without one they land here."""
    folders = parsed.values(("-o", "--output-directory"))
    shell.write(how, *folders)
    return bool(folders)


def git_shell(shell: Shell, parsed: Parsed, fed: Word | None) -> Shell:
    """Return the shell in the folder that git's own options name, after following what its settings would run."""
    inner = shell.copy()
    for word in parsed.given.get("-C", []) + parsed.given.get("--work-tree", []):
        inner.move(word)
    if "-C" not in parsed.given:
        for word in parsed.given.get("--git-dir", []):
            inner.move(Word(os.path.dirname(word.text.rstrip("/")) or os.curdir))
    for word in parsed.given.get("-c", []):
        name, _, value = word.text.partition("=")
        if name.startswith("alias.") and not value.startswith("!"):
            inner.values[f"git alias {name[6:]}"] = Word(value)
        else:
            inner.values[f"git line {name[6:]}"] = Word(value.lstrip("!"))
            shell.copy().lines([Word(value.lstrip("!"))], fed)
    return inner


def checkout(shell: Shell, how: str, parsed: Parsed, words: list[Word]) -> bool:
    plain = [word.text for word in words]
    operands = parsed.operands
    if "--" in plain:
        operands = words[plain.index("--") + 1 :]
    elif {"-b", "-B", "--orphan", "--detach", "-f", "--force", "-"} & parsed.flags:
        return False
    elif len(existing(shell, operands[1:])) == len(operands) - 1 > 0 and not existing(shell, operands[:1]):
        operands = operands[1:]
    elif not all("." in word.text or word.is_open for word in operands) or _names_version(shell, operands):
        return False
    shell.write(how, *operands)
    return True


def _names_version(shell: Shell, operands: list[Word]) -> bool:
    """Return True for one word like `v1.2.0` of which there is no file: it is a tag, and no path."""
    return len(operands) == 1 and bool(_VERSION.fullmatch(operands[0].text)) and not existing(shell, operands)


def restore(shell: Shell, how: str, parsed: Parsed, _: list[Word]) -> bool:
    if not {"--staged", "-S"} & parsed.flags or {"--worktree", "-W"} & parsed.flags:
        shell.write(how, *parsed.operands)
    return True


def reset(shell: Shell, _: str, parsed: Parsed, __: list[Word]) -> bool:
    operands = parsed.operands[1:] if parsed.operands[:1] and parsed.operands[0].text == "HEAD" else parsed.operands
    is_moving = {"--hard", "--merge", "--keep", "--soft"} & parsed.flags
    return not is_moving and len(existing(shell, operands)) == len(operands)


def branch(_: Shell, __: str, parsed: Parsed, ___: list[Word]) -> bool:
    """Say whether a branch is only listed."""
    return not _CHANGE_BRANCHES & parsed.flags and (not parsed.operands or bool(parsed.flags))


def tag(_: Shell, __: str, parsed: Parsed, ___: list[Word]) -> bool:
    """Say whether tags are only listed."""
    return not {"-d", "--delete", "-f", "--force"} & parsed.flags and (
        not parsed.operands or bool(_LIST_TAGS & parsed.flags)
    )


def configure(_: Shell, __: str, parsed: Parsed, ___: list[Word]) -> bool:
    """Say whether a setting is only read."""
    return bool(_READ_CONFIG & parsed.flags) or (not _CHANGE_CONFIG & parsed.flags and len(parsed.operands) < 2)


def symbolic(_: Shell, __: str, parsed: Parsed, ___: list[Word]) -> bool:
    """Say whether a name is only looked up."""
    return len(parsed.operands) < 2


def work_tree(shell: Shell, _: str, parsed: Parsed, __: list[Word]) -> bool:
    """Say whether another version is only looked at, in a temporary folder without a branch of its own."""
    what, *operands = [word.text for word in parsed.operands] or [""]
    if what == "add" and not ({"--detach", "-d"} & parsed.flags and not {"-b", "-B"} & parsed.flags):
        return False
    if what == "remove" and {"--force", "-f"} & parsed.flags:  # else git keeps one with work in it
        return False
    place = os.path.realpath(os.path.join(shell.folder or os.sep, operands[0])) if operands else ""
    return what in ("add", "remove") and bool(place) and gate.is_scratch(place)


def repository(shell: Shell, how: str, parsed: Parsed, _: list[Word]) -> bool:
    """Note that a folder becomes a repository; to make one here again changes nothing."""
    shell.write(how, *(word.with_text(f"{word.text}/.git") for word in parsed.operands))
    return not any(flag.startswith("--separate-git-dir") for flag in parsed.flags)


def _options(text: str) -> frozenset[str]:
    return frozenset(text.split())


_VERSION = re.compile(r"v?\d+(?:\.\w+)+")
_CHANGE_BRANCHES = _options("-d -D --delete -m -M --move -f --force -c -C --copy -u --set-upstream-to --unset-upstream")
_LIST_TAGS = _options("-l --list -n --contains --points-at --merged --sort -v --verify")
_CHANGE_CONFIG = _options("--unset --unset-all --add --replace-all --edit -e --remove-section --rename-section")
_READ_CONFIG = _options("--get --get-all --list -l --get-regexp --get-urlmatch")
HARMLESS: dict[str, Callable[[Shell, str, Parsed, list[Word]], bool]] = {
    "branch": branch,
    "checkout": checkout,
    "config": configure,
    "fetch": fetch,
    "patches": patches,
    "repository": repository,
    "reset": reset,
    "restore": restore,
    "symbolic": symbolic,
    "tag": tag,
    "work_tree": work_tree,
}
"""What `Program.writes` names for git: notes what a command writes, and says whether it may run."""
