"""Find what a request names as code and the project's code does not hold when the work is reported as complete.

A name in a comment or a test shows no work. A name that a changed file held before may have been removed on request.
"""

import re
from collections.abc import Iterable

from codeintel_session.machine.facts import Changed
from codeintel_session.machine.state import SessionState
from codeintel_session.ports import Ports
from codeintel_session.storage.project_files import file_fact

_NAME = re.compile(r"`(?:[\w.:]*[.:])?([^\W\d]\w{2,})(\([^`()]*\))?`")
"""A name in code marks, of a qualified one the last part, and what it takes if it is written as a call."""
_WORD = re.compile(r"[^\W\d]\w*")


def find_absent(ports: Ports, state: SessionState, changes: Iterable[Changed]) -> tuple[str, ...]:
    """Return the names that the request marks as code, that no code holds, and that no changed file held before."""
    asked = [one for one in _NAME.finditer(state.query) if not file_fact(ports.root, one[0].strip("`")).is_there]
    names = {one[1] + "()" * bool(one[2]): one[1] for one in asked if not one[1].startswith("test")}
    held = ports.code.in_code(list(names)) if names else {}
    absent = {name for written, name in names.items() if held.get(written) is False}
    if not absent or ports.git is None:
        return ()
    for change in changes:
        if change.status != "added":
            absent -= {*_WORD.findall(ports.git.text_at(state.base_commit, change.source))}
    return tuple(dict.fromkeys(name for name in names.values() if name in absent))
