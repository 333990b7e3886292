"""Bringing the store up to date with the files, at once or in the background."""
