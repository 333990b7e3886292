"""Compare a project's pseudo-schema of one field with the default's, member by member.

The server's types match the default. If the project leaves out a member, nobody can send it, because the server
refuses unknown members; a value that the default lacks passes the project's check and fails the server's. The
project may add members or narrow a choice.
"""

from collections.abc import Iterator

from .grammar import Choice, Either, ListOf, Node, One, Record, kind_of, quoted

Loss = tuple[str, bool]
"""A problem, and whether it makes every payload unusable for the server."""

CANNOT_BE_SENT = "which the agent can then not send"
NEEDED = "without which the server refuses every payload"


def losses(path: str, default: Node, own: Node) -> Iterator[Loss]:
    """Compare the type a project gives the field at `path` with the default's."""
    shared = False
    for wanted in _options(default):
        fitting = [option for option in _options(own) if kind_of(option) == kind_of(wanted)]
        if fitting:
            shared = True
            yield from _of_one_kind(path, wanted, fitting)
    if not shared:
        yield f"takes {own} for {path}, but the server can only use {default}", True


def _options(node: Node) -> tuple[One, ...]:
    return node.options if isinstance(node, Either) else (node,)


def _of_one_kind(path: str, wanted: One, fitting: list[One]) -> Iterator[Loss]:
    """Compare with the nearest option; an option that takes any value of the kind has no losses."""
    match wanted:
        case ListOf(item):
            lists = [option for option in fitting if isinstance(option, ListOf)]
            yield from losses(f"{path}[]", item, lists[0].item)
        case Record():
            records = [option for option in fitting if isinstance(option, Record)]
            if len(records) == len(fitting):
                names = {member.name for member in wanted.members}
                nearest = max(records, key=lambda one: len(names & {member.name for member in one.members}))
                yield from _members(path, wanted, nearest)
        case Choice(known):
            for option in fitting:
                if isinstance(option, Choice):
                    foreign = tuple(value for value in option.values if value not in known)
                    if foreign:
                        yield f"offers {quoted(foreign, ', ')} for {path}, which the server refuses", False


def _members(path: str, wanted: Record, own: Record) -> Iterator[Loss]:
    ours = {member.name: member.type for member in own.members}
    for member in wanted.members:
        here = f"{path}.{member.name}"
        if member.name not in ours:
            yield f"leaves out {here}, {CANNOT_BE_SENT if member.optional else NEEDED}", not member.optional
            continue
        theirs = ours[member.name]
        if member.type and theirs:
            yield from losses(here, member.type, theirs)
