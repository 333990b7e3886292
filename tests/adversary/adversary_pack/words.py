"""Which message of the contract file a reply carries. The codes are coarse: many keys share `payload_mismatch`."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from codeintel_contract.loader import load_contract


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    found = {}
    for key, message in load_contract(None).messages.items():
        if message.message:
            parts = re.split(r"\{\w+\}", message.message)
            found[key] = re.compile(".*".join(map(re.escape, parts)), re.DOTALL)
    return found


def key_of(reply: Mapping[str, Any]) -> str:
    """The key of a refusal's message: the one that leaves least to placeholders, of this phase; "" for none."""
    fits = [key for key, pattern in _patterns().items() if pattern.fullmatch(reply.get("message", ""))]
    coded = [key for key in fits if load_contract(None).messages[key].error == reply.get("error")]
    return max(coded, key=lambda key: (len(_patterns()[key].pattern), f".{reply.get('phase')}." in key), default="")


def says(reply: Mapping[str, Any], key: str) -> bool:
    """Whether an accepted reply names what a key stands for, as a warning or a notice."""
    if key not in _patterns():
        return False
    texts = [*(reply.get(name, "") for name in ("warning", "why", "message")), *reply.get("notices", ())]
    return any(_patterns()[key].search(text) for text in texts)
