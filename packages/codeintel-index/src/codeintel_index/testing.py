"""Helpers for tests of this package and of those that stand on it: small real projects, made in a line."""

import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from codeintel_index.store.schema import COLUMNS
from codeintel_index.text.bags import Bags
from codeintel_index.text.postings import CODE, NUMBER_BIT, postings

_IDENTITY = ("-c", "user.name=Test", "-c", "user.email=test@example.invalid", "-c", "commit.gpgsign=false")


def write_files(root: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files by relative path, making folders as needed."""
    for path, content in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())


def full_text(connection: sqlite3.Connection) -> list[tuple[int, int, str, int]]:
    """List what the full text of an index holds: (chunk, file, stem, how the chunk holds it), files that are gone
    left out.
    """
    tables = {
        segment: [*zip(*[iter(memoryview(packed).cast("q"))] * COLUMNS, strict=True)]
        for segment, packed in connection.execute("SELECT id, chunks FROM segments")
    }
    files = {row[0] for row in connection.execute("SELECT id FROM files")}
    return sorted(
        (*tables[segment][code >> NUMBER_BIT][:2], stem, code & 0xFFF)
        for stem, segment, packed in connection.execute("SELECT stem, segment, postings FROM words")
        for code in memoryview(packed).cast(CODE)
        if tables[segment][code >> NUMBER_BIT][1] in files
    )


def wanted_full_text(connection: sqlite3.Connection) -> list[tuple[int, int, str, int]]:
    """List what the full text should hold, by the chunks."""
    found = []
    sql = "SELECT c.id, f.id, f.path, c.symbol, c.parent, c.text FROM chunks c JOIN files f ON f.id = c.file_id"
    for chunk, file, path, *texts in connection.execute(sql):
        held, _ = postings([path], Bags.of([" ".join(texts)]), np.zeros(1, np.int64))
        found += [(chunk, file, stem, memoryview(packed).cast(CODE)[0]) for stem, packed in held.each()]
    return sorted(found)


@contextmanager
def bounded(seconds: int = 10, memory: int = 300_000_000) -> Iterator[None]:
    """Stop what hangs or swallows memory: a test of hostile input fails, and does not take the machine with it."""
    if sys.platform == "win32":
        yield
        return
    import resource

    def stop(*_: object) -> None:
        raise TimeoutError(f"no answer within {seconds} s")

    before = resource.getrlimit(resource.RLIMIT_AS)
    handler = signal.signal(signal.SIGALRM, stop)
    statm = Path("/proc/self/statm")
    if statm.is_file():
        used = int(statm.read_text(encoding="ascii").split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + memory, before[1]))
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, handler)
        resource.setrlimit(resource.RLIMIT_AS, before)


def git(root: Path, *arguments: str) -> str:
    """Run git in a project and return what it printed; raises CalledProcessError when it fails."""
    command = ["git", "-C", str(root), *_IDENTITY, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout


def make_repo(root: Path, files: Mapping[str, str | bytes], *, commit: bool = True) -> Path:
    """Make a git repository at `root` with these files, committed by default. Returns `root`."""
    root.mkdir(parents=True, exist_ok=True)
    git(root, "init", "--quiet", "--initial-branch=main")
    write_files(root, files)
    if commit:
        git(root, "add", "--all")
        git(root, "commit", "--quiet", "--allow-empty", "--message", "start")
    return root


SHOP: Mapping[str, str] = {
    "shop/__init__.py": '"""A small shop."""\n',
    "shop/cart.py": '''"""Shopping carts."""

from shop.money import Price, add_prices


class Cart:
    """What a customer is about to buy."""

    def __init__(self) -> None:
        self.lines: list[Price] = []

    def add_item(self, price: Price) -> None:
        """Put one item into the cart."""
        self.lines.append(price)

    def total(self) -> Price:
        """The sum of all items."""
        return add_prices(self.lines)
''',
    "shop/money.py": '''"""Money, without floating point."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Price:
    """An amount in cents."""

    cents: int


def add_prices(prices: list[Price]) -> Price:
    """Sum amounts."""
    return Price(sum(price.cents for price in prices))


def parse_price(text: str) -> Price:
    """Read an amount such as 12.50."""
    euros, _, cents = text.partition(".")
    return Price(int(euros) * 100 + int(cents or 0))
''',
    "shop/mail.py": '''"""Letters to customers."""

from .cart import Cart


def send_receipt(cart: Cart, address: str) -> str:
    """Mail the receipt of a finished order to the customer."""
    return f"{address}: {cart.total().cents}"
''',
    "tests/test_money.py": """from shop.money import parse_price


def test_parse_price() -> None:
    assert parse_price("12.50").cents == 1250
""",
    "docs/money.md": "# Money\n\n`add_prices` sums amounts; see parse_price.\n",
    "README.md": "# Shop\n\nA shop.\n",
}
"""A project of a few Python files with a test and documents."""
