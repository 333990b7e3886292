"""What a verifier's report of its tests says: counts, and the result of each test by its id.

A report is JUnit's XML, what `jest --json`, `rspec --format json` or `go test -json` writes, or what `cargo test`,
`prove`, `unittest -v`, Minitest or test-unit with `-v` prints. The environment says where to write: `pytest --junitxml
"$CODEINTEL_JUNIT"`. A tool that insists on its own place is met by a glob in the front matter: `report:
junit:build/test-results/**/*.xml`; only files written during the run count.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
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
_OF_RSPEC = {"passed": PASSED, "failed": FAILED, "pending": SKIPPED}
_OF_GO = {"pass": PASSED, "fail": FAILED, "skip": SKIPPED}
_END_OF_GO = re.compile(r"(?<=\S)--- (PASS|FAIL|SKIP): (\S+) \(\d+\.\d+s\)\n")
_RUBY = {".": PASSED, "F": FAILED, "E": ERROR}
_OF_CARGO = {"ok": PASSED, "FAILED": FAILED, "ignored": SKIPPED}
_CARGO = re.compile(rb"^(?:running \d+ tests?$|error: could not compile )", re.MULTILINE)
_NOT_BUILT = re.compile(r"error: (could not compile .+?)(?: due to .*)?$")
_LINE = re.compile(r" \(line \d+\)$")
"""Of an example in a document; the next change of the file moves it."""
_RUNNING = re.compile(r"running \d+ tests?$")
_TEST = re.compile(r"test (?P<name>.+) \.\.\. (?P<result>ok|FAILED|ignored)\b")
_OF_UNITTEST = re.compile(rb"^(?:Ran \d+ tests? in |\w+ \([\w.]+\)(?: \.\.\. |$))", re.MULTILINE)
_STARTED = re.compile(r"(?P<name>[\w.]+) \((?P<place>[\w.]+)\)(?: \.\.\. |$)")
_UNUSUAL = re.compile(r"(?:\.\.\. |^)(skipped) ['\"]|(?:\.\.\. |^)expected failure$")
_FAILED = re.compile(r"(?P<kind>FAIL|ERROR|UNEXPECTED SUCCESS): (?P<name>[\w.]+) \((?P<place>[\w.]+)\)")
_OF_RUBY = re.compile(
    rb"^(?:# Running:|Started$|\d+ (?:runs|tests), \d+ assertions, )|\.rb>?:\d+:in [`']", re.MULTILINE
)
_RUBY_SUITE = re.compile(r"(?P<deep>(?:  )*)(?P<name>\S.*): $")
_RUBY_TEST = re.compile(
    r"(?:(?P<suite>\S[^#]*)#(?:test_\d{4}_)?(?P<of>.+?) = "
    r"|(?P<deep>(?:  )+)(?P<name>\S.*?):(?:\t+|(?=[.FEOPN](?:: \(|$))))(?P<rest>.*)$"
)
_RUBY_RESULT = re.compile(r"(?:\d\.\d+ s = (?P<quick>[.FES])|(?P<plain>[.FEOPN])(?:: \(\d+\.\d+\))?)$")
_RUBY_END = re.compile(r"(\d+) (?:runs|tests), \d+ assertions, ")
_OF_PROVE = re.compile(rb"^Files=\d+, Tests=\d+,", re.MULTILINE)
_PROVED = re.compile(r"(?:\./)?(?P<file>\S+\.t) \.{2,} ?(?P<how>skipped\b)?")
_PROVE_SUMMARY = re.compile(
    r"(?:\./)?(?P<file>\S+\.t) +\((?:Wstat: 0 (?:\([^)]*\) )?Tests: \d+ Failed: 0\)|(?P<bad>Wstat: .*\)))"
)
_WELL_TOLD = re.compile(
    r"^(?:test .+ \.\.\. (?:ok|ignored\b.*)|\w+ \([\w.]+\)(?:\n.*)? \.\.\. (?:ok|skipped .*|expected failure)"
    r"|\S[^#\n]*#.+ = \d+\.\d+ s = [.S]| +\S.*:\t*\.: \(\d+\.\d+\))\n",
    re.MULTILINE,
)
_TARGET = re.compile(
    r" +Running (?:unittests )?(?P<path>\S+) \((?:\S*[/\\])?(?P<crate>[^/\\()]+?)-[0-9a-f]{16}(?:\.exe)?\)"
    r"| +(?P<docs>Doc-tests \S+)"
)
_NO_ERROR = "\\RiskyTestError"
"""PHPUnit's sign for a test that asserts nothing; the run passes."""
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
    times: Counter[str] = Counter()
    place = root.resolve().as_posix().lstrip("/")  # the names of cases that are files hold it; the base has another
    for path in files:
        for name, result in _cases(verifier, root, folder, path):
            found[_free(name.replace(f"/{place}/", "").replace(f"{place}/", ""), found, times)] = result
    return found


