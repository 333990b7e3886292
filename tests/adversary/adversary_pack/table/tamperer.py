"""tamperer."""

from adversary_pack.row import Cheat

ROWS: tuple[Cheat, ...] = ()
