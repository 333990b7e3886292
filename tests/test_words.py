"""Hold the prose to plain technical English: `words.yml` lists what it avoids and what to write instead."""

import ast
import io
import re
import string
import tokenize
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings, strategies as st

ROOT = Path(__file__).parents[1]
LISTS = yaml.safe_load((ROOT / "tests/words.yml").read_text(encoding="utf-8"))
PATTERNS = {word["pattern"]: re.sub(" ", r"\\s+", word["pattern"]) for word in LISTS["words"]}
WORDS = [(word, re.compile(rf"\b(?:{PATTERNS[word['pattern']]})\b", re.IGNORECASE)) for word in LISTS["words"]]
ANY = re.compile(rf"\b(?:{'|'.join(PATTERNS.values())})\b", re.IGNORECASE)
PAGES = (
    "*.md",
    "docs/**/*.md",
    "packages/*/*.md",
    *(f"packages/*/src/**/*.{suffix}" for suffix in ("md", "yml", "txt", "schema.json", "j2")),
)
CODE = re.compile(r"^ *```.*?^ *```|`[^`\n]*`|\]\([^)\s]*\)|<!--.*?-->", re.MULTILINE | re.DOTALL)
SENTENCE = 3
"""A string in code with this many words is a sentence that someone reads; a shorter one is a name or a key."""
Passage = tuple[int, str]
"""The line on which a text starts, and the text."""
Finding = tuple[str, str]
"""The pattern of an unwanted word, and the sentence that reports it."""


def without_code(text: str) -> str:
    """Blank out code and link targets but keep the line breaks, so that line numbers stay right."""
    return CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def in_page(text: str) -> Iterator[Passage]:
    yield 1, without_code(text)


def in_python(text: str) -> Iterator[Passage]:
    """Yield comments, docstrings and the sentences that code prints."""
    if any(ANY.search(without_code(line[line.index("#") :])) for line in text.splitlines() if "#" in line):
        for token in tokenize.generate_tokens(io.StringIO(text).readline):  # takes most of the time
            if token.type == tokenize.COMMENT:
                yield token.start[0], without_code(token.string)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value.split()) >= SENTENCE:
            yield node.lineno, without_code(node.value)


def words_in(passages: Iterable[Passage], name: str) -> list[Finding]:
    return [
        (word["pattern"], f"{name}:{line}: {' '.join(found[0].split())!r}, write instead: {word['instead']}")
        for start, text in passages
        if ANY.search(text)
        for word, pattern in WORDS
        for found in pattern.finditer(text)
        for line in [start + text[: found.start()].count("\n")]
    ]


@pytest.fixture(scope="module")
def found() -> dict[str, list[Finding]]:
    """Every unwanted word by file, before any exemption."""
    files = {path: in_page for pattern in PAGES for path in ROOT.glob(pattern)}
    files |= dict.fromkeys(ROOT.glob("packages/*/src/**/*.py"), in_python)
    names = {path: path.relative_to(ROOT).as_posix() for path in sorted(files)}
    return {name: words_in(files[path](path.read_text(encoding="utf-8")), name) for path, name in names.items()}


def test_prose_uses_plain_technical_english(found: dict[str, list[Finding]]) -> None:
    allowed = [(each["file"], each["pattern"]) for each in LISTS["allowed"]]
    wrong = [
        text
        for name, words in found.items()
        if not any(fnmatch(name, folder) for folder in LISTS["not_yet"])
        for pattern, text in words
        if not any(fnmatch(name, file) and pattern == known for file, known in allowed)
    ]
    assert not wrong, "\n" + "\n".join(wrong)


def test_no_exemption_outlives_its_need(found: dict[str, list[Finding]]) -> None:
    needed = [(name, pattern) for name, words in found.items() for pattern, _ in words]
    for each in LISTS["allowed"]:
        assert each["reason"]
        assert any(fnmatch(name, each["file"]) and pattern == each["pattern"] for name, pattern in needed), each
    for folder in LISTS["not_yet"]:
        assert any(fnmatch(name, folder) for name, _ in needed), folder


@pytest.mark.sample(4)
@pytest.mark.parametrize("word", LISTS["words"], ids=lambda word: word["instead"])
@settings(max_examples=10)
@given(data=st.data())
def test_a_listed_word_is_found_wherever_someone_reads_it(word: dict[str, str], data: st.DataObject) -> None:
    written = data.draw(st.from_regex(word["pattern"], fullmatch=True, alphabet=string.ascii_lowercase + " -'"))
    sentence = f"The page {data.draw(st.sampled_from([written, written.upper(), written.replace(' ', chr(10))]))} here."
    code = ('"""{}"""\n', 'run(help="""{}""")\n', 'raise ValueError(f"""{{x}}: {}""")\n')
    for read in (in_page(sentence), *(in_python(text.format(sentence)) for text in code)):
        assert word["pattern"] in [pattern for pattern, _ in words_in(read, "page.md")]
    comment = f"x = 1  # The page {written} here.\n"
    assert word["pattern"] in [pattern for pattern, _ in words_in(in_python(comment), "code.py")]


def test_code_is_not_prose_and_a_finding_names_file_line_and_a_better_word() -> None:
    page = "# Start\n\n```sh\nanew\n```\n`anew` and [this](anew.md)\n\nIt begins\nanew.\n"
    code = 'def anew():\n    """Draw it.\n\n    It is drawn anew.\n    """\n    return "anew"\n'
    assert [text for _, text in words_in(in_page(page), "page.md")] == ["page.md:9: 'anew', write instead: again"]
    assert [text for _, text in words_in(in_python(code), "code.py")] == ["code.py:4: 'anew', write instead: again"]
