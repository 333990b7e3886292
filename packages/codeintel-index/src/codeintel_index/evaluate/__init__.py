"""Measuring the search on questions whose answers are known: pure metrics, and the two sources of such questions."""
