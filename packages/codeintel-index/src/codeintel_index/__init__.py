"""Code search for people and agents: ripgrep, tree-sitter symbols and hybrid search. Stands alone.

Importing this package is cheap: `Index` and the result types are loaded when they are first named.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from codeintel_index.config import IndexConfig
    from codeintel_index.errors import IndexFault
    from codeintel_index.index import Index

__all__ = ["Index", "IndexConfig", "IndexFault"]

_HOMES = {"Index": "index", "IndexConfig": "config", "IndexFault": "errors"}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
