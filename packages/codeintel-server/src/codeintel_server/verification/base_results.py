"""Results of the runs on a session's base: made once for each tree, command and environment, kept, and sealed.

They lie in the user's state folder. One that was changed there, or that another version wrote, does not count.
"""

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from codeintel_server.verification.checkout import Call
from codeintel_server.verification.comparison import last_line, named, ran_nothing
from codeintel_server.verification.runner import Ran
from codeintel_server.verification.trust import state_folder
from codeintel_session import BaseRun, MessageRef, Seal, shown, write_atomically

KEPT_BASES = 20
"""Results of base runs that are kept of one project."""


@dataclass(frozen=True, slots=True)
class Base:
    """What the same command made of the base. Without `ran`, `why` says what prevented it.

    `made` are the files that it left there and that a runner takes for tests or settings.
    """

    version: str = ""
    ran: Ran | None = None
    why: str = ""
    made: tuple[str, ...] = ()

    def told(self) -> BaseRun:
        """Return what a receipt says of it."""
        if self.ran is None:
            return BaseRun(why=self.why, tree=self.version)
        state = "timed_out" if self.ran.timed_out else "ran"
        return BaseRun(state=state, tree=self.version, exit=self.ran.exit, counts=self.ran.counts)

    def failing(self, name: str) -> MessageRef | None:
        """Return what the agent should know of it before verifier `name` judges the work; None if nothing failed."""
        ran = self.ran
        if ran is None or not (ran.timed_out or ran.exit):
            return None
        if ran.timed_out:
            return MessageRef("session_messages.base_timed_out", {"name": name, "seconds": f"{ran.seconds:.0f}"})
        if tests := ran.failing():
            return MessageRef("session_messages.base_red", {"name": name, "tests": shown(named(tests))})
        key = "base_ran_nothing" if ran_nothing(ran) else "base_exit"
        return MessageRef(f"session_messages.{key}", {"name": name, "exit": ran.exit, "last": last_line(ran)})


class BaseResults:
    """The kept results of one project."""

    def __init__(self, folder: Path) -> None:
        """Keep them in a folder, which the first of them makes."""
        self._folder = folder
        self._seal = Seal(state_folder())

    def find(self, call: Call, version: str) -> Base | None:
        """Return what a call's command made of a tree, None if that is not known."""
        place = self._place(call, version)
        try:
            sealed = json.loads(place.read_text(encoding="utf-8"))
            data = sealed["data"]
            if self._seal.origin(place.name, sealed["seal"], data.encode()).name != "OURS":
                return None
            found = json.loads(data)
            ran = Ran(**found["ran"]) if found["ran"] else None
            return Base(found["version"], ran, found["why"], tuple(found["made"]))
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None  # none, or one of another version: it is made again

    def keep(self, call: Call, version: str, base: Base) -> None:
        """Keep what a call's command made of a tree; the oldest result beyond `KEPT_BASES` goes."""
        place = self._place(call, version)
        ran = asdict(replace(base.ran, output=base.ran.output[-2000:])) if base.ran else None
        data = json.dumps({"version": base.version, "ran": ran, "why": base.why, "made": base.made})
        self._folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"data": data, "seal": self._seal.stamp(place.name, data.encode())})
        write_atomically(place, text.encode())
        known = sorted(self._folder.glob("base-*.json"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
        for old in known[KEPT_BASES:]:
            old.unlink(missing_ok=True)
            self._seal.forget(old.name)

    def _place(self, call: Call, version: str) -> Path:
        one = call.verifier
        parts = (
            version,
            one.command,
            one.setup,
            one.report,
            f"{one.timeout_s:g}",
            *sorted(map(repr, call.digests.items())),
        )
        digest = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
        return self._folder / f"base-{digest[:24]}.json"
