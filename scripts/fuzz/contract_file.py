"""Contract files: whatever a file holds, `load` gives a contract that works or one `ContractFileError`.

`lint` says what is wrong with the same file and never fails; it finds an error where `load` refuses. Nothing
is written. Files are mutated by their lines, from pieces of the packaged one and from what YAML is known for.
"""

import random
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import atheris
from harness import fuzz

with atheris.instrument_imports(include=["codeintel_contract"]):
    from codeintel_contract.lint import Finding, lint_contract
    from codeintel_contract.loader import Contract, ContractFileError, default_text, load_contract

HOSTILE = (
    b"a: &a [*a]\nb: &b [*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b]",
    b"<<: {phases: {}}",
    b"? [a, b]\n: c",
    b"!!python/object/apply:os.system ['true']",
    b"x: " + b"9" * 5000,
    b"x: " + b"[" * 300,
    b"x: " + b"{a: " * 300,
    b"1: 2",
    b"null: null",
    b"--- a\n--- b",
    b"%YAML 9.9",
    b"%TAG ! tag:x,2000:",
    b'"\\ud800": "\\ud800"',
    b'"\\U00110000"',
    b"\x00",
    b"\xff\xfe\x00",
    b"\xef\xbb\xbf",
    b"\xe2\x80\xa8",
    b"2026-01-01",
    b"0x_: 0o7",
    b"1:1:1",
    b"{why} {{x}} {} {",
    b"list[" * 20,
    b"str: 'a' | 'a'",
    b"{a: {a: str}, a?}",
    b"~",
    b".nan",
    b"- - - -",
    b"|+9\n  x",
    b"\t",
)
FOLDER = Path(tempfile.mkdtemp(prefix="fuzz_contract_"))
FILE = FOLDER / "phase_contract.yml"


def pieces() -> Iterator[bytes]:
    """The packaged file section by section, each under its heading; last of all the whole."""
    text = default_text()
    for section in re.split(r"(?m)^(?=\w)", text):
        heading, _, body = section.partition("\n")
        for entry in re.split(r"(?m)^(?=  \w)", body):
            if entry.strip() and heading.endswith(":"):
                yield f"{heading}\n{entry}".encode()
    yield text.encode()


PIECES = tuple(pieces())
LINES = tuple(default_text().encode().splitlines())


def mutate(data: bytes, max_size: int, seed: int) -> bytes:
    """Lines moved, doubled, indented, exchanged; now and then bytes, as libFuzzer does it."""
    dice = random.Random(seed)
    if dice.random() < 0.3:
        return bytes(atheris.Mutate(data, max_size))
    lines = data.split(b"\n") if dice.random() < 0.9 else dice.choice(PIECES).split(b"\n")
    for _ in range(dice.randint(1, 4)):
        _edit(lines, dice)
    return b"\n".join(lines)[:max_size]


def _edit(lines: list[bytes], dice: random.Random) -> None:
    at = dice.randrange(len(lines)) if lines else 0
    line = lines[at] if lines else b""
    head, colon, _ = line.partition(b":")
    lines[at : at + 1] = dice.choice(
        (
            [],
            [line, line],
            [b"  " + line],
            [line[2:]],
            [line, dice.choice(LINES)],
            [line, dice.choice(HOSTILE)],
            [head + colon + b" " + dice.choice(HOSTILE)],
            [
                head
                + colon
                + b" "
                + dice.choice((b"true", b"-1", b"[]", b"{}", b"''", b"text", b"[a, a]", b"99999999999"))
            ],
        )
    )


def target(data: bytes) -> None:
    """One file through `load` and `lint`."""
    FILE.write_bytes(data)
    findings = lint_contract(FILE)
    try:
        use(load_contract(FILE))
    except ContractFileError as error:
        agreed(error, findings)
    assert [path.name for path in FOLDER.iterdir()] == [FILE.name]
    assert FILE.read_bytes() == data


def agreed(error: ContractFileError, findings: list[Finding]) -> None:
    """What `load` refuses is an error to `lint`."""
    assert any(finding.level == "error" for finding in findings), f"lint finds nothing: {error}"


def use(contract: Contract) -> None:
    """What a session does with it: fill every message, check a payload in every phase."""
    for key, message in contract.messages.items():
        contract.message(key, dict.fromkeys(message.placeholders(), "x"))
    for key, shape in contract.shapes.items():
        assert all(isinstance(line, str) for line in shape.check({name: [] for name in shape.fields} | {"?": 1})), key


if __name__ == "__main__":
    load_contract(None)
    fuzz(target, PIECES, mutate)
