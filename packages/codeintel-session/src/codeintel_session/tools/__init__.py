"""The session's own tools for agents."""
