"""Compare what an agent says the user wants with what the user typed, as the client's hook kept it.

Nothing is concluded from missing prompts: without a hook it is unknown who chose. A prompt that was kept only in part
cannot prove that something was not in it.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import takewhile
from types import MappingProxyType
from typing import NamedTuple

from codeintel_contract import OPTIONS, ContractViolation, Flags, Intent, check_combination, parse_flags
from codeintel_session.machine.pasted import own_words
from codeintel_session.machine.quotes import content_words, fold, occurs_in
from codeintel_session.machine.steps import GATE_FLAGS, active_tags

SHARE = 0.7
"""Share of the content words of a request that the user's prompts must hold for it to be theirs."""
BEFORE_CHARS, BEFORE_ALL = 10_000, 200_000
"""Of each prompt before the request, and of all of them, a reader is shown no more."""
MOST_REPEATED = 250
"""Content words of a prompt that nobody repeats in a request."""
SHOWN = 12
"""Words of a list in a sentence."""
FIRST, LAST = 3, 2
"""Of what the user typed during a session, the first and the last prompts that its outcome quotes."""
_COMMAND = re.compile(r"\s*[/$](?:\w+:)?code\b")
_GO_AHEAD = re.compile("ok(?:ay)?|yes|go|ahead|on|now|please|start|begin|continue|proceed|do|it|this|that|then|again")
"""Words of a prompt that asks for what an earlier one describes."""
_KNOWN = {name for option in OPTIONS if option.flag for name in (option.long, option.short)}
_OPTION = re.compile(r"(?<!\S)--?[a-z][\w-]*(?:=\S+)?")
NEGATIONS = r"not|never|no|without|don't|dont|avoid|except"
_BEFORE = rf"(?<![\w-])(?:{NEGATIONS})(?![\w-])[^.;!?\n]{{0,24}}$"
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")


