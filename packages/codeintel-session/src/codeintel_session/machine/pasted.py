"""Tell what a user pasted into a prompt from what they wrote: nobody repeats a log, a trace or a quoted document.

Lines in fences and quoted ones are pasted, and so are lines that only programs write. Others only look so (indented, a
time at the start, a brace at the end): they count as pasted where several follow each other.
"""

import re
from itertools import groupby

MOST_READ = 1000
"""Characters of a line that are looked at."""
LOOKS_PASTED = 3
"""So many lines that look pasted, one after the other, are."""
_FENCED = re.compile(r"^ *(```|~~~)[^\n]*\n.*?(?:^ *\1[^\n]*$|\Z)", re.DOTALL | re.MULTILINE)
_QUOTED = "\n>\n"
_ANNOUNCES = re.compile(
    r"(?:^|(?<=[.!?;] ))[^.!?;]{0,200}"
    r"\b(?:logs?|trace(?:back)?s?|outputs?|messages?|mails?|below|here(?:'s)?|says?|said|wrote)\b[^.!?;]{0,200}:$",
    re.IGNORECASE,
)
"""A last sentence such as "Here is the log of yesterday:"."""
_CERTAIN = re.compile(
    r"[ \t]*>(?!=)"  # quoted
    r"|\W{0,3}\d{4}[-/]\d\d[-/]\d\d[T ]+\d\d:\d\d"
    r"|Traceback \(most recent call last\):"
    r"|[ \t]*File \".+\", line \d+"
    r"|[ \t]+at .+[:(].*\d\)?$"  # a frame of Java or JavaScript
)
_LIKELY = re.compile(
    r"(?:\t| {4})[ \t]*(?![-*+] |\d+[.)] )\S"  # indented, and no item of a list
    r"|\W{0,3}\d\d:\d\d\b"
    r"|\W{0,3}\d{4}-\d\d-\d\d\b"
    r"|\W{0,3}(?:ERROR|WARN(?:ING)?|INFO|DEBUG|TRACE|FATAL|CRITICAL|FAILED|PASSED|SKIPPED|XFAIL)\b"
    r"|[\w.]*(?:Error|Exception|Warning)\b(?::|$)"
    r"|E {3,}|[=_~#*-]{3,}|\$ |>>> |[-+@]{2,3} "
    r"|[\w./\\-]+\.\w+(?::|\()\d+"  # a place in a file
    r"|.*(?:[{}]|\)[;:])$"
)


def own_words(text: str) -> str:
    """Return a prompt without what was pasted into it, and without what only announces that."""
    lines = [line.rstrip() for line in _FENCED.sub(_QUOTED, text).splitlines() if line.strip()]
    own: list[str] = []
    for looks, run in groupby(lines, key=_looks_pasted):
        some = list(run)
        sure = [line for line in some if _CERTAIN.match(line[:MOST_READ])]
        if own and looks and (sure or len(some) >= LOOKS_PASTED):
            own[-1] = _ANNOUNCES.sub("", own[-1])
        if not looks or len(some) < LOOKS_PASTED:
            own += [line for line in some if line not in sure]
    return "\n".join(own)


def _looks_pasted(line: str) -> bool:
    return bool(_CERTAIN.match(line[:MOST_READ]) or _LIKELY.match(line[:MOST_READ]))
