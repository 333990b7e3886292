"""A verifier's file: front matter that says what it fits and what is run, then prose for the agent.

A key that is misspelt or of the wrong kind is an error: passed over, it would quietly take the server's own run away.
"""

import re
from collections.abc import Callable

from pydantic import BaseModel, Field, field_validator

from codeintel_contract import ContractViolation, UnreadableYaml, did_you_mean, read_document
from codeintel_index import BadPattern, compile_glob
from codeintel_server.checked import WrongValue, invalid, read_as, unknown_keys
from codeintel_session import Verifier

MAX_TIMEOUT_S = 86_400
_FRONT = re.compile(r"\A---[ \t]*\r?\n(.*?)(?:\r?\n)?^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)


class _FrontMatter(BaseModel):
    match: list[str] = Field([], description="a list of globs")
    command: str = Field("", description="a shell line")
    timeout_s: float = Field(600.0, gt=0, le=MAX_TIMEOUT_S, description=f"a number of seconds, at most {MAX_TIMEOUT_S}")
    report: str = Field(
        "none", pattern=r"^(none|findings|junit(:\s*\S.*)?)$", description="none, findings, junit, or junit:GLOB"
    )
    setup: str = Field("", description="a shell line")
    tests: list[str] = Field([], description="a list of globs")
    steering: list[str] = Field([], description="a list of globs")

    @field_validator("match", "tests", "steering", mode="before")
    @classmethod
    def _one_is_a_list_of_one(cls, value: object) -> object:
        return [value] if isinstance(value, str) else value


def read_verifier(name: str, data: bytes) -> Verifier:
    """Read a verifier: front matter (match, command, setup, timeout_s, report, tests, steering: optional), then prose.

    Raises ContractViolation: `config_invalid`, naming the file, the line and the key.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _invalid(name, data.count(b"\n", 0, error.start) + 1, "the file is not UTF-8") from error
    front = _FRONT.match(text)
    if front is None and re.match(r"---[ \t]*\r?\n", text):
        raise _invalid(name, 1, "the front matter is not closed by a line ---")
    fields, globs = _fields(name, front[1] if front else "")
    return Verifier(
        name=name,
        text=text[front.end() :] if front else text,
        matches=_any_of(globs["match"]) or (lambda _: True),
        command=fields.command.strip(),
        timeout_s=fields.timeout_s,
        report=fields.report,
        setup=fields.setup.strip(),
        tests=_any_of(globs["tests"]),
        steers=_any_of(globs["steering"]),
    )


FRONT_CHARS = 64_000
Matches = Callable[[str], bool]
GLOBS = ("match", "tests", "steering")


def _any_of(globs: list[Matches]) -> Matches | None:
    return (lambda path: any(fits(path) for fits in globs)) if globs else None


def _fields(name: str, text: str) -> tuple[_FrontMatter, dict[str, list[Matches]]]:
    if len(text) > FRONT_CHARS:
        raise _invalid(name, 1, f"the front matter is longer than {FRONT_CHARS} characters")
    try:
        found = read_document(text).data
    except UnreadableYaml as error:
        raise _invalid(name, error.line + 1, error.problem) from error
    given = {key: value for key, value in found.items() if value is not None}
    for (key,), known in unknown_keys(_FrontMatter, given):
        near = did_you_mean(key, known).removeprefix(", ") or f"known: {', '.join(known)}"
        raise _invalid(name, _line_of(text, key), f"unknown key {key}; {near}")
    try:
        fields = read_as(_FrontMatter, given)
        if report := fields.report.partition(":")[2].strip():
            compile_glob(report)
        return fields, {key: [compile_glob(glob) for glob in getattr(fields, key)] for key in GLOBS}
    except WrongValue as error:
        key = error.place[0]
        raise _invalid(name, _line_of(text, key), f"{key} must be {error.wanted}") from error
    except BadPattern as error:
        key = next((key for key in GLOBS if error.pattern in "".join(getattr(fields, key))), "report")
        raise _invalid(name, _line_of(text, key), f"{key}: {error}") from error


def _line_of(text: str, key: object) -> int:
    """The line of a key in the file; the front matter begins on its second line."""
    found = re.search(rf"^[\"']?{re.escape(str(key))}[\"']?\s*:", text, re.MULTILINE)
    return text.count("\n", 0, found.start()) + 2 if found else 1


def _invalid(name: str, line: int, problem: str) -> ContractViolation:
    return invalid(f".code-intel/verifiers/{name}:{line}", problem)
