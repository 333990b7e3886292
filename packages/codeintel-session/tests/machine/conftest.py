"""Whatever the machine says in these tests can be put into words: its message exists, its placeholders are filled."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from codeintel_contract.loader import load_contract
from codeintel_contract.violations import ContractViolation
from codeintel_session.machine.verdict import MessageRef


def _unsaid(key: str, values: Mapping[str, Any] | None) -> str:
    """What is wrong with something said, "" if nothing is."""
    messages = load_contract(None).messages
    if key not in messages:
        return f"no message {key!r}"
    given = dict(values or {})
    wanted = messages[key].placeholders()
    if wanted - given.keys():
        return f"{key}: nothing fills {sorted(wanted - given.keys())}"
    empty = [name for name, value in given.items() if value is None]
    return f"{key}: {empty} say nothing" if empty else ""


@pytest.fixture(autouse=True)
def _everything_said_is_sayable(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    wrong: list[str] = []
    violate, say = ContractViolation.__init__, MessageRef.__init__

    def violated(self: ContractViolation, key: str, /, **values: Any) -> None:
        violate(self, key, **values)
        wrong.append(_unsaid(key, self.values))

    def said(self: MessageRef, key: str, values: Mapping[str, object] | None = None) -> None:
        say(self, key, {} if values is None else values)
        wrong.append(_unsaid(key, values))

    monkeypatch.setattr(ContractViolation, "__init__", violated)
    monkeypatch.setattr(MessageRef, "__init__", said)
    yield
    assert [text for text in wrong if text] == []
