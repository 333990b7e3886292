"""Three small projects as people have them: a Python web application, a JavaScript tool, and one of several languages.

Each has real tests that pass, a document with rules, and one commit. Their tests need nothing but the language itself.
"""

import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from codeintel_server.demo.change import RECIPES, Change
from codeintel_server.testing import install_programs
from codeintel_session.testing import make_repo

RULES = "# Rules\n\n- Prices are in cents.\n- A discount never makes a price negative.\n"

APP = '''"""The web application: routes, and the entry point of WSGI."""

import json
from urllib.parse import parse_qs

from shop.cart import total_of

ROUTES = {}


def route(path):
    """Register a handler."""

    def register(handler):
        ROUTES[path] = handler
        return handler

    return register


@route("/total")
def total(query):
    return {"total": total_of(int(price) for price in query.get("price", []))}


def application(environ, start_response):
    handler = ROUTES.get(environ["PATH_INFO"])
    start_response("200 OK" if handler else "404 Not Found", [("Content-Type", "application/json")])
    return [json.dumps(handler(parse_qs(environ["QUERY_STRING"])) if handler else {}).encode()]
'''
CART = '''"""What a cart comes to."""


def total_of(prices):
    """The sum of prices."""
    return sum(prices)


def discounted(price, percent):
    """A price with a discount, never negative."""
    return max(0, price * (100 - percent) // 100)
'''
TEST_APP = """from shop.app import application
from shop.cart import discounted


def get(path, query=""):
    said = []
    environ = {"PATH_INFO": path, "QUERY_STRING": query}
    (body,) = application(environ, lambda status, headers: said.append(status))
    return said[0], body


def test_the_total_is_the_sum():
    assert get("/total", "price=1&price=2") == ("200 OK", b'{"total": 3}')


def test_an_unknown_page_is_not_found():
    assert get("/nothing")[0] == "404 Not Found"


def test_a_discount_never_makes_a_price_negative():
    assert discounted(100, 10) == 90
    assert discounted(100, 110) == 0
"""
PYPROJECT = '[project]\nname = "shop"\nversion = "1"\n\n[tool.pytest.ini_options]\npythonpath = ["."]\n'
PYTHON = {
    "shop/__init__.py": "",
    "shop/app.py": APP,
    "shop/cart.py": CART,
    "tests/test_app.py": TEST_APP,
    "pyproject.toml": PYPROJECT,
    "docs/rules.md": RULES,
    ".gitignore": "__pycache__/\n.pytest_cache/\n",
}

JS_CART = """/** What a cart comes to. */
function totalOf(prices) {
  return prices.reduce((sum, price) => sum + price, 0);
}

function discounted(price, percent) {
  return Math.max(0, Math.floor((price * (100 - percent)) / 100));
}

module.exports = { totalOf, discounted };
"""
JS_TEST = """const test = require("node:test");
const assert = require("node:assert");
const { totalOf, discounted } = require("../src/cart.js");

test("the total is the sum", () => {
  assert.strictEqual(totalOf([1, 2]), 3);
});

test("a discount never makes a price negative", () => {
  assert.strictEqual(discounted(100, 10), 90);
  assert.strictEqual(discounted(100, 110), 0);
});
"""
JAVASCRIPT = {
    "src/cart.js": JS_CART,
    "test/cart.test.js": JS_TEST,
    "package.json": '{"name": "shop", "version": "1.0.0", "private": true, "scripts": {"test": "node --test test/"}}\n',
    "docs/rules.md": RULES,
    ".gitignore": "node_modules/\n",
}

GO_PRICE = """// Package price says what things cost.
package price

// Discounted is a price with a discount, never negative.
func Discounted(price, percent int) int {
	left := price * (100 - percent) / 100
	if left < 0 {
		return 0
	}
	return left
}
"""
GO_TEST = """package price

import "testing"

func TestADiscountNeverMakesAPriceNegative(t *testing.T) {
	if Discounted(100, 10) != 90 {
		t.Error("ten percent off")
	}
	if Discounted(100, 110) != 0 {
		t.Error("negative")
	}
}
"""
PAGE = """<!doctype html>
<title>Shop</title>
<link rel="stylesheet" href="style.css">
<p class="price" id="total"></p>
"""
TEST_REPORT = """from report import total_of


def test_the_total():
    assert total_of([1, 2]) == 3
"""
SCRIPT = """/** A price as people read it. */
export function shown(cents: number): string {
  return (cents / 100).toFixed(2);
}
"""
MIXED = {
    "api/go.mod": "module example.org/shop\n\ngo 1.18\n",
    "api/price.go": GO_PRICE,
    "api/price_test.go": GO_TEST,
    "tools/report.py": CART,
    "tools/test_report.py": TEST_REPORT,
    "tools/conftest.py": "",
    "web/index.html": PAGE,
    "web/style.css": ".price { font-weight: bold; }\n",
    "web/format.ts": SCRIPT,
    "docs/rules.md": RULES,
    ".gitignore": "__pycache__/\n.pytest_cache/\n",
}


@dataclass(frozen=True)
class Kind:
    """A project: its files, the tool its tests need, how many the report counts, where the agent's change goes.

    `verifier` is the one that judges that change.
    """

    files: dict[str, str]
    needs: str
    counted: int
    path: str
    anchor: str
    test: str
    assertion: str
    verifier: str = "tests.md"


KINDS = {
    "python": Kind(
        PYTHON, "git", 3, "shop/cart.py", "total_of", "tests/test_app.py", "    assert discounted(100, 110) == 0\n"
    ),
    "javascript": Kind(
        JAVASCRIPT,
        "node",
        2,
        "src/cart.js",
        "totalOf",
        "test/cart.test.js",
        "  assert.strictEqual(discounted(100, 110), 0);\n",
    ),
    "mixed": Kind(
        MIXED,
        "go",
        1,
        "api/price.go",
        "Discounted",
        "api/price_test.go",
        '\tif Discounted(100, 110) != 0 {\n\t\tt.Error("negative")\n\t}\n',
        verifier="tests-api.md",
    ),
}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    """One of the three."""
    return KINDS[request.param]


@pytest.fixture
def project(kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project as it was cloned. Commands find this Python's programs first."""
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    install_programs(monkeypatch, tmp_path / "bin")
    for name in [name for name in os.environ if name.startswith("PYTEST_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return make_repo(tmp_path / "a shop", kind.files).root


@pytest.fixture
def change(kind: Kind, project: Path) -> Change:
    """What the agent is to do: a function more, beside the ones there are."""
    suffix = kind.path.rpartition(".")[2]
    recipe = next(recipe for recipe in RECIPES if any(glob.endswith(f".{suffix}") for glob in recipe.globs))
    return Change(project, kind.path, kind.anchor, recipe)


@pytest.fixture
def runs_tests(kind: Kind) -> None:
    """Skip where the language of the project is not installed."""
    if shutil.which(kind.needs) is None:
        pytest.skip(f"{kind.needs} is not installed")


@pytest.fixture
def tree(project: Path) -> Callable[[], dict[str, bytes]]:
    """All files of the project but git's, with their bytes."""

    def run() -> dict[str, bytes]:
        files = (path for path in project.rglob("*") if path.is_file())
        found = {path.relative_to(project).as_posix(): path.read_bytes() for path in files}
        return {name: data for name, data in found.items() if not name.startswith(".git/")}

    return run
