"""The files that a patch changes."""

import re
from collections.abc import Sequence

MAX_BYTES = 2_000_000
_HEADER = re.compile(
    r"^(?:(?:---|\+\+\+|rename (?:from|to)) (?:[ab]/)?|\*\*\* (?:Add File|Update File|Delete File|Move to): )"
    r"(?P<path>[^\t\n]+)",
    re.MULTILINE,
)


def patched(files: Sequence[str], text: str) -> list[str]:
    """Return the paths named by the patches in some files and a text; files that cannot be read are passed over."""
    from codeintel_contract import read_file

    texts = [text]
    for path in files:
        try:
            texts.append(read_file(None, path, MAX_BYTES, whole=False).decode("utf-8", "replace"))
        except OSError:
            continue
    found = [match["path"].strip() for part in texts for match in _HEADER.finditer(part)]
    return list(dict.fromkeys(path for path in found if path != "/dev/null"))