def retell(told: Path, output: str) -> str:
    """Return what a report holds for whoever has to put a test right, and the output does not: "" if there is nothing.

    Go, Cargo and unittest print nothing where their output is the report, and Mocha writes its results either into a
    file or to the terminal. What passed is left out.
    """
    try:
        data = read_file(told.parent, told, MAX_BYTES)
        if data.lstrip()[:1] == b"<":
            return _retell_junit(data, output)
        if data.lstrip()[:1] == b"{":
            return "".join(_retell_go(data)) if _is_of_go(data) else ""
    except (OSError, ValueError, ElementTree.ParseError):
        return ""
    return _WELL_TOLD.sub("", data.decode("utf-8", "replace"))


def _retell_junit(data: bytes, output: str) -> str:
    cases = [case for case in ElementTree.fromstring(data).iter("testcase") if _result(case) in (FAILED, ERROR)]
    if any(case.get("name", "") in output for case in cases):
        return ""
    return "".join(f"\n{case.get('name', '')}\n{_said(case)}\n" for case in cases[:MOST_TOLD])


def _said(case: ElementTree.Element) -> str:
    parts = [part for kind in ("failure", "error") for part in case.findall(kind)]
    return "\n".join((part.text or part.get("message") or "").strip()[:TOLD_CHARS] for part in parts)


def _retell_go(data: bytes) -> Iterator[str]:
    results = dict(_of_go(Path(), data))
    for event in _events(data):
        is_told = not event.get("Test") or results[_name_of_go(event)] in (FAILED, ERROR)
        if is_told and "Output" in event and not event["Output"].startswith("=== "):
            yield event["Output"]


def count(cases: Mapping[str, str]) -> dict[str, int]:
    """Count results by kind. An expected failure is not a skip; it is counted where there is one."""
    results = list(cases.values())
    counts = {"tests": len(results)} | {name: results.count(result) for name, result in _COUNTED.items()}
    expected = results.count(XFAILED)
    return counts | ({"xfailed": expected} if expected else {})


def _fresh(root: Path, pattern: str, since: float) -> list[Path]:
    found = (root / name for name in expand_glob(root, pattern))
    return [path for path in found if path.is_file() and path.stat().st_mtime >= since]


def _free(name: str, taken: Mapping[str, str], times: Counter[str]) -> str:
    """Tests of one name are told apart by their order; `times` counts how often each name came."""
    times[name] += 1
    if times[name] == 1 and name not in taken:
        return name
    while (free := f"{name} #{max(times[name], 2)}") in taken:
        times[name] += 1
    return free


def _cases(verifier: str, root: Path, folder: Path, path: Path) -> Iterator[tuple[str, str]]:
    try:
        data = read_file(folder, path, MAX_BYTES)
        yield from _reader_of(data)(root, data)
    except OSError as error:
        raise _unreadable(verifier, f"{path.name} {error.strerror}") from None
    except ElementTree.ParseError as error:
        raise _unreadable(verifier, f"{path.name} is not XML: {error}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _unreadable(
            verifier, f"{path.name} is not what jest, rspec or go test write as JSON: {error!r}"
        ) from None


