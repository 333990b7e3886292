"""What a tool function returns: the object for the client, and what of the project it shows."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from itertools import zip_longest
from typing import Any

ANSWER_BYTES = 23 * 1024
"""The rows of an answer; with what surrounds them it stays below 24 KB."""
READ_BYTES = 32 * 1024
"""The lines of files that an agent reads: what the clients show whole (about 10,000 tokens)."""
HARD_BYTES = 256 * 1024
LINE_CHARS = 2000
"""What is shown of one line of a file."""
_NO_ROW = object()


@dataclass(frozen=True, slots=True)
class ToolResult:
    """`data` becomes the reply. `shown`: paths with content; `listed`: paths by name only; `subject`: what was asked.

    `lines`: path, first and last line of each text in it. A server that keeps account of what an agent has seen reads
    these.
    """

    data: dict[str, Any]
    shown: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()
    lines: tuple[tuple[str, int, int], ...] = ()
    subject: str = ""
    count: int = 0
    must_verify: tuple[str, ...] | None = None
    recalled: bool | None = None  # of a search that asked the Map: whether the Map answered
    ok: bool = True
    is_final: bool = False  # the reply is redacted and within its size already


def plain(value: object) -> Any:
    """A result of the index as JSON data; empty fields are left out, they say nothing and cost tokens."""
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items() if inner not in ("", (), None)}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return value


def paths_of(items: Iterable[Any]) -> tuple[str, ...]:
    """The paths of results, each once, in order."""
    return tuple(dict.fromkeys(item.path for item in items))


def page(
    items: list[Any], total: int, offset: int = 0, *, name: str = "items", is_minimum: bool = False
) -> dict[str, Any]:
    """Return the rows of a list from `offset` on as far as they fit a reply, and what is left of it.

    Where counting stopped (`is_minimum`), rows may follow even if as many were shown as were counted.
    """
    kept = items[: fitting([items])]
    minimum = {"total_is_minimum": True} if is_minimum else {}
    further = offset + len(kept) < total or (is_minimum and bool(kept))
    return {name: kept, "total": total, **minimum, **_rest(further, offset + len(kept))}


def pages(lists: Mapping[str, Sequence[Any]], offset: int, limit: int | None = None, budget: int = 0) -> dict[str, Any]:
    """Return the same range of several whole lists, so that one offset pages all of them; `total` counts all rows."""
    rest = [rows[offset:][:limit] for rows in lists.values()]
    end = offset + fitting(rest, budget)
    shown = {name: rows[offset:end] for name, rows in lists.items()}
    further = any(len(rows) > end for rows in lists.values())
    return {**shown, "total": sum(map(len, lists.values())), **_rest(further, end)}


def excerpt(lines: Sequence[str], first: int, last: int) -> dict[str, Any]:
    """Return whole lines of a file with their numbers, from line `first` on, as many as fit a reply.

    `truncated` says that lines up to `last` are left out, `next_start_line` where to read on, `cut_lines` which lines
    are too long to be shown whole.
    """
    return excerpts([(lines, first, last)], ANSWER_BYTES)[0]


def excerpts(texts: Sequence[tuple[Sequence[str], int, int]], budget: int) -> list[dict[str, Any]]:
    """Return an `excerpt` of each text (lines, first, last), all within `budget` bytes.

    Each has an equal share; what a short one leaves of its share goes to the longer ones.
    """
    numbered = [[_numbered(number, line) for number, line in enumerate(lines, first)] for lines, first, _ in texts]
    sizes = [sum(json_size({"": row}) for row in rows) for rows in numbered]
    kept: dict[int, int] = {}
    for done, text in enumerate(sorted(range(len(texts)), key=sizes.__getitem__)):
        share = max(1, budget // (len(texts) - done))
        kept[text] = fitting([numbered[text]], share)
        budget -= min(sizes[text], share)
    return [_shown(lines, numbered[text][: kept[text]], first, last) for text, (lines, first, last) in enumerate(texts)]


def _numbered(number: int, line: str) -> str:
    return f"{number}\t{line[:LINE_CHARS]}{'…' * (len(line) > LINE_CHARS)}"


def _shown(lines: Sequence[str], rows: Sequence[str], first: int, last: int) -> dict[str, Any]:
    end = first + len(rows) - 1
    cut = [number for number, line in enumerate(lines[: len(rows)], first) if len(line) > LINE_CHARS]
    return {
        "start_line": first,
        "end_line": end,
        "text": "\n".join(rows),
        "truncated": end < last,
        **({"next_start_line": end + 1} if end < last else {}),
        **({"cut_lines": cut} if cut else {}),
    }


def _rest(further: bool, end: int) -> dict[str, Any]:
    return {"truncated": True, "next_offset": end} if further else {"truncated": False}


def bounded(reply: dict[str, Any], said: str) -> dict[str, Any]:
    """Return the reply within `HARD_BYTES`: its largest lists are halved until it fits, and `said` tells so."""
    if json_size(reply) <= HARD_BYTES:
        return reply
    lists = sorted((key for key in reply if isinstance(reply[key], list)), key=lambda key: -json_size({"": reply[key]}))
    for key in lists:
        while reply[key] and json_size(reply) > HARD_BYTES - 1024:
            reply = {**reply, key: reply[key][: len(reply[key]) // 2]}
    return {**reply, "truncated": True, "truncation_warning": said}


def json_size(value: Mapping[str, Any]) -> int:
    """Count the bytes of an object as it is sent."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"))


def fitting(lists: Collection[Sequence[object]], budget: int = 0) -> int:
    """Count how many first rows of all lists fit into a reply together; one of each always does."""
    left = budget or ANSWER_BYTES
    for number, rows in enumerate(zip_longest(*lists, fillvalue=_NO_ROW)):
        left -= sum(json_size({"": row}) for row in rows if row is not _NO_ROW)
        if left < 0 and number:
            return number
    return max(map(len, lists), default=0)
