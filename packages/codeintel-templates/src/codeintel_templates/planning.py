"""The plans: of an installation, of an upgrade, and of an uninstallation. Read the project, decide, write nothing.

An uninstallation removes what is still as it was put; everything else stays.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path, PurePosixPath, PureWindowsPath

from . import decide, files_io, record, texts
from .clients import CLIENTS
from .clients.client import Client
from .decide import Facts, format_of
from .edits import ABSENT, Unparsable, digest, split_bom
from .errors import BrokenFile, UsageError
from .manifest import (
    HIDDEN,
    HIDE_ALL,
    HOME,
    RECORD,
    Mode,
    Row,
    all_components,
    all_rows,
    expand_clients,
    join_rows,
    select,
)
from .proposals import Proposals
from .record import Entry, Record
from .results import Action, Kind, Plan


def plan(
    target: Path,
    *,
    clients: Sequence[str] = ("claude",),
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    command: Sequence[str] = ("codeintel",),
    proposals: Proposals | None = None,
    minimal: bool = False,
) -> Plan:
    """Decide what an installation would do. Reads only.

    Args:
        target: the project's folder.
        clients: names of `CLIENTS`, or `all`; clients installed before stay.
        include: components to install; none named means all.
        exclude: components to leave out.
        command: the program that starts the server, with leading arguments.
        proposals: what is known of the project; None keeps what was known when files were last put there.
        minimal: whether to put only the clients' entries, and to hide the record of that from git.

    Raises:
        BrokenFile: a file to merge, or the record, cannot be read.
        UsageError: an unknown client or component, no command, or no such folder.
        Obstructed: a destination leaves the project, is not a file, or must not be written.
    """
    wanted = expand_clients(clients)
    if not wanted:
        raise UsageError(f"no client named; known: {', '.join(CLIENTS)}, all")
    before = read_record(target)
    found = before.proposals if proposals is None else proposals
    rows = select(wanted, [HIDDEN.component] if minimal else include, exclude, found)
    if minimal and not before.files:
        rows = (HIDDEN, *rows)
    return _plan(target, before, found, rows, wanted, tuple(command), restore=True)


def read_record(target: Path) -> Record:
    """Return the record of what was put into a project before; an empty one if nothing was.

    Raises:
        BrokenFile: it cannot be read, or a later version wrote it.
        Obstructed: it is not a file of the project.
        UsageError: the target is not a folder.
    """
    if not target.is_dir():
        raise UsageError(f"{target} is not a folder")
    return record.load(target)


def plan_upgrade(target: Path, *, command: Sequence[str] = ()) -> Plan:
    """Decide what bringing an installation to this version would do; what the user removed stays away.

    Args:
        target: the project's folder.
        command: a new command; none keeps the recorded one.

    Raises UsageError: nothing is installed there. Otherwise as `plan`.
    """
    before = read_record(target)
    if not before.files:
        raise UsageError("nothing is installed here; run `codeintel init` first")
    clients = tuple(name for name in before.clients if name in CLIENTS)
    components = [name for name in before.components if name in all_components()]
    rows = select(clients, components, found=before.proposals) if components else ()
    return _plan(target, before, before.proposals, rows, clients, tuple(command) or before.command, restore=False)


def read_entry(target: Path, client: Client) -> object:
    """Return our server's entry in a client's configuration, None where the file or the entry is missing.

    Raises BrokenFile: the file cannot be read.
    """
    text = files_io.read(target, client.entry_file)
    form = format_of(Mode(client.entry_mode))
    if text is None or form is None:
        return None
    with _named(client.entry_file):
        found = form.get(split_bom(text)[1], client.entry_keys)
    return None if found is ABSENT else found


@contextmanager
def _named(path: str) -> Iterator[None]:
    """Make of a text that its format refuses an error with the file's name."""
    try:
        yield
    except Unparsable as error:
        raise BrokenFile(Path(path), error.line, error.why) from error


