"""Find a prompt or verifier by the name or path that an agent submits."""

from pathlib import PurePosixPath

from codeintel_contract import ContractViolation

ESCALATION = "user_escalation.md"
"""The prompt that hands the decision to the user."""


def find_prompt(field: str, name: str, known: tuple[str, ...]) -> str:
    """Return the known prompt that `name` refers to: its file name, with or without `.md`, or a path that ends in it.

    Raises ContractViolation: `prompt_not_found`, with the known names.
    """
    wanted = PurePosixPath(name.strip().replace("\\", "/")).name
    for candidate in known:
        if wanted and wanted in (candidate, candidate.removesuffix(".md")):
            return candidate
    listed = ", ".join(known) or "none"
    raise ContractViolation("common_failures.prompt_not_found", field=field, name=name or "nothing", known=listed)
