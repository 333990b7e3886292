"""The verdict on text: does a message admit that something is missing, does a comment say why nothing is done.

All are heuristics over words; they lean towards calling a stub a stub, since a comment is always a way out.
"""

import re
from collections.abc import Iterable

_MISSING = re.compile(
    r"\bnot?[\s_-]*(?:yet[\s_-]*)?(?:been[\s_-]*)?implement(?!ation\s+(?:is\s+)?(?:needed|necessary|required))"
    r"|unimplemented|not[\s_-]+(?:yet[\s_-]+supported"
    r"|supported[\s_-]+yet|done[\s_-]+yet)|\bimplementation\s+(?:missing|pending)|\bto\s+be\s+implemented"
    r"|\bimplement\s+(?:me|this|it|here|later)\b|\bto-?do\b|\bfixme\b|\bxxx\b|\bstub(?:bed)?\b|\bplaceholder\b"
    r"|\bcoming\s+soon\b|\bwork\s+in\s+progress\b|\bwip\b",
    re.IGNORECASE,
)
_PUT_OFF = re.compile(
    r"\bhack\b|\blater\b|\bfor\s+now\b|\bunfinished\b|\btemporar|\byour\s+code\b|\bfill\s+(?:this\s+)?in\b"
    r"|\btbd\b|\b(?:goes|go|belongs)\s+here\b|\bwill\s+be\s+(?:added|done|written|filled)\b",
    re.IGNORECASE,
)
_PROMISE = re.compile(r"\bimplement(?:ed|ation|s)?\b", re.IGNORECASE)
# What accompanies a value that was only put there to have one.
_STANDS_IN = re.compile(
    r"\bfor\s+now\b|\b(?:dummy|mock(?:ed)?|fake|hard-?coded)\s+(?:data|values?|results?|response|implementation|for\b)|\b(?:real|actual|full|proper)\s+(?:implementation|logic)\b"
    r"|\breal\s+(?:app|code|project|system)\w*\b|\blogic\s+(?:goes\s+)?here\b|\bimplement(?:ation)?\s+(?:goes|later|here)\b",
    re.IGNORECASE,
)
# An order to oneself tells what should be done, not why nothing is.
_ORDER = re.compile(
    r"\s*(?:first|then|we\s+(?:need|have|should|must)(?:\s+to)?|need(?:s)?\s+to|should|must|this\s+(?:should|will|must)|add"
    r"|append|apply|authenticate|build|calculate|call|check|clean\s*up|compute|connect|convert|create|delete|display"
    r"|emit|execute|extract|fetch|filter|find|format|generate|get|handle|initiali[sz]e|insert|iterate|load|log|loop|map"
    r"|merge|notify|open|parse|perform|persist|process|publish|push|query|read|register|remove|render|reset|retrieve"
    r"|save|schedule|search|send|set|setup|sort|start|stop|store|sync|transform|update|upload|validate|verify|write)\b",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\b(?:no|not|nothing|none|never|no-?op|without|because|since|so\s+that|already|instead|intentional\w*|deliberate\w*"
    r"|on\s+purpose|unused|ignored?|optional\w*|elsewhere|n't)\b|n't\b",
    re.IGNORECASE,
)
_LEFT_OUT = re.compile(  # left to other classes, or refused for good
    r"\bsub-?class\w*|\b(?:derived|child|concrete|inheriting|deriving|implementing|including)\s+(?:class\w*|type\w*)"
    r"|\babstract\b|\boverr(?:ide|iden|idden|iding)\b|\bmust\s+(?:be\s+)?implement|\bimplemented\s+(?:by|in)\s+(?:the|this)\b"
    r"|(?:\bnot|n't)\s+support|\b(?:should|must|can)(?:\s*not|n't|\s+never)\s+(?:be\s+)?(?:called|invoked|used)\b",
    re.IGNORECASE,
)
_MISSING_NAME = re.compile(r"not_?(?:yet_?)?implemented|unimplemented|\btodo\b", re.IGNORECASE)
_REFUSING = re.compile(r"unsupported_?operation\w*\(\s*\)", re.IGNORECASE)
_PUT_OFF_YET = re.compile(r"\byet\b|\bto-?do\b|\bfixme\b", re.IGNORECASE)
_EXPECTING = re.compile(r"(?:throws|raises|rejects|assert_raise)(?:_\w+)?$", re.IGNORECASE)
_DOES_NOTHING = re.compile(r"^(?:\w*[_$])?(?:no_?op|nop|do_?nothing)(?:_\w+)?$", re.IGNORECASE)
_IS_NOTHING = re.compile(r"^(?:[Nn]o_?[Oo]p|[Nn]op|[Nn]ull|NULL|NOOP)(?=[A-Z_]|$)|(?:No_?[Oo]p|Null)$")
_IS_BASE = re.compile(r"^(?:Abstract|Base)(?=[A-Z_]|$)|(?:Base|Abstract)$")
_UNFINISHED_CALL = re.compile(r"(?:^|[.:])(?:todo|unimplemented)!?$", re.IGNORECASE)
_FAILING_CALL = re.compile(
    r"err|exception|reject|fail|panic|abort|fatal|assert|throw|raise|bail|anyhow|unreachable|\bexit\b|\bdie\b",
    re.IGNORECASE,
)
_PRINTING_CALL = re.compile(
    r"^(?:e?println!|e?print!|dbg!|print(?:ln|f)?|fprintf|f?puts|p|pp|warn|warnings\.warn|console\.\w+|fmt\.F?[Pp]rint\w*"
    r"|(?:std::)?c(?:out|err|log)|echo|print_r|var_dump|error_log|trigger_error|(?:debug|trace)\.\w+|(?:Kernel|\$stdout|\$stderr|STDERR|STDOUT)\.\w+"
    r"|System\.(?:out|err)\.print\w*|(?:[\w$@]+(?:\.|->|::|\?->))*[@$]?\w*log(?:ger|ging)?(?:\(\))?(?:\.|->|::)\w+)$",
    re.IGNORECASE,
)
_TRIVIAL = re.compile(
    r"-?\d[\w.]*|true|false|none|null|nil|nullptr|undefined|void 0|default(?:\(\w*\))?|\[\s*\]|\{\s*\}|\(\s*\)|<>\s*</>"
    r"|\(\s*\{\s*\}\s*\)|Ok\((?:\(\)|None|true|false|\w+::new\(\))\)|(?:Some|Ok)\(\d*\)|Ok\(vec!\[\]\)"
    r"|(?:\w+::)+(?:new|default)\(\)|vec!\[\]|(?:dict|list|set|tuple|array)\(\)|string\.empty"
    r"|Task\.(?:CompletedTask|FromResult(?:<[\w<>?\[\]]+>)?\((?:\w+|\"\")?!?\))|Promise\.resolve\(\w*\)"
    r"|std::nullopt|(?:std::)?\w+(?:<[\w:<>, ]*>)?\{\s*\}|std::\w+(?:<[\w:<>, ]*>)?\(\)"
    r"|&?(?:\[\]|map\[\w+\])?\*?[\w.]+\{\s*\}|Array\.Empty<\w+>\(\)|Enumerable\.Empty<\w+>\(\)|Optional\.empty\(\)"
    r"|\{\s*\}\s+as\s+[\w.<>\[\]| ]+|Collections\.empty\w+\(\)|(?:List|Map|Set)\.of\(\)"
    r"|new\s+\w+(?:<[\w<>, ]*>)?\(\)|new\s+\w+\[0\]",
    re.IGNORECASE,
)

_MARKS = re.compile(r"^\s*(?:/[/*]+!?|\*+(?!/)|#+!?|--+)|\*+/\s*$")
_DIRECTIVE = re.compile(
    r"^\s*(?:type:|noqa|pragma|pylint|ruff:|fmt:|mypy:|pyright:|isort:|eslint|istanbul|prettier|tslint|biome|@ts-"
    r"|nolint|noinspection|c8 |v8 |coverage|cppcheck|clang-|nosonar|nosec|region|endregion|rubocop:|phpcs:|phpstan-"
    r"|@phpstan|@psalm|@codecoverage|resharper|:nocov:|steep:|sorbet)",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"[;{}]\s*$|^\s*[\w.$>-]+\(.*\)\s*$|\s[:+-]?=\s|^\s*(?:return|import|from|if|for|def|fn|func)\b.*(?:[(:=+*]|\w\.\w)"
)
_WORD = re.compile(r"[^\W\d_]{2,}")
_FEWEST_WORDS = 3
_FEWEST_LETTERS = 10
_FEWEST_IDEOGRAMS = 6


def admits_missing(message: str) -> bool:
    """Whether a message says that something is not there yet: "not implemented", "TODO", …"""
    return bool(_MISSING.search(message))


def stands_in(comments: Iterable[str]) -> bool:
    """Whether comments beside a plain value say that it only replaces work."""
    return any(_MISSING.search(text) or _STANDS_IN.search(text) for text in comments)


def is_trivial(value: str) -> bool:
    """Whether an expression is a value that takes no work: a number, nothing, an empty collection."""
    return bool(_TRIVIAL.fullmatch(value))


def leaves_to_others(texts: Iterable[str]) -> bool:
    """Whether a message or a comment says that other classes do the work, or that none ever will."""
    return any(_LEFT_OUT.search(text) and not is_put_off(text) for text in texts)


def is_put_off(text: str) -> bool:
    """Whether a text says that something is still to come: "not yet", "TODO"."""
    return bool(_PUT_OFF_YET.search(text))


def is_named_for_nothing(name: str, holder: str) -> bool:
    """Whether the name of a function or of its class says that it does nothing: `noop`, `NullLogger`."""
    return bool(_DOES_NOTHING.search(name) or _IS_NOTHING.search(holder))


def is_named_for_heirs(holder: str) -> bool:
    """Whether the name of a class says that others derive from it: `BaseAdapter`."""
    return bool(_IS_BASE.search(holder))


def throws_missing(head: str, messages: list[str]) -> bool:
    """Whether a throw is of the "not implemented" kind. `head` is its text without strings.

    An error of the refusing kind ("unsupported operation") that is given a word is a decision, without one it is not.
    """
    if _MISSING_NAME.search(head) or any(map(admits_missing, messages)):
        return True
    return bool(_REFUSING.search(head)) and not messages


def calls_missing(callee: str, head: str, messages: list[str]) -> bool:
    """Whether a call marks missing code: `todo!()`, `panic("TODO")`, `errors.New("not implemented")`, a print."""
    if _UNFINISHED_CALL.search(callee):
        return True
    if _PRINTING_CALL.search(callee) or _PRINTING_CALL.search(callee.partition(" ")[0]):
        return any(map(admits_missing, messages))
    return bool(_FAILING_CALL.search(callee)) and not _EXPECTING.search(callee) and throws_missing(head, messages)


def says_why(comments: Iterable[str]) -> bool:
    """Whether the comments in a body, read as one text, are a sentence that gives a reason.

    At least three words; no tool directive, no code put into a comment, nothing put off to later, and no order to
    oneself that says what should be done here.
    """
    text = _plain(comments)
    if _MISSING.search(text) or _PUT_OFF.search(text):
        return False
    if not _REASON.search(text) and (_ORDER.match(text) or _PROMISE.search(text)):
        return False
    words = _WORD.findall(text)
    letters = sum(map(len, words))
    if sum(character > "\u2e80" for word in words for character in word) >= _FEWEST_IDEOGRAMS:
        return True  # scripts that put no space between words
    return len(words) >= _FEWEST_WORDS and letters >= _FEWEST_LETTERS


def _plain(comments: Iterable[str]) -> str:
    """The comments as one line of prose, without marks, tool directives and code."""
    lines = [_MARKS.sub("", _MARKS.sub("", line)) for comment in comments for line in comment.splitlines()]
    return " ".join(line.strip() for line in lines if not _DIRECTIVE.search(line) and not _CODE.search(line))