def _reader_of(data: bytes) -> Callable[[Path, bytes], Iterator[tuple[str, str]]]:
    if data.lstrip()[:1] == b"{":
        return _of_go if _is_of_go(data) else _of_json
    if _OF_UNITTEST.search(data):
        return _of_unittest
    if _CARGO.search(data):
        return _of_cargo
    if _OF_PROVE.search(data):
        return _of_prove
    return _of_ruby if _OF_RUBY.search(data) and data.lstrip()[:2] not in (b"<?", b"<t") else _of_junit


def _of_junit(root: Path, data: bytes) -> Iterator[tuple[str, str]]:
    for case in ElementTree.fromstring(data).iter("testcase"):
        yield _name(root, case), _result(case)


def _name(root: Path, case: ElementTree.Element) -> str:
    """Return a test's id; Mocha's classes are not files, and may occur in several, so it names the file as well."""
    file, place, name = Path(case.get("file", "")), case.get("classname", ""), case.get("name", "")
    if file.is_relative_to(root.resolve()):
        return f"{file.relative_to(root.resolve()).as_posix()}::{place} {name}"
    return f"{place}::{name}" if place else name


def _of_json(root: Path, data: bytes) -> Iterator[tuple[str, str]]:
    found = json.loads(data)
    return _of_rspec(found) if "examples" in found else _of_jest(root, found)


