"""The files that a patch changes: unified diffs, and the form that Codex's `apply_patch` takes."""

import re
from collections.abc import Sequence

MAX_BYTES = 2_000_000
_UNIFIED = re.compile(r"^(?:---|\+\+\+|rename (?:from|to)) (?:[ab]/)?(?P<path>[^\t\n]+)", re.MULTILINE)
_BLOCK = re.compile(r"^\*\*\* (?:Add File|Update File|Delete File|Move to): (?P<path>.+)$", re.MULTILINE)


def patched(files: Sequence[str], text: str) -> list[str]:
    """Paths named by the patches in some files and a text; files that cannot be read are passed over."""
    texts = [text]
    for path in files:
        try:
            with open(path, "rb") as file:
                texts.append(file.read(MAX_BYTES).decode("utf-8", "replace"))
        except (OSError, ValueError):
            continue
    found = [match["path"].strip() for part in texts for match in _UNIFIED.finditer(part)]
    return list(dict.fromkeys(path for path in found if path != "/dev/null"))


def in_blocks(text: str) -> list[str]:
    """Paths of a patch with `*** Update File:` headers."""
    return [match["path"].strip() for match in _BLOCK.finditer(text)]