class Who(StrEnum):
    """Who chose something."""

    USER = "user"
    AGENT = "agent"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt of the user: its time (ISO 8601), and its text; `is_cut` if a part of it was not kept.

    `tips` are the commits of the repository's branches at that time, `branch` is the one that was checked out, `head`
    its commit, `stashes` are its stashes, and `settings` digests of git's settings by name; none if nobody looked.
    """

    at: str
    text: str
    is_cut: bool = False
    tips: tuple[str, ...] = ()
    branch: str = ""
    stashes: tuple[str, ...] = ()
    head: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)


def who_asked(query: str, prompts: Sequence[Prompt]) -> Who:
    """Return who wrote a request: the user if a prompt holds it, or their prompts together hold its words."""
    if not prompts:
        return Who.UNKNOWN
    whole = " ".join(prompt.text for prompt in prompts)
    known = set(content_words(whole))
    asked = content_words(query)
    held = sum(word in known for word in asked)
    if occurs_in(query, whole) or (asked and held / len(asked) >= SHARE):
        return Who.USER
    return Who.UNKNOWN if any(prompt.is_cut for prompt in prompts) else Who.AGENT


def left_out(query: str, prompts: Sequence[Prompt]) -> str:
    """Return the words of the newest `/code` that the request lacks: many, most of a sentence, or a negation.

    What the user pasted does not count, and of a prompt of more than `MOST_REPEATED` words nothing does.
    """
    typed = next((prompt for prompt in reversed(prompts) if _COMMAND.match(prompt.text)), None)
    if typed is None or typed.is_cut or who_asked(query, (typed,)) is not Who.USER:
        return ""
    text = _OPTION.sub(" ", _COMMAND.sub("", own_words(typed.text), count=1))
    held = set(content_words(query))
    denials, kept = _denials(text), _denials(query)
    sentences = [content_words(each) for each in _SENTENCE.split(text)]
    if sum(map(len, sentences)) > MOST_REPEATED:
        return ""
    lacking = [[word for word in said if word not in held] for said in sentences]
    if sum(map(len, lacking)) <= (1 - SHARE) * sum(map(len, sentences)):
        pairs = zip(lacking, sentences, strict=True)
        lacking = [words for words, said in pairs if len(said) > 1 and len(words) >= SHARE * len(said)]
    unsaid = [*(word for word in denials if word not in kept), *denials][: max(0, len(denials) - len(kept))]
    return ", ".join([*unsaid, *(word for words in lacking for word in words)][:SHOWN])


def _denials(text: str) -> list[str]:
    """Return the words of a text that turn what it says around, in other words too: no content word shows them."""
    return re.findall(rf"(?<![\w-])(?:{NEGATIONS})(?![\w-])", fold(text))


def options_left(flags: Flags, intent: Intent, query: str, prompts: Sequence[Prompt]) -> str:
    """Return the options that the user typed with `/code`, before the request, and that a session does not have.

    Where they typed it again in other words, these count. Further on in a prompt an option may be what the request is
    about. Options that contradict each other or the intent cannot all be carried out, so then none is given.
    """
    typings = _typings(query, prompts)
    typed = prompts[typings[-1]].text if typings else ""
    words = _COMMAND.sub("", typed, count=1).split() if _COMMAND.match(typed) else []
    options = [word for word in takewhile(lambda word: word.startswith("-"), words) if word.partition("=")[0] in _KNOWN]
    try:
        wanted, _ = check_combination(parse_flags(options), intent)
    except ContractViolation:
        return ""
    held = flags.active() | ({"only_explore": True} if "investigate" in active_tags(flags, intent) else {})
    lacking = {name for name, value in wanted.active().items() if held.get(name) != value}  # a value may be a list
    return ", ".join(word for word in options if lacking & parse_flags([word]).active().keys())


def requests_left(query: str, prompts: Sequence[Prompt], since: str) -> list[str]:
    """Return the other requests that the user typed with `/code` since a time, and of which the request says little."""
    typed = {
        prompt.text: _OPTION.sub(" ", _COMMAND.sub("", prompt.text, count=1))
        for prompt in prompts
        if prompt.at > since and _COMMAND.match(prompt.text) and who_asked(query, (prompt,)) is Who.AGENT
    }
    held = (Prompt("", query),)
    if who_asked(query, prompts) is not Who.USER:  # the agent's own words say nothing of what is missing
        return []
    wanted = {text: words for text, words in typed.items() if not all(map(_GO_AHEAD.fullmatch, content_words(words)))}
    return [text for text, words in wanted.items() if who_asked(words, held) is not Who.USER]


def who_chose(flags: Flags, query: str, prompts: Sequence[Prompt]) -> dict[str, str]:
    """Return by flag who chose it, for the flags that drop a gate."""
    chosen = [name for name in GATE_FLAGS if getattr(flags, name)]
    of_request = _since_request(query, prompts)
    return {name: _who(name, of_request).value for name in chosen}


def _who(flag: str, prompts: Sequence[Prompt]) -> Who:
    if not prompts:
        return Who.UNKNOWN
    if any(names_flag(flag, prompt.text) for prompt in prompts):
        return Who.USER
    return Who.UNKNOWN if any(prompt.is_cut for prompt in prompts) else Who.AGENT


class AskedWords(NamedTuple):
    """What the user typed: the request with all since, and the prompts before it.

    `told` is the request as the agent gave it, where what the user typed of it is not known whole.
    """

    asked: tuple[str, ...]
    before: tuple[str, ...] = ()
    told: str = ""


def words_of_request(query: str, prompts: Sequence[Prompt], started_at: str, done_at: str = "") -> AskedWords:
    """Return what the user typed from the oldest prompt that holds the request on, and what came before that.

    Which of several prompts the request was made of is the reader's to see: a newer one may repeat a part of it. Where
    none holds it alone, it is the last ones that do so together.

    Args:
        query: the request as the agent gave it.
        prompts: what the user typed, oldest first.
        started_at: when the session began; what the user typed since counts in any case.
        done_at: when an earlier session on the same request was completed, "" if none was.
    """
    holding = (
        _typings(query, prompts, done_at)
        or [at for at in range(len(prompts)) if who_asked(query, prompts[at:]) is Who.USER][-1:]
    )
    later = [at for at, prompt in enumerate(prompts) if prompt.at > started_at]
    begins = (holding or later or [len(prompts)])[0]
    before, said = prompts[:begins], prompts[begins:]
    is_whole = holding and not any(prompt.is_cut for prompt in said)
    texts = [f"{prompt.text} [a part of it was not kept]" if prompt.is_cut else prompt.text for prompt in said]
    return AskedWords(
        tuple(dict.fromkeys(texts)),
        _beginnings([prompt.text for prompt in before]),
        "" if is_whole else query,
    )


def _beginnings(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the beginning of each text, of all together no more than a reader is shown: the last ones."""
    found: list[str] = []
    left = BEFORE_ALL
    for text in reversed(texts):
        shown = text if len(text) <= BEFORE_CHARS else f"{text[:BEFORE_CHARS]} [the rest is not shown]"
        left -= len(shown)
        if left < 0:
            found.append("[earlier prompts are not shown]")
            break
        found.append(shown)
    return tuple(reversed(found))


