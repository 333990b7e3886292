"""Load the names of a package's public face when they are first used, so that importing the package costs nothing.

The one list of them is the block `if TYPE_CHECKING:` of the package's `__init__`, whose lines are read as they are
written: `Name as Name` behind `from module import`.
"""

TYPE_CHECKING = False  # `typing` would be paid for at every call of a client's hook
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any


def load_on_use(package: "dict[str, Any]") -> "Callable[[str], object]":
    """Return the `__getattr__` of a package, given its globals, and set its `__all__`."""
    with open(package["__file__"], encoding="utf-8") as source:
        homes = _homes(source)
    package["__all__"] = [*homes]

    def find(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package['__name__']!r} has no attribute {name!r}")
        # Not `importlib`, which brings `warnings` along.
        found: object = getattr(__import__(homes[name], fromlist=[name]), name)
        package[name] = found  # later lookups skip this function
        return found

    return find


def _homes(lines: "Iterable[str]") -> "dict[str, str]":
    """Return the module of each name."""
    found: dict[str, str] = {}
    module, is_inside = "", False
    for line in lines:
        if not line.startswith(" "):
            is_inside = line.startswith("if TYPE_CHECKING") or (is_inside and not line.strip())
        elif is_inside:
            words = line.replace(",", " ").split()
            module = words[1] if words[0] == "from" else module
            found |= {words[at + 1]: module for at, word in enumerate(words) if word == "as"}
    return found
