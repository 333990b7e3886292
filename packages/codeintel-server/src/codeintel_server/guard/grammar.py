"""The parser of bash: the one thing that the guard imports beside the standard library."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def parser() -> Any:
    """Return a parser of bash. Only the grammar's binary is loaded: its package would import three times as much."""
    if not _PARSERS:
        trees, bash = _binding("tree_sitter"), _binding("tree_sitter_bash")
        _PARSERS.append(trees.Parser(trees.Language(bash.language())))
    return _PARSERS[0]


_PARSERS: list[Any] = []


def _binding(package: str) -> Any:
    """Import the binary module of a package without the package around it.

    Raises ImportError: the package is not installed.
    """
    import sys
    from importlib.machinery import PathFinder

    name = f"{package}._binding"
    if name not in sys.modules:
        home = PathFinder.find_spec(package)
        spec = PathFinder.find_spec(name, home.submodule_search_locations) if home else None
        if spec is None or spec.loader is None:
            raise ImportError(f"{package} is not installed")
        module: Any = spec.loader.create_module(spec)
        spec.loader.exec_module(module)
        sys.modules[name] = module
    return sys.modules[name]
