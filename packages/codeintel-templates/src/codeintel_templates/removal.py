"""The plan of taking an installation back: what is still as it was put goes, everything else stays."""

from pathlib import Path

from . import decide, files_io, record, texts
from .decide import Facts
from .edits import digest
from .manifest import HIDE_ALL, HOME, RECORD, all_rows
from .planning import project, readable, require_writable
from .record import Entry, Record
from .results import Action, Kind, Plan

_GITIGNORE = f"{HOME}/.gitignore"


def plan_uninstall(target: Path, *, purge: bool = False) -> Plan:
    """Decide what taking an installation back would do. Reads only; raises as `plan`.

    Args:
        target: the project's folder.
        purge: whether what sessions left goes too: reports, logs, learned answers and the index.
    """
    before = record.load(project(target))
    rows = {row.destination: row for row in all_rows()}
    actions: list[Action] = []
    for path, entry in before.files.items():
        facts = Facts(files_io.read(target, path), entry)
        actions.append(readable(path, decide.take_back, path, rows.get(path), facts))
        actions += _take_back_offer(target, path, entry)
    text = files_io.read(target, RECORD)
    if text is not None:
        actions.append(Action(RECORD, Kind.REMOVE, "the record of the installation", current=text))
    purged = _state(target) if purge else ()
    actions, notices = _hide_leftovers(target, actions, purged, purge)
    require_writable(target, actions)
    return Plan(target, tuple(actions), before, Record(), notices, purged)


def _state(target: Path) -> tuple[str, ...]:
    """Return what the server keeps for itself: the paths that our .gitignore names."""
    lines = texts.read_template(f"{HOME.lstrip('.')}/gitignore.txt").splitlines()
    patterns = [line.strip("/") for line in lines if line.startswith("/")]
    found = (path for pattern in patterns for path in (target / HOME).glob(pattern))
    return tuple(sorted(path.relative_to(target).as_posix() for path in found))


def _take_back_offer(target: Path, path: str, entry: Entry) -> list[Action]:
    """Decide about our version beside a user's file, which may have changed since."""
    text = files_io.read(target, entry.beside) if entry.beside else None
    if entry.beside is None or text is None:
        return []
    if digest(text) == entry.beside_digest:
        return [Action(entry.beside, Kind.REMOVE, f"our version of {path}", current=text)]
    return [Action(entry.beside, Kind.KEEP, "left: you changed it", current=text)]


def _hide_leftovers(
    target: Path, actions: list[Action], purged: tuple[str, ...], purge: bool
) -> tuple[list[Action], tuple[str, ...]]:
    """Keep what the server learned, and keep it out of `git status` though our .gitignore goes."""
    going = {action.path for action in actions if action.kind is Kind.REMOVE}
    home = target / HOME
    files = (item.relative_to(target).as_posix() for item in home.rglob("*") if item.is_file())
    below = tuple(f"{folder}/" for folder in purged)
    left = [path for path in files if path not in going and not f"{path}/".startswith(below)]
    if not left or _GITIGNORE not in going:
        return actions, ()
    hide = f"{HIDE_ALL}\n"
    swapped = [
        Action(path.path, Kind.UPDATE, "hides what is left", hide, current=path.current)
        if path.path == _GITIGNORE
        else path
        for path in actions
    ]
    count = f"{len(left)} file{'s' * (len(left) > 1)}"
    notice = (
        f"{HOME} still holds {count} that you made or changed; delete the folder if you do not need them"
        if purge
        else f"{HOME} still holds {count} that sessions left or you made, hidden from git; uninstall --purge takes what"
        " sessions left as well"
    )
    return swapped, (notice,)
