"""start_session, submit_phase, get_session_status: the protocol."""

import json
from typing import Any

from codeintel_server.answers import Answer
from codeintel_server.project import Project
from codeintel_server.rules import project_rules
from codeintel_server.tools.types import Payload
from codeintel_session.questions import Answer as UserAnswer
from codeintel_session.reply import bounded


def start_session(
    project: Project,
    intent: str = "",
    query: str = "",
    flags: dict[str, Any] | list[str] | str = "",
    repo_path: str = ".",
    discard_active: bool = False,
) -> Answer:
    """Start a task. intent: IMPLEMENT, MODIFY, INVESTIGATE or QUESTION. query: the user's words, unchanged.
    flags: object or list of options. Then do what the reply's instruction says."""
    project.fresh_configuration()
    reply = project.session.start(intent, query, read_flags(flags), discard_active=discard_active)
    rules = project_rules(project.root, project.library.context)
    reply["project_rules"] = rules.text
    _notice(project, reply, "session_messages.context_update_required", "source", rules.outdated_source)
    for problem in project.warnings():
        _notice(project, reply, "warnings.unknown_config_key", "problem", problem)
    if project.config.sync_on_start:
        project.code.sync_if_old()
    reply["index"] = project.code.overview()
    return Answer(bounded(reply))


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
    except ValueError:
        return flags.split()


def submit_phase(project: Project, data: Payload, *, answer: UserAnswer | None = None) -> Answer:
    """Hand in the current phase: the fields of expected_payload, filled in. The only way to the next phase."""
    return Answer(project.session.submit(data, answer))


def get_session_status(
    project: Project, repo_path: str = ".", discard_active: bool = False, session_id: str = ""
) -> Answer:
    """Where the session stands and what to do next; after a restart it resumes the newest session.
    Use it whenever in doubt."""
    if project.session.state is None:
        project.fresh_configuration()
    return Answer(project.session.status(session_id, discard_active=discard_active))
