"""Hybrid search over chunks: candidates by words and by vectors, ordered by one ranking."""
