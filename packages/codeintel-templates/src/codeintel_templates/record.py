"""The record of an installation: what was put where, with digests, in `.code-intel/manifest.json`.

It is committed with the project, so that a clone can be upgraded. It is also read as what it is, a file
anyone may have edited: a path that leaves the project is refused before it is used.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from .edits import Edit
from .errors import BrokenFile
from .files_io import read
from .manifest import RECORD, Mode
from .proposals import Proposals


class Entry(BaseModel):
    """One file as we left it.

    Args:
        digest: of the file as written, None where ours was only offered beside the user's.
        value: of the merged value, for the merging modes.
        before: of the file before the merge, None where there was none.
        keep: how many of the row's keys were there before the merge.
        undo: the edit that merged, to revert it.
        offered: of the version last offered beside the user's.
        beside: where that version was written.
        beside_digest: of the file written there.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    mode: Mode
    digest: str | None = None
    value: str | None = None
    before: str | None = None
    keep: int = 0
    undo: Edit | None = None
    offered: str | None = None
    beside: str | None = None
    beside_digest: str | None = None


class Record(BaseModel):
    """What is installed. An empty one means: nothing is."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1] = 1
    templates: str = ""
    clients: tuple[str, ...] = ()
    components: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    proposals: Proposals = Proposals()
    directories: tuple[str, ...] = ()
    files: Mapping[str, Entry] = Field(default_factory=dict)

    def with_file(self, path: str, entry: Entry | None) -> "Record":
        """Return the record with one file's entry replaced, or removed where it is None."""
        rest = {name: kept for name, kept in self.files.items() if name != path}
        files = rest if entry is None else {**rest, path: entry}
        return self.model_copy(update={"files": dict(sorted(files.items()))})

    def dump(self) -> str:
        """Return the text of the file; fields that say nothing are left out."""
        return json.dumps(self.model_dump(mode="json", exclude_defaults=True) | {"version": 1}, indent=2) + "\n"


def load(target: Path) -> Record:
    """Read the record of a project; an empty one where nothing is installed.

    Raises BrokenFile: it cannot be read, or a later version wrote it.
    """
    text = read(target, RECORD)
    if text is None:
        return Record()
    try:
        return Record.model_validate(json.loads(text))
    except json.JSONDecodeError as error:
        raise BrokenFile(Path(RECORD), error.lineno, f"not valid JSON: {error.msg}") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise BrokenFile(Path(RECORD), 1, f"{where}: {first['msg']} (written by a later version?)") from error
    except (ValueError, RecursionError) as error:  # a number of too many digits, too many levels
        raise BrokenFile(Path(RECORD), 1, f"not readable as JSON: {error}") from error
