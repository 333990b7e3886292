"""What the machine reads out of an agent's words: evidence, paths, quotes, prompts, tests. Never an error.

An input is two texts of any length, a NUL between them; bytes that are no UTF-8 become lone surrogates.
"""

import atheris
from harness import fuzz

with atheris.instrument_imports(include=["codeintel_contract", "codeintel_session"]):
    from codeintel_contract.loader import load_contract
    from codeintel_contract.names import plain_tool
    from codeintel_contract.tasks import ChecklistItem, Task, is_real_reason
    from codeintel_contract.violations import ContractViolation
    from codeintel_contract.write_policy import folder_of, is_protected
    from codeintel_session.machine.checklist import fold, location_fault, parse_evidence, plain_path
    from codeintel_session.machine.facts import FileFact
    from codeintel_session.machine.naming import find_prompt
    from codeintel_session.machine.quotes import added, occurs_in
    from codeintel_session.machine.regressions import read_tests
    from codeintel_session.machine.test_files import is_test, steers
    from codeintel_session.machine.write_policy import Target, check_write, write_policy
    from codeintel_session.testing import state_at

SEEDS = (
    b"src/a.py:1-3\0look at src/a.py",
    b"./a b.py:12\0a b.py",
    b"C:\\x\\y.py:1\0C:/x/y.py",
    b"a:b:99999999999\0",
    b"count_all fails when called\0count all failing",
    b"HTTPServer2 stops\0http server stopping",
    "größere Änderung\0GRÖSSERE ÄNDERUNG".encode(),
    "関数を直す\0関数".encode(),
    b".code-intel/x\0.GIT/config",
    b"mcp__code-intel__search_text(x)\0search_text",
    b"tests/test_a.py\0def test_a():\n    assert 1  # x\n",
    b"a.test.ts\0it('x', () => { expect(1) }) /* skip */",
    b"x_test.go\0func TestA(t *testing.T) { t.Run() // x\n",
)
CONTRACT = load_contract(None)
SUFFIXES = (".py", ".ts", ".go", ".rs", ".java", ".cs", ".rb", ".php")


def target(data: bytes) -> None:
    """Two texts through everything that reads one."""
    left, _, right = data.decode("utf-8", "surrogateescape").partition("\0")
    places(left, right)
    paths(left, right)
    quotes(left, right)
    for suffix in SUFFIXES:
        for test in read_tests(f"a{suffix}", right).values():
            assert test.assertions >= 0 <= test.cases
    is_test(left)
    steers(left)


def places(left: str, right: str) -> None:
    """Evidence comes back from its canonical form, and holds only inside the file."""
    found = parse_evidence(left)
    if found is not None:
        assert parse_evidence(found.text) == found, found
        files = {found.path: FileFact(found.path, True, True, 9)}
        if not location_fault(left, files):
            assert 1 <= found.start <= found.end <= 9
    assert fold(fold(right)) == fold(right)


def paths(left: str, right: str) -> None:
    """Paths are judged and never opened; the write rule refuses or lets through."""
    assert plain_path(folder_of(left)) is not None
    state = state_at(13, tasks=(Task(id="t", description=right or "d", checklist=(ChecklistItem(item=right or "i"),)),))
    write_policy(state).is_planned(left)
    try:
        check_write(state, Target(left, inside=True, exists=False))
    except ContractViolation as violation:
        spoken(violation)
    else:
        assert not is_protected(left)


def quotes(left: str, right: str) -> None:
    """A text adds nothing to itself."""
    assert added(left, left, {}) == []
    occurs_in(left, right)
    added(left, right, {})
    is_real_reason(left)
    plain_tool(left)
    try:
        assert find_prompt("f", left, (right,)) == right
    except ContractViolation as violation:
        spoken(violation)


def spoken(violation: ContractViolation) -> None:
    """A refusal has words."""
    assert CONTRACT.message(violation.key, violation.values).message


if __name__ == "__main__":
    fuzz(target, SEEDS)
