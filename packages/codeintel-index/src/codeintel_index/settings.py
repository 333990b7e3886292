"""A file of settings in JSON, read so that every complaint names the file, the line and the key.

Who reads it says which keys there are; what it makes of the values is its own business. `CODEINTEL_` and a key's path
in capitals (`CODEINTEL_GIT_MERGE`) overrides the file.
"""

import difflib
import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from codeintel_index.errors import BadConfig
from codeintel_index.project_file import FileRefused, read_file

ENV_PREFIX = "CODEINTEL_"
NAME = ".code-intel/config.json"
MAX_BYTES = 256_000
_TOKEN = re.compile(r'("(?:[^"\\]|\\.)*")(\s*:)?|[{}\[\]]')


@dataclass(frozen=True, slots=True)
class Settings:
    """The object in the file, the line of each key by its dotted path, and the values of the environment over it."""

    data: Mapping[str, object] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)
    environ: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path, environ: Mapping[str, str] | None = None) -> "Settings":
        """Read the file; a missing one is empty.

        Raises:
            BadConfig: it cannot be read, is above 256,000 bytes, or is not a JSON object; with line and column.
        """
        variables = os.environ if environ is None else environ
        given = {key: value for key, value in variables.items() if key.startswith(ENV_PREFIX)}
        text = _text(path)
        if text is None:
            return cls(environ=given)
        try:
            data = json.loads(text)
        except json.JSONDecodeError as error:
            why = f"is not JSON at column {error.colno}: {error.msg}"
            raise BadConfig("", why, f"{NAME}, line {error.lineno}") from error
        except ValueError as error:
            raise BadConfig("", "holds a number of too many digits", NAME) from error
        except RecursionError as error:
            raise BadConfig("", "is nested too deeply", NAME) from error
        if not isinstance(data, dict):
            raise BadConfig("", f"must hold an object, not {kind_of(data)}", NAME)
        return cls(data, lines_of_keys(text), given)

    def section(self, key: str) -> Mapping[str, object]:
        """The object under a key, empty if it is left out.

        Raises:
            BadConfig: it holds something else.
        """
        value = self.data.get(key, {})
        if not isinstance(value, dict):
            raise self.wrong(key, f"must be an object, not {kind_of(value)}")
        return value

    def variable(self, key: str) -> str:
        """The variable that overrides a key."""
        return ENV_PREFIX + key.replace(".", "_").upper()

    def override(self, key: str) -> str | None:
        """What the environment says for a key, None if nothing."""
        return self.environ.get(self.variable(key))

    def wrong(self, key: str, why: str) -> BadConfig:
        """The error for a key's value, with the variable or the line it comes from."""
        if self.override(key) is not None:
            return BadConfig(key, why, f"environment variable {self.variable(key)}")
        return BadConfig(key, why, self._place(key))

    def unknown(self, within: str, known: Iterable[str]) -> list[str]:
        """A warning for each key of a section ("" for the file) that is not known, with the nearest that is."""
        prefix = f"{within}." if within else ""
        names = [f"{prefix}{key}" for key in known]
        found = [f"{prefix}{key}" for key in (self.section(within) if within else self.data)]
        return [
            f"{self._place(key)}: unknown key {key[:80]!r}{nearest(key, names)}" for key in found if key not in names
        ]

    def _place(self, key: str) -> str:
        while key and key not in self.lines:
            key = key.rpartition(".")[0]
        return f"{NAME}, line {self.lines[key]}" if key else NAME


def nearest(key: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` for the known key nearest to one, nothing where none is near."""
    near = difflib.get_close_matches(key[:80], list(known), n=1, cutoff=0.6)
    return f"; did you mean {near[0]!r}?" if near else ""


def kind_of(value: object) -> str:
    """What a JSON value is, in the words of JSON."""
    kinds = ((bool, "true or false"), (str, "a text"), (int | float, "a number"), (list, "a list"), (dict, "an object"))
    return next((name for kind, name in kinds if isinstance(value, kind)), "null")


def lines_of_keys(text: str) -> dict[str, int]:
    """The line, from 1, of each key in valid JSON by its dotted path; keys in lists are left out."""
    found: dict[str, int] = {}
    around: list[str] = []
    key, lists, line, seen = "", 0, 1, 0
    for token in _TOKEN.finditer(text):
        line += text.count("\n", seen, token.start())
        seen = token.start()
        if token[0] in "[]":
            lists += 1 if token[0] == "[" else -1
        elif lists:
            continue
        elif token[0] == "{":
            around.append(key)
        elif token[0] == "}":
            around.pop()
        elif token[2]:
            key = str(json.loads(token[1]))
            found[".".join((*around[1:], key))] = line
    return found


def _text(path: Path) -> str | None:
    try:
        data = read_file(path.parent.parent, path, MAX_BYTES)  # it lies in `.code-intel` of the project
    except FileNotFoundError:
        return None
    except FileRefused as error:
        raise BadConfig("", str(error.strerror), NAME) from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadConfig("", "is not UTF-8", f"{NAME}, line {line}") from error
