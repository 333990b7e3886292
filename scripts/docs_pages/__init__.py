"""Pages of the reference that are told from the code, one module a page."""


def cell(text: str | None) -> str:
    """Text that stays in its table cell."""
    return " ".join((text or "").split()).replace("|", "\\|")
