"""What a file would be if the comparisons of order on its changed lines failed on their border, or moved it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from codeintel_index import find_borders, hollowed

LOW = b"""def low(shelf, limit):
    if limit > 9:
        limit = 10
    return [name for name, count in shelf if 0 <= count < limit]
"""


def test_each_comparison_of_a_changed_line_is_named_and_moved() -> None:
    found = [step for _, step in find_borders("a.py", LOW, b"")]
    assert [(each.line, each.name) for each in found] == [
        (2, "low: limit > 9"),
        (4, "low: 0 <= count"),
        (4, "low: count < limit"),
    ]
    assert hollowed(LOW, found[2:]) == LOW.replace(b"count < limit", b"count <= limit")


def test_a_line_that_was_there_before_is_left_alone() -> None:
    before = LOW.replace(b"if limit > 9", b"if limit > 8")
    assert [step.line for _, step in find_borders("a.py", LOW, before)] == [2]


@pytest.mark.parametrize("at", [1, 2])
def test_a_comparison_fails_on_its_border_alone(at: int) -> None:
    failing, step = find_borders("a.py", LOW, b"")[at]
    names: dict[str, object] = {}
    exec(hollowed(LOW, [failing]), names)
    low = names["low"]
    assert callable(low)
    assert low([("a", 1), ("b", -1), ("c", 9)], 5) == ["a"]
    with pytest.raises(RuntimeError, match="codeintel"):
        low([("a", 0 if "0" in step.name else 5)], 5)


@pytest.mark.parametrize(
    ("path", "data", "names"),
    [
        ("a.js", "const low = (a, b) => a >= b;\n", ["low: a >= b"]),
        ("a.ts", "function low(a: Array<number>) { return a.length <= 2; }\n", ["low: a.length <= 2"]),
        ("a.go", "func Low(a, b int) bool { return a < b }\n", ["Low: a < b"]),
        ("a.go", "func Low(a, b int) bool { return a < next(b) }\n", []),
        ("a.rs", "fn low(a: Vec<u8>) -> bool { a.len() > 1 }\n", ["low: a.len() > 1"]),
        ("a.cpp", "int low(std::vector<int> a) { return a.size() < 1; }\n", ["low: a.size() < 1"]),
        ("a.rb", "def low(a)\n  a > 1\nend\n", ["low: a > 1"]),
        ("a.sh", 'low() {\n  [ "$1" -lt 3 ] || exit 1\n}\n', ['low: "$1" -lt 3']),
        ("a.py", "def same(a, b):\n    return a == b\n", []),
        ("a.py", f"def low(a):\n    return a < {'b' * 99}\n", [f"low: a < {'b' * 55}\u2026"]),
    ],
)
def test_signs_of_other_languages_are_found_and_parameters_of_types_are_not(
    path: str, data: str, names: list[str]
) -> None:
    assert [step.name for _, step in find_borders(path, data.encode(), b"")] == names


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("a.py", "def top(a, b):\n    return a if a > b else b\n"),
        ("a.py", "def top(a, b):\n    if a < b:\n        a = b\n    return a\n"),
        ("a.js", "const top = (a, b) => { if (a > b) { return a; } else { return b; } };\n"),
        ("a.js", "const sorted = (all) => all.sort((a, b) => (a.n < b.n ? -1 : 1));\n"),
        ("a.rs", "fn top(a: u8, b: u8) -> u8 { if a > b { a } else { b } }\n"),
        ("a.rs", "fn top(b: O, v: f64) -> O { match b { Some(b) if b >= v => Some(b), _ => Some(v) } }\n"),
    ],
)
def test_what_chooses_one_of_two_values_has_no_border(path: str, data: str) -> None:
    assert find_borders(path, data.encode(), b"") == []


@pytest.mark.parametrize(
    ("path", "code", "program", "run"),
    [
        ("a.js", "const low = (a, b) => a < b;\n", "console.log(low(+process.argv[2], 5));", ["node", "a.js"]),
        (
            "a.sh", 'low() {\n  if [ "$1" -lt 5 ]; then echo true; else echo false; fi\n}\n', 'low "$1"',
            ["bash", "a.sh"],
        ),
        (
            "a.rs", "fn low(a: u64) -> bool { a < 5 }\n",
            'fn main() { println!("{}", low(std::env::args().nth(1).unwrap().parse().unwrap())); }',
            ["rustc", "a.rs", "-o", "a", "&&", "./a"],
        ),
        (
            "a.c", "int low(unsigned a) { return a < 5; }\n",
            '#include <stdio.h>\n#include <stdlib.h>\n'
            'int main(int n, char **v) { puts(low(atoi(v[1])) ? "true" : "false"); }',
            ["cc", "a.c", "-o", "a", "&&", "./a"],
        ),
    ],
)  # fmt: skip
@pytest.mark.skipif(sys.platform == "win32", reason="the programs are those of a POSIX system")
@pytest.mark.slow
def test_programs_fail_on_the_border_and_do_the_same_elsewhere(
    tmp_path: Path, path: str, code: str, program: str, run: list[str]
) -> None:
    if shutil.which(run[0]) is None:
        pytest.skip(f"{run[0]} is not here")
    ((failing, _),) = find_borders(path, code.encode(), b"")
    (tmp_path / path).write_bytes(hollowed(code.encode(), [failing]) + program.encode() + b"\n")
    line = " ".join(run)
    ended = [subprocess.run(f"{line} {n}", shell=True, cwd=tmp_path, capture_output=True, text=True) for n in (4, 5, 6)]
    assert [one.stdout.strip() for one in ended] == ["true", "", "false"], ended
    assert [one.returncode == 0 for one in ended] == [True, False, True]
