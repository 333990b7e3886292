"""The one way into a tool: allowed in this phase? arguments right? run, record, bound, hide secrets, answer.

The only broad `except` of the server stands here: whatever a tool raises becomes one clear object for
the client, and what was not expected goes to the log with its traceback.
"""

import hashlib
import json
import logging
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from codeintel_contract.loader import Contract, load
from codeintel_contract.names import EXPLORATION_TOOLS
from codeintel_contract.violations import ContractViolation
from codeintel_index.errors import (
    BadConfig,
    BadPattern,
    IndexFault,
    NotAFile,
    PathOutsideProject,
    ToolTimeout,
    UnknownChunk,
)
from codeintel_server.answers import HARD_BYTES, Answer
from codeintel_server.hiding import hidden
from codeintel_server.host import Host
from codeintel_server.project import Project
from codeintel_server.projectconfig import unusable
from codeintel_server.registry import TOOLS, Tool
from codeintel_session.adapters.git import GitFault
from codeintel_session.machine.watch import Seen
from codeintel_session.reply import Reply, bounded, refused, size

log = logging.getLogger(__name__)

UNRECORDED = frozenset({"start_session", "submit_phase", "get_session_status"})
"""The protocol itself; everything else a session sees is recorded."""


def call(host: Host, name: str, arguments: Mapping[str, Any], **handed: object) -> Reply:
    """Call a tool by name; never raises. `success` tells how it went.

    Args:
        handed: what the server gives the tool beside its arguments: `answer`, the user's word, if they were asked;
            `progress`, to tell how far it has come; `stopped`, whether it is still wanted. None is left out.
    """
    project: Project | None = None
    try:
        project = host.project(name, arguments)
        reply = _call(project, name, arguments, {key: value for key, value in handed.items() if value is not None})
    except Exception as error:  # noqa: BLE001 - the boundary: a fault must not end the server or leak into a reply
        reply = bounded(refused(_contract(project), _violation(error, name)))
    return hidden(reply)


def _violation(error: Exception, tool: str) -> ContractViolation:
    if isinstance(error, ContractViolation):
        return error
    known = translate(error, tool)
    if known is not None:
        return known
    log.error("tool %s failed", tool, exc_info=error)
    return ContractViolation("tool_errors.any.internal_error", tool=tool, kind=type(error).__name__)


def _contract(project: Project | None) -> Contract:
    """The project's contract; the packaged one without a project, or if its contract is the very thing broken."""
    try:
        return project.session.contract if project else load(None)
    except Exception:  # noqa: BLE001 - whatever keeps the project from opening is being told in this very reply
        return load(None)


def _call(project: Project, name: str, arguments: Mapping[str, Any], handed: Mapping[str, Any]) -> Reply:
    tool = TOOLS.get(name)
    if tool is None:
        raise ContractViolation("tool_errors.any.unknown_tool", tool=name, known=", ".join(TOOLS))
    checked = _arguments(tool, arguments)
    _check_phase(project, tool)
    try:
        answer = tool.function(project, **checked, **handed)
    except Exception:
        _record(project, tool, checked, Answer({}, ok=False))
        raise
    _record(project, tool, checked, answer)
    return _bounded(project, answer.data)


def _arguments(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    if (given := size(arguments)) > tool.most_bytes:
        raise _invalid(tool, (f"arguments: {given} bytes, at most {tool.most_bytes} are read",))
    try:
        model = tool.arguments.model_validate(dict(arguments))
    except ValidationError as error:
        raise _invalid(tool, tuple(_problem(tool, item) for item in error.errors(include_url=False))) from None
    return {field: getattr(model, field) for field in type(model).model_fields}


def _invalid(tool: Tool, problems: tuple[str, ...]) -> ContractViolation:
    why = "; ".join(problems)
    return ContractViolation("tool_errors.any.invalid_arguments", problems=problems, tool=tool.name, why=why)


def _problem(tool: Tool, item: Mapping[str, Any]) -> str:
    name = ".".join(map(str, item["loc"])) or "arguments"
    if item["type"] == "extra_forbidden":
        return f"{name}: unknown argument; known are {', '.join(tool.arguments.model_fields)}"
    return f"{name}: {item['msg']}"


def _check_phase(project: Project, tool: Tool) -> None:
    state = project.session.state
    if tool.phases is None or (state is None and tool.outside):
        return
    phase = state.phase_state.current_phase if state else "no session"
    if phase not in tool.phases:
        group = "run_verifier" if tool.name == "run_verifier" else "semantic_search"
        hint = project.session.contract.message("hints.phase_blocked_hint", {}).message
        raise ContractViolation(f"tool_errors.{group}.phase_blocked", problems=(hint,), tool=tool.name, phase=phase)


def _record(project: Project, tool: Tool, arguments: Mapping[str, Any], answer: Answer) -> None:
    if tool.name in UNRECORDED:
        return
    shown = answer.shown if tool.name in EXPLORATION_TOOLS or answer.shown else ()
    project.session.observe(
        Seen(
            tool=tool.name,
            digest=_digest(arguments),
            ok=answer.ok,
            shown=shown,
            listed=answer.listed,
            subject=answer.subject,
            count=answer.count,
            must_verify=answer.must_verify,
            recalled=answer.recalled,
        )
    )


def _digest(arguments: Mapping[str, Any]) -> str:
    text = json.dumps(arguments, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _bounded(project: Project, data: dict[str, Any]) -> Reply:
    reply: Reply = data if "success" in data else {"success": True, **data}
    if size(reply) <= HARD_BYTES:
        return reply
    said = _contract(project).message("warnings.truncation_warning", {}).message
    lists = sorted((key for key in reply if isinstance(reply[key], list)), key=lambda key: -size({"": reply[key]}))
    for key in lists:
        while reply[key] and size(reply) > HARD_BYTES - 1024:
            reply = {**reply, key: reply[key][: len(reply[key]) // 2]}
    return {**reply, "truncated": True, "truncation_warning": said}


def translate(fault: Exception, tool: str) -> ContractViolation | None:
    """A fault of the index or of git in the contract's words; None if it is not one we know."""
    match fault:
        case PathOutsideProject():
            return ContractViolation("common_failures.path_outside_project", path=fault.path, root=".")
        case NotAFile():
            return ContractViolation("tool_errors.query.file_not_found", path=fault.path, why=fault.why)
        case BadPattern():
            return ContractViolation("tool_errors.query.bad_pattern", pattern=fault.pattern, why=fault.why)
        case UnknownChunk():
            return ContractViolation("tool_errors.query.unknown_chunk", chunk_id=fault.chunk_id)
        case ToolTimeout():
            return ContractViolation("tool_errors.any.tool_timeout", tool=tool, seconds=f"{fault.seconds:g}")
        case BadConfig():
            return unusable(fault)
        case IndexFault() if tool == "semantic_search":
            return ContractViolation("tool_errors.semantic_search.semantic_search_failed", why=str(fault))
        case IndexFault():
            return ContractViolation("tool_errors.any.index_unavailable", why=str(fault))
        case GitFault():
            return ContractViolation("common_failures.git_failed", why=str(fault))
    return None
