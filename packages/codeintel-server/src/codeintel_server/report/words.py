"""Say in plain words what a person reads: phases, outcomes, who chose something, what a run of the tests warns of.

The technical name stays beside the plain one, as logs, flags and documentation use it.
"""

from importlib.resources import files

from codeintel_contract import read_document
from codeintel_session import MessageRef, Receipt, find_warnings

_TEXTS: dict[str, dict[str, str]] = read_document(
    files("codeintel_server.report").joinpath("words.yml").read_text(encoding="utf-8")
).data
PHASES, OUTCOMES, ASKED_BY = _TEXTS["phases"], _TEXTS["outcomes"], _TEXTS["asked_by"]
WARNINGS, RESULTS = _TEXTS["warnings"], _TEXTS["results"]


def plain_phase(name: str) -> str:
    """Return a phase in plain words; a name that is unknown here stays as it is."""
    return PHASES.get(name) or PHASES.get(name.partition(" ")[0], name)


def plain_outcome(outcome: str) -> str:
    """Return an outcome in plain words."""
    known, comma, doubts = outcome.partition(", ")
    return f"{OUTCOMES.get(known, known)}{comma}{doubts}"


def run_result(say: MessageRef | None) -> str:
    """Return why a run does not pass, in a reviewer's words; "" if it does."""
    return RESULTS[say.key.rpartition(".")[2]].format(**say.values) if say else ""


def run_warnings(receipt: Receipt) -> list[str]:
    """Return what a run warns of, in a reviewer's words, each on a line."""
    said = (WARNINGS[say.key.rpartition(".")[2]].format(**say.values) for say in find_warnings(receipt))
    return [text.replace("\n", "; ") for text in said]


def plain_ending(ending: str) -> str:
    """Return an outcome with what was recorded later in plain words, and the technical name beside them."""
    outcome, comma, later = ending.partition(", ")
    plain = plain_outcome(outcome)
    return f"{plain} ({outcome}){comma}{later}" if plain.lower() != outcome else f"{plain}{comma}{later}"
