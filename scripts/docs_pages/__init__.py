"""Generate reference pages from the code, one module per page."""


def cell(text: str | None) -> str:
    """Text that stays in its table cell."""
    return " ".join((text or "").split()).replace("|", "\\|")
