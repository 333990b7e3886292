"""Programs that write, by name: which of their words are files they change. A program is a row of `WRITERS`.

A function gets the words after the program's name and gives the paths it would change. Programs that are not here are
taken to write nothing: tests, builds and readers pass, and what slips through is found when the session compares the
tree with what it allowed.
"""

from collections.abc import Callable, Sequence

Finder = Callable[[Sequence[str]], list[str]]
COPIERS = frozenset({"cp", "ln", "install", "rsync", "mv", "scp"})
DELETERS = frozenset({"rm", "unlink", "rmdir", "shred"})


def _operands(words: Sequence[str], valued: str = "") -> list[str]:
    """The words that are no options; letters in `valued` are options whose value is the next word."""
    found: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            return [*found, *rest]
        if word.startswith("--"):
            if "=" not in word and word in LONG_VALUED:
                next(rest, "")
        elif word.startswith("-") and len(word) > 1:
            if word[-1] in valued:
                next(rest, "")
        else:
            found.append(word)
    return found


LONG_VALUED = frozenset({"--target-directory", "--suffix", "--mode", "--owner", "--group", "--size", "--reference"})


def _value(words: Sequence[str], long: str, short: str) -> str:
    """The value of an option in any of its spellings (`-qO f`, `-Of`, `--long=f`), "" if it is not there."""
    for at, word in enumerate(words):
        after = words[at + 1] if at + 1 < len(words) else ""
        if word == long:
            return after
        if word.startswith(f"{long}="):
            return word[len(long) + 1 :]
        head, found, rest = word.partition(short)
        if found and head.startswith("-") and not head.startswith("--") and set(head[1:]) <= _FLAGS:
            return rest or after
    return ""


_FLAGS = frozenset("sSLfkqnNcvgaurRpDb")


def _all(valued: str = "") -> Finder:
    return lambda words: _operands(words, valued)


def _mode(words: Sequence[str]) -> list[str]:
    """`chmod`, `chown`: the first operand is the mode, and may look like an option (`-x`)."""
    plain = [word for word in words if not word.startswith("-")]
    return plain if any(word[1:] and set(word[1:]) <= set("rwxXst") for word in words if word[0] == "-") else plain[1:]


def _copied(words: Sequence[str]) -> list[str]:
    """Where cp, ln, install and rsync write: the last operand, or files inside it where it is a folder."""
    if {"-n", "--dry-run", "-an", "-avn", "-nav", "-d", "--directory"} & set(words):
        return []
    folder = _value(words, "--target-directory", "t")
    operands = _operands(words, "tSmog")
    if folder:
        return [f"{folder}/{_base(name)}" for name in operands]
    if len(operands) < 2:
        return operands
    *sources, target = operands
    return (
        [target] if len(sources) == 1 and not target.endswith("/") else [f"{target}/{_base(name)}" for name in sources]
    )


def _moved(words: Sequence[str]) -> list[str]:
    folder = _value(words, "--target-directory", "t")
    operands = _operands(words, "tS")
    return [*_copied(words), *(operands if folder else operands[:-1])]


def _base(name: str) -> str:
    return name.rstrip("/").rpartition("/")[2]


def _in_place(words: Sequence[str]) -> list[str]:
    """`sed -i`, `perl -i`, `ruby -i`: the operands; the first is the program unless -e or -f gave it."""
    if not any(word.startswith(("-i", "--in-place")) or _holds(word, "i") for word in words):
        return []
    operands = _operands(words, "efE")
    has_program = any(word in ("-e", "-f", "-E", "--expression", "--file") or _ends(word, "eE") for word in words)
    return operands if has_program or any(word.startswith("--expression=") for word in words) else operands[1:]


def _holds(word: str, letter: str) -> bool:
    return word.startswith("-") and not word.startswith("--") and letter in word[1:].split("e")[0]


def _ends(word: str, letters: str) -> bool:
    return word.startswith("-") and not word.startswith("--") and word[-1] in letters


def _dd(words: Sequence[str]) -> list[str]:
    return [word[3:] for word in words if word.startswith("of=")]


