"""What stands in tests in the place of changed code or of the language, and what asks for the text of changed code."""

import pytest

from codeintel_index import find_replaced, find_text_asked

CODE = {"src/shop/tax.py": (b"def tax(amount):\n    return 0\n", b"")}


@pytest.mark.parametrize(
    "text",
    [
        "import shop.tax\nshop.tax.tax = lambda amount: 19\n",
        "from shop.tax import tax\ntax.tax.__code__ = right.__code__\n",
        "def fixed(monkeypatch):\n    monkeypatch.setattr('shop.tax.tax', right)\n",
        "def test_it():\n    with patch.object(shop, 'tax', right):\n        pass\n",
        "def tax(amount):\n    return 19\n",
        "import builtins\nbuiltins.round = lambda amount: 19\n",
        "import builtins\nsetattr(builtins, 'round', right)\n",
        "import shop.tax\nvars(shop.tax)['tax'] = right\n",
        "import shop.tax\nshop.tax.__dict__['tax'] = right\n",
    ],
)
def test_what_replaces_changed_code_in_tests_is_found(text: str) -> None:
    data = text.encode()
    assert len(find_replaced({"tests/helpers.py": (data, b"")}, CODE)) == 1
    assert find_replaced({"tests/helpers.py": (data, data)}, CODE) == []
    assert find_replaced({"tests/helpers.py": (data, b"")}, {"src/shop/tax.py": (b"", b"")}) == []


def test_a_module_of_the_tests_in_the_place_of_a_changed_one_is_found() -> None:
    assert find_replaced({"tests/shop/tax.py": (b"", b"")}, CODE) == ["tests/shop/tax.py"]
    others = "\n".join(("config.tax = 1", "self.tax = 2", "def test_tax():", "    def tax(): pass")).encode()
    assert find_replaced({"tests/test_tax.py": (others, b"")}, CODE) == []


SCRIPT = {"src/tax.js": (b"export function tax(amount) { return 0; }\n", b"")}


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Math.floor = () => 19;\n", 1),
        ("Array.prototype.map = function () { return [19]; };\n", 1),
        ("assert.equal = () => {};\n", 1),
        ("Math.random = () => 0.5;\nDate.now = () => 0;\nglobalThis.fetch = found;\n", 0),
        ("const found = Math.floor(1.5);\nfound.map = 1;\n", 0),
    ],
)
def test_what_replaces_parts_of_the_language_in_tests_is_found(text: str, count: int) -> None:
    assert len(find_replaced({"test/tax.test.js": (text.encode(), b"")}, SCRIPT)) == count


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("tests/test_tax.py", "import inspect\nfrom shop.tax import tax\nassert '19' in inspect.getsource(tax)\n"),
        ("tests/test_tax.py", "import shop.tax\nassert 19 in shop.tax.tax.__code__.co_consts\n"),
        ("test/tax.test.js", "import { tax } from '../src/tax.js';\nassert.ok(tax.toString().includes('19'));\n"),
        ("test/tax.test.js", "const { tax } = require('../src/tax');\nassert.match(String(tax), /19/);\n"),
    ],
)
def test_what_asks_for_the_text_of_changed_code_in_tests_is_found(path: str, text: str) -> None:
    data = text.encode()
    line = len(data.splitlines())
    assert find_text_asked({path: (data, b"")}, CODE | SCRIPT) == [f"{path}:{line}"]
    assert find_text_asked({path: (data, data)}, CODE | SCRIPT) == []
    other = data.replace(b"tax.to", b"found.to").replace(b"(tax)", b"(found)").replace(b".tax.__c", b".other.__c")
    assert find_text_asked({path: (other, b"")}, CODE | SCRIPT) == []
