"""What a verifier's report of its tests says, JUnit or Jest's JSON: counts, and the result of each test by its id.

The environment says where to write: `pytest --junitxml "$CODEINTEL_JUNIT"`. A tool that insists on its own place is met
by a glob in the front matter: `report: junit:build/test-results/**/*.xml`; only files written during the run count.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from codeintel_contract import ContractViolation, read_file
from codeintel_index import expand_glob

VARIABLE = "CODEINTEL_JUNIT"
MAX_BYTES = 32 * 1024 * 1024
MOST_TOLD = 10
TOLD_CHARS = 1_500
PASSED, FAILED, ERROR, SKIPPED, XFAILED = "passed", "failure", "error", "skipped", "xfailed"
_OF_JEST = {"passed": PASSED, "failed": FAILED}
_COUNTED = {"failures": FAILED, "errors": ERROR, "skipped": SKIPPED}


def wanted(report: str) -> bool:
    """Whether a verifier's `report` asks for counts."""
    return report.partition(":")[0] == "junit"


def read_cases(root: Path, verifier: str, report: str, told: Path, since: float) -> dict[str, str]:
    """Results by test id of a run that began at `since`, from the file named to it or those of its glob.

    Raises:
        ContractViolation: `report_unreadable`, saying what was looked for.
    """
    pattern = report.partition(":")[2].strip()
    folder, files = (root, _fresh(root, pattern, since)) if pattern else (told.parent, [told] * told.is_file())
    if not files:
        raise _unreadable(verifier, f"the command wrote no {pattern or VARIABLE} file")
    found: dict[str, str] = {}
    for path in files:
        for name, result in _cases(verifier, root, folder, path):
            found[_free(name, found)] = result
    return found


def untold_failures(told: Path, output: str) -> str:
    """Return what the report of a run says of tests that failed, "" if the output names one of them.

    Mocha writes its results either into a file or to the terminal, and whoever has to fix a test needs the message.
    """
    try:
        data = read_file(told.parent, told, MAX_BYTES)
        cases = [] if data.lstrip()[:1] == b"{" else [*ElementTree.fromstring(data).iter("testcase")]
    except (OSError, ElementTree.ParseError):
        return ""
    failed = [(case.get("name", ""), _said(case)) for case in cases if _result(case) in (FAILED, ERROR)]
    if any(name in output for name, _ in failed):
        return ""
    return "".join(f"\n{name}\n{text}\n" for name, text in failed[:MOST_TOLD])


def _said(case: ElementTree.Element) -> str:
    parts = [part for kind in ("failure", "error") for part in case.findall(kind)]
    return "\n".join((part.text or part.get("message") or "").strip()[:TOLD_CHARS] for part in parts)


def count(cases: Mapping[str, str]) -> dict[str, int]:
    """Count results by kind. An expected failure is not a skip; it is counted where there is one."""
    results = list(cases.values())
    counts = {"tests": len(results)} | {name: results.count(result) for name, result in _COUNTED.items()}
    expected = results.count(XFAILED)
    return counts | ({"xfailed": expected} if expected else {})


def _fresh(root: Path, pattern: str, since: float) -> list[Path]:
    found = (root / name for name in expand_glob(root, pattern))
    return [path for path in found if path.is_file() and path.stat().st_mtime >= since]


def _free(name: str, taken: Mapping[str, str]) -> str:
    """Tests of one name are told apart by their order."""
    if name not in taken:
        return name
    number = 2
    while f"{name} #{number}" in taken:
        number += 1
    return f"{name} #{number}"


def _cases(verifier: str, root: Path, folder: Path, path: Path) -> Iterator[tuple[str, str]]:
    try:
        data = read_file(folder, path, MAX_BYTES)
        yield from _of_jest(root, json.loads(data)) if data.lstrip()[:1] == b"{" else _of_junit(root, data)
    except OSError as error:
        raise _unreadable(verifier, f"{path.name} {error.strerror}") from None
    except ElementTree.ParseError as error:
        raise _unreadable(verifier, f"{path.name} is not XML: {error}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _unreadable(verifier, f"{path.name} is not what jest --json writes: {error!r}") from None


def _of_junit(root: Path, data: bytes) -> Iterator[tuple[str, str]]:
    for case in ElementTree.fromstring(data).iter("testcase"):
        yield _name(root, case), _result(case)


def _name(root: Path, case: ElementTree.Element) -> str:
    """Return a test's id; Mocha's classes are not files, and may occur in several, so it names the file as well."""
    file, place, name = Path(case.get("file", "")), case.get("classname", ""), case.get("name", "")
    if file.is_relative_to(root.resolve()) and file.is_absolute():
        return f"{file.relative_to(root.resolve()).as_posix()}::{place} {name}"
    return f"{place}::{name}" if place else name


def _of_jest(root: Path, report: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the tests, and as an error each file that could not be run; files by their path in the checkout."""
    for suite in report["testResults"]:
        place = Path(suite["name"])
        file = place.relative_to(root.resolve()).as_posix() if place.is_relative_to(root.resolve()) else place.name
        for case in suite["assertionResults"]:
            yield f"{file}::{case['fullName']}", _OF_JEST.get(case["status"], SKIPPED)
        if suite["status"] == "failed" and not any(case["status"] == "failed" for case in suite["assertionResults"]):
            yield file, ERROR


def _result(case: ElementTree.Element) -> str:
    if case.find("failure") is not None:
        return FAILED
    if case.find("error") is not None:
        return ERROR
    skipped = case.find("skipped")
    if skipped is None:
        return PASSED
    return XFAILED if "xfail" in skipped.get("type", "") else SKIPPED


def _unreadable(verifier: str, why: str) -> ContractViolation:
    return ContractViolation("tool_errors.run_verifier.report_unreadable", name=verifier, why=why)
