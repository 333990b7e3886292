"""Have a command of the user's read a change beside the request: what no run shows, a second reader may see.

The command gets the request in the user's words and the diff, not the plan, the evidence or the reasons of the agent
that wrote it. Its folder holds a clean checkout to look things up in. What it says are findings: they never refuse.
"""

import hashlib
import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import partial
from importlib.resources import files
from json import JSONDecoder
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, StringConstraints, ValidationError

from codeintel_contract import quote_name, read_file, visible
from codeintel_index import signed_text
from codeintel_server.redaction import redacted_diff
from codeintel_server.verification.beside import MOST_BYTES, TOLD_BESIDE, lay_beside
from codeintel_server.verification.checkout import Checkout, digests_in
from codeintel_server.verification.environment import ABOVE
from codeintel_server.verification.runner import Ran, run_command
from codeintel_session import AskedWords, SessionState, is_script

CHARS = 400_000
"""Size of the diffs in the prompt; what is longer the reader finds in the folder."""
HEADS = ("---", "+++")
KEPT = 20
MOST_SAID = 40
"""Findings of earlier readings that a reader gets."""
TOLD = ("CLAUDE.md", "AGENTS.md", "GEMINI.md")
"""Files of instructions that readers look for in their folder and above it."""
MOST_SUGGESTED = 3
FINDING_CHARS = 600
REMARK_CHARS = 1500
SUGGEST = f"""# Suggestions

Nobody has read this change before you, and its author can still improve it. So put beside the findings up to
{MOST_SUGGESTED} suggestions, of the same form: what a maintainer who knows the project would still ask for before the
merge, although the request does not say it. Think of the people who will use what changed: input at the edges (empty,
missing, doubled, nested, of another type, large), a sibling function or option that now behaves otherwise, a second
use of the same helper, an error that would mislead, an old caller, subclass, hook or plugin (those among the
installed dependencies, too) that sees a difference. A sentence of the request that no test would miss counts, too (an
order that sorting gives as well, the first of one). Try what you can. Each names an input, what comes out of it now,
and what would be better. What contradicts the request, enlarges it, or is a matter of style or taste is none; an
empty list is good. What loses or damages data, or breaks what worked before the change, is a finding and no
suggestion, for any input. The object is then:

{{"findings": [...], "suggestions": [{{"asked": "", "where": "<path:line>", "what": "..."}}]}}"""
BEFORE = """# What the user typed before the request

Mostly of other tasks that are done elsewhere: nothing of those is missing here. What they want of every change, or say
of what the request is about, counts."""
ENDS = """# What becomes of the change

{ends} The server does nothing else: no other branch gets it, it
tags and pushes nothing and runs no program on the user's data. What the agent did beside it nobody has seen. The
message of the commit is not written yet, and nobody will compare it: if the request, or a document that it tells to
follow, says what the message has to be, name that, with what it says. If the request wants something beside the files
that the change does not show to be done, or forbids what becomes of it, name that."""
EARLIER = """# What earlier readings found

The change was another one then; its author has seen these, and can have changed anything since. Look at each first.
What still holds is a finding again, with its number: {"again": <number>, "asked": ..., "where": ..., "what": ...}.
What was put right, or was never so, you leave out. Then read the whole change as if nobody had: what is not here,
nobody has found to be right."""
TOLD_AS = """# The request as the agent gave it

What the user typed of it is not known whole. Where their own words above say something else, theirs count; if
they ask for a part of this, name what is asked for here alone."""
TOLD_ALONE = """# The request as the agent gave it

Nothing that the user typed of it is known."""
SAME = "Values that may be secrets are hidden. The same sign behind two of them, such as ⟨3f2a⟩, means the same value."
_BEGINS = re.compile(r'\{\s*"findings"')
_UNSEEN = re.compile(r"⟨U\+|[^\n\t\x20-\x7e]")
_BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
"""What Python calls printable, and nobody sees."""
_ALIKE = re.compile("[\u0370-\u058f\u13a0-\u13ff\u2c80-\u2cff\ua4d0-\ua4ff\uab70-\uabbf]")
"""Letters of Greek, Cyrillic, Armenian and the like: within a word of Latin letters they look like one of those."""
_Text = Annotated[str, StringConstraints(strip_whitespace=True)]


