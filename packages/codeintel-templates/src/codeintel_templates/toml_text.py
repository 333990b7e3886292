"""One table put into, or taken out of, a TOML text, with its comments and order kept.

A new table is appended as text, which touches nothing before it. Where that is not TOML (the parent is
an inline table) or something is replaced or removed, tomlkit edits the document in place.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

import tomlkit
from tomlkit.items import InlineTable

from .edits import ABSENT, Unparsable, newline


def load(text: str) -> dict[str, Any]:
    """Read a TOML document. Raises Unparsable: it is not one."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"\(at line (\d+)", str(error))
        line = int(found[1]) if found else text.count("\n") + 1
        raise Unparsable(line, f"not valid TOML: {error}") from error
    except ValueError as error:
        raise Unparsable(1, "a number has too many digits") from error
    except RecursionError as error:
        raise Unparsable(1, "the file is nested too deeply") from error


def get(text: str, keys: Sequence[str]) -> object:
    found: Any = load(text)
    for key in keys:
        if not isinstance(found, dict):
            raise Unparsable(1, f"{key!r} cannot be added: its parent is not a table")
        if key not in found:
            return ABSENT
        found = found[key]
    return found


def put(text: str, keys: Sequence[str], value: dict[str, Any]) -> str:
    """Return the text with the table `value` at `keys`."""
    if get(text, keys) is ABSENT:
        appended = _append(text, keys, value)
        if appended is not None:
            return appended
    return _edit(text, keys, value)


def drop(text: str, keys: Sequence[str], keep: int) -> str:
    """Return the text without `keys`; parents left empty go too, but for the first `keep` keys."""
    if get(text, keys) is ABSENT:
        return text
    document = tomlkit.parse(text)
    parents = _chain(document, keys[:-1])
    del parents[-1][keys[-1]]
    for depth in range(len(keys) - 1, keep, -1):
        if parents[depth].unwrap():
            break
        del parents[depth - 1][keys[depth - 1]]
    return tomlkit.dumps(document)


def fresh(keys: Sequence[str], value: dict[str, Any], beside: Mapping[str, Any]) -> str:
    return tomlkit.dumps(beside) + _table(keys, value)


def is_empty(text: str, beside: Mapping[str, Any]) -> bool:
    """Say whether the file holds nothing but `beside`, not even a comment."""
    return text.strip() == tomlkit.dumps(beside).strip()


def _table(keys: Sequence[str], value: dict[str, Any]) -> str:
    return f"[{'.'.join(tomlkit.key(key).as_string() for key in keys)}]\n" + tomlkit.dumps(value)


def _append(text: str, keys: Sequence[str], value: dict[str, Any]) -> str | None:
    end = newline(text)
    gap = "" if not text else end if text.endswith("\n") else end * 2
    appended = text + gap + _table(keys, value).replace("\n", end)
    try:
        tomllib.loads(appended)
    except tomllib.TOMLDecodeError:
        return None
    return appended


def _chain(document: Any, keys: Sequence[str]) -> list[Any]:
    chain = [document]
    for key in keys:
        chain.append(chain[-1][key])
    return chain


def _edit(text: str, keys: Sequence[str], value: dict[str, Any]) -> str:
    document = tomlkit.parse(text)
    parent = _chain(document, keys[:-1])[-1]
    if not isinstance(parent.get(keys[-1]), Mapping):
        parent[keys[-1]] = tomlkit.inline_table() if isinstance(parent, InlineTable) else tomlkit.table()
    table = parent[keys[-1]]
    for stale in [name for name in table if name not in value]:
        del table[stale]
    for name, item in value.items():
        if name not in table or table[name] != item:
            table[name] = item
    return tomlkit.dumps(document)
