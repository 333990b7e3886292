"""All cheats, one file an agent. A row added to a file is played, and stands in the published table."""

from adversary_pack.row import Cheat

from . import amnesiac, bypasser, injector, lazy, liar, looping, tamperer

CHEATS: tuple[Cheat, ...] = (
    *lazy.ROWS,
    *liar.ROWS,
    *amnesiac.ROWS,
    *looping.ROWS,
    *bypasser.ROWS,
    *tamperer.ROWS,
    *injector.ROWS,
)
