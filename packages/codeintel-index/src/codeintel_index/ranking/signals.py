"""The signals: each looks at the evidence and changes the scores of files. A signal is a function and a row."""

import math
from collections.abc import Callable, Mapping

from codeintel_index.kinds import kind_of
from codeintel_index.ranking.candidates import Candidate, Evidence, File
from codeintel_index.ranking.names import likeness, stem_of
from codeintel_index.ranking.weights import PENALTIES, Weights

_TYPES = "class enum interface module namespace object protocol record struct trait type union"
TYPES = frozenset(_TYPES.split(" "))
LIKE_FILE = 1.5  # the file bears the symbol's name
OTHER_CASE = 0.3  # the symbol is spelled in another case than in the query
OTHER_KIND = 0.5  # a query in capitals names a type, and this is none
LOOKED_UP = 24  # best files that the index is asked about
MANY_USERS = 64

Signal = Callable[[list[File], Evidence, Weights], None]


def definition(files: list[File], evidence: Evidence, weights: Weights) -> None:
    """The file that defines what the query names: decisive where the query is a name, some help in a sentence."""
    for file in files:
        for each in file.chunks:
            each.worth = _worth(each, evidence, weights) if each.defines else 0.0
        file.score += max(each.worth for each in file.chunks)


def _worth(candidate: Candidate, evidence: Evidence, weights: Weights) -> float:
    whole = stem_of(candidate.place.path)[:1]
    return max(
        _trust(name, kind, evidence, weights) * (LIKE_FILE if whole == (_flat(name),) else 1.0)
        for name, kind in candidate.defines
    )


def _trust(name: str, kind: str, evidence: Evidence, weights: Weights) -> float:
    query = evidence.query
    case = 1.0 if name in query.names or name in query.types else OTHER_CASE
    if not query.is_name:
        return case * weights.named * _telling(name, evidence.rarity)
    of_kind = OTHER_KIND if query.text.strip()[:1].isupper() and kind not in TYPES else 1.0
    return case * of_kind * (weights.definition if query.is_symbol else weights.definition / 2)


def _telling(name: str, rarity: Mapping[str, float]) -> float:
    """How much a name in a sentence tells beside the other words: the project's own, in every file, tells little."""
    most = max(rarity.values(), default=0.0)
    return rarity.get(_flat(name), most) / most if most > 0 else 1.0


def _flat(name: str) -> str:
    return name.replace("_", "").lower()


def stem(files: list[File], evidence: Evidence, weights: Weights) -> None:
    """Words of a sentence that are words of the file's name, by how much they tell."""
    if evidence.query.is_symbol:
        return
    for file in files:
        file.score += weights.stem * likeness(stem_of(file.path), evidence.rarity, weights.near)


def popularity(files: list[File], evidence: Evidence, weights: Weights) -> None:
    """A file whose definitions many files use answers more questions than one that nobody needs."""
    if not weights.popularity:
        return
    best = sorted(files, key=lambda each: -each.score)[:LOOKED_UP]
    standing = evidence.standing([each.path for each in best])
    for file in best:
        if file.path in standing:
            users = min(MANY_USERS, standing[file.path].users)
            file.score += weights.popularity * math.log1p(users) / math.log1p(MANY_USERS)


def penalties(files: list[File], evidence: Evidence, weights: Weights) -> None:
    """Tests, examples, generated files and the like come after the code itself, unless the query asks for them."""
    for file in files:
        kind = kind_of(file.path)
        if kind in PENALTIES and not evidence.query.asks_for(kind) and not _defines_something(file, kind):
            file.score *= PENALTIES[kind] ** weights.penalties


def _defines_something(file: File, kind: str) -> bool:
    """Whether a file that could be one of re-exports only has code of its own after all."""
    return kind == "reexport" and any(each.place.symbol for each in file.chunks)


SIGNALS: tuple[Signal, ...] = (definition, stem, popularity, penalties)
