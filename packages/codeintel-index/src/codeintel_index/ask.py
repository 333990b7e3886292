"""A question in plain words, routed: names in it to definitions, quoted text to text search, the rest to Forest search.

The answer says what was run, so that whoever asked can run it again or run something better.
"""

import re
from collections.abc import Callable
from dataclasses import asdict

from codeintel_index.query import Query
from codeintel_index.results import GrepResult, Hit, Symbol

MAX_EACH = 5
MAX_FOUND = 20
_QUOTED = re.compile(r"\"([^\"\n]{2,200})\"|'([^'\n]{2,200})'(?!\w)|`([^`\n]{2,200})`|“([^”\n]{2,200})”")
_NAME = re.compile(r"[A-Za-z_$][\w$.:]*(?:\(\))?")


def ask(
    question: str,
    definitions: Callable[[str], list[Symbol]],
    text: Callable[[list[str]], list[GrepResult]],
    search: Callable[[str], list[Hit]],
) -> dict[str, object]:
    """Answer with plain data: `ran` (tool, argument, found), `definitions`, `matches`, `hits`."""
    quoted = [next(filter(None, groups)) for groups in _QUOTED.findall(question)][:MAX_EACH]
    rest = " ".join(_QUOTED.sub(" ", question).split())
    names = [*Query(rest).names, *(each for each in quoted if _NAME.fullmatch(each))][:MAX_EACH]
    ran: list[dict[str, object]] = []
    found: list[Symbol] = []
    for name in dict.fromkeys(names):
        here = definitions(name)
        ran.append({"tool": "find_definitions", "argument": name, "found": len(here)})
        found += here
    results = text(quoted) if quoted else []
    ran += [{"tool": "search_text", "argument": each.pattern, "found": each.total} for each in results]
    hits = search(rest) if rest and Query(rest).terms else []
    if rest:
        ran.append({"tool": "forest_search", "argument": rest, "found": len(hits)})
    return {
        "query": question,
        "ran": ran,
        "definitions": [asdict(symbol) for symbol in found[:MAX_FOUND]],
        "matches": [asdict(match) for each in results for match in each.matches][:MAX_FOUND],
        "hits": [asdict(hit) for hit in hits],
    }
