"""Logging of the server: to stderr, because stdout carries the protocol, and without secrets."""

import logging
import os


class RedactingFormatter(logging.Formatter):
    """Lines, tracebacks among them, with the secrets in them hidden."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        from codeintel_index import mask_text  # late: the first reply does not wait for it

        return mask_text(super().format(record))


def configure() -> None:
    """Warnings and errors to stderr; CODEINTEL_LOG sets another level."""
    level = os.environ.get("CODEINTEL_LOG", "WARNING").upper()
    handler = logging.StreamHandler()
    handler.setFormatter(RedactingFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(handlers=[handler])
    known = logging.getLevelNamesMapping()
    logging.getLogger("codeintel_server").setLevel(known.get(level, logging.WARNING))
