"""What a tool function returns: the object for the client, and what of it the session saw."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any

ANSWER_BYTES = 24 * 1024
HARD_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class Answer:
    """`data` becomes the reply. `shown`: paths with content; `listed`: paths by name only."""

    data: dict[str, Any]
    shown: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()
    subject: str = ""
    count: int = 0
    must_verify: tuple[str, ...] | None = None
    recalled: bool | None = None  # of a search that asked the Map: whether the Map answered
    ok: bool = True


def plain(value: object) -> Any:
    """A result of the index as JSON data; empty fields are left out, they say nothing and cost tokens."""
    if is_dataclass(value) and not isinstance(value, type):
        return {name: plain(inner) for name, inner in asdict(value).items() if inner not in ("", (), None)}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return value


def paths_of(items: Iterable[Any]) -> tuple[str, ...]:
    """The paths of results, each once, in order."""
    return tuple(dict.fromkeys(item.path for item in items))


def page(
    items: list[Any], total: int, offset: int = 0, limit: int | None = None, budget: int = ANSWER_BYTES
) -> dict[str, Any]:
    """A list answer with `total`, `truncated`, `next_offset`, cut where its size passes the budget."""
    from codeintel_session.reply import size

    kept: list[Any] = []
    used = 0
    for item in items[:limit]:
        used += size({"": item})
        if used > budget and kept:
            break
        kept.append(item)
    end = offset + len(kept)
    found: dict[str, Any] = {"total": total, "truncated": end < total}
    if end < total:
        found["next_offset"] = end
    return {"items": kept, **found}
