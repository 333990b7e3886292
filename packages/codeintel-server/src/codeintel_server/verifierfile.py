"""A verifier's file: front matter that says what it fits and what is run, then prose for the agent.

A key that is misspelt or of the wrong kind is an error: passed over, it would quietly take the server's own run away.
"""

import difflib
import re
from collections.abc import Callable
from typing import Any

import yaml

from codeintel_contract.violations import ContractViolation
from codeintel_session.ports import Verifier

DEFAULT_TIMEOUT_S = 600.0
MOST_TIMEOUT_S = 86_400
_FRONT = re.compile(r"\A---[ \t]*\r?\n(.*?)(?:\r?\n)?^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)


def _is_globs(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(one, str) for one in value))


def _is_seconds(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= MOST_TIMEOUT_S


def _is_report(value: object) -> bool:
    return isinstance(value, str) and bool(re.fullmatch(r"none|junit(:\s*\S.*)?", value))


_KEYS: dict[str, tuple[Callable[[object], bool], str]] = {
    "match": (_is_globs, "a list of globs"),
    "command": (lambda value: isinstance(value, str), "a shell line"),
    "timeout_s": (_is_seconds, f"a number of seconds, at most {MOST_TIMEOUT_S}"),
    "report": (_is_report, "none, junit, or junit:GLOB"),
}
"""The keys of the front matter, each with what it takes. A key without a value is one left out."""


def read_verifier(name: str, data: bytes) -> Verifier:
    """A verifier from its file: front matter `{match, command?, timeout_s?, report?}`, then prose.

    Raises:
        ContractViolation: `config_invalid`, naming the file, the line and the key.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _invalid(name, data.count(b"\n", 0, error.start) + 1, "the file is not UTF-8") from error
    front = _FRONT.match(text)
    if front is None and re.match(r"---[ \t]*\r?\n", text):
        raise _invalid(name, 1, "the front matter is not closed by a line ---")
    fields = _fields(name, front[1]) if front else {}
    match = fields.get("match", [])
    return Verifier(
        name=name,
        text=text[front.end() :] if front else text,
        match=tuple([match] if isinstance(match, str) else match),
        command=fields.get("command", "").strip(),
        timeout_s=float(fields.get("timeout_s", DEFAULT_TIMEOUT_S)),
        report=fields.get("report", "none"),
    )


def _fields(name: str, text: str) -> dict[str, Any]:
    try:
        fields = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise _invalid(name, mark.line + 2 if mark else 1, " ".join(str(error).split())) from error
    if fields is not None and not isinstance(fields, dict):
        raise _invalid(name, 1, "the front matter is not a YAML mapping")
    given = {key: value for key, value in (fields or {}).items() if value is not None}
    for key, value in given.items():
        if key not in _KEYS:
            near = difflib.get_close_matches(str(key), _KEYS, 1)
            hint = f"; did you mean {near[0]}?" if near else f"; known: {', '.join(_KEYS)}"
            raise _invalid(name, _line_of(text, key), f"unknown key {key}{hint}")
        fits, wanted = _KEYS[key]
        if not fits(value):
            raise _invalid(name, _line_of(text, key), f"{key} must be {wanted}")
    return given


def _line_of(text: str, key: object) -> int:
    """The line of a key in the file; the front matter begins on its second line."""
    found = re.search(rf"^[\"']?{re.escape(str(key))}[\"']?\s*:", text, re.MULTILINE)
    return text.count("\n", 0, found.start()) + 2 if found else 1


def _invalid(name: str, line: int, problem: str) -> ContractViolation:
    path = f".code-intel/verifiers/{name}:{line}"
    return ContractViolation(
        "tool_errors.start_session.config_invalid", problems=(f"{path}: {problem}",), path=path, problem=problem
    )