def _of_rspec(found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the examples by the file that holds or includes them, and as errors what went wrong outside of them."""
    for case in found["examples"]:
        file = case["id"].partition("[")[0].removeprefix("./")
        yield f"{file}::{case['full_description']}", _OF_RSPEC[case["status"]]
    for _ in range(found["summary"]["errors_outside_of_examples_count"]):
        yield "errors outside of examples", ERROR


def _of_jest(root: Path, found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the tests, and as an error each file that could not be run; files by their path in the checkout."""
    for suite in found["testResults"]:
        place = Path(suite["name"])
        file = place.relative_to(root.resolve()).as_posix() if place.is_relative_to(root.resolve()) else place.name
        for case in suite["assertionResults"]:
            yield f"{file}::{case['fullName']}", _OF_JEST.get(case["status"], SKIPPED)
        if suite["status"] == "failed" and not any(case["status"] == "failed" for case in suite["assertionResults"]):
            yield file, ERROR


def _is_of_go(data: bytes) -> bool:
    return b'"Action":' in data.lstrip().partition(b"\n")[0]


def _events(data: bytes) -> Iterator[dict[str, Any]]:
    """Yield the lines that are events; a test may print beside them."""
    for line in data.splitlines():
        if line.startswith(b"{") and b'"Action":' in line:
            yield json.loads(line)


def _name_of_go(event: dict[str, Any]) -> str:
    return f"{event.get('Package', '')}::{event['Test']}"


def _of_go(root: Path, data: bytes) -> Iterator[tuple[str, str]]:
    """Yield the tests, and as an error each one that has no end and each package that failed without a failing test.

    The end of a test is in the midst of a line where the test printed something without ending its line.
    """
    found: dict[str, str] = {}
    for event in _events(data):
        package, result = event.get("Package", ""), _OF_GO.get(event["Action"])
        if event.get("Test"):
            found[_name_of_go(event)] = result or found.get(_name_of_go(event), ERROR)
            for end in _END_OF_GO.finditer(event.get("Output", "")):
                if found.get(name := f"{package}::{end[2]}") == ERROR:
                    found[name] = _OF_GO[end[1].lower()]
        elif result == FAILED:
            failed = (name for name, ended in found.items() if ended in (FAILED, ERROR))
            if not any(name.startswith(f"{package}::") for name in failed):
                found[package] = ERROR
    yield from found.items()


def _of_cargo(root: Path, data: bytes) -> Iterator[tuple[str, str]]:
    """Yield the tests by the file of their target, and as an error what was not built and a target that did not end."""
    place, is_open = "", False
    for line in data.decode("utf-8", "replace").splitlines():
        target = _TARGET.match(line)
        if is_open and target:
            yield place, ERROR
            is_open = False
        if target:
            place = " ".join(filter(None, (target["crate"], (target["path"] or "").replace("\\", "/"), target["docs"])))
        elif _RUNNING.match(line):
            is_open = True
        elif line.startswith("test result: "):
            is_open = False
        elif one := _TEST.match(line):
            yield f"{place}::{_LINE.sub('', one['name'])}", _OF_CARGO[one["result"]]
        elif broken := _NOT_BUILT.match(line):
            yield broken[1], ERROR
    if is_open:
        yield place, ERROR


def _of_unittest(root: Path, data: bytes) -> Iterator[tuple[str, str]]:
    """Yield the tests, as an error the last one if the run has no end; a test may print behind its name."""
    found: dict[str, str] = {}
    last, ended = "", False
    for line in data.decode("utf-8", "replace").splitlines():
        if failed := _FAILED.match(line):
            found[_name_of_unittest(failed)] = ERROR if failed["kind"] == "ERROR" else FAILED
        elif started := _STARTED.match(line):
            last = _name_of_unittest(started)
            found.setdefault(last, PASSED)
        ended = ended or line.startswith("Ran ")
        if last and (said := _UNUSUAL.search(line)):
            found[last] = SKIPPED if said[1] == "skipped" else XFAILED
    if last and not ended:
        found[last] = ERROR
    yield from found.items()


def _name_of_unittest(found: re.Match[str]) -> str:
    """Return the id as pytest writes it; Python says the method's name twice since 3.11."""
    return f"{found['place'].removesuffix('.' + found['name'])}::{found['name']}"


def _of_ruby(root: Path, data: bytes) -> Iterator[tuple[str, str]]:
    """Yield the tests that Minitest or test-unit name, as an error one that has no end; a test may print in between.

    Where tests run beside one another their lines mix, and without `-v` they have none: then none is named.
    """
    suites: list[str] = []
    found: list[tuple[str, str]] = []
    total, is_open = 0, False
    for line in data.decode("utf-8", "replace").splitlines():
        if ended := _RUBY_END.match(line):
            total += int(ended[1])
        elif one := _RUBY_TEST.match(line):
            place = one["suite"] or "::".join(suites[: len(one["deep"]) // 2])
            found.append((f"{place}::{one['of'] or one['name']}", ERROR))
            is_open = True
        elif inside := _RUBY_SUITE.match(line):
            suites[len(inside["deep"]) // 2 :] = [inside["name"]]
        if is_open and (result := _RUBY_RESULT.search(one["rest"] if one else line)):
            found[-1] = found[-1][0], _RUBY.get(result["quick"] or result["plain"], SKIPPED)
            is_open = False
    if not found and not total:
        yield "no test ran", ERROR
    elif len(found) == total or not total:
        yield from found


def _of_prove(root: Path, data: bytes) -> Iterator[tuple[str, str]]:
    """Yield the files of tests that prove ran; tests within are not told apart, and need not have names."""
    found: dict[str, str] = {}
    last = ""
    for line in data.decode("utf-8", "replace").splitlines():
        if one := _PROVED.match(line):
            found.setdefault(one["file"], SKIPPED if one["how"] else PASSED)
        elif one := _PROVE_SUMMARY.match(line):
            last = one["file"]
            found[last] = FAILED if one["bad"] else found.get(last, PASSED)
        elif last and line.startswith("  Parse errors:"):
            found[last] = ERROR
    yield from found.items() or [("no test ran", ERROR)]


def _result(case: ElementTree.Element) -> str:
    if case.find("failure") is not None:
        return FAILED
    if (error := case.find("error")) is not None:
        return SKIPPED if error.get("type", "").endswith(_NO_ERROR) else ERROR
    skipped = case.find("skipped")
    if skipped is None:
        return PASSED
    return XFAILED if "xfail" in skipped.get("type", "") else SKIPPED


def _unreadable(verifier: str, why: str) -> ContractViolation:
    return ContractViolation("tool_errors.run_verifier.report_unreadable", name=verifier, why=why)
