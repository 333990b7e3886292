"""All cheats, one file an agent. A row added to a file is played, and stands in the published table."""

from adversary_pack.row import Cheat

from . import amnesiac, avoider, bypasser, injector, latecomer, lazy, liar, looping, tamperer, tester

CHEATS: tuple[Cheat, ...] = (
    *lazy.ROWS,
    *liar.ROWS,
    *amnesiac.ROWS,
    *looping.ROWS,
    *bypasser.ROWS,
    *tamperer.ROWS,
    *latecomer.ROWS,
    *injector.ROWS,
    *tester.ROWS,
    *avoider.ROWS,
)