def _curl(words: Sequence[str]) -> list[str]:
    target = _value(words, "--output", "o")
    by_name = "--remote-name" in words or any(_holds(word, "O") and set(word[1:]) <= {*_FLAGS, "O"} for word in words)
    return [target] * bool(target) + [_base(word) for word in words if by_name and "://" in word]


def _wget(words: Sequence[str]) -> list[str]:
    if "--spider" in words:
        return []
    target, folder = _value(words, "--output-document", "O"), _value(words, "--directory-prefix", "P")
    return [target] if target else [f"{folder or '.'}/{_base(word)}" for word in words if "://" in word]


def _sorted(words: Sequence[str]) -> list[str]:
    target = _value(words, "--output", "o")
    return [target] * bool(target)


def _unpacked(words: Sequence[str]) -> list[str]:
    """`tar -x` and `unzip`: the folder that is named; without one it is left to the comparison."""
    extracts = any(word == "--extract" or "x" in word.split("=")[0] for word in words[:1])
    folder = _value(words, "--directory", "C")
    return [folder] if folder and extracts else []


def _unzipped(words: Sequence[str]) -> list[str]:
    return [words[at + 1] for at, word in enumerate(words[:-1]) if word == "-d"]


def _awk(words: Sequence[str]) -> list[str]:
    if "inplace" in words:
        return [word for word in _operands(words, "ivfF")[1:] if "=" not in word]
    return []


def _editor(words: Sequence[str]) -> list[str]:
    """Editors that are run with commands: `ed -s`, `ex -sc`, `vim -c`."""
    return [word for word in _operands(words, "cSu") if not word.startswith("+")]


def _formatter(*flags: str) -> Finder:
    """Programs that rewrite their operands when told to; a folder or nothing is left to the comparison."""

    def files(words: Sequence[str]) -> list[str]:
        if (flags and not any(word in flags for word in words)) or {"--check", "--diff", "-c", "--dry-run"} & set(
            words
        ):
            return []
        return [word for word in _operands(words) if "." in _base(word).lstrip(".")]

    return files


WRITERS: dict[str, Finder] = {
    **dict.fromkeys(("tee", "sponge", "rm", "unlink", "rmdir", "mkfifo"), _all()),
    "touch": _all("drt"),
    "truncate": _all("sr"),
    "shred": _all("ns"),
    "tar": _unpacked,
    "unzip": _unzipped,
    **dict.fromkeys(("chmod", "chown", "chgrp"), _mode),
    **dict.fromkeys(("cp", "ln", "install", "rsync", "link", "scp"), _copied),
    **dict.fromkeys(("mv", "rename"), _moved),
    **dict.fromkeys(("sed", "gsed", "perl", "ruby"), _in_place),
    **dict.fromkeys(("awk", "gawk", "mawk"), _awk),
    "ed": _all("p"),
    **dict.fromkeys(("ex", "vi", "vim", "nvim", "nano", "emacs"), _editor),
    "dd": _dd,
    "curl": _curl,
    "wget": _wget,
    "sort": _sorted,
    "uniq": lambda words: _operands(words)[1:],
    "split": lambda words: _operands(words, "blnaC")[1:],
    **dict.fromkeys(("gofmt", "goimports", "shfmt", "gofumpt"), _formatter("-w", "-lw")),
    "ruff": lambda words: _formatter()(words[1:]) if words[:1] == ["format"] or "--fix" in words else [],
    **dict.fromkeys(("eslint", "stylelint", "oxlint", "rubocop"), _formatter("--fix", "-a", "-A")),
    "biome": lambda words: _formatter("--write", "--fix", "--apply")(words[1:]),
    "yq": lambda words: _operands(words)[1:] if any(_holds(word, "i") or word == "--inplace" for word in words) else [],
    "autoflake": _formatter("-i", "--in-place"),
    "docformatter": _formatter("-i", "--in-place"),
    "pyupgrade": _formatter(),
    "prettier": _formatter("--write", "-w"),
    "black": _formatter(),
    "isort": _formatter(),
    "rustfmt": _formatter(),
    "autopep8": _formatter("-i", "--in-place"),
    "clang-format": _formatter("-i"),
}