class _Finding(BaseModel):
    what: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
    asked: _Text = ""
    where: _Text = ""
    again: int | None = None

    def told(self) -> str:
        place, asked = f"{self.where}: " * bool(self.where), f' (asked: "{self.asked}")' * bool(self.asked)
        text = visible(" ".join(f"{place}{self.what}{asked}".split()))
        return text if len(text) <= FINDING_CHARS else f"{text[: FINDING_CHARS - 1]}…"


class _Answer(BaseModel):
    findings: list[_Finding]
    suggestions: list[_Finding] = []


def prompt_for(
    own: str,
    words: AskedWords,
    patches: Mapping[str, str],
    folder: str,
    ends: str = "",
    beside: Mapping[str, Sequence[str]] | None = None,
    *,
    said: Sequence[str] = (),
    is_first: bool = False,
) -> tuple[str, list[str]]:
    """Return what the reader gets on its standard input, and the paths whose change is not shown whole.

    Args:
        own: the prose of the verifier, which takes the place of the packaged instructions.
        words: what the user typed.
        patches: the session's changes by path, as unified diffs; secrets in them are hidden.
        folder: the checkout, within the working directory.
        ends: what becomes of the change.
        beside: paths to name, by a key of `TOLD_BESIDE`.
        said: what earlier readings of the session found.
        is_first: also ask for suggestions, unless the verifier has instructions of its own.
    """
    packaged = files("codeintel_server.verification").joinpath("reading.md").read_text(encoding="utf-8")
    told = (own.strip() or packaged.strip()).replace("{folder}", folder)
    parts = [told, *[SUGGEST] * (is_first and not own.strip()), *([ENDS.format(ends=ends)] if ends else [])]
    if words.before:
        parts += [BEFORE, *words.before]
    if words.told:
        parts += ["# What the user typed", *words.asked, TOLD_AS] if words.asked else [TOLD_ALONE]
        parts.append(words.told)
    else:
        parts += ["# The request", *words.asked[:1]]
        parts += ["# What the user typed after that", *words.asked[1:]] if words.asked[1:] else []
    # A name may hold line ends and a heading, and must not pass for the user's words.
    named = {kind: ", ".join(map(quote_name, paths)) for kind, paths in (beside or {}).items() if paths}
    parts += [f"{TOLD_BESIDE[kind]} {names}." for kind, names in named.items()]
    parts += [EARLIER, "\n".join(f"{at}. {one}" for at, one in enumerate(said, 1))] if said else []
    parts += [SAME]
    parts.append("# The change")
    left, cut, said = CHARS, list[str](), "\n".join((*words.asked, *words.before))
    hide = partial(signed_text, known=said)
    for path, patch in sorted(patches.items(), key=lambda one: len(one[1])):  # no long file takes the place of others
        whole = _seen(redacted_diff(path, patch, hide))
        if "\nsimilarity index 100%\n" in whole:
            whole += f"\n[the contents are as before: see {quote_name(path)} in the folder]"
        shown = whole[:left]
        left -= len(shown)
        cut += [path] * (len(shown) < len(whole) or ("\nBinary files " in whole and is_script(path)))
        more = f"\n[the rest of {quote_name(path)} is in the folder]" * (len(shown) < len(whole))
        parts.append(shown + more)
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
        beside = patch[max(0, found.start() - 1) : found.start()] + patch[found.end() : found.end() + 1]
        is_hidden = _BLANK.match(text) or _has_twin(text) or (_ALIKE.match(text) and re.search("[A-Za-z]", beside))
        if len(text) == 1 and text.isprintable() and not is_hidden and (is_composed or not is_accent):
            return text
        return f"⟨U+{ord(text[0]):04X}⟩{text[1:]}"

    return _UNSEEN.sub(shown, patch)


def _has_twin(text: str) -> bool:
    """Whether a sign looks like another one in any place: a modifier letter, the micro sign, an ångström."""
    if not "\u0080" <= text < "\u2200":  # a sequence, or a script whose users know both forms
        return False
    kind = unicodedata.category(text)
    return kind == "Lm" or (kind in ("Lu", "Ll", "Lo") and unicodedata.normalize("NFKC", text) != text)


