"""What the merging formats have in common: the answers a format module may give.

`json_text`, `jsonc_text`, `json_hooks` and `toml_text` are modules with the same five functions; `formats` joins a
row's mode to one of them and is the only place that does.
"""

from typing import Final


class Absent:
    """The type of ABSENT."""


ABSENT: Final = Absent()
"""Nothing stands at the keys asked for (which is not the same as a null)."""


class Unparsable(Exception):
    """A text is not what its format wants; the caller knows the path and makes a BrokenFile of it."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(line, why)
        self.line = line
        self.why = why
