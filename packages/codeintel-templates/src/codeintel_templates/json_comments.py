"""JSON with comments, as VS Code reads it, made plain JSON of the same length: every place in it stays where it was.

Comments and trailing commas become blanks, so that what is found in the plain text can be changed in the user's.
"""

import re

_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\r\n]*|/\*[\s\S]*?\*/')
_TRAILING = re.compile(r'"(?:[^"\\\n]|\\.)*"|,(?=[ \t\r\n]*[}\]])')


def without_comments(text: str) -> str:
    """Return the text with blanks for comments, also for the line ends inside them."""
    return _TOKEN.sub(lambda found: found[0] if found[0][0] == '"' else " " * len(found[0]), text)


def plain(text: str) -> str:
    """Return the text with blanks for comments and trailing commas."""
    return _TRAILING.sub(lambda found: found[0] if found[0][0] == '"' else " ", without_comments(text))
