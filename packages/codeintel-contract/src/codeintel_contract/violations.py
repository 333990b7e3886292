"""The one error of the protocol: a contract key and the values its message needs.

No sentence for an agent stands in Python. Code raises `ContractViolation("failures.READY.no_tasks")`,
the contract file owns the words, and `Contract.message` joins the two at the boundary.
"""

from typing import Any


class ContractViolation(Exception):
    """Something handed in does not hold.

    Args:
        key: dotted path of the message in the contract file, e.g. `failures.READY.unknown_task`.
        problems: one line each, naming the field, for the reply's `problems`.
        values: what the message's `{placeholders}` stand for.
    """

    def __init__(self, key: str, /, *, problems: tuple[str, ...] = (), **values: Any) -> None:
        super().__init__(key)  # alone, so that a copy or a pickle can be made
        self.key = key
        self.problems = problems
        self.values = values

    def __str__(self) -> str:
        return f"{self.key} {self.values}" if self.values else self.key
