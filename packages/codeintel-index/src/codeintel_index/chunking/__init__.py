"""Chunks: every line of a file that is not all blank stands in exactly one of them, and each keeps to its budget.

Lines are first painted with the definition that owns them (`pieces`), pieces over the budget are cut at statement
borders (`cutting`), small neighbours are joined (`joining`), and what comes out gets its text and id (`making`).
"""

from codeintel_index.chunking.making import chunk_definitions, chunk_lines

__all__ = ["chunk_definitions", "chunk_lines"]
