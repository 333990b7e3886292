"""The lookup tools over MCP, and what any server of them shares: needs the extra `codeintel-index[mcp]`.

This is a second public face: codeintel-server offers the same tools beside its own, and imports from here, never from a
module below (held by import-linter).
"""

from typing import TYPE_CHECKING

from codeintel_index.face import load_on_use

if TYPE_CHECKING:
    from codeintel_index.mcp.answers import (
        ANSWER_BYTES as ANSWER_BYTES,
        HARD_BYTES as HARD_BYTES,
        ToolResult as ToolResult,
        bounded as bounded,
        paths_of as paths_of,
    )
    from codeintel_index.mcp.arguments import Limit as Limit, Paths as Paths, Texts as Texts
    from codeintel_index.mcp.lookups import (
        analyze_structure as analyze_structure,
        find_definitions as find_definitions,
        find_references as find_references,
        get_function_at_line as get_function_at_line,
        get_symbols as get_symbols,
        outline_of as outline_of,
        query as query,
        read_lines as read_lines,
        search_files as search_files,
        search_text as search_text,
    )
    from codeintel_index.mcp.meaning import (
        Scope as Scope,
        analyze_impact as analyze_impact,
        fetch_chunk_detail as fetch_chunk_detail,
        semantic_search as semantic_search,
    )
    from codeintel_index.mcp.stdio import answered_stdio as answered_stdio, end_with_parent as end_with_parent
    from codeintel_index.mcp.tool import ToolFunction as ToolFunction, as_call_result as as_call_result

__getattr__ = load_on_use(globals())