class Typed(NamedTuple):
    """The repository when the user typed a request: all of it when they did so first, but the branch when last.

    `heads` are the branch that was checked out at first, with its commit; none if that is not known.
    """

    tips: tuple[str, ...] = ()
    branch: str = ""
    stashes: tuple[str, ...] = ()
    at: str = ""
    heads: tuple[tuple[str, str], ...] = ()
    settings: Mapping[str, str] = MappingProxyType({})


def repository_at_request(query: str, prompts: Sequence[Prompt], done_at: str = "") -> Typed:
    """Return the repository when the user typed the request, which they may have done twice; empty if they did not."""
    held = _typings(query, prompts, done_at)
    if not held:
        return Typed()
    first = prompts[held[0]]
    heads = ((first.branch, first.head),) if first.branch and first.head else ()
    return Typed(first.tips, prompts[held[-1]].branch, first.stashes, first.at, heads, first.settings)


def _typings(query: str, prompts: Sequence[Prompt], done_at: str = "") -> list[int]:
    """Return which prompts hold the request, oldest first: all since it was done last, or the newest before that."""
    held = [at for at, prompt in enumerate(prompts) if who_asked(query, (prompt,)) is Who.USER]
    return [at for at in held if prompts[at].at > done_at] or held[-1:]


def _since_request(query: str, prompts: Sequence[Prompt]) -> Sequence[Prompt]:
    """Return the newest prompt that holds the request and those after it; an earlier one chose for another task."""
    return prompts[(_typings(query, prompts) or [-1])[-1] :]


def quoted(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the first and the last of some texts, and between them how many more there are."""
    between = len(texts) - FIRST - LAST
    return (*texts[:FIRST], f"{between} more between", *texts[-LAST:]) if between > 0 else tuple(texts)


def names_flag(flag: str, text: str) -> bool:
    """Return True if a text asks for a flag by an option, its name with an underscore, or as a mode."""
    words = [re.escape(option.long) for option in OPTIONS if option.flag == flag]
    short = [re.escape(option.short) for option in OPTIONS if option.flag == flag and option.short]
    if _COMMAND.match(text):  # elsewhere a letter after a dash belongs to some command
        words += short
    if "_" in flag:
        words.append(flag)
    modes = "|".join(re.escape(word) for word in (flag, flag.replace("_", "-")))
    pattern = rf"(?<![\w-])(?:{'|'.join(words)}|(?:{modes})\s+(?:mode|flag|option))(?![\w-])"
    return _says(pattern, text)


def _says(pattern: str, text: str) -> bool:
    """Return True if the text holds the pattern at a place that no word before it negates."""
    plain = fold(text)
    return any(not re.search(_BEFORE, plain[: found.start()]) for found in re.finditer(pattern, plain))


def decides(choice: str, prompts: Iterable[Prompt]) -> bool:
    """Return True if a prompt tells what to do with branches: `merge`, or `delete` in one of its words."""
    verbs = {"merge": "merge", "delete": "delete|drop|remove"}.get(choice)
    pattern = rf"\b(?:{verbs})\b[^.;!?\n]{{0,60}}\bbranch(?:es)?\b|^\s*(?:{verbs})(?: (?:it|them|all))?[.!]?\s*$"
    return verbs is not None and any(_says(pattern, prompt.text) for prompt in prompts)
