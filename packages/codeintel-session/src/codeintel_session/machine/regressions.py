"""Find tests that test less than before, by their text: a pass that was bought by testing less must show its cause.

A changed test file is split into its tests, each with the number of its assertions, its cases and its skips, by the
forms of a language's common test libraries and without comments and assertions of a constant. Only a test that existed
before can be weakened, so that a new test warns of nothing, whatever marks it has. A refactoring may lower the counts
for a good reason, so the agent is warned and not refused. A language is a row; Python is read with its own grammar.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import PurePosixPath
from typing import Literal

# An unclosed comment runs to the end of the text: otherwise every `/*` would be searched to the end again.
_HASH = re.compile(r"#.*")
_SLASH = re.compile(r"//.*|/\*[\s\S]*?(?:\*/|\Z)")


@dataclass(frozen=True, slots=True)
class TestText:
    """What the text of one test promises: assertions, cases of a parameter list, and the marks that skip it."""

    __test__ = False  # despite its name, pytest must not collect it

    assertions: int = 0
    cases: int = 1
    skips: tuple[str, ...] = ()
    code: str = field(default="", compare=False)  # without comments and layout


@dataclass(frozen=True, slots=True)
class TestCode:
    """The tests of a changed test file by name, before the session and now."""

    __test__ = False  # despite its name, pytest must not collect it

    path: str
    before: Mapping[str, TestText] = field(default_factory=dict)
    now: Mapping[str, TestText] = field(default_factory=dict)


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


LONGEST_NAME = 60
"""Characters of a line that stands for the title of a test."""
_TITLE = r"""\s*\(\s*(?:"([^"\n]*)"|'([^'\n]*)'|`([^`]*)`)?"""
_ROWS = (
    _row(
        ".js .jsx .mjs .cjs .ts .tsx .mts .cts",
        _SLASH,
        r"(?<![\w.])(?:s?\d?t\.)?x?(?:it|test|specify)(?:\.(?:each|only|concurrent|skip|todo|fixme)\b(?:\([^()\n]*\)|`[^`]*`)?)*"
        + _TITLE,
        r"\bexpect\w*\s*\((?!\s*true\s*\))|\bassert(?:\.\w+)*\s*\(|\.should\b"
        r"|\bs?\d?t\d?(?:\.|\[['\"])(?:is\w*|not\w*|same\w*|equals?|(?:deep|loose|strict)\w*|ok|true|false|throws\w*|rejects"
        r"|doesNot\w*|(?:doesN|n)otMatch|match|error|ifError|fail)(?:['\"]\])?\s*\(",
        r"\b(?:it|test|describe|suite)\.(?:skip|todo|fixme)\b|(?<![\w.])x(?:it|test|describe)\s*\(|\bskip:\s*true\b"
        r"|\b(?:t|this)\.skip\(",
    ),
    _row(
        ".go",
        _SLASH,
        r'^func\s+((?:Test|Fuzz|Benchmark|Example)\w*)\s*\(|\bt\.Run\(\s*(?:"([^"\n]*)")?',
        r"\b[tb]\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\(|\b(?:assert|require|is|qt|c)\.\w+\(",
        r"\b[tb]\.(?:Skip|Skipf|SkipNow)\(",
    ),
    _row(
        ".rs",
        _SLASH,
        r"#\[(?:\w+::)*(?:test|rstest|test_case)\b[^\]]*\](?:\s*#\[[^\]]*\])*\s*(?:pub\s+)?(?:async\s+)?fn\s+(\w+)",
        r"\b(?:debug_)?assert\w*!(?!\s*\(\s*true\s*\))|\bpanic!|#\[should_panic",
        r"#\[ignore\b",
    ),
    _row(
        ".java .kt .scala .groovy",
        _SLASH,
        r"@(?:Test|ParameterizedTest|RepeatedTest|TestFactory)\b[^{;]*?(?:\s(?:fun\s+)?(`[^`]+`|\w+)\s*\()"
        r"|^[ \t]*test\(\"([^\"\n]*)",
        r"\b(?:assert\w*|fail|verify|expectThrows)\s*\(|\bshould(?:Be|Throw)?\b",
        r"@(?:Disabled|Ignore)\b|\bassume\w*\(",
    ),
    _row(
        ".cs",
        _SLASH,
        r"\[\s*(?:Fact|Theory|Test|TestCase|TestMethod)\b[^{;]*?\s(\w+)\s*\(\s*[^\"]",
        r"\b(?:Class|String|Collection)?Assert\.\w+|\.Should\(\)",
        r"\bSkip\s*=|\[\s*Ignore\b",
    ),
    _row(
        ".rb",
        _HASH,
        r"^[ \t]*(?:def\s+(test_\w+)|x?(?:it|test|specify|scenario)\b\s*\(?(?:'([^'\n]*)'|\"([^\"\n]*)\")?.*\bdo\b)",
        r"\b(?:assert|refute)\w*\b|\bexpect\b|\.must_\w+|\.should\b",
        r"^[ \t]*(?:skip|pending|xit|xdescribe)\b",
    ),
    _row(
        ".php",
        _SLASH,
        r"\bfunction\s+(test\w*)\s*\(|#\[Test\b[^{;]*?function\s+(\w+)|(?<![\w>$])(?:it|test)\s*\(\s*'([^'\n]*)",
        r"(?:->|::)(?:assert\w+|expect\w*)\(|(?<![\w>$])expect\s*\(",
        r"(?:->|::)markTest(?:Skipped|Incomplete)\(|->skip\(",
    ),
)
_BY_SUFFIX = {suffix: row for row in _ROWS for suffix in row.suffixes}


