"""Verifiers: their files, the user's trust in them, and running them."""
