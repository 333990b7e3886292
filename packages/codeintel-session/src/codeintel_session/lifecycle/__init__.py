"""The start and the resumption of a session."""
