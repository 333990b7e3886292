"""The codeintel server: MCP tools, command line, hooks and reports over session and index."""

__version__ = "0.1.0"
