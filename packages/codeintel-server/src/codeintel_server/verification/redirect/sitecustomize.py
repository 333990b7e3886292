"""Make a Python program that runs in a checkout import the checkout's code, not that of the project it is a copy of.

An editable install puts the project's folder on the path. This file is first on PYTHONPATH during a run: it turns
those entries, and the mappings of setuptools' finders, to the checkout, and notes what is still imported from the
project. On demand pytest writes its import path at its end, or tests run without it in its place. It runs in the
interpreter of the user's environment, so it imports the standard library only and keeps to what old versions
understand.
"""

import os
import sys

_FROM = tuple(path for path in os.environ.get("CODEINTEL_TURNED", "").split(os.pathsep) if path)
_TO = os.environ.get("CODEINTEL_CHECKOUT", "")
_SHARED = tuple(path for path in os.environ.get("CODEINTEL_SHARED", "").split(os.pathsep) if path)
_NOTES = os.environ.get("CODEINTEL_IMPORTED", "")
_CODE = (".py", ".pyc", ".so", ".pyd")


def _home(path: object) -> str:
    """The project's folder, as the path spells it, if the path leads to its code."""
    if not isinstance(path, str) or not path.startswith(_FROM):
        return ""
    if any(path == one or path.startswith(one + os.sep) for one in _SHARED):
        return ""
    return next((home for home in _FROM if path == home or path.startswith(home + os.sep)), "")


def _turned(path: str) -> str:
    return _TO + path[len(_home(path)) :] if _home(path) else path


def _turn_all(value: object) -> object:
    if isinstance(value, str):
        return _turned(value)
    if isinstance(value, list):
        return [_turn_all(one) for one in value]
    return value


def _note(event: str, arguments: tuple) -> None:  # type: ignore[type-arg]
    path = arguments[0] if event == "open" and arguments else None
    if type(path) is str and path.endswith(_CODE) and _home(path):
        with os.fdopen(os.open(_NOTES, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as notes:
            notes.write(os.fsencode(path) + b"\n")


if _FROM and _TO:
    sys.path[:] = [_turned(entry) for entry in sys.path]
    for _name, _module in list(sys.modules.items()):
        if _name.startswith("__editable__"):
            for _table in ("MAPPING", "NAMESPACES"):
                _found = getattr(_module, _table, None)
                if isinstance(_found, dict):
                    _found.update({key: _turn_all(value) for key, value in _found.items()})
    if _NOTES and hasattr(sys, "addaudithook"):
        sys.addaudithook(_note)

# A module of this name that the environment has itself is run as well.
_HERE = os.path.dirname(os.path.abspath(__file__))
for _entry in sys.path:
    if os.path.abspath(_entry or ".") != _HERE and os.path.isfile(os.path.join(_entry, "sitecustomize.py")):
        with open(os.path.join(_entry, "sitecustomize.py"), "rb") as _source:
            exec(compile(_source.read(), os.path.join(_entry, "sitecustomize.py"), "exec"))
        break

if {"pytest", "py.test"} & {os.path.basename(word) for word in getattr(sys, "orig_argv", [])}:
    _bare, _paths = os.environ.pop("CODEINTEL_BARE", ""), os.environ.get("CODEINTEL_PATHS", "")
    if _bare:
        import subprocess

        os._exit(subprocess.call([sys.executable, "-W", "default", os.path.join(_HERE, "bare.py"), _bare]))
    if _paths:
        import atexit

        def _write() -> None:
            with open(_paths, "w", encoding="utf-8", errors="surrogateescape") as paths:
                paths.write("\0".join(sys.path))

        atexit.register(_write)
