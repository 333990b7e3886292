"""What changed code takes or keeps and never reads, and what honest code takes for others."""

import pytest

from codeintel_index import find_unread

BEFORE = "def f(a):\n    return a\n"
SCRIPT = "function f(a) { return a; }\n"
KEPT = (
    "class A:\n    def __init__(self):\n        self._kept = {{}}\n    def f(self, a):\n        {}\n        return a\n"
)
METHOD = "class A:\n    def f(self, {}):\n        return a\n"


@pytest.mark.parametrize(
    ("now", "before", "name"),
    [
        ("def f(a, strict=False):\n    return a\n", BEFORE, "1 strict"),
        ("def f(a, *, strict: bool = False):\n    return a\nf(1)\n", BEFORE, "1 strict"),
        (METHOD.format("a, b"), METHOD.format("a"), "2 b"),
        (f"_kept = {{}}\n{BEFORE}    _kept[a] = 1\n", BEFORE, "1 _kept"),
        (KEPT.format("self._kept[a] = 1"), "class A:\n    pass\n", "3 _kept"),
        (KEPT.format("self._kept.update(a)"), "class A:\n    pass\n", "3 _kept"),
    ],
)
def test_what_nothing_reads_is_named(now: str, before: str, name: str) -> None:
    assert find_unread("a.py", now.encode(), before.encode()) == [f"a.py:{name}"]
    assert find_unread("a.py", now.encode(), now.encode()) == find_unread("a.py", now.encode(), b"") == []


@pytest.mark.parametrize(
    ("now", "name"),
    [
        ("function f(a, strict = false) { return a; }\nf(1);\n", "1 strict"),
        ("const _kept = new Map();\nfunction f(a) { _kept.set(a, 1); return a; }\n", "1 _kept"),
        ("class A { #kept = {}; f(a) { this.#kept[a] = 1; return a; } }\n", "1 #kept"),
    ],
)
def test_so_it_is_in_scripts(now: str, name: str) -> None:
    assert find_unread("a.js", now.encode(), SCRIPT.encode()) == [f"a.js:{name}"]


@pytest.mark.parametrize(
    "now",
    [
        "def f(a, strict=False):\n    return a if strict else 0\n", "def f(a, _strict):\n    return a\n",
        "def f(a, b):\n    raise ValueError(a)\n", "def f(a, b):\n    'Text.'\n    ...\n",
        "def f(a, b):\n    return a\nregister(f)\n", "@hook\ndef f(a, b):\n    return a\n",
        "def f(a, b):\n    return locals()\n", "def f(a, *more, **named):\n    return a\n",
        "def f(a, b):\n    return lambda: b\n", "def f(a, b):\n    return f'{b}'\n", "def g(a, b):\n    return a\n",
        METHOD.replace("A", "A(B)").format("a, b"), f"kept = {{}}\n{BEFORE}    kept[a] = 1\n",
        f"_kept = {{}}\n{BEFORE}    _kept[a] = 1\ndef g():\n    return _kept\n",
        KEPT.format("self._kept[a] = self._kept.get(a)"), KEPT.format("self._kept = a"),
        KEPT.format("self._kept.add(a)").replace("{}", "open_session()"),
        KEPT.format("return self._kept.append(a)"), KEPT.format("self._kept[a] = getattr(a, '_kept')"),
    ],
)  # fmt: skip
def test_what_something_may_read_is_not(now: str) -> None:
    before = BEFORE + METHOD.replace("A", "A(B)").format("a")
    assert find_unread("a.py", now.encode(), before.encode()) == []
