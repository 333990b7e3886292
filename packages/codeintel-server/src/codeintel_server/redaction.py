"""What leaves the server has no secrets in it: replies, logs, reports. What a secret is, the index says.

Files are read by the index, which hides what is secret in them; here are the texts that come another way: the user's
request, an agent's payload, the output of a command, a diff.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from codeintel_index import find_secrets, is_private, mask_all, mask_text


def redacted(reply: dict[str, Any]) -> dict[str, Any]:
    """JSON data with the secrets in its texts hidden. Most has none, which one look at all of it tells."""
    together = "\n".join(_texts(reply)).encode("utf-8", "surrogatepass")
    masked: dict[str, Any] = mask_all(reply) if find_secrets(together) else reply
    return masked


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return [text for each in inner for text in _texts(each)]


def redacted_values(value: Any) -> Any:
    """Dataclasses, tuples and mappings of texts with the secrets in them hidden."""
    if isinstance(value, str):
        return mask_text(value)
    if isinstance(value, tuple):
        return tuple(map(redacted_values, value))
    if isinstance(value, Mapping):
        return {key: redacted_values(inner) for key, inner in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{each.name: redacted_values(getattr(value, each.name)) for each in fields(value)})
    return value


def redacted_diff(path: str, patch: str, hide: Callable[[str], str] = mask_text) -> str:
    """A patch of one file. Its head and the signs stay; of a file that is a secret by its name nothing else does.

    Args:
        path: the file.
        patch: its unified diff.
        hide: returns a text with its secrets hidden.
    """
    lines = patch.split("\n")
    if is_private(path):
        head = next((at for at, line in enumerate(lines) if line[:2] == "@@"), len(lines))
        hunks = ("@@".join(line.split("@@")[:2]) + "@@" if line[:2] == "@@" else line[:1] for line in lines[head:])
        return "\n".join([*lines[:head], *hunks])
    shown = hide("\n".join(line[1:] for line in lines)).split("\n")
    return "\n".join(line[:1] + body for line, body in zip(lines, shown, strict=True))
