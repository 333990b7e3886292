"""start_session, submit_phase, get_session_status: the protocol."""

import json
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import WithJsonSchema

from codeintel_contract import Phase
from codeintel_index.mcp import ToolResult
from codeintel_server.mcp.tools.implementation import run_for_pass, show_changes
from codeintel_server.project.project import Project
from codeintel_server.project.rules import project_rules
from codeintel_server.verification.runner import Progress
from codeintel_session import Row, UserAnswer, active_tags, bound_reply

Payloads = Annotated[
    dict[str, Any] | list[dict[str, Any] | str] | str,
    WithJsonSchema({"anyOf": [{"type": "object"}, {"type": "array", "items": {"type": "object"}}]}),
]
"""An object or a list of them; their JSON text is taken too, and read by the session."""
_NO_RUN = frozenset(("no_verify", "investigate"))
"""Sessions that verify nothing."""


def start_session(
    project: Project,
    intent: str = "",
    query: str = "",
    flags: dict[str, Any] | list[str] | str = "",
    repo_path: str = ".",
    discard_active: bool = False,
    *,
    client: str = "",
    answer: UserAnswer | None = None,
) -> ToolResult:
    """Start a task. intent: IMPLEMENT, MODIFY, INVESTIGATE or QUESTION. query: the user's words, unchanged.
    flags: object or list of options. Then do what the reply's instruction says."""
    project.fresh_configuration()
    reply = project.session.start(
        intent, query, read_flags(flags), discard_active=discard_active, client=client, answer=answer
    )
    rules = project_rules(project.root, project.library.context)
    reply["project_rules"] = rules.text
    _notice(project, reply, "session_messages.context_update_required", "source", rules.outdated_source)
    _warn_of_contract(project, reply)
    for problem in project.warnings():
        _notice(project, reply, "warnings.unknown_config_key", "problem", problem)
    if project.config.file.sync_on_start:
        project.code.sync_if_old()
    reply["index"] = project.code.overview()
    _run_on_base(project)
    return ToolResult(bound_reply(reply))


def _warn_of_contract(project: Project, reply: dict[str, Any]) -> None:
    if project.library.ignores_contract():
        _notice(project, reply, "session_messages.contract_not_trusted", "path", ".code-intel/phase_contract.yml")


def _notice(project: Project, reply: dict[str, Any], key: str, name: str, value: str) -> None:
    if value:
        said = project.session.contract.message(key, {name: value}).message
        reply.setdefault("notices", []).append(said)


def read_flags(flags: object) -> object:
    """Flags as an object or a list; their JSON text is read, other text is split into options."""
    if not isinstance(flags, str):
        return flags
    try:
        return json.loads(flags) if flags.strip() else {}
    except (ValueError, RecursionError):
        return flags.split()


def submit_phase(
    project: Project,
    data: Payloads,
    *,
    row: Row | None = None,
    answer: UserAnswer | None = None,
    progress: Progress | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> ToolResult:
    """Submit the current phase: the fields of expected_payload, filled in. The only way to the next phase.
    A list submits several phases in order (see may_follow); phase: "<KEY>" in a payload names its phase."""
    reply = project.session.submit(
        data if row is None else row,
        answer,
        can_ask=row is not None,
        run=lambda name: run_for_pass(project, name, progress, stopped),
    )
    if reply.get("phase") == Phase.READY:
        _run_on_base(project)
    if reply["success"] and reply["phase"] == Phase.PRE_COMMIT:
        reply |= show_changes(project)
    return ToolResult(reply, is_final=True)


def _run_on_base(project: Project) -> None:
    """Have the verifiers that may be needed run on the base while the agent works: from the start if there is one."""
    state = project.session.state
    if state is None or _NO_RUN & active_tags(state.flags, state.intent) or not project.library.trusted():
        return
    files = (*state.explored, *state.planned_files)
    known = [one for one in project.library.verifiers().values() if one.command and not one.is_reading]
    project.runs.start_base(project.session, known if len(known) == 1 else [one for one in known if one.fits(files)])


def get_session_status(
    project: Project, repo_path: str = ".", discard_active: bool = False, session_id: str = ""
) -> ToolResult:
    """Get the current phase and what to do next; after a restart this resumes the newest session.
    Use it whenever in doubt."""
    is_resumed = project.session.state is None
    if is_resumed:
        project.fresh_configuration()
    reply = project.session.status(session_id, discard_active=discard_active)
    if is_resumed:
        _warn_of_contract(project, reply)
    return ToolResult(reply)
