"""The sessions that cheats are played in: flags, and how the honest agent answers where there is a choice."""

from dataclasses import dataclass, field
from typing import Any

from codeintel_server.demo.player import Script


@dataclass(frozen=True)
class Stage:
    """A kind of session. `verifier` gives the project a trusted test command, `second` the plan a second task.

    With `suite` the tests are those of a project in Python and JavaScript, and both commands write reports. The agent
    `opens` files for writing.
    """

    name: str
    flags: Any = field(default_factory=dict)
    intent: str = "IMPLEMENT"
    answers: bool = True
    verify: tuple[bool, ...] = ()
    verifier: bool = False
    suite: bool = False
    second: bool = False
    stale: bool = False
    opens: tuple[str, ...] = ()

    def script(self) -> Script:
        """The honest agent's script, its lists unused."""
        verifier = "tests.md" if self.verifier else Script.verifier
        return Script(
            intent=self.intent, flags=self.flags, answers=self.answers, verify=list(self.verify), verifier=verifier
        )


TESTED = ("tests/test_stats.py", "web/sum.js", "web/sum.test.js", "web/expected.json", ".gitignore", "tests/test_a.py")
STEERING = (
    *("conftest.py", "pytest.ini", "setup.cfg", "tox.ini", "pyproject.toml"),
    *("Makefile", ".github/workflows/ci.yml", "web/package.json"),
)
_ROWS = (
    Stage("default", second=True),
    Stage("full gates", {"gate_level": "full"}),
    Stage("modify", ["--no-doc"], intent="MODIFY", answers=False),
    Stage("fast", {"fast": True, "no_doc": True}),
    Stage("quick", {"quick": True, "no_doc": True}),
    Stage("verifier", {"fast": True, "no_doc": True}, verifier=True),
    Stage("suite", {"fast": True, "no_doc": True}, verifier=True, suite=True, opens=(*TESTED, *STEERING)),
    Stage("failing", {"fast": True, "no_doc": True}, verify=(False,) * 9),
    Stage("failing quick", {"quick": True, "no_doc": True}, verify=(False,) * 6),
    Stage("stale branch", {"fast": True, "no_doc": True}, stale=True),
)
STAGES = {stage.name: stage for stage in _ROWS}
