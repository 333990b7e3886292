"""The limits: their values are a promise, and no other place of the session knows one of them."""

import ast
from pathlib import Path

import codeintel_session
from codeintel_session.machine import limits

SOURCES = [path for path in sorted(Path(codeintel_session.__path__[0]).rglob("*.py")) if "testing" not in path.parts]
COUNTED = ("count", "refusals", "failures", "reverts")


def test_the_limits_are_those_that_were_promised() -> None:
    promised = {
        "VERIFICATION_FAILURES": 3,
        "ESCALATION_FAILURES": 6,
        "INTERVENTIONS": 2,
        "QUALITY_REVERTS": 3,
        "REFUSALS": 8,
        "MIN_REASON": 10,
        "SUMMARY_CHARS": 1200,
        "CHECKPOINT_BYTES": 262144,
        "REPLY_BYTES": 6144,
        "STATUS_BYTES": 12288,
        "SAVE_EVERY_S": 1.0,
    }
    assert {name: getattr(limits, name) for name in promised} == promised


def by_number(node: ast.Compare) -> bool:
    """A count of the session held against a number that stands there and then."""
    text = ast.unparse(node)
    numbers = [part for part in (node.left, *node.comparators) if isinstance(part, ast.Constant)]
    return any(isinstance(part.value, int) and part.value > 1 for part in numbers) and any(
        word in text for word in COUNTED
    )


def test_no_count_of_a_session_is_compared_with_a_number() -> None:
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES}
    compares = [
        (path, node) for path, tree in trees.items() for node in ast.walk(tree) if isinstance(node, ast.Compare)
    ]
    assert len(compares) > 100
    assert [f"{path.name}:{node.lineno}" for path, node in compares if by_number(node)] == []
