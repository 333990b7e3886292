"""The command `codeintel-index`."""
