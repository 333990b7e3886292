"""Required tools are met by what the server saw, and only then by what the agent says it used."""

from collections.abc import Iterable, Sequence

from codeintel_contract.names import EXPLORATION_TOOLS, TOOL_NAMES, plain_tool
from codeintel_contract.violations import ContractViolation

from .state import SessionState

CONTROL_TOOLS = frozenset({"start_session", "submit_phase", "get_session_status"})
"""The protocol itself: naming these in `tools_used` proves nothing and harms nothing."""


def observed(state: SessionState) -> frozenset[str]:
    """Tools with a successful call in the running phase."""
    return frozenset(call.tool for call in state.observed if call.ok)


def check_tools(state: SessionState, used: Sequence[str], required: Iterable[str], min_distinct: int) -> None:
    """Hold what the contract requires and what the agent claims against the observed log.

    Raises:
        ContractViolation: the first of: too few exploration tools, a required tool not called, a
            required tool not reported, a tool of ours reported that was not called.
    """
    seen, claimed = observed(state), {plain_tool(name) for name in used}
    exploring = len(seen & EXPLORATION_TOOLS)
    if exploring < min_distinct:
        raise ContractViolation("common_failures.exploration_min_tools", count=exploring, needed=min_distinct)
    needed = list(required)
    if missing := [name for name in needed if name not in seen]:
        raise ContractViolation("common_failures.required_tools_not_used", missing_list=", ".join(missing))
    if missing := [name for name in needed if name not in claimed]:
        raise ContractViolation("common_failures.required_tools_not_reported", missing_reported=", ".join(missing))
    if lies := sorted((claimed & TOOL_NAMES) - seen - CONTROL_TOOLS):
        raise ContractViolation("common_failures.unobserved_tools", names=", ".join(lies))
