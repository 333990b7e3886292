"""From a command as it is written to the one that runs: wrappers taken off, patterns and braces spelled out."""

from __future__ import annotations

import os
import re

from codeintel_server.hook.events import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_WRAPPERS = "sudo doas nohup time nice ionice stdbuf setsid command builtin exec unbuffer timeout env busybox eval"
_KEYWORDS = "then do else elif if while until ! {"
_RUNNERS = "npx bunx pnpx uvx pipx xargs parallel"
PREFIXES = frozenset([*_WRAPPERS.split(), *_KEYWORDS.split(), *_RUNNERS.split(), "function"])
VALUED = {
    "sudo": "-u -g -C -h -p -D",
    "xargs": "-n -s -I -P -L -d -a -E",
    "timeout": "-k -s",
    "nice": "-n",
    "ionice": "-c -n -p",
    "env": "-u -C -S",
    "exec": "-a",
    "stdbuf": "-i -o -e",
    "npx": "-p --package",
    "uvx": "--from --with -p",
    "parallel": "-j",
}
RUN_BY = {
    ("uv", "run"),
    ("poetry", "run"),
    ("pipenv", "run"),
    ("pdm", "run"),
    ("hatch", "run"),
    ("rye", "run"),
    ("pipx", "run"),
    ("pnpm", "exec"),
    ("pnpm", "dlx"),
    ("npm", "exec"),
    ("yarn", "exec"),
    ("yarn", "dlx"),
    ("bundle", "exec"),
    ("python", "-m"),
    ("python3", "-m"),
}
MOST = 200
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")


def unwrapped(words: Sequence[Word], fed: str = "") -> list[Word]:
    """The command behind `sudo`, `env A=b`, `timeout 5`, `uv run` and the like; xargs adds the words it is `fed`."""
    rest, more = list(words), []
    while rest:
        name = rest[0].text.rpartition("/")[2]
        if len(rest) > 1 and (name, rest[1].text) in RUN_BY:
            rest = _past_options(rest[2:], ())
        elif name in PREFIXES:
            rest = _past_options(rest[1:], VALUED.get(name, "").split(), name == "env")
            rest = rest[1:] if name in ("timeout", "function") else rest
            more += [Word(text, is_quoted=True) for text in fed.split()] if name == "xargs" else []
        else:
            return [*rest, *more]
        if name == "eval":
            return [Word("bash"), Word("-c"), Word(" ".join(word.text for word in rest))] if rest else []
    return rest


def _past_options(words: list[Word], valued: Collection[str], is_env: bool = False) -> list[Word]:
    rest = list(words)
    while rest and ((rest[0].text.startswith("-") and len(rest[0].text) > 1) or (is_env and "=" in rest[0].text)):
        option = rest.pop(0).text
        if option in valued and rest:
            rest.pop(0)
    return rest


def option_value(words: Sequence[str], options: Collection[str]) -> str | None:
    """The word after the first of some options."""
    for at, word in enumerate(words[:-1]):
        if word in options:
            return words[at + 1]
    return None


def expanded(word: Word, folder: str) -> list[str]:
    """The paths that a word stands for: braces, then patterns; one that fits nothing stands for itself."""
    if word.is_quoted:
        return [word.text]
    found: list[str] = []
    for text in _braced(word.text):
        found += (_globbed(text, folder) or [text]) if re.search(r"[*?[]", text) else [text]
    return found[:MOST]


def _braced(text: str) -> list[str]:
    """The words of `a{b,c}d`, inner braces first."""
    ready: list[str] = [text]
    found: list[str] = []
    while ready and len(found) + len(ready) <= MOST:
        part = ready.pop(0)
        match = _BRACES.search(part)
        if match is None:
            found.append(part)
        else:
            ready += [part[: match.start()] + choice + part[match.end() :] for choice in match[1].split(",")]
    return found


def _globbed(text: str, folder: str) -> list[str]:
    import glob

    return glob.glob(os.path.expanduser(text), root_dir=folder, recursive=True)
