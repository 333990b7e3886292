"""Implement the `codeintel` command line: one small module per command group, heavy imports inside the commands."""

from codeintel_server.cli.main import app

__all__ = ["app"]
