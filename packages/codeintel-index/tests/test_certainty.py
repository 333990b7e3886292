"""Whether a reference likely means the symbol that was asked for: by receiver, scope, import, type and inheritance."""

from collections.abc import Callable
from pathlib import Path

import pytest

from codeintel_index import Index
from codeintel_index.testing import make_repo

pytestmark = pytest.mark.draws(18)

PYTHON = {
    "shop/cart.py": "class Cart:\n    def add(self): ...\n\n    def twice(self):\n        self.add()\n",
    "shop/bag.py": "from shop.cart import Cart\n\n\nclass Bag(Cart):\n    def more(self):\n        self.add()\n",
    "shop/tree.py": "class Tree:\n    def add(self): ...\n\n    def grow(self):\n        self.add()\n",
    "a.py": "cart = Cart()\ncart.add()\n",
    "b.py": "def f(thing: Cart):\n    thing.add()\n",
    "c.py": "thing = Tree()\nthing.add()\n",
    "d.py": "items = set()\nitems.add(1)\n",
    "e.py": "call(add=1)\n",
    "f.py": "Cart.add(it)\n",
    "g.py": "my_cart.add()\n",
}
JAVA = {
    "Box.java": "class Box { void put() {} void go() { put(); } }\n",
    "Bin.java": "class Bin { void put() {} void go() { put(); } }\n",
    "Uses.java": (
        "class Uses {\n  void f(Box box, Bin other) {\n    box.put();\n    other.put();\n    new Box().put();\n  }\n}\n"
    ),
}

Ask = Callable[[dict[str, str], str], dict[str, list[str]]]


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    """Answers the references to a name in such a project by certainty, each as path:line."""

    def run(files: dict[str, str], name: str) -> dict[str, list[str]]:
        with Index.open(make_repo(tmp_path / "project", files)) as index:
            index.sync()
            found: dict[str, list[str]] = {}
            for each in index.references(name):
                found.setdefault(each.certainty, []).append(f"{each.path}:{each.line}")
            return found

    return run


def test_a_receiver_of_the_class_or_one_derived_from_it_is_likely(ask: Ask) -> None:
    found = ask(PYTHON, "Cart.add")
    assert found["likely"] == ["a.py:2", "b.py:2", "f.py:1", "g.py:1", "shop/bag.py:6", "shop/cart.py:5"]
    assert found["possible"] == ["c.py:2", "d.py:2", "e.py:1", "shop/tree.py:5"]


def test_a_prototype_shares_no_name_with_its_definition(ask: Ask) -> None:
    files = {"a.h": "int set_it(int x);\n", "a.c": '#include "a.h"\nint set_it(int x) { return x; }\n'}
    found = ask({**files, "tests/t.c": '#include "../a.h"\nint main(void) { return set_it(0); }\n'}, "set_it")
    assert found == {"likely": ["tests/t.c:2"]}


def test_a_bare_call_means_the_method_of_the_class_around_it_in_java(ask: Ask) -> None:
    found = ask(JAVA, "Box.put")
    assert found["likely"] == ["Box.java:1", "Uses.java:3", "Uses.java:5"]
    assert found["possible"] == ["Bin.java:1", "Uses.java:4"]


def test_a_function_that_several_modules_define_is_likely_where_it_is_imported(ask: Ask) -> None:
    files = {
        "orders.py": "def load(): ...\n",
        "bills.py": "def load(): ...\n\n\nload()\n",
        "a.py": "from orders import load\n\nload()\n",
        "b.py": "from bills import load\n\nload()\n",
        "c.py": "import orders\n\norders.load()\n",
        "d.py": "json.load()\n",
    }
    found = ask(files, "orders.load")
    assert found["likely"] == ["a.py:1", "a.py:3", "c.py:3"]
    assert found["possible"] == ["b.py:1", "b.py:3", "bills.py:4", "d.py:1"]


def test_likely_ones_come_first_and_nothing_is_dropped(tmp_path: Path) -> None:
    with Index.open(make_repo(tmp_path / "project", PYTHON)) as index:
        index.sync()
        narrow, wide = index.references("Cart.add"), index.references("add")
        assert [each.certainty for each in narrow] == sorted(each.certainty for each in narrow)
        assert {(each.path, each.line) for each in narrow} == {(each.path, each.line) for each in wide}


def test_prose_has_no_certainty(ask: Ask) -> None:
    assert ask({"a.py": "def settle(): ...\n", "b.py": "# settle\n"}, "settle") == {"": ["b.py:1"]}


def test_a_member_that_a_derived_class_has_of_its_own_hides_that_of_its_base(ask: Ask) -> None:
    files = {
        "base.py": "class Base:\n    def run(self): ...\n\n    def go(self):\n        self.run()\n",
        "mid.py": "class Mid(Base):\n    def run(self):\n        super().run()\n        self.run()\n",
        "leaf.py": "class Leaf(Mid):\n    def go(self):\n        self.run()\n",
        "use.py": "leaf = Leaf()\nleaf.run()\nbase = Base()\nbase.run()\n",
    }
    assert ask(files, "Base.run")["likely"] == ["base.py:5", "mid.py:3", "use.py:4"]


def test_what_is_defined_in_a_function_is_likely_there_alone(ask: Ask) -> None:
    one = "def first(x):\n    def inner():\n        return x\n\n    return inner\n\n\n"
    found = ask({"a.py": one + one.replace("first", "second")}, "first.inner")
    assert found == {"likely": ["a.py:5"], "possible": ["a.py:12"]}


def test_a_parameter_or_a_variable_hides_a_shared_name(ask: Ask) -> None:
    files = {
        "a.py": "def group(): ...\n\n\ndef use(group, x):\n    return group\n\n\ndef really():\n    return group()\n",
        "b.py": "from a import group\n\n\ndef make():\n    group = 1\n    return group\n",
        "c.py": "def group(x):\n    return 2\n",
    }
    found = ask(files, "a.group")
    assert found["likely"] == ["a.py:9", "b.py:1"]
    assert found["possible"] == ["a.py:4", "a.py:5", "b.py:5", "b.py:6"]
