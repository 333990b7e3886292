"""Values that both a test and the code it tests hold."""

import pytest

from codeintel_index import find_repeated

TEST = b"""def test_tax():
    assert tax(119, "full") == 1932
    assert tax(238) == 3821
    with raises(ValueError, match="too large"):
        tax(99999)
"""


@pytest.mark.parametrize(
    ("path", "code", "lines"),
    [
        ("a.py", "def tax(a):\n    return {119: 1932, 238: 3821}[a]\n", [2]),
        ("a.py", "def tax(a):\n    if a == 119:\n        return 1932\n    return a\n", [2, 3]),
        ("a.py", "def tax(a):\n    match a:\n        case 238:\n            return [3821]\n", [3, 4]),
        ("a.py", "tax = lambda a: 1932 if a else 0\n", [1]),
        ("a.js", "const tax = (a) => a === 119 ? 1932 : 0;\n", [1]),
        ("a.js", "const tax = (a) => typeof a === 'full' && a;\n", []),
        ("a.go", "func Tax(a int) int {\n\tswitch a {\n\tcase 119:\n\t\treturn 1_932\n\t}\n\treturn a\n}\n", [3, 4]),
        ("a.py", "def tax(a, how='full'):\n    return a + 1932\n", []),
        ("a.py", "def tax(a):\n    if a > 5:\n        raise ValueError('too large')\n    return f(99999)\n", []),
        ("a.py", "KINDS = {'full': Full}\n", []),
        ("a.py", "def tax(a):\n    if a < 119:\n        a = 0\n    return a\n", []),
        ("a.rs", 'fn tax(a: &str) -> i32 { match a {\n"full" => 20,\n"too large" | "full" => 1932,\n_ => 0 } }\n', [3]),
        ("a.json", '[{"full": 1932}, {"kind": "full", "tax": 1932}]\n', []),
        ("a.yaml", "[full, 1932, {full: 1932}]\n", []),
        ("a.toml", 'tax = ["full", 1932]\n', []),
        ("a.py", "def tax(a):\n    '''full'''\n    return 0\n", []),
    ],
)
def test_values_count_where_they_decide_or_are_given(path: str, code: str, lines: list[int]) -> None:
    assert find_repeated({path: (code.encode(), b"")}, {"test_a.py": (TEST, b"")}) == [f"{path}:{n}" for n in lines]


def test_what_was_there_before_says_nothing() -> None:
    moved = {"a.py": (b"def tax(a):\n    if a:\n        return 1932\n", b"def tax(a):\n    return a or 1932\n")}
    assert find_repeated(moved, {"test_a.py": (TEST, b"")}) == []
    code = b"def tax(a):\n    return 1932\n"
    assert find_repeated({"a.py": (code, code)}, {"test_a.py": (TEST, b"")}) == []
    assert find_repeated({"a.py": (code, b"")}, {"test_a.py": (TEST, TEST)}) == []


def test_a_text_that_is_also_a_name_of_the_code_is_no_value() -> None:
    test = b"test('x', () => { assert.deepEqual(merge({context: 1}), {'context': 1}); });\n"
    code = b"for (const key in options) if (key === 'context') merged.context = options.context;\n"
    assert find_repeated({"a.js": (code, b"")}, {"a.test.js": (test, b"")}) == []
    other = b"for (const key in options) if (key === 'context') merged[key] = {};\n"
    assert find_repeated({"a.js": (other, b"")}, {"a.test.js": (test, b"")}) == ["a.js:1"]


@pytest.mark.parametrize(
    ("asked", "lines"),
    [
        ("Make the full tax part of it. In full or not.", []),
        ("Make the full tax part of it.", ["a.py:2"]),
        ('tax(1, "full") is 3, and tax(2, "full") is 5. `full` and \'full\' too.', ["a.py:2"]),
        ("full=3, (full), full: 5", ["a.py:2"]),
        ("```\nfull is 3\nfull\n```", ["a.py:2"]),
    ],
)
def test_what_a_request_is_about_is_no_value_and_its_examples_are(asked: str, lines: list[str]) -> None:
    code = {"a.py": (b"def tax(a, how):\n    return a == 1 and how == 'full'\n", b"")}
    assert find_repeated(code, {"test_a.py": (TEST, b"")}, asked) == lines


@pytest.mark.parametrize(
    ("name", "asked", "lines"),
    [
        ("type_params", "Name the nodes type_params, type_param and type_param_bound.", []),
        ("typeParams", "Name the nodes typeParams.", []),
        ("type_params", '- Type `type_params`, tag "".', []),
        ("type_params", "The node `Node('type_params')` and `type_params()`.", ["a.py:2"]),
        ("london", "- Town `london`.", ["a.py:2"]),
        ("type_params", "Call node('type_params').", ["a.py:2"]),
        ("_params", "Name the nodes _params.", ["a.py:2"]),
        ("London", "Names such as London count.", ["a.py:2"]),
    ],
)
def test_a_word_that_is_written_as_a_name_is_what_the_request_is_about(name: str, asked: str, lines: list[str]) -> None:
    code = {"a.py": (f"def kind(node):\n    return node == {name!r}\n".encode(), b"")}
    assert find_repeated(code, {"test_a.py": (f"assert kind({name!r})\n".encode(), b"")}, asked) == lines


@pytest.mark.parametrize(("written", "found"), [(r"\t", []), (r"\u0009", []), (r"\x09", []), (r"\t\t", ["a.py:2"])])
def test_one_character_that_is_escaped_says_nothing(written: str, found: list[str]) -> None:
    code = f'def f(x):\n    return x == "{written}"\n'.encode()
    test = f'def test_f():\n    assert f("{written}")\n'.encode()
    assert find_repeated({"a.py": (code, b"")}, {"test_a.py": (test, b"")}) == found
