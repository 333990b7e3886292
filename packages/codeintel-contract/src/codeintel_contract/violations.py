"""Define the one error of the protocol: a contract key and the values its message needs.

No sentence for an agent is written in Python. Code raises `ContractViolation("failures.READY.no_tasks")`, the
contract file owns the words, and `Contract.message` joins the two at the boundary.
"""

from typing import Any


class ContractViolation(Exception):
    """Report an invalid submission or call.

    Args:
        key: dotted path of the message in the contract file, e.g. `failures.READY.unknown_task`.
        problems: one line per problem that names the field, for the reply's `problems`; a text or a message.
        values: the values of the message's `{placeholders}`.
    """

    def __init__(self, key: str, /, *, problems: tuple[Any, ...] = (), **values: Any) -> None:
        super().__init__(key)  # only the key, so that the error can be copied and pickled
        self.key = key
        self.problems = problems
        self.values = values

    def __str__(self) -> str:
        return f"{self.key} {self.values}" if self.values else self.key
