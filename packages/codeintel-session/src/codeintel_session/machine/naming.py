"""Names of files: in a sentence for an agent, on one line; of prompts, as agents submit them; by kind."""

from collections.abc import Iterable
from pathlib import PurePosixPath

from codeintel_contract import ContractViolation, quote_name

MOST = 20
"""Names that one sentence lists; it ends with the number of the others."""


def names_of(paths: Iterable[str]) -> str:
    """Return the first names in one text, and the number of the others."""
    named = [quote_name(path) for path in paths]
    more = f" and {len(named) - MOST} more" if len(named) > MOST else ""
    return ", ".join(named[:MOST]) + more


MARKUP = (".html", ".htm", ".css", ".scss", ".sass", ".less", ".md")
NOT_MARKUP = (".blade.php", ".vue", ".jsx", ".tsx", ".svelte")
_PROSE = (".md", ".markdown", ".rst", ".txt", ".adoc")


def is_markup(path: str) -> bool:
    """Return True for a file that contains no code, by its name."""
    name = path.lower()
    return name.endswith(MARKUP) and not name.endswith(NOT_MARKUP)


def is_prose(path: str) -> bool:
    """Return True for a document that people read: no verifier's result depends on it."""
    return path.lower().endswith(_PROSE)


ESCALATION = "user_escalation.md"
"""The prompt that hands the decision to the user."""


def find_prompt(field: str, name: str, known: tuple[str, ...]) -> str:
    """Return the known prompt that `name` refers to: its file name, with or without `.md`, or a path that ends in it.

    Of several with commas between them, all known, it is the first. Raises ContractViolation: `prompt_not_found`,
    with the known names.
    """
    called = {spelled: candidate for candidate in known for spelled in (candidate, candidate.removesuffix(".md"))}
    whole = name.replace("\\", "/")
    for parts in (whole.split(","), [whole]):
        wanted = [PurePosixPath(part.strip()).name for part in parts]
        if all(part in called for part in wanted):
            return called[wanted[0]]
    listed = ", ".join(known) or "none"
    raise ContractViolation("common_failures.prompt_not_found", field=field, name=name or "nothing", known=listed)
