"""What a project's tests promise, compared with before, so that a pass bought by taking tests away shows.

Two witnesses: what the verifier's report counted, and the changed test files themselves, in which tests, assertions and
skips are counted by how a language's common test libraries write them, without comments and assertions that true is
true. A refactoring may lower the counts for a good reason, so the agent is warned and not refused. A language is a row.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from .state import Receipt
from .verdict import Say

_HASH = re.compile(r"#.*")
_SLASH = re.compile(
    r"//.*|/\*[\s\S]*?(?:\*/|\Z)"
)  # to the end where it is not closed: or each would be looked for anew
_PLACE = re.compile(
    r"(?:^|/)(?:tests?|__tests__|specs?|testing)/|(?:^|/)(?:test_[^/]*|conftest\.py)$"
    r"|[^/]*(?:[._-](?:test|spec)s?|Tests?|Spec|_test)\.\w+$"
)


@dataclass(frozen=True, slots=True)
class Tally:
    """How many tests, assertions and skips a text holds."""

    tests: int = 0
    assertions: int = 0
    skips: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.tests + other.tests, self.assertions + other.assertions, self.skips + other.skips)

    def promises_less_than(self, before: "Tally") -> bool:
        """True if something that was tested before is not any more."""
        return self.tests < before.tests or self.assertions < before.assertions or self.skips > before.skips


@dataclass(frozen=True, slots=True)
class TestCode:
    """A changed test file, before the session and now."""

    __test__ = False  # the name is what it is; pytest need not look inside

    path: str
    before: Tally
    now: Tally


@dataclass(frozen=True, slots=True)
class _Row:
    suffixes: frozenset[str]
    comment: re.Pattern[str]
    test: re.Pattern[str]
    assertion: re.Pattern[str]
    skip: re.Pattern[str]


def _row(suffixes: str, comment: re.Pattern[str], test: str, assertion: str, skip: str) -> _Row:
    compiled = (re.compile(text, re.MULTILINE) for text in (test, assertion, skip))
    return _Row(frozenset(suffixes.split()), comment, *compiled)


_ROWS = (
    _row(
        ".py",
        _HASH,
        r"^[ \t]*(?:async\s+)?def\s+test\w*\s*\(",
        r"^[ \t]*assert\b(?![ \t(]*(?:True|1)\b[ \t)]*(?:[,;]|$))"
        r"|\bself\.(?:assert\w+|fail)\(|\b(?:raises|warns)\(|\.assert_\w+\(",
        r"\b(?:skip|skipif|skipIf|skipUnless|skipTest|xfail|importorskip|expectedFailure)\b",
    ),
    _row(
        ".js .jsx .mjs .cjs .ts .tsx .mts .cts",
        _SLASH,
        r"(?<![\w.])(?:it|test|specify)(?:\.(?:each|only|concurrent))*\s*[(`]",
        r"\bexpect\w*\s*\((?!\s*true\s*\))|\bassert(?:\.\w+)*\s*\(|\.should\b|\bt\.(?:is|deepEqual|true|false|throws\w*|not)\(",
        r"\b(?:it|test|describe|suite)\.(?:skip|todo|fixme)\b|(?<![\w.])x(?:it|test|describe)\s*\(",
    ),
    _row(
        ".go",
        _SLASH,
        r"^func\s+(?:Test|Fuzz|Benchmark|Example)\w*\s*\(|\bt\.Run\(",
        r"\b[tb]\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\(|\b(?:assert|require|is|qt|c)\.\w+\(",
        r"\b[tb]\.(?:Skip|Skipf|SkipNow)\(",
    ),
    _row(
        ".rs",
        _SLASH,
        r"#\[(?:\w+::)*(?:test|rstest|test_case)\b",
        r"\b(?:debug_)?assert\w*!|\bpanic!|#\[should_panic",
        r"#\[ignore\b",
    ),
    _row(
        ".java .kt .scala .groovy",
        _SLASH,
        r"@(?:Test|ParameterizedTest|RepeatedTest|TestFactory)\b|^[ \t]*test\(",
        r"\b(?:assert\w*|fail|verify|expectThrows)\s*\(|\bshould(?:Be|Throw)?\b",
        r"@(?:Disabled|Ignore)\b|\bassume\w*\(",
    ),
    _row(
        ".cs",
        _SLASH,
        r"\[\s*(?:Fact|Theory|Test|TestCase|TestMethod)\b",
        r"\b(?:Class|String|Collection)?Assert\.\w+|\.Should\(\)",
        r"\bSkip\s*=|\[\s*Ignore\b",
    ),
    _row(
        ".rb",
        _HASH,
        r"^[ \t]*(?:def\s+test_\w+|(?:it|test|specify|scenario)\b.*\bdo\b)",
        r"\b(?:assert|refute)\w*\b|\bexpect\b|\.must_\w+|\.should\b",
        r"^[ \t]*(?:skip|pending|xit|xdescribe)\b",
    ),
    _row(
        ".php",
        _SLASH,
        r"\bfunction\s+test\w*\s*\(|#\[Test\b|(?<![\w>$])(?:it|test)\s*\(",
        r"(?:->|::)(?:assert\w+|expect\w*)\(|(?<![\w>$])expect\s*\(",
        r"(?:->|::)markTest(?:Skipped|Incomplete)\(|->skip\(",
    ),
)
_BY_SUFFIX = {suffix: row for row in _ROWS for suffix in row.suffixes}


def is_test(path: str) -> bool:
    """Whether a path is named as tests are, in a language that has a row."""
    return PurePosixPath(path).suffix in _BY_SUFFIX and _PLACE.search(path) is not None


def tally(path: str, text: str) -> Tally:
    """The counts of a file; nothing for a language without a row."""
    row = _BY_SUFFIX.get(PurePosixPath(path).suffix)
    if row is None:
        return Tally()
    code = row.comment.sub("", text)
    return Tally(*(len(pattern.findall(code)) for pattern in (row.test, row.assertion, row.skip)))


def weakened(files: Iterable[TestCode]) -> list[str]:
    """The files that promise less than before; none where others of the change make up for all of it."""
    files = list(files)
    before, now = sum((one.before for one in files), Tally()), sum((one.now for one in files), Tally())
    if not now.promises_less_than(before):
        return []
    return [one.path for one in files if one.now.promises_less_than(one.before)]


def losses(receipt: Receipt) -> list[Say]:
    """What a run counted less of than the one it is compared with."""
    said = []
    for key, count, before in (
        ("warnings.fewer_tests", size(receipt.counts), size(receipt.before)),
        ("warnings.new_skips", -receipt.counts.get("skipped", 0), -receipt.before.get("skipped", 0)),
    ):
        if receipt.before and count < before:
            said.append(Say(key, {"name": receipt.verifier, "now": abs(count), "before": abs(before)}))
    return said


def size(counts: Mapping[str, int]) -> int:
    """How many tests a run counted."""
    return counts.get("tests", 0)
