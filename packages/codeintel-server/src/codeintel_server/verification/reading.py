"""Have a command of the user's read a change beside the request: what no run shows, a second reader may see.

The command gets the request in the user's words and the diff, not the plan, the evidence or the reasons of the agent
that wrote it. Its folder holds a clean checkout to look things up in. What it says are findings: they never refuse.
"""

import hashlib
import os
import re
import shutil
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.resources import files
from json import JSONDecoder
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, StringConstraints, ValidationError

from codeintel_contract import visible
from codeintel_index import is_private
from codeintel_server.redaction import redacted_diff
from codeintel_server.verification.runner import Ran
from codeintel_session import AskedWords, is_script

CHARS = 400_000
"""Size of the diffs in the prompt; what is longer the reader finds in the folder."""
HEADS = ("---", "+++")
KEPT = 20
MOST_NAMED = 20
NAMED_BYTES = 1_000_000
FINDING_CHARS = 300
REMARK_CHARS = 500
BEFORE = """# What the user typed before the request

Mostly of other tasks that are done elsewhere: nothing of them is missing here. What they want of every change, or say
of what the request is about, counts."""
ENDS = """# What becomes of the change

{ends} Nothing else happens: no other branch gets it, nothing is pushed, no program is run on the user's data. If the
request wants something beside the files that the change does not show to be done, or forbids what becomes of it, name
that."""
_BEGINS = re.compile(r'\{\s*"findings"')
_NAME = re.compile(r"[\w@+-][\w@+./-]*[\w-]")
_UNSEEN = re.compile(r"⟨U\+|[^\n\t\x20-\x7e]")
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


def prompt_for(
    own: str, words: AskedWords, patches: Mapping[str, str], folder: str, *, ends: str = "", named: Sequence[str] = ()
) -> tuple[str, list[str]]:
    """Return what the reader gets on its standard input, and the paths whose change is not shown whole.

    Args:
        own: the prose of the verifier, which takes the place of the packaged instructions.
        words: what the user typed.
        patches: the session's changes by path, as unified diffs; secrets in them are hidden.
        folder: the checkout, within the working directory.
        ends: what becomes of the change.
        named: paths of files that the user names and the checkout lacks; they are in the folder `ignored`.
    """
    packaged = files("codeintel_server.verification").joinpath("reading.md").read_text(encoding="utf-8")
    told = (own.strip() or packaged.strip()).replace("{folder}", folder)
    parts = [told, *([ENDS.format(ends=ends)] if ends else [])]
    if words.before:
        parts += [BEFORE, *words.before]
    parts += ["# The request", words.asked[0]]
    if words.asked[1:]:
        parts += ["# What the user typed after that", *words.asked[1:]]
    if named:
        parts += ["# Files that the user names and git ignores", f"They are in the folder ignored/: {', '.join(named)}"]
    parts.append("# The change")
    left, cut = CHARS, []
    for path, patch in sorted(patches.items(), key=lambda one: len(one[1])):  # no long file takes the place of others
        whole = _seen(redacted_diff(path, patch))
        shown = whole[:left]
        left -= len(shown)
        cut += [path] * (len(shown) < len(whole) or ("\nBinary files " in whole and is_script(path)))
        parts.append(f"{shown}\n[the rest of {path} is in the folder]" if len(shown) < len(whole) else shown)
    return "\n\n".join(parts) + "\n", cut


def _seen(patch: str) -> str:
    """Show in a patch by number what looks like nothing or like something else; line ends that all stay are left out.

    A letter and its accent look like the one letter with it: where the text has both apart, the accent is shown.
    """
    lines = patch.split("\n")
    kept = [line for line in lines if line[:1] in (" ", "-") and not line.startswith("---")]
    if kept and all(line.endswith("\r") for line in lines if line[:1] in (" ", "-", "+") and line[:3] not in HEADS):
        patch = patch.replace("\r\n", "\n")
    is_composed = unicodedata.is_normalized("NFC", patch)

    def shown(found: re.Match[str]) -> str:
        text = found[0]
        is_accent = "\u0300" <= text <= "\u036f"
        if len(text) == 1 and text.isprintable() and (is_composed or not is_accent):
            return text
        return f"⟨U+{ord(text[0]):04X}⟩{text[1:]}"

    return _UNSEEN.sub(shown, patch)


@contextmanager
def files_named(words: AskedWords, root: Path, checkout: Path) -> Iterator[list[str]]:
    """Put the files that the user names, that the project has and its checkout lacks, beside the checkout; give them.

    Secrets by their name, and what is larger than a megabyte, stay where they are.
    """
    names = dict.fromkeys(name for text in words.asked for name in _NAME.findall(text) if "." in name or "/" in name)
    beside = checkout.parent / "ignored"
    real = root.resolve()
    found = [name for name in names if _may_be_shown(real, name) and not os.path.lexists(checkout / name)][:MOST_NAMED]
    try:
        for name in found:
            (beside / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(real / name, beside / name)
        yield found
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _may_be_shown(root: Path, name: str) -> bool:
    path = root / name
    try:
        is_inside = path.resolve() == path and path.is_relative_to(root)
        return is_inside and path.is_file() and path.stat().st_size <= NAMED_BYTES and not is_private(name)
    except (OSError, RuntimeError, ValueError):
        return False


def digest_of(words: AskedWords) -> str:
    """Return the digest by which a receipt knows the words that were read."""
    return hashlib.sha256("\0".join((*words.before, *words.asked)).encode("utf-8", "surrogatepass")).hexdigest()[:16]


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
