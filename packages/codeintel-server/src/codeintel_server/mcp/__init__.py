"""The MCP server: the tool registry, dispatch, elicitation, prompts and resources."""
