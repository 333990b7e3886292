"""The one table of what lands in a user's project: a file that is not a row here is never written.

A row says where its text comes from, where it goes, for which clients, and how it lives with what is
there already. `Mode` is the whole vocabulary of that. A new file is a new row; a new client is a line
in `CLIENTS` and its rows.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from . import entries, hooks, proposals, texts
from .errors import NotAsked
from .proposals import Proposals


class Mode(StrEnum):
    """How a row's content and a file of the user's meet.

    `own`: the whole file is ours; a changed one is kept and ours goes beside it as `.new`.
    `if_absent`: a starting point that belongs to the user from then on; a changed one is kept, silently.
    `merge_json`, `merge_jsonc` (with comments), `merge_toml`: one entry in a file of another tool's.
    `merge_hooks`: items in the lists of hooks of such a file.
    """

    OWN = "own"
    IF_ABSENT = "if_absent"
    MERGE_JSON = "merge_json"
    MERGE_JSONC = "merge_jsonc"
    MERGE_HOOKS = "merge_hooks"
    MERGE_TOML = "merge_toml"


CLIENTS: dict[str, str] = {
    "claude": "Start Claude Code here, approve the code-intel server, then: /code <what you want>",
    "codex": "Start Codex here, trust the project and, by /hooks, its hooks, then: $code <what you want>",
    "cursor": "Open the folder in Cursor, enable code-intel under MCP, then run its prompt `code`",
    "vscode": "Open the folder in VS Code, start code-intel in .vscode/mcp.json, then run its prompt `code`",
}
"""The clients, each with what its user does next."""

ALL = tuple(CLIENTS)


@dataclass(frozen=True)
class Row:
    """One file of a user's project.

    Args:
        destination: path in the project, with `/`.
        component: the name that include and exclude go by.
        mode: how it meets what is there.
        source: name of a template (see `texts`), unless `produce` or `entry` is given.
        produce: makes the text, where it is not a template.
        entry: makes the value to merge, for the merging modes.
        keys: where in the file that value stands.
        clients: the clients that need the row.
        unless: other files whose presence makes the row pointless.
        placeholder: content, comments aside, that is no user's work and may be replaced.
        fill: puts what is known of the project into the text.
        only_if: whether the row is wanted, by what is known of the project.
    """

    destination: str
    component: str
    mode: Mode = Mode.OWN
    source: str = ""
    produce: Callable[[], str] | None = None
    entry: entries.Entry | None = None
    keys: tuple[str, ...] = ()
    clients: tuple[str, ...] = ALL
    unless: tuple[str, ...] = ()
    placeholder: str = ""
    fill: Callable[[str, Proposals], str] | None = None
    only_if: Callable[[Proposals], bool] | None = None

    def text(self, found: Proposals) -> str:
        """The content of a row that is a whole file."""
        text = self.produce() if self.produce else texts.read(self.source)
        return self.fill(text, found) if self.fill else text


HOME = ".code-intel"
RECORD = f"{HOME}/manifest.json"
"""What was put where, with digests; written by the copier, committed with the project."""

HIDE_ALL = "*"
"""The `.gitignore` of a `.code-intel` that was never initialized: it hides the folder and itself."""


def _home(name: str, component: str, mode: Mode = Mode.OWN, **more: Any) -> Row:
    return Row(f"{HOME}/{name}", component, mode, source=f"code-intel/{name}", **more)


def _json(destination: str, client: str, entry: entries.Entry) -> Row:
    return Row(destination, "mcp", Mode.MERGE_JSON, entry=entry, keys=("mcpServers", "code-intel"), clients=(client,))


def _hooks(destination: str, client: str, entry: entries.Entry) -> Row:
    return Row(destination, "hooks", Mode.MERGE_HOOKS, entry=entry, keys=("hooks",), clients=(client,))


ROWS: tuple[Row, ...] = (
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
    _home(
        "verifiers/tests.md",
        "verifiers",
        Mode.IF_ABSENT,
        fill=proposals.fill_tests,
        only_if=proposals.has_tests,
    ),
    _home("doc_research/default.md", "doc_research"),
    _home("review_prompts/garbage_detection.md", "review_prompts"),
    _home("review_prompts/quality_review.md", "review_prompts"),
    _home("interventions/structure_review.md", "interventions"),
    _home("interventions/hypothesis_review.md", "interventions"),
    _home("interventions/step_back.md", "interventions"),
    Row(
        ".claude/CLAUDE.md",
        "rules",
        Mode.IF_ABSENT,
        source="claude/CLAUDE.md",
        clients=("claude",),
        unless=("CLAUDE.md", "AGENTS.md"),
    ),
    Row(".claude/skills/code/SKILL.md", "skill", source=texts.SKILL, clients=("claude",)),
    Row(".agents/skills/code/SKILL.md", "skill", source=texts.SKILL, clients=("codex",)),
    _json(".mcp.json", "claude", entries.claude),
    _json(".cursor/mcp.json", "cursor", entries.cursor),
    Row(
        ".vscode/mcp.json",
        "mcp",
        Mode.MERGE_JSONC,
        entry=entries.vscode,
        keys=("servers", "code-intel"),
        clients=("vscode",),
    ),
    Row(
        ".codex/config.toml",
        "mcp",
        Mode.MERGE_TOML,
        entry=entries.codex,
        keys=("mcp_servers", "code-intel"),
        clients=("codex",),
    ),
    _hooks(".claude/settings.json", "claude", hooks.claude),
    _hooks(".codex/hooks.json", "codex", hooks.codex),
    _hooks(".cursor/hooks.json", "cursor", hooks.cursor),
)

COMPONENTS: tuple[str, ...] = tuple(dict.fromkeys(row.component for row in ROWS))


def expand_clients(names: Sequence[str]) -> tuple[str, ...]:
    """Return the clients meant, in the order of `CLIENTS`; `all` means each of them."""
    _check(names, (*CLIENTS, "all"), "client")
    return tuple(name for name in CLIENTS if "all" in names or name in names)


def select(
    clients: Sequence[str],
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    found: Proposals | None = None,
) -> tuple[Row, ...]:
    """Return the rows for these clients: of the included components (none named = all) less the excluded.

    With `found`, rows that what is known of the project makes pointless are left out.
    """
    _check((*include, *exclude), COMPONENTS, "component")
    wanted = (set(include) or set(COMPONENTS)) - set(exclude)
    rows = (row for row in ROWS if row.component in wanted and set(row.clients) & set(clients))
    return tuple(row for row in rows if found is None or row.only_if is None or row.only_if(found))


def _check(names: Iterable[str], known: Sequence[str], what: str) -> None:
    for name in names:
        if name not in known:
            raise NotAsked(f"unknown {what} {name!r}; known: {', '.join(known)}")
