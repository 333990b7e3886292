"""What the gates cost an honest agent: characters / 4 of the protocol's replies, of `tools/list` and of the skill."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codeintel_contract.names import Intent
from codeintel_server.demo.stage import connected
from codeintel_session.testing import make_repo
from codeintel_templates import SKILL, read_template

from .honest import Way, weigh

SOURCE = '''"""Numbers."""


def count_all(values):
    """How many there are."""
    return len(values)
'''
FILES = {"src/stats.py": SOURCE, "docs/numbers.md": "# Numbers\n\n- Empty lists are not an error.\n"}
PATHS: tuple[tuple[str, Way, int], ...] = (
    ("full, every gate open", Way(Intent.IMPLEMENT, ()), 9000),
    ("`--fast`", Way(Intent.IMPLEMENT, (("fast", True),)), 0),
    ("`--quick`", Way(Intent.IMPLEMENT, (("quick", True),)), 1500),
    ("`--quick --no-verify`", Way(Intent.IMPLEMENT, (("quick", True), ("no_verify", True))), 0),
    ("`--only-explore`", Way(Intent.IMPLEMENT, (("only_explore", True),)), 0),
    ("`--only-verify`", Way(Intent.IMPLEMENT, (("only_verify", True),)), 0),
)
TOOLS_TARGET, SKILL_TARGET = 2600, 1300


@dataclass(frozen=True)
class Cost:
    """Tokens of one thing; `target` 0 where there is none."""

    what: str
    tokens: int
    target: int


async def measure(folder: Path) -> list[Cost]:
    """Weigh each path on a small repository, then what a client reads before any session."""
    found: list[Cost] = []
    for number, (what, way, target) in enumerate(PATHS):
        root = make_repo(folder / f"project {number}", FILES).root
        async with connected(root) as client:
            found.append(Cost(what, (await weigh(root, client, way)).tokens, target))
            if number == 0:
                listed = (await client.list_tools()).tools
    rows = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed]
    found.append(Cost("`tools/list`", len(_compact(rows)) // 4, TOOLS_TARGET))
    found.append(Cost("the `/code` skill", len(read_template(SKILL)) // 4, SKILL_TARGET))
    return found


def _compact(rows: list[dict[str, Any]]) -> str:
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
