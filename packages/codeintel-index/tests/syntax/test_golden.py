"""Symbols, chunks, imports and exports of one small file per language, compared with answers that were read and agreed.

The samples are called `.sample` so that no tool takes them for sources of this package.
To change an answer delete its `.json`, run the tests once (they fail and write it anew), and read what was written.
"""

import json
from pathlib import Path

import pytest

from codeintel_index.languages.table import LANGUAGES, language_id
from codeintel_index.syntax.parsing import parse, structure

SAMPLES = [
    "inventory.py",
    "cart.js",
    "queue.ts",
    "Panel.tsx",
    "server.go",
    "store.rs",
    "Ledger.java",
    "ring.h",
    "ring.c",
    "shapes.cpp",
    "Warehouse.cs",
    "Invoice.php",
    "courier.rb",
    "Session.swift",
    "ring.zig",
    "Checkout.kt",
    "Accounts.scala",
    "shop.ex",
    "Parser.hs",
    "deploy.sh",
    "finder.lua",
    "page.html",
    "site.css",
    "package.json",
    "compose.yaml",
    "settings.toml",
    "guide.md",
    "schema.sql",
]
MAX_TOKENS = 120  # small, so that these small files show how chunks are joined and cut


def answers(path: str, data: bytes) -> dict[str, object]:
    parsed = parse(path, data, max_tokens=MAX_TOKENS)
    outline = structure(path, data)
    assert outline.symbols == parsed.symbols
    assert outline.imports == parsed.imports
    return {
        "language": parsed.language,
        "lines": outline.lines,
        "doc": outline.doc,
        "exports": list(outline.exports),
        "imports": [f"{each.line}: {each.module} ({', '.join(each.names)})" for each in parsed.imports],
        "symbols": [
            f"{each.line}-{each.end_line} {each.kind} {each.parent}/{each.name} | {each.signature} | {each.doc}"
            for each in parsed.symbols
        ],
        "chunks": [
            f"{each.start_line}-{each.end_line} {each.kind} {each.parent}/{each.symbol}" for each in parsed.chunks
        ],
    }


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_is_read_as_agreed(name: str, samples: Path) -> None:
    golden = samples / f"{name}.json"
    found = answers(name, (samples / f"{name}.sample").read_bytes())
    if not golden.exists():
        golden.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        pytest.fail(f"{golden.name} was missing and has been written: read it")
    assert found == json.loads(golden.read_text(encoding="utf-8"))


def test_every_language_has_a_sample() -> None:
    assert {language_id(name) for name in SAMPLES} == {row.id for row in LANGUAGES}