def read_tests(path: str, text: str) -> dict[str, TestText]:
    """Read the tests of a text by name; none for a language without a row, or a text that does not parse."""
    suffix = PurePosixPath(path).suffix
    if suffix == ".py":
        return _python(text)
    row = _BY_SUFFIX.get(suffix)
    return _by_row(row, row.comment.sub("", text)) if row else {}


def _own(body: str, start: re.Match[str]) -> tuple[str, bool]:
    """Cut what follows a test, and say whether it ends in the text: what does not holds the tests that follow.

    It ends with the line that closes it, indented as the line that it begins with; on one line with that line.
    """
    indent = _indent(start.string, start)
    lines = body.splitlines(keepends=True)
    if "\n" not in start[0] and lines[0].count("(") == lines[0].count(")") and lines[0].rstrip("; \n").endswith(")"):
        return lines[0], True
    for at, each in enumerate(lines[1:], 1):
        rest = each.lstrip()
        if rest.startswith((")", "]", "}", "end")) and len(each) - len(rest) <= indent:
            return "".join(lines[: at + 1]), True
    return body, False


def _by_row(row: _Row, code: str) -> dict[str, TestText]:
    found: dict[str, TestText] = {}
    starts = [(_begin(code, start.start()), start) for start in row.test.finditer(code)]
    ends = [begin for begin, _ in starts[1:]] + [len(code)]
    around: list[tuple[int, str]] = []
    for (begin, start), end in zip(starts, ends, strict=False):
        body = code[begin:end]
        title = next((group for group in start.groups() if group), None) or _first_line(code, start.start())
        name, indent = _free_name(title, found), _indent(code, start)
        own, is_closed = _own(body, start)
        around = [one for one in around if one[0] < indent]
        # What follows a test within another one is the other's.
        rest = len(row.assertion.findall(body[len(own) :])) if around else 0
        if rest:
            outer = found[around[-1][1]]
            found[around[-1][1]] = replace(outer, assertions=outer.assertions + rest)
        count = len(row.assertion.findall(body)) - rest
        skips = tuple(map(str.strip, row.skip.findall(body)))
        found[name] = TestText(count, skips=skips, code="".join(own.split()))
        around += [(indent, name)] * (not is_closed)
    return found


def _indent(code: str, start: re.Match[str]) -> int:
    line = code[code.rfind("\n", 0, start.start()) + 1 : start.end()]
    return len(line) - len(line.lstrip())


def _first_line(code: str, start: int) -> str:
    """Return what names a test without a title of its own, wherever it is: the line that it begins with."""
    return code[start:].partition("\n")[0].strip()[:LONGEST_NAME]


def _begin(code: str, start: int) -> int:
    """Return where a test begins with the lines of annotations before it."""
    begin = code.rfind("\n", 0, start) + 1 if not code[code.rfind("\n", 0, start) + 1 : start].strip() else start
    while begin > 1:
        line = code.rfind("\n", 0, begin - 1) + 1
        if "{" in code[line:begin] or not code[line:begin].lstrip().startswith(("@", "#[", "[")):
            break
        begin = line
    return begin


def _free_name(name: str, taken: Mapping[str, object]) -> str:
    number = 1
    while (free := name if number == 1 else f"{name} #{number}") in taken:
        number += 1
    return free


_CALLED = ("skip", "skipTest", "xfail", "importorskip")
_MARKS = frozenset((*_CALLED, "skipif", "skipIf", "skipUnless", "expectedFailure"))


def _python(text: str) -> dict[str, TestText]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found: dict[str, TestText] = {}
    for name, node, inherited in _test_functions(tree, "", (), 0):
        found[name] = _test_text(node, inherited)  # of several the last is the one that runs
    return found


Function = ast.FunctionDef | ast.AsyncFunctionDef
DEEPEST = 20
"""How deeply nested classes may be before they are passed over."""