def read_change(
    place: Checkout, patches: Mapping[str, str], root: Path, state: SessionState, base: str
) -> tuple[dict[str, object], str]:
    """Have the verifier of a call read its change beside a checkout; return the receipt's fields and the output.

    Args:
        place: the checkout of the changed tree, which it is again at the end.
        patches: the session's changes by path, as unified diffs.
        root: the project.
        state: the session.
        base: the tree before the change.
    """
    call, folder = place.call, place.top.parent
    laid = lay_beside(place, patches, root, state, base)
    beside = dict(laid.told)
    beside["encoded"] = [path for path in patches if not _is_utf8(place.root, path) and path not in beside["before"]]
    # Once a session: whoever was asked again and again what could be better would never be done.
    is_first = not any(one.is_reading and not one.unanswered for one in state.receipts.values())
    words = (call.verifier.text, call.request, patches, place.top.name, _ends(state), beside)
    said = state.receipts[call.verifier.name].said if call.verifier.name in state.receipts else ()
    prompt, cut = prompt_for(*words, said=said, is_first=is_first)
    was = digests_in(place.root, patches)
    # Beside the checkout, not in it: what a repository says to agents that begin in it is not for the reader.
    ran = run_command(folder, call.verifier, call.progress, call.stopped, given=prompt)
    found = read_answer(ran, said)
    if not is_first:
        found.pop("suggestions", None)
    unsure = [f"The reader was not shown all that changed in {', '.join(map(quote_name, cut))[:200]}."] if cut else []
    if digests_in(place.root, patches) != was:
        unsure.append("Files of the reader's checkout changed while it read: it may have read something else.")
    if told := [str(each / name) for each in (folder, *folder.parents) for name in TOLD if (each / name).exists()]:
        unsure.append(f"The reader may have followed what is in {', '.join(map(quote_name, told))[:200]}.")
    if strays := [path for path in place.take_strays() if Path(path).name in ABOVE]:  # the reader may leave other files
        unsure.append(f"What the reader ran may have been steered by {', '.join(map(quote_name, strays))[:200]}.")
    found["findings"] = (*found.get("findings", ()), *unsure)
    ended: dict[str, object] = {"exit": ran.exit, "seconds": round(ran.seconds, 1), "timed_out": ran.timed_out}
    counts = {"findings": len(found["findings"])}
    return {**found, **ended, "counts": counts, "ids": digest_of(call.request), "seen": laid.seen}, ran.output


def _is_utf8(root: Path, path: str) -> bool:
    try:
        read_file(root, path, MOST_BYTES).decode("utf-8")
    except UnicodeDecodeError:
        return False
    except OSError:  # it is gone, or no file
        pass
    return True


def _ends(state: SessionState) -> str:
    """Return in a sentence what the session does with its change."""
    if state.branch_policy in ("task", "adopted"):
        return f"The server commits it on a branch of its own, merges that into {state.base} and deletes it."
    if state.branch_policy == "in_place":
        return f"The server commits it on {state.base}."
    return "The server leaves it in the work tree, and does not commit it."


def digest_of(words: AskedWords) -> str:
    """Return the digest by which a receipt knows the words that were read."""
    return hashlib.sha256(
        "\0".join((*words.before, *words.asked, words.told)).encode("utf-8", "surrogatepass")
    ).hexdigest()[:16]


def read_answer(ran: Ran, said: Sequence[str] = ()) -> dict[str, Any]:
    """Return fields of the receipt, or `unanswered`, why the answer does not count.

    The fields are `findings`, those of them that earlier readings said as `again`, all that was `said` so far,
    `suggestions`, and the `remark` before them.
    """
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
        findings = dict([*{one.told(): one.again or 0 for one in answer.findings}.items()][:KEPT])
        again = {number: told for told, number in findings.items() if 0 < number <= len(said)}
        known = [again.get(number, one) for number, one in enumerate(said, 1)]
        known += [one for one in findings if one not in again.values()]
        remark = visible(" ".join(ran.output[: found.start()].removesuffix("```json\n").split()))
        suggestions = tuple(dict.fromkeys(one.told() for one in answer.suggestions))[:MOST_SUGGESTED]
        heard = {"findings": tuple(findings), "again": tuple(again.values()), "said": tuple(known[-MOST_SAID:])}
        return heard | {"suggestions": suggestions, "remark": _end_of(remark)}
    return {"unanswered": 'its output holds no JSON object {"findings": [...]}'}


def _end_of(remark: str) -> str:
    """Return the end of what a reader says, from the beginning of a word on."""
    kept = remark[-REMARK_CHARS:]
    return kept if kept == remark else f"… {kept.partition(' ')[2] or kept}"
