"""Dispatch a tool call: check phase and arguments, run the tool, record the call, bound and redact the reply.

The only broad `except` of the server is here: whatever a tool raises becomes one clear object for the client, and what
was not expected goes to the log with its traceback.
"""

import contextlib
import hashlib
import json
import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from codeintel_contract import Contract, ContractViolation, load_contract
from codeintel_index import (
    ArgumentsRefused,
    BadArgument,
    BadConfig,
    BadPattern,
    EmptyArgument,
    IndexFault,
    NotAFile,
    PathOutsideProject,
    ToolTimeout,
    UnknownChunk,
)
from codeintel_index.mcp import ToolResult, bounded
from codeintel_server.mcp.registry import TOOLS, Tool
from codeintel_server.mcp.tools.session import read_flags
from codeintel_server.project.configuration import unusable
from codeintel_server.project.host import Host
from codeintel_server.project.project import Project
from codeintel_server.redaction import redacted
from codeintel_session import (
    Cost,
    GitFault,
    Reply,
    Row,
    ToolCall,
    bound_reply,
    cleanup_question,
    json_size,
    parse_row,
    refusal_reply,
)

Question = tuple[str, tuple[str, ...]]
"""A text, and the options; free text without options."""

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
        _check_form(name, arguments)
        project = host.project(name, arguments)
        result = _call(project, name, arguments, {key: value for key, value in handed.items() if value is not None})
        reply = result.data if result.is_final else redacted(_bounded(project, result.data))
        _charge(project, name, arguments, reply)
    except Exception as error:  # noqa: BLE001 - the boundary: a fault must not end the server or leak into a reply
        reply = redacted(bound_reply(refusal_reply(_contract(project), _violation(error, name))))
        try:
            if project is not None:
                _charge(project, name, arguments, reply)
        except Exception as fault:  # noqa: BLE001 - the reply reports already what keeps the project from opening
            log.warning("the cost of a refused %s was not counted: %s", name, fault)
    return reply


def _charge(project: Project, name: str, arguments: Mapping[str, Any], reply: Reply) -> None:
    """Count what a call cost, refused or not."""
    project.session.observe(Cost(json_size(arguments), json_size(reply), TOOLS[name].looks_up))


def question_before(
    host: Host, name: str, arguments: Mapping[str, Any], client: str
) -> tuple[Row | None, Question | None]:
    """Find what the user should be asked before a call, nothing if it will be refused; a submission is parsed once."""
    try:
        _check_form(name, arguments)
        session = host.project(name, arguments).session
        if name == "submit_phase":
            row = parse_row(arguments.get("data"))
            return row, session.question(row)
        if name == "cleanup_stale_branches":
            return None, cleanup_question(session, str(arguments.get("action", "delete")), client)
        intent, query = arguments.get("intent"), arguments.get("query")
        if not (isinstance(intent, str) and isinstance(query, str)):
            return None, None
        return None, session.start_question(intent, query, read_flags(arguments.get("flags")), client)
    except Exception:  # noqa: BLE001 - the call itself meets the same fault, and reports it
        return None, None


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
        return project.session.contract if project else load_contract(None)
    except Exception:  # noqa: BLE001 - this very reply reports whatever keeps the project from opening
        return load_contract(None)


def _call(project: Project, name: str, arguments: Mapping[str, Any], handed: Mapping[str, Any]) -> ToolResult:
    tool = TOOLS[name]
    checked = tool.read_arguments(arguments)
    _check_phase(project, tool)
    try:
        result = tool.run(project, checked, handed)
    except Exception:  # recorded as a call that failed, and raised again
        _record(project, tool, checked, ToolResult({}, ok=False))
        raise
    _record(project, tool, checked, result)
    return result


def _check_form(name: str, arguments: Mapping[str, Any]) -> None:
    """Refuse what nothing behind this line should meet: unknown tools, and data too deep, too large or no JSON."""
    tool = TOOLS.get(name)
    if tool is None:
        raise ContractViolation("tool_errors.any.unknown_tool", tool=name[:80], known=", ".join(TOOLS))
    tool.check_form(arguments)


def _invalid(tool: str, problems: tuple[str, ...]) -> ContractViolation:
    why = "; ".join(problems)
    return ContractViolation("tool_errors.any.invalid_arguments", problems=problems, tool=tool, why=why)


def _check_phase(project: Project, tool: Tool) -> None:
    state = project.session.state
    if tool.phases is None or (state is None and tool.outside):
        return
    phase = state.phase_state.current_phase if state else "no session"
    if phase not in tool.phases:
        group = "run_verifier" if tool.name == "run_verifier" else "semantic_search"
        hint = project.session.contract.message("hints.phase_blocked_hint", {}).message
        raise ContractViolation(f"tool_errors.{group}.phase_blocked", problems=(hint,), tool=tool.name, phase=phase)


def _record(project: Project, tool: Tool, arguments: Mapping[str, Any], answer: ToolResult) -> None:
    if tool.name in UNRECORDED:
        return
    text = json.dumps(arguments, sort_keys=True, default=str)
    project.session.observe(
        ToolCall(
            tool=tool.name,
            digest=hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12],
            ok=answer.ok,
            shown=answer.shown,
            listed=answer.listed,
            lines=answer.lines,
            subject=answer.subject,
            count=answer.count,
            must_verify=answer.must_verify,
            recalled=answer.recalled,
            sizes=_sizes(project.root, answer.shown) if tool.looks_up else {},
        )
    )


def _sizes(root: Path, shown: Iterable[str]) -> dict[str, int]:
    """Return what reading the files whole would have returned, in bytes; a file that is gone meanwhile is left out."""
    found = {}
    for path in shown:
        with contextlib.suppress(OSError):
            found[path] = (root / path).lstat().st_size
    return found


def _bounded(project: Project, data: dict[str, Any]) -> Reply:
    said = _contract(project).message("warnings.truncation_warning", {}).message
    return bounded(data if "success" in data else {"success": True, **data}, said)


EMPTY = {
    "pattern": "no_pattern",
    "symbol": "no_symbol",
    "path": "no_file_path",
    "target_files": "no_file_path",
    "query": "no_query",
}
"""The messages for arguments of lookups that are empty."""


def translate(fault: Exception, tool: str) -> ContractViolation | None:
    """A fault of the index or of git in the contract's words; None if it is not one we know."""
    match fault:
        case PathOutsideProject():
            return ContractViolation("common_failures.path_outside_project", path=fault.path, root=".")
        case NotAFile():
            return ContractViolation("tool_errors.query.file_not_found", path=fault.path, why=fault.why)
        case BadPattern():
            return ContractViolation("tool_errors.query.bad_pattern", pattern=fault.pattern, why=fault.why)
        case EmptyArgument():
            return ContractViolation(f"tool_errors.query.{EMPTY[fault.name]}")
        case ArgumentsRefused():
            return _invalid(tool, fault.problems)
        case BadArgument():
            return _invalid(tool, (str(fault),))
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
