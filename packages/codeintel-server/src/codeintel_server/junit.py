"""What a verifier's JUnit report counts.

The command is told where to write: `pytest --junitxml "$CODEINTEL_JUNIT"`. A tool that insists on its own place is met
by a glob in the front matter: `report: junit:build/test-results/**/*.xml`; only files written during the run count.
"""

import glob
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

from codeintel_contract.violations import ContractViolation

VARIABLE = "CODEINTEL_JUNIT"
MAX_BYTES = 32 * 1024 * 1024
COUNTED = ("tests", "failures", "errors", "skipped")


def wanted(report: str) -> bool:
    """Whether a verifier's `report` asks for counts."""
    return report.partition(":")[0] == "junit"


def count(root: Path, verifier: str, report: str, told: Path, since: float) -> dict[str, int]:
    """Counts of a run that began at `since`, from the file it was told to write or those of its glob.

    Raises:
        ContractViolation: `report_unreadable`, saying what was looked for.
    """
    pattern = report.partition(":")[2].strip()
    files = _fresh(root, pattern, since) if pattern else [told] * told.is_file()
    if not files:
        raise _unreadable(verifier, f"the command wrote no {pattern or VARIABLE} file")
    total = dict.fromkeys(COUNTED, 0)
    for path in files:
        for name, number in _counts(verifier, path).items():
            total[name] += number
    return total


def _fresh(root: Path, pattern: str, since: float) -> list[Path]:
    found = (root / name for name in glob.glob(pattern, root_dir=root, recursive=True))
    return [path for path in found if path.is_file() and path.stat().st_mtime >= since]


def _counts(verifier: str, path: Path) -> dict[str, int]:
    if path.stat().st_size > MAX_BYTES:
        raise _unreadable(verifier, f"{path.name} is larger than {MAX_BYTES >> 20} MB")
    try:
        cases = list(ElementTree.parse(path).iter("testcase"))
    except ElementTree.ParseError as error:
        raise _unreadable(verifier, f"{path.name} is not XML: {error}") from None
    return {
        "tests": len(cases),
        "failures": _holding(cases, "failure"),
        "errors": _holding(cases, "error"),
        "skipped": _holding(cases, "skipped"),
    }


def _holding(cases: Iterable[ElementTree.Element], tag: str) -> int:
    return sum(case.find(tag) is not None for case in cases)


def _unreadable(verifier: str, why: str) -> ContractViolation:
    return ContractViolation("tool_errors.run_verifier.report_unreadable", name=verifier, why=why)
