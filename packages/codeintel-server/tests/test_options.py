"""No text of a user, an agent or a file's name reaches a program where it looks for options or patterns of its own.

Every command line that is started while the tools are given such texts is recorded (by an audit hook, so whoever starts
it) and looked at: the text stands behind `--`, or is attached to the option that takes it, or to a whole object id: git
reads `<id>:<path>` as one name, and takes everything behind the colon for the path as it is in a tree.
"""

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from codeintel_server.demo.change import Change
from codeintel_server.demo.player import Player, Script
from codeintel_server.mcp.registry import TOOLS
from codeintel_server.testing import Caller, in_memory

pytestmark = [pytest.mark.draws(18), pytest.mark.anyio]
MARK = "CANARY"
TEXTS = [
    f"--pre=./{MARK}",
    f"-f{MARK}",
    f"--output={MARK}",
    f"--upload-pack=touch {MARK}",
    f"-c core.sshCommand={MARK}",
    f":(top){MARK}",
    f":!{MARK}",
    f"$(touch {MARK})",
    f"`touch {MARK}`",
    f"; touch {MARK}",
    f"@{{{MARK}}}",
    f"refs/heads/../../{MARK}",
]
ATTACHED = re.compile(r"--(?:regexp|glob|type|type-add)=|[0-9a-f]{40}:")
Commands = list[list[str]]


class Recorder:
    """Keeps the command lines while `on`."""

    def __init__(self) -> None:
        self.on = False
        self.commands: Commands = []

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.on and event == "subprocess.Popen":
            words = arguments[1]
            assert isinstance(words, list), f"a shell line: {words}"
            self.commands.append([str(word) for word in words])


RECORDER = Recorder()
sys.addaudithook(RECORDER)  # one can be added and never taken away


@pytest.fixture
def commands() -> Iterator[Commands]:
    """The command lines started from here on."""
    RECORDER.commands = []
    RECORDER.on = True
    yield RECORDER.commands
    RECORDER.on = False


def loose(command: list[str]) -> list[str]:
    """Words of a command that hold the mark where an option could stand."""
    end = command.index("--") if "--" in command else len(command)
    return [word for word in command[:end] if MARK in word and not ATTACHED.match(word)]


@pytest.mark.sample(5)
@pytest.mark.parametrize("tool", [name for name in TOOLS if name not in ("submit_phase", "sync_index")])
async def test_no_argument_of_a_tool_becomes_an_option(call: Caller, repo: Path, tool: str, commands: Commands) -> None:
    texts = [
        name for name, shape in TOOLS[tool].listing().input_schema["properties"].items() if "integer" not in str(shape)
    ]
    needed = {"search_text": {"pattern": "x"}, "get_function_at_line": {"line": 1}}.get(tool, {})
    await call("search_text", pattern=MARK)
    for name in texts:
        for text in TEXTS:
            given = [text] if name in ("target_files", "files") else text
            await call.call(tool, {**needed, name: given})
            await call.call(tool, {**needed, "path": "src", "symbol": text, "pattern": text, name: given})
    assert [command for command in commands if MARK in "".join(command)], "the recorder saw nothing"
    assert [words for words in map(loose, commands) if words] == []
    assert not (repo / MARK).exists()


@pytest.mark.sample
@pytest.mark.parametrize(
    "path", [f"--{MARK}.py", f":(top){MARK}.py", f":!{MARK}.py", f"*{MARK}.py", f"{MARK} [a]\t.py"]
)
async def test_a_file_with_such_a_name_is_changed_committed_and_merged_alone(
    repo: Path, git: Callable[..., str], change: Change, path: str, commands: Commands
) -> None:
    (repo / path).write_text((repo / change.path).read_text(encoding="utf-8"), encoding="utf-8")
    git(repo, "--literal-pathspecs", "add", "--", path)
    git(repo, "commit", "--quiet", "--message", "Odd name")
    (repo / f"mine{MARK}.py").write_text("the user's own work\n", encoding="utf-8")
    before = len(commands)
    async with in_memory(repo) as call:
        odd = Change(change.root, path, change.anchor, change.recipe)
        end = await Player(call.client, odd, Script(flags=["--fast"])).play()
        await call("analyze_impact", target_files=[path])
        assert path in (await call("search_files", pattern=f"*{MARK}*"))["files"]
    assert end["outcome"] == "unverified"
    assert git(repo, "diff-tree", "-r", "-z", "--name-only", "HEAD^1", "HEAD").rstrip("\0") == path
    assert git(repo, "status", "--porcelain", "-z").split("\0")[0] == f"?? mine{MARK}.py"
    assert [words for words in map(loose, commands[before:]) if words] == []
