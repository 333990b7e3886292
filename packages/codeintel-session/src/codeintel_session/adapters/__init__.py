"""The outer world: git, files, clocks; each behind a port of `codeintel_session.ports`."""
