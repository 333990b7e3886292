"""Whatever a contract file holds: a contract that works or one sentence with its line, and `lint` agrees.

The files are the packaged one with lines exchanged. `scripts/fuzz` does the same for longer, led by coverage.
"""

import tempfile
from pathlib import Path

from hypothesis import given, settings, strategies as st

from codeintel_contract.lint import lint_contract
from codeintel_contract.loader import ContractFileError, default_text, load_contract

LINES = default_text().splitlines(keepends=True)
HOSTILE = [
    "a: &a [*a]\n",
    "<<: {phases: {}}\n",
    "? [a, b]\n",
    "!!python/object/apply:os.system ['true']\n",
    f"x: {'9' * 5000}\n",
    f"x: {'[' * 300}\n",
    "--- a\n",
    "%YAML 9.9\n",
    '"\\ud800": "\\U00110000"\n',
    "\0\n",
    "\u2028\n",
    "1: 2\n",
    "phases:\n",
    "  EXPLORATION: {}\n",
    "    expected_payload: {a: 'list[list['}\n",
    "    instruction: {why} {{}}\n",
    "\tx\n",
]
EDITS = st.lists(
    st.tuples(st.integers(0, len(LINES) - 1), st.integers(0, 3), st.sampled_from(HOSTILE + LINES)), max_size=4
)


def edited(edits: list[tuple[int, int, str]]) -> str:
    """The packaged text; each edit takes lines away from a place and puts one there."""
    lines = list(LINES)
    for at, gone, new in edits:
        lines[at : at + gone] = [new]
    return "".join(lines)


def refusal(path: Path) -> ContractFileError | None:
    try:
        contract = load_contract(path)
    except ContractFileError as error:
        return error
    for key, message in contract.messages.items():
        contract.message(key, dict.fromkeys(message.placeholders(), "x"))
    return None


@settings(deadline=None, derandomize=True)
@given(EDITS.map(edited).map(str.encode) | st.binary(max_size=60))
def test_any_file_is_a_contract_or_is_refused_and_lint_says_so_too(raw: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "phase_contract.yml")
        path.write_bytes(raw)
        refused, findings = refusal(path), lint_contract(path)
        assert refused is None or any(found.level == "error" for found in findings), refused
        assert [found.name for found in Path(folder).iterdir()] == [path.name]
        assert path.read_bytes() == raw