def _plan(
    target: Path,
    before: Record,
    found: Proposals,
    rows: tuple[Row, ...],
    clients: tuple[str, ...],
    command: tuple[str, ...],
    restore: bool,
) -> Plan:
    if not command or not command[0].strip():
        raise UsageError("the command that starts the server is empty")
    actions = [_action(target, row, found, before, command, restore) for row in join_rows(rows)]
    after = _after(target, before, actions, rows, clients, command).model_copy(update={"proposals": found})
    actions.append(_record_action(target, before, after))
    _require_writable(target, actions)
    return Plan(target, tuple(actions), before, after, _notices(command))


def _require_writable(target: Path, actions: Sequence[Action]) -> None:
    """Raise Obstructed for the first file to be changed that cannot be."""
    for action in actions:
        if action.kind is not Kind.KEEP:
            files_io.require_writable(target, action.written)


def _action(
    target: Path, row: Row, found: Proposals, before: Record, command: tuple[str, ...], restore: bool
) -> Action:
    path = row.destination
    facts = Facts(
        current=files_io.read(target, path),
        entry=before.files.get(path),
        restore=restore,
        beside=_beside(target, path, before.files.get(path)),
        instead=next((other for other in row.unless if (target / other).exists()), ""),
    )
    if row.entry:
        with _named(path):
            return decide.merged(row, row.entry(command), facts)
    return decide.whole(row, row.text(found), facts)


def _beside(target: Path, path: str, entry: Entry | None) -> str:
    """Return a name for our version next to the user's: one that is free, or that holds our earlier offer."""
    name, count = f"{path}.new", 1
    while (text := files_io.read(target, name)) is not None:
        if entry is not None and entry.beside == name and entry.beside_digest == digest(text):
            break
        count += 1
        name = f"{path}.new{count}"
    return name


def _after(
    target: Path,
    before: Record,
    actions: Sequence[Action],
    rows: Sequence[Row],
    clients: Sequence[str],
    command: tuple[str, ...],
) -> Record:
    folders = [
        folder for action in actions if action.content for folder in files_io.missing_folders(target, action.path)
    ]
    after = before.model_copy(
        update={
            "templates": version("codeintel-templates"),
            "clients": tuple(name for name in CLIENTS if name in (*before.clients, *clients)),
            "components": tuple(sorted({*before.components, *(row.component for row in rows)})),
            "command": command,
            "directories": tuple(sorted({*before.directories, *folders, *files_io.missing_folders(target, RECORD)})),
        }
    )
    for action in actions:
        after = after.with_file(action.path, action.entry)
    return after


def _record_action(target: Path, before: Record, after: Record) -> Action:
    current = files_io.read(target, RECORD)
    if current is not None and before == after:
        return Action(RECORD, Kind.KEEP, "nothing to record", current=current)
    kind = Kind.CREATE if current is None else Kind.UPDATE
    return Action(RECORD, kind, "what was put where", after.dump(), current=current)


def _notices(command: Sequence[str]) -> tuple[str, ...]:
    program = command[0]
    if PurePosixPath(program).is_absolute() or PureWindowsPath(program).is_absolute():
        return (f"{program} is an absolute path: the files that name it will not work on another machine",)
    return ()


_GITIGNORE = f"{HOME}/.gitignore"


def plan_uninstall(target: Path, *, purge: bool = False) -> Plan:
    """Decide what taking an installation back would do. Reads only; raises as `plan`.

    Args:
        target: the project's folder.
        purge: whether what sessions left goes too: reports, logs, learned answers and the index.
    """
    before = read_record(target)
    rows = {row.destination: row for row in all_rows()}
    actions: list[Action] = []
    for path, entry in before.files.items():
        facts = Facts(files_io.read(target, path), entry)
        with _named(path):
            actions.append(decide.take_back(path, rows.get(path), facts))
        actions += _take_back_offer(target, path, entry)
    text = files_io.read(target, RECORD)
    if text is not None:
        actions.append(Action(RECORD, Kind.REMOVE, "the record of the installation", current=text))
    purged = _state(target) if purge else ()
    actions, notices = _hide_leftovers(target, actions, purged, purge)
    _require_writable(target, actions)
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
