"""The one table of what lands in a user's project: a file that is not a row here is never written.

A row says where its text comes from, where it goes, for which clients, and how it lives with what is
there already. `Mode` is the whole vocabulary of that. A new file is a new row; the rows of a client come from
its module in `clients/`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import Any

from . import proposals, texts
from .clients import CLIENTS, all_clients
from .clients.client import Client
from .errors import UsageError
from .proposals import Proposals


class Mode(StrEnum):
    """How a row's content and a file of the user's meet.

    `own`: the whole file is ours; a changed one is kept and ours goes beside it as `.new`.
    `if_absent`: a starting point that belongs to the user from then on; a changed one is kept, silently.
    `merge_json`, `merge_jsonc` (with comments), `merge_toml`: one entry in a file of another tool's.
    `merge_hooks`: items in the lists of hooks of such a file.
    `merge_settings`: both, in the one file (with comments) that holds a client's servers and hooks.
    """

    OWN = "own"
    IF_ABSENT = "if_absent"
    MERGE_JSON = "merge_json"
    MERGE_JSONC = "merge_jsonc"
    MERGE_HOOKS = "merge_hooks"
    MERGE_SETTINGS = "merge_settings"
    MERGE_TOML = "merge_toml"


@dataclass(frozen=True)
class Row:
    """One file of a user's project.

    Args:
        destination: path in the project, with `/`.
        component: the name to include or exclude it by.
        mode: how it meets what is there.
        source: name of a template (see `texts`), unless `produce` or `entry` is given.
        produce: makes the text, where it is not a template.
        entry: makes the value to merge of the command that starts the server, for the merging modes.
        keys: the place of that value in the file.
        beside: what a file made for that value holds besides; a file that holds only this holds nothing.
        clients: the clients that need the row; none means all.
        unless: other files whose presence makes the row pointless.
        placeholder: content, comments aside, that nobody wrote and that may be replaced.
        fill: puts what is known of the project into the text.
    """

    destination: str
    component: str
    mode: Mode = Mode.OWN
    source: str = ""
    produce: Callable[[], str] | None = None
    entry: Callable[[Sequence[str]], dict[str, Any]] | None = None
    keys: tuple[str, ...] = ()
    beside: Mapping[str, Any] = field(default_factory=dict)
    clients: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    placeholder: str = ""
    fill: Callable[[str, Proposals], str] | None = None

    def text(self, found: Proposals) -> str:
        """Return the content of a row that is a whole file."""
        text = self.produce() if self.produce else texts.read_template(self.source)
        return self.fill(text, found) if self.fill else text


HOME = ".code-intel"
RECORD = f"{HOME}/manifest.json"
"""What was put where, with digests; written by the copier, committed with the project."""

HIDE_ALL = "*"
"""The `.gitignore` of a `.code-intel` that was never initialized: it hides the folder and itself."""


def _home(name: str, component: str, mode: Mode = Mode.OWN, **more: Any) -> Row:
    return Row(f"{HOME}/{name}", component, mode, source=f"code-intel/{name}", **more)


TESTS = _home("verifiers/tests.md", "verifiers", Mode.IF_ABSENT)
"""The verifier of the project's tests: one for each suite that is known, and none where none is."""

READER = _home("verifiers/second_reader.md", "verifiers", Mode.IF_ABSENT, fill=proposals.fill_reader)
"""The verifier that reads each change: only where the user named a command for it."""

HIDDEN = Row(f"{HOME}/.gitignore", "mcp", Mode.IF_ABSENT, produce=lambda: f"{HIDE_ALL}\n")
"""What hides the record of an installation that puts nothing into the repository but a client's entry."""

PROJECT_ROWS: tuple[Row, ...] = (
    Row(f"{HOME}/.gitignore", "project", source="code-intel/gitignore.txt", placeholder=HIDE_ALL),
    _home("config.json", "project", Mode.IF_ABSENT, fill=proposals.fill_config),
    _home("context.yml", "project", Mode.IF_ABSENT, fill=proposals.fill_context),
    Row(f"{HOME}/phase_contract.yml", "contract", produce=texts.phase_contract),
    _home("schemas/config.schema.json", "schemas"),
    _home("schemas/context.schema.json", "schemas"),
    Row(f"{HOME}/schemas/phase_contract.schema.json", "schemas", produce=texts.contract_schema),
    _home("task_planning.md", "prompts"),
    _home("user_escalation.md", "prompts"),
    _home("verifiers/backend.md", "verifiers"),
    _home("verifiers/html_css.md", "verifiers"),
    _home("verifiers/generic.md", "verifiers"),
    TESTS,
    READER,
    _home("doc_research/default.md", "doc_research"),
    _home("review_prompts/garbage_detection.md", "review_prompts"),
    _home("review_prompts/quality_review.md", "review_prompts"),
    _home("interventions/structure_review.md", "interventions"),
    _home("interventions/hypothesis_review.md", "interventions"),
    _home("interventions/step_back.md", "interventions"),
)


