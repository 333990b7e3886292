"""Secrets that come by another way than a file the index reads: a request, a payload, a command's output, a diff.

A whole session is played in which they stand everywhere; then everything is read that it answered and left behind.
"""

import json
import logging
import random
import string
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from codeintel_server.cli import app
from codeintel_server.demo.change import Change
from codeintel_server.demo.player import Player, Script
from codeintel_server.project.library import ProjectLibrary
from codeintel_server.redaction import redacted, redacted_diff
from codeintel_server.testing import Caller
from codeintel_server.transport.serving import RedactingFormatter
from codeintel_server.verification.trust import trust

pytestmark = [pytest.mark.draws(18), pytest.mark.anyio]
DRAWN = "".join(random.Random(7).choices(string.ascii_letters + string.digits, k=36))
TOKEN = f"ghp_{DRAWN}"
KEY_LINE = "".join(random.Random(8).choices(string.ascii_letters + string.digits, k=64))
PRIVATE = f"-----BEGIN PRIVATE KEY-----\n{KEY_LINE}\n-----END PRIVATE KEY-----"
VERIFIER = f"""---
match: ['**/*.py']
command: echo "connecting with {TOKEN}"; cat key.txt
---
Run it.
"""


class Leaky(Change):
    """A change whose request and whose code hold the token."""

    def query(self, number: int = 1) -> str:
        return f"With the token {TOKEN} it fails: {super().query(number)}"

    def write(self, number: int = 1, *, pretend: bool = False, wrong: bool = False) -> str:
        evidence = super().write(number, pretend=pretend, wrong=wrong)
        with (self.root / self.path).open("a", encoding="utf-8") as file:
            file.write(f'\n\nTOKEN = "{TOKEN}"\nKEY = """\n{PRIVATE}\n"""\n')
        return evidence


@dataclass
class Ear:
    """Hears every reply."""

    heard: list[str] = field(default_factory=list)

    def called(self, tool: str, arguments: dict[str, Any], reply: dict[str, Any]) -> None:
        self.heard.append(json.dumps(reply, ensure_ascii=False))

    def note(self, text: str) -> None:
        """Nothing to hear."""


async def test_what_a_session_answers_and_leaves_behind_shows_no_secret(
    call: Caller, change: Change, repo: Path, git: Callable[..., str]
) -> None:
    (repo / ".code-intel/verifiers").mkdir(parents=True)
    (repo / ".code-intel/verifiers/unit.md").write_text(VERIFIER, encoding="utf-8")
    (repo / "key.txt").write_text(f"{PRIVATE}\n", encoding="utf-8")
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "--message", "Verifier")
    trust(ProjectLibrary(repo))
    ear = Ear()
    leaky = Leaky(change.root, change.path, change.anchor, change.recipe)
    player = Player(call.client, leaky, Script(verifier="unit.md", stop_before=18, answers=False), ear)
    await player.play()
    brief = CliRunner().invoke(app, ["brief", "--project", str(repo)]).output
    player.script.stop_before = 0
    end = await player.go_on()
    await player.tool("record_outcome", outcome="failure", note=f"{TOKEN} was refused")
    run = CliRunner().invoke
    reports = [
        run(app, ["report", "--project", str(repo), "-o", "-", "--format", form]).output
        for form in ("html", "markdown", "json")
    ]
    logs = [place.read_text(encoding="utf-8") for place in (repo / ".code-intel/logs").iterdir()]
    learned = [place.read_text(encoding="utf-8") for place in (repo / ".code-intel/agreements").glob("*.md")]
    assert end["outcome"] == "verified"
    assert TOKEN in (repo / change.path).read_text(encoding="utf-8")
    said = [brief, *ear.heard, *reports, *logs, *learned]
    assert len([text for text in said if "With the token ghp_*" in text]) >= 5
    assert [text for text in ear.heard if "connecting with ghp_*" in text]
    assert not [text for text in said if DRAWN in text]
    assert not [text for text in said if KEY_LINE in text]


async def test_a_refusal_does_not_give_a_secret_back(call: Caller) -> None:
    for tool, arguments in (
        ("start_session", {"intent": TOKEN, "query": "x"}),
        ("search_files", {"pattern": "*", TOKEN: 1}),
        ("analyze_structure", {"path": TOKEN}),
        ("fetch_chunk_detail", {"chunk_id": TOKEN}),
        ("record_outcome", {"outcome": TOKEN}),
        (TOKEN, {}),
    ):
        reply = await call.call(tool, arguments)
        assert reply["success"] is False
        assert DRAWN not in json.dumps(reply)


def test_an_answer_without_secrets_is_handed_on_as_it_is() -> None:
    reply = {"success": True, "matches": [{"path": "a.py", "text": "token = tokens[0]"}]}
    assert redacted(reply) is reply


def test_a_traceback_in_the_log_shows_no_secret() -> None:
    try:
        raise ValueError(f"refused: {TOKEN}")
    except ValueError as error:
        record = logging.LogRecord("x", logging.ERROR, "x.py", 1, "with %s", (TOKEN,), (ValueError, error, None))
    line = RedactingFormatter("%(message)s").format(record)
    assert "refused: ghp_*" in line
    assert DRAWN not in line


class TestADiff:
    def test_keeps_its_signs_and_its_lines(self) -> None:
        key = "\n".join(f"+{line}" for line in PRIVATE.split("\n"))
        patch = f"@@ -1,2 +1,5 @@ def f():\n-a = 1\n+t = '{TOKEN}'\n{key}\n end"
        shown = redacted_diff("a.py", patch).split("\n")
        assert [line[:1] for line in shown] == [line[:1] for line in patch.split("\n")]
        assert shown[2] == f"+t = 'ghp_{'*' * 36}'"
        assert shown[4] == f"+{'*' * 64}"

    def test_of_a_file_that_is_a_secret_tells_where_and_nothing_else(self) -> None:
        shown = redacted_diff("conf/.env", "@@ -1 +1,2 @@ OLD=hush\n-OLD=hush\n+NEW=hush2\n+B=1")
        assert shown == "@@ -1 +1,2 @@\n-\n+\n+"
