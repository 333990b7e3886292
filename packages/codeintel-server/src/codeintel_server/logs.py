"""Logging of the server: to stderr, because stdout carries the protocol."""

import logging
import os
import sys


def configure() -> None:
    """Warnings and errors to stderr; CODEINTEL_LOG sets another level."""
    level = os.environ.get("CODEINTEL_LOG", "WARNING").upper()
    logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    known = logging.getLevelNamesMapping()
    logging.getLogger("codeintel_server").setLevel(known.get(level, logging.WARNING))
