"""How similar two questions are, 0..1, and what similarity cannot decide.

0.7 means for every model that nine in ten near misses are less similar (see `embedding.calibration`); without a model
the shared words are counted, strictly. Questions in the same words may ask for different things (`convert json to
objects`), and a name may be given to new code. Words alone decide both, and in doubt they decide against it: the code
is then searched.
"""

import re
from collections.abc import Mapping, Sequence

from codeintel_index.errors import DenseUnavailable
from codeintel_index.text.tokens import fold, query_terms, tokens
from codeintel_index.vectors.dense import Dense

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


def is_same_question(query: str, term: str, known: str) -> bool:
    """Whether a question adds nothing to the learned one that its symbol (`known`: name, path and text) has not.

    Negations must be the same in both, and what follows a preposition must not have another role in the other.
    """
    asked, learned = _folded(query), _folded(term)
    if asked - learned - {fold(each) for each in tokens(known)}:
        return False
    return _turns(query) == _turns(term) and not _is_turned_around(query, term)


def marks(name: str, text: str) -> tuple[str, ...]:
    """Collect the words that tell a definition from others, without its own name and syntax; at most 60."""
    found = dict.fromkeys(fold(each) for each in tokens(text) if each not in _SYNTAX)
    own = {fold(each) for each in tokens(name)}
    return tuple(sorted([each for each in found if each not in own and not each.isdigit()][:MOST_MARKS]))


def kept(known: tuple[str, ...], text: str) -> float:
    """Compute the share of marks that a definition still has, 0..1; 1 where it never had any."""
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


NEIGHBOURS = 50


def most_similar(dense: Dense, known: Mapping[str, str], query: str) -> list[tuple[str, float]]:
    """Find the most similar questions with their scores: by Chroma, else by the model, else by words."""
    try:
        return [(key, dense.calibration.score(near)) for key, near in dense.nearest_questions(known, query, NEIGHBOURS)]
    except DenseUnavailable:
        keys = list(known)
        scores = likeness(dense, [query], [known[key] for key in keys])[0]
        return list(zip(keys, scores, strict=True))


def likeness(dense: Dense, texts_a: Sequence[str], texts_b: Sequence[str]) -> list[list[float]]:
    """Score every text of `a` (rows) with every text of `b`."""
    try:
        product = dense.embed_queries(list(texts_a)) @ dense.embed_queries(list(texts_b)).T
        return [[dense.calibration.score(float(each)) for each in row] for row in product]
    except DenseUnavailable:
        words = [_folded_terms(text) for text in texts_b]
        return [[_shared(_folded_terms(text), others) for others in words] for text in texts_a]


def _folded_terms(text: str) -> set[str]:
    return {fold(term) for term in query_terms(text)}


def _shared(one: set[str], other: set[str]) -> float:
    return len(one & other) / max(1, len(one | other))
