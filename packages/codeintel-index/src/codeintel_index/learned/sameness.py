"""What similarity cannot tell: whether a question is the one learned, and a symbol the one it was learned of.

Questions in the same words may ask for another thing (`convert json to objects`), and a name may be given to new code.
Both are decided by words alone, without a model, and both ways doubt means no: the code is then searched as always.
"""

import re

from codeintel_index.tokens import fold, tokens

MOST_MARKS = 60
STILL_HERE = 0.5
"""Share of its marks that a definition must have kept to be the same one, in the file it was learned in."""
SAME_ELSEWHERE = 0.8
"""... and in another file, where only a move explains it."""

_WORD = re.compile(r"\w+")
_TURNING_WORDS = "not no never without except unless instead only"
_PLACING_WORDS = "to into from before after than over under with"
_FILLING_WORDS = """
a an and are as at be by can code do does for has have how i in is it its me my of on or our please should so some that
the their them then there these they this was we were what when where which who why will would you your
"""
_SYNTAX_WORDS = """
abstract any async await bool boolean break case catch char class const continue def default delete do double elif else
end enum except export extends false final finally float fn func function go if implements import in int interface is
lambda let long match mut new nil none null number object package pass private protected pub public raise return self
short static str string struct super switch this throw throws true try type union val var void while with yield
"""
_TURNING, _PLACING = frozenset(_TURNING_WORDS.split()), frozenset(_PLACING_WORDS.split())
_FILLING, _SYNTAX = _PLACING | frozenset(_FILLING_WORDS.split()), frozenset(_SYNTAX_WORDS.split())


def asks_the_same(query: str, term: str, known: str) -> bool:
    """Whether a question adds nothing to the learned one that its symbol (`known`: name, path and text) has not.

    Negations must be the same in both, and what follows a preposition must not have another role in the other.
    """
    asked, learned = _folded(query), _folded(term)
    if asked - learned - {fold(each) for each in tokens(known)}:
        return False
    return _turns(query) == _turns(term) and not _is_turned_around(query, term)


def marks(name: str, text: str) -> tuple[str, ...]:
    """The words that tell a definition from others, without its own name and the syntax around them; at most 60."""
    found = dict.fromkeys(fold(each) for each in tokens(text) if each not in _SYNTAX)
    own = {fold(each) for each in tokens(name)}
    return tuple(sorted([each for each in found if each not in own and not each.isdigit()][:MOST_MARKS]))


def kept(known: tuple[str, ...], text: str) -> float:
    """Share of the marks that a definition still has, 0..1; 1 where it never had any."""
    now = {fold(each) for each in tokens(text)}
    return sum(each in now for each in known) / len(known) if known else 1.0


def _folded(text: str) -> set[str]:
    return {fold(each) for each in tokens(text) if each not in _FILLING}


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _turns(text: str) -> set[str]:
    return set(_words(text)) & _TURNING


def _is_turned_around(query: str, term: str) -> bool:
    """`a to b` against `b to a`, or `before a` against `after a`."""
    one, other = _places(query), _places(term)
    differing = [(one[word], other[word]) for word in one.keys() & other.keys() if one[word] != other[word]]
    return len(differing) > 1 or any(all(pair) for pair in differing)


def _places(text: str) -> dict[str, str]:
    """For each telling word the preposition before it, "" if none is."""
    found: dict[str, str] = {}
    place = ""
    for word in _words(text):
        if word in _PLACING:
            place = "to" if word == "into" else word
        elif word not in _FILLING:
            found.setdefault(fold(word), place)
    return found
