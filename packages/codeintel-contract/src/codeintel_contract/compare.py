"""What a project's pseudo-schema of one field lacks of the default's, member by member.

The server's types are made for the default. A member the project leaves out cannot be sent, because
unknown members are refused; a value the default does not have passes the project's check and fails the
server's. Members the project adds are its own business, and so is a narrower choice.
"""

from collections.abc import Iterator

from .grammar import Choice, Either, ListOf, Node, One, Record, kind_of, quoted

Loss = tuple[str, bool]
"""What is wrong, and whether it leaves no payload that the server can use."""

CANNOT_BE_SENT = "which can then not be sent"
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
        yield f"takes {own} for {path}, where the server can only use {default}", True


def _options(node: Node) -> tuple[One, ...]:
    return node.options if isinstance(node, Either) else (node,)


def _of_one_kind(path: str, wanted: One, fitting: list[One]) -> Iterator[Loss]:
    """Against the option that comes nearest; one that takes any value of the kind lacks nothing."""
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
