"""What a model wants put before a question and before a passage.

A folder says so in `config_sentence_transformers.json`; the e5 family wants it and does not say so.
"""

import json
from pathlib import Path
from typing import NamedTuple

PROMPTS = "config_sentence_transformers.json"


class Prompts(NamedTuple):
    """Texts put in front, "" for nothing."""

    query: str = ""
    passage: str = ""


E5 = Prompts("query: ", "passage: ")


def prompts_of(name: str, folder: Path | None = None) -> Prompts:
    """The prompts of a model, by its folder if it has one that says, else by its name."""
    said = _said(folder / PROMPTS) if folder is not None else Prompts()
    if any(said):
        return said
    return E5 if "e5" in name.lower().rpartition("/")[2].split("-") else Prompts()


def _said(place: Path) -> Prompts:
    """Raises ValueError for a file that is no JSON."""
    if not place.is_file():
        return Prompts()
    document = json.loads(place.read_text(encoding="utf-8"))
    prompts = document.get("prompts") if isinstance(document, dict) else None
    if not isinstance(prompts, dict):
        return Prompts()
    return Prompts(str(prompts.get("query") or ""), str(prompts.get("passage") or prompts.get("document") or ""))