def _test_functions(
    parent: ast.Module | ast.ClassDef, prefix: str, marks: tuple[str, ...], depth: int
) -> Iterator[tuple[str, Function, tuple[str, ...]]]:
    marks = (*marks, *_assigned_marks(parent))
    for node in parent.body:
        if isinstance(node, Function) and node.name.startswith("test"):
            yield prefix + node.name, node, marks
        elif isinstance(node, ast.ClassDef) and depth < DEEPEST:
            yield from _test_functions(node, f"{prefix}{node.name}.", (*marks, *_marks(node.decorator_list)), depth + 1)


def _assigned_marks(parent: ast.Module | ast.ClassDef) -> tuple[str, ...]:
    """Return the marks of `pytestmark = ...`, which apply to every test of a module or class."""
    values = [
        node.value
        for node in parent.body
        if isinstance(node, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id in ("pytestmark", "__test__") for target in node.targets)
    ]
    return _marks(values) + tuple("__test__" for value in values if isinstance(value, ast.Constant) and not value.value)


def _marks(nodes: Iterable[ast.expr]) -> tuple[str, ...]:
    names = [_name(inner) for node in nodes for inner in ast.walk(node) if isinstance(inner, ast.Attribute | ast.Name)]
    return tuple(name for name in names if name in _MARKS)


def _name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _test_text(function: Function, inherited: tuple[str, ...]) -> TestText:
    cases = 1
    for mark in function.decorator_list:
        if isinstance(mark, ast.Call) and _name(mark.func) == "parametrize" and len(mark.args) > 1:
            values = mark.args[1]
            cases *= len(values.elts) if isinstance(values, ast.List | ast.Tuple | ast.Set) else 1
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
    called = tuple(_name(call.func) for call in calls if _name(call.func) in _CALLED)
    skips = (*inherited, *_marks(function.decorator_list), *called)
    return TestText(_assertions(function, calls), cases, skips, _statements(function))


def _statements(function: Function) -> str:
    """Return what a test is called with and its statements, each in a form without layout, with NUL between them."""
    head = (type(function).__name__, ast.dump(function.args), *map(ast.dump, function.decorator_list))
    return "\0".join((*head, *map(ast.dump, function.body)))


def _assertions(function: Function, calls: Iterable[ast.Call]) -> int:
    asserts = [node for node in ast.walk(function) if isinstance(node, ast.Assert)]
    plain = sum(not isinstance(node.test, ast.Constant) for node in asserts)
    names = ("raises", "warns", "fail", "deprecated_call")
    return plain + sum(_name(call.func).startswith("assert") or _name(call.func) in names for call in calls)


Cause = Literal["gone", "marked", "fewer_cases", "fewer_assertions", "changed"]


@dataclass(frozen=True, slots=True)
class Weakened:
    """A test that promises less than before, and in what; or one that was changed and may promise anything."""

    path: str
    test: str
    cause: Cause
    before: int = 0
    now: int = 0
    mark: str = ""


def find_weakened(files: Iterable[TestCode]) -> list[Weakened]:
    """Return the tests that promise less than before, and those that were changed.

    A test that moved to another changed file is compared there, and one with another name is compared with the new test
    of its file that does all that it did.
    """
    files = list(files)
    new = {name: text for one in files for name, text in one.now.items() if name not in one.before}
    found: list[Weakened] = []
    for one in files:
        added = {name: _untitled(name, text) for name, text in one.now.items() if name not in one.before}
        for name, text in one.before.items():
            before, now = text, one.now.get(name) or new.get(name)
            if now is None:
                before = _untitled(name, text)
                again = next((other for other in added if _is_within(before.code, added[other].code)), None)
                now = added.pop(again) if again else None
            found += _losses(one.path, name, before, now)
    return found


def _untitled(name: str, test: TestText) -> TestText:
    return replace(test, code=test.code.replace("".join(name.split()), "", 1))


def _is_within(before: str, now: str) -> bool:
    """Whether a text is another one with something put in at one place, or nothing."""
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, now, strict=False)))
    return now.endswith(before[same:]) and len(now) >= len(before)


def _says_the_same(path: str, before: str, now: str) -> bool:
    """Whether a test does all that it did, and perhaps more behind that.

    Where we do not parse its language, its text holds whatever comes before the next test.
    """
    if path.endswith(".py"):
        return f"{now}\0".startswith(f"{before}\0")
    return now.startswith(before.rstrip(");}]"))


def _losses(path: str, name: str, before: TestText, now: TestText | None) -> Iterator[Weakened]:
    if now is None:
        yield Weakened(path, name, "gone")
        return
    if added := [mark for mark in now.skips if mark not in before.skips]:
        yield Weakened(path, name, "marked", mark=added[0])
    if now.cases < before.cases:
        yield Weakened(path, name, "fewer_cases", before.cases, now.cases)
    if now.assertions < before.assertions:
        yield Weakened(path, name, "fewer_assertions", before.assertions, now.assertions)
    elif not _says_the_same(path, before.code, now.code) and not added and now.cases >= before.cases:
        yield Weakened(path, name, "changed")