def all_rows() -> tuple[Row, ...]:
    """Return every file that can be put, those of the clients after those of the project.

    A file that two clients share is one row with both; the first says how it is made. A file with the servers and the
    hooks of a client is two rows, because either may be left out; `join_rows` makes one of them.
    """
    found: dict[tuple[str, str], Row] = {}
    for row in (row for client in all_clients() for row in _client_rows(client)):
        place = row.destination, row.component
        known = found.setdefault(place, row)
        if known is not row:
            found[place] = replace(known, clients=(*known.clients, *row.clients))
    return (*PROJECT_ROWS, *found.values())


def join_rows(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Return the rows with one for each file: rows of the same file put their values into it together."""
    joined: dict[str, Row] = {}
    for row in rows:
        known = joined.setdefault(row.destination, row)
        if known is not row:
            joined[row.destination] = replace(known, entry=_both(known, row))
    return tuple(joined.values())


def _both(one: Row, other: Row) -> Callable[[Sequence[str]], dict[str, Any]]:
    entries = [row.entry for row in (one, other) if row.entry]
    return lambda command: {key: value for entry in entries for key, value in entry(command).items()}


def _client_rows(client: Client) -> Iterator[Row]:
    only = (client.name,)
    for text in client.texts:
        mode = Mode.IF_ABSENT if text.is_theirs else Mode.OWN
        yield Row(text.file, text.component, mode, source=text.source, unless=text.unless, clients=only)
    if client.hooks_file == client.entry_file:
        yield from _settings_rows(client)
        return
    mode, keys = Mode(client.entry_mode), client.entry_keys
    made = Row(client.entry_file, "mcp", mode, entry=client.entry, keys=keys, clients=only)
    yield replace(made, beside=client.entry_beside)
    if client.hooks_file:
        made = Row(client.hooks_file, "hooks", Mode.MERGE_HOOKS, entry=client.hooks, keys=client.hooks_keys)
        yield replace(made, beside=client.hooks_beside, clients=only)


def _settings_rows(client: Client) -> Iterator[Row]:
    """Yield the rows of a file that holds both servers and hooks. Their values are the members of the file itself."""
    name, server = client.entry_keys
    (hooks,) = client.hooks_keys
    only, beside = (client.name,), client.entry_beside
    parts: tuple[tuple[str, Callable[[Sequence[str]], dict[str, Any]]], ...] = (
        ("mcp", lambda command: {name: {server: client.entry(command)}}),
        ("hooks", lambda command: {hooks: client.hooks(command)}),
    )
    for component, entry in parts:
        yield Row(client.entry_file, component, Mode.MERGE_SETTINGS, entry=entry, beside=beside, clients=only)


def all_components() -> tuple[str, ...]:
    """Return the names that files are included or excluded by."""
    return tuple(dict.fromkeys(row.component for row in all_rows()))


def expand_clients(names: Sequence[str]) -> tuple[str, ...]:
    """Return the clients meant, in the order of `CLIENTS`; `all` means each of them."""
    _check(names, (*CLIENTS, "all"), "client")
    return tuple(name for name in CLIENTS if "all" in names or name in names)


def select(
    clients: Sequence[str], include: Sequence[str] = (), exclude: Sequence[str] = (), found: Proposals | None = None
) -> tuple[Row, ...]:
    """Return the rows for these clients: of the included components (none named = all) less the excluded.

    With `found`, the verifier of the tests is made once for each known suite, and that of a reader if one is known.
    """
    known = all_components()
    _check((*include, *exclude), known, "component")
    wanted = (set(include) or set(known)) - set(exclude)
    rows = [row for row in all_rows() if row.component in wanted and (not row.clients or {*row.clients} & {*clients})]
    return tuple(made for row in rows for made in (_known_rows(row, found) if found else (row,)))


def _known_rows(row: Row, found: Proposals) -> Iterator[Row]:
    if row is not TESTS:
        if row is not READER or found.reader:
            yield row
        return
    for suite in found.suites:
        place = f"{HOME}/verifiers/{suite.name}.md"
        yield replace(TESTS, destination=place, fill=partial(proposals.fill_suite, suite))


def _check(names: Iterable[str], known: Sequence[str], what: str) -> None:
    for name in names:
        if name not in known:
            raise UsageError(f"unknown {what} {name!r}; known: {', '.join(known)}")
