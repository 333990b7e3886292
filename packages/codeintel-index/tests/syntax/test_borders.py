"""What a file would be if the comparisons on its changed lines drew their border one step further."""

import pytest

from codeintel_index import find_borders, hollowed

LOW = b"""def low(shelf, limit):
    if limit > 9:
        limit = 9
    return [name for name, count in shelf if count < limit]
"""


def test_each_comparison_of_a_changed_line_is_named_and_moved() -> None:
    found = find_borders("a.py", LOW, b"")
    assert [(each.line, each.name) for each in found] == [
        (2, "low: >= in place of >"),
        (4, "low: <= in place of <"),
    ]
    text = hollowed(LOW, found[1:])
    assert text == LOW.replace(b"count < limit", b"count <= limit")


def test_a_line_that_was_there_before_is_left_alone() -> None:
    before = LOW.replace(b"if limit > 9", b"if limit > 8")
    assert [each.line for each in find_borders("a.py", LOW, before)] == [2]


@pytest.mark.parametrize(
    ("path", "data", "names"),
    [
        ("a.js", "const low = (a, b) => a >= b;\n", ["low: > in place of >="]),
        ("a.ts", "function low(a: Array<number>) { return a.length <= 2; }\n", ["low: < in place of <="]),
        ("a.go", "func Low(a, b int) bool { return a < b }\n", ["Low: <= in place of <"]),
        ("a.rs", "fn low(a: Vec<u8>) -> bool { a.len() > 1 }\n", ["low: >= in place of >"]),
        ("a.cpp", "int low(std::vector<int> a) { return a.size() < 1; }\n", ["low: <= in place of <"]),
        ("a.rb", "def low(a)\n  a > 1\nend\n", ["low: >= in place of >"]),
        ("a.sh", 'low() {\n  [ "$1" -lt 3 ] || exit 1\n}\n', ["low: -le in place of -lt"]),
        ("a.py", "def same(a, b):\n    return a == b\n", []),
    ],
)
def test_signs_of_other_languages_are_found_and_parameters_of_types_are_not(
    path: str, data: str, names: list[str]
) -> None:
    assert [each.name for each in find_borders(path, data.encode(), b"")] == names
