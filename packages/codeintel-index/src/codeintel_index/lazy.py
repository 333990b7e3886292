"""The names of a package that are loaded when they are first used, so that importing the package costs nothing."""

from collections.abc import Callable, Mapping
from importlib import import_module


def load_on_use(package: str, names: dict[str, object], modules: Mapping[str, str]) -> Callable[[str], object]:
    """Return the `__getattr__` of a package. `names` are its globals; `modules` lists what each module below it gives.

    `__all__` and `_HOMES`, the module of each name, are set from the same table.
    """
    homes = {name: module for module, listed in modules.items() for name in listed.split()}
    names |= {"_HOMES": homes, "__all__": [*homes]}

    def find(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found: object = getattr(import_module(f"{package}.{homes[name]}"), name)
        names[name] = found  # from now on without this function
        return found

    return find
