"""Define the names of the protocol: phases, contract keys, intents, tools.

This module defines once each name that a client, the contract file and the machine must agree on. It defines
neither order nor texts: the order of phases is in `codeintel_session.machine.steps`, the texts are in
`phase_contract.yml`.
"""

from enum import StrEnum


class Phase(StrEnum):
    """Name a phase as replies do; READY covers three steps: plan, implement and complete."""

    BRANCH_INTERVENTION = "BRANCH_INTERVENTION"
    DOCUMENT_RESEARCH = "DOCUMENT_RESEARCH"
    QUERY_FRAME = "QUERY_FRAME"
    EXPLORATION = "EXPLORATION"
    Q1 = "Q1"
    SEMANTIC = "SEMANTIC"
    Q2 = "Q2"
    VERIFICATION = "VERIFICATION"
    Q3 = "Q3"
    IMPACT_ANALYSIS = "IMPACT_ANALYSIS"
    READY = "READY"
    POST_IMPL_VERIFY = "POST_IMPL_VERIFY"
    VERIFY_INTERVENTION = "VERIFY_INTERVENTION"
    PRE_COMMIT = "PRE_COMMIT"
    QUALITY_REVIEW = "QUALITY_REVIEW"
    MERGE = "MERGE"
    SESSION_COMPLETE = "SESSION_COMPLETE"


class Key(StrEnum):
    """Name a key under `phases` of the contract file: the phases, with READY as its three substeps."""

    BRANCH_INTERVENTION = "BRANCH_INTERVENTION"
    DOCUMENT_RESEARCH = "DOCUMENT_RESEARCH"
    QUERY_FRAME = "QUERY_FRAME"
    EXPLORATION = "EXPLORATION"
    Q1 = "Q1"
    SEMANTIC = "SEMANTIC"
    Q2 = "Q2"
    VERIFICATION = "VERIFICATION"
    Q3 = "Q3"
    IMPACT_ANALYSIS = "IMPACT_ANALYSIS"
    READY_PLAN = "READY_PLAN"
    READY_IMPL = "READY_IMPL"
    READY_COMPLETE = "READY_COMPLETE"
    POST_IMPL_VERIFY = "POST_IMPL_VERIFY"
    VERIFY_INTERVENTION = "VERIFY_INTERVENTION"
    PRE_COMMIT = "PRE_COMMIT"
    QUALITY_REVIEW = "QUALITY_REVIEW"
    MERGE = "MERGE"


class Intent(StrEnum):
    """Name what the user wants; the first two take the implementation path."""

    IMPLEMENT = "IMPLEMENT"
    MODIFY = "MODIFY"
    INVESTIGATE = "INVESTIGATE"
    QUESTION = "QUESTION"

    @property
    def implements(self) -> bool:
        """Return whether the intent ends in a change."""
        return self in (Intent.IMPLEMENT, Intent.MODIFY)


EXPLORATION_TOOLS = frozenset(
    {
        "search_text", "search_files", "find_definitions", "find_references", "analyze_structure", "get_symbols",
        "get_function_at_line", "read_lines", "query",
    }
)  # fmt: skip
"""Tools whose successful calls count toward `min_distinct_tools`."""

TOOL_NAMES = EXPLORATION_TOOLS | {
    "start_session", "submit_phase", "get_session_status", "semantic_search", "fetch_chunk_detail", "analyze_impact",
    "check_write_target", "add_explored_files", "review_changes", "run_verifier", "sync_index", "update_context",
    "cleanup_stale_branches", "record_outcome",
}  # fmt: skip
"""All tools the server offers (23)."""

TOOL_PREFIXES = (
    "mcp__code-intel__",
    "mcp__plugin_code-intel_code-intel__",
    "mcp__code_intel__",
    "mcp_code-intel_",
    "code-intel_",
    "code-intel-",
)
"""Prefixes that clients add to our tool names: Claude Code and Qwen Code; Claude Code for our plugin; Codex; Cursor,
VS Code and Gemini CLI; opencode; GitHub Copilot CLI."""


def plain_tool(name: str) -> str:
    """Return the tool's own name: `mcp__code-intel__search_text` means `search_text`."""
    name = name.strip()
    return next((name.removeprefix(prefix) for prefix in TOOL_PREFIXES if name.startswith(prefix)), name)


SCHEMA_VERSION = 2
"""Version of the checkpoint format; the server refuses a newer one on disk."""
