"""Receipts of the verifiers that the server ran."""
