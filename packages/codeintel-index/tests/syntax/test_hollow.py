"""What a file would be if its changed definitions did nothing."""

import pytest

from codeintel_index import find_hollows, hollowed

PYTHON = b"""class Box:
    def put(self, one):
        \"\"\"Put it.\"\"\"
        self.all.append(one)

    def size(self): return len(self.all)


def fill(box):
    def inner():
        return 1
    box.put(inner())
"""
SCRIPT = b"""export function add(a, b) {
  return a + b;
}
const twice = (x) => 2 * x;
class Box {
  get size() { return 1; }
}
"""


def empty(path: str, data: bytes, before: bytes = b"") -> tuple[list[str], str]:
    found = find_hollows(path, data, before)
    return [each.name for each in found], hollowed(data, found).decode()


def test_bodies_are_emptied_and_the_rest_remains() -> None:
    names, text = empty("a.py", PYTHON)
    assert names == ["Box.put", "Box.size", "fill"]
    compile(text, "a.py", "exec")
    assert "append" not in text
    assert text.count("return None") == 3
    assert "class Box:" in text


def test_functions_of_javascript_are_emptied_whatever_their_form() -> None:
    names, text = empty("a.js", SCRIPT)
    assert names == ["add", "twice", "Box.size"]
    assert text == "export function add(a, b) {}\nconst twice = (x) => undefined;\nclass Box {\n  get size() {}\n}\n"


def test_only_what_changed_is_emptied() -> None:
    before = PYTHON.replace(b"box.put(inner())", b"pass")
    assert empty("a.py", PYTHON, before)[0] == ["fill"]
    assert empty("a.py", PYTHON, PYTHON) == ([], PYTHON.decode())


@pytest.mark.parametrize(
    ("path", "data"),
    [("a.go", b"package a\n\nfunc F() int { return 1 }\n"), ("a.md", b"# A\n"), ("a.py", b"def f():\n    pass\n")],
)
def test_nothing_is_emptied_where_that_would_not_run_or_is_done_already(path: str, data: bytes) -> None:
    assert find_hollows(path, data, b"") == []
