"""Have a command of the user's read a change beside the request: what no run shows, a second reader may see.

The command gets the request in the user's words and the diff, not the plan, the evidence or the reasons of the agent
that wrote it. Its folder holds a clean checkout to look things up in. What it says are findings: they never refuse.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from json import JSONDecoder
from typing import Annotated, Any

from pydantic import BaseModel, StringConstraints, ValidationError

from codeintel_contract import visible
from codeintel_server.redaction import redacted_diff
from codeintel_server.verification.runner import Ran
from codeintel_session import is_script

CHARS = 400_000
"""Size of the diffs in the prompt; what is longer the reader finds in the folder."""
KEPT = 20
FINDING_CHARS = 300
REMARK_CHARS = 500
_BEGINS = re.compile(r'\{\s*"findings"')
_Text = Annotated[str, StringConstraints(strip_whitespace=True)]


class _Finding(BaseModel):
    what: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
    asked: _Text = ""
    where: _Text = ""

    def told(self) -> str:
        place, asked = f"{self.where}: " * bool(self.where), f' (asked: "{self.asked}")' * bool(self.asked)
        text = visible(" ".join(f"{place}{self.what}{asked}".split()))
        return text if len(text) <= FINDING_CHARS else f"{text[: FINDING_CHARS - 1]}…"


class _Answer(BaseModel):
    findings: list[_Finding]


def prompt_for(own: str, request: Sequence[str], patches: Mapping[str, str], folder: str) -> tuple[str, list[str]]:
    """Return what the reader gets on its standard input, and the paths whose change is not shown whole.

    Args:
        own: the prose of the verifier, which takes the place of the packaged instructions.
        request: what the user asked for, and what they typed after that.
        patches: the session's changes by path, as unified diffs; secrets in them are hidden.
        folder: the checkout, within the working directory.
    """
    packaged = files("codeintel_server.verification").joinpath("reading.md").read_text(encoding="utf-8")
    told = (own.strip() or packaged.strip()).replace("{folder}", folder)
    parts = [told, "# The request", request[0]]
    if request[1:]:
        parts += ["# What the user typed after that", *request[1:]]
    parts.append("# The change")
    left, cut = CHARS, []
    for path, patch in sorted(patches.items(), key=lambda one: len(one[1])):  # no long file takes the place of others
        whole = visible(redacted_diff(path, patch).replace("\r\n", "\n"))
        shown = whole[:left]
        left -= len(shown)
        cut += [path] * (len(shown) < len(whole) or ("\nBinary files " in whole and is_script(path)))
        parts.append(f"{shown}\n[the rest of {path} is in the folder]" if len(shown) < len(whole) else shown)
    return "\n\n".join(parts) + "\n", cut


def digest_of(request: Sequence[str]) -> str:
    """Return the digest by which a receipt knows the request that was read."""
    return hashlib.sha256("\0".join(request).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def read_answer(ran: Ran) -> dict[str, Any]:
    """Return fields of the receipt: `findings` and the `remark` before them, or `unanswered`, why they do not count."""
    if ran.timed_out:
        return {"unanswered": f"it gave no answer within {ran.seconds:.0f} s"}
    if ran.exit != 0:
        return {"unanswered": f"it ended with exit code {ran.exit}"}
    for found in reversed([*_BEGINS.finditer(ran.output)]):
        try:
            data, _ = JSONDecoder().raw_decode(ran.output, found.start())
            answer = _Answer.model_validate(data)
        except (ValueError, RecursionError, ValidationError):
            continue
        findings = tuple(dict.fromkeys(one.told() for one in answer.findings))[:KEPT]
        remark = visible(" ".join(ran.output[: found.start()].removesuffix("```json\n").split()))
        return {"findings": findings, "remark": remark[-REMARK_CHARS:]}
    return {"unanswered": 'its output holds no JSON object {"findings": [...]}'}
