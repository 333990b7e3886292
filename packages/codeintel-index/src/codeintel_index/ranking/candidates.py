"""From chunks with two scores to files with one, and back to chunks in the order in which they are shown."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from codeintel_index.query import Query
from codeintel_index.ranking.weights import Weights
from codeintel_index.store.reader import Place, Standing

TOP_LINES = 3  # a chunk that begins so high is the head of its file


@dataclass(slots=True)
class Candidate:
    """A chunk on its way through the ranking.

    `defines` are the symbols (name, kind) in it that the query names, `worth` what that counts for.
    """

    place: Place
    lexical: float = 0.0
    dense: float = 0.0
    score: float = 0.0
    defines: tuple[tuple[str, str], ...] = ()
    worth: float = 0.0


@dataclass(slots=True)
class File:
    """A file on its way through the ranking."""

    path: str
    chunks: list[Candidate]
    score: float = 0.0


def _no_standing(_: Sequence[str]) -> Mapping[str, Standing]:
    return {}


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that the ranking may look at. `rarity` is how much a term of the query tells; `standing` asks the index."""

    query: Query
    candidates: Sequence[Candidate]
    rarity: Mapping[str, float] = field(default_factory=dict)
    standing: Callable[[Sequence[str]], Mapping[str, Standing]] = _no_standing


def fused(evidence: Evidence, weights: Weights) -> None:
    """Give each candidate its score, 0..1: both scores as shares of the best one, weighted."""
    share = weights.dense
    best_lexical = max((each.lexical for each in evidence.candidates), default=0.0)
    best_dense = max((each.dense for each in evidence.candidates), default=0.0)
    if best_dense <= 0:
        share = 0.0
    for each in evidence.candidates:
        lexical = each.lexical / best_lexical if best_lexical > 0 else 0.0
        each.score = (1 - share) * lexical + (share * max(0.0, each.dense) / best_dense if share else 0.0)


def gathered(evidence: Evidence, weights: Weights) -> list[File]:
    """The files of the candidates. A file is as good as the power mean of its chunks; the best file has 1."""
    chunks: defaultdict[str, list[Candidate]] = defaultdict(list)
    for each in evidence.candidates:
        chunks[each.place.path].append(each)
    files = [File(path, found, _power_mean(found, weights)) for path, found in chunks.items()]
    best = max((file.score for file in files), default=0.0) or 1.0
    for file in files:
        file.score /= best
    return files


def _power_mean(chunks: Iterable[Candidate], weights: Weights) -> float:
    total = 0.0
    for each in chunks:
        head = 1 + weights.head * (each.place.start_line <= TOP_LINES)
        total += (head * each.score) ** weights.gather
    return float(total ** (1 / weights.gather))


def laid_out(files: Iterable[File], weights: Weights) -> list[Candidate]:
    """All chunks, best first: a file's best chunk has the file's score, the ones after it ever smaller shares."""
    ranked: list[Candidate] = []
    for file in files:
        chunks = sorted(file.chunks, key=lambda each: (-each.worth, -each.score, each.place.start_line))
        best = chunks[0].score
        for at, each in enumerate(chunks):
            own = min(1.0, each.score / best) if at and best > 0 else float(at == 0)
            each.score = file.score * weights.variety**at * own
        ranked += chunks
    ranked.sort(key=lambda each: (-each.score, each.place.path, each.place.start_line))
    return ranked
