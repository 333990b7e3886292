"""The ranking works on arrays; here it is written out for one candidate after another, and both give the same order."""

from collections import defaultdict

import numpy as np
import pytest

from codeintel_index.search.query import Query
from codeintel_index.search.ranking import TOP_LINES, Evidence, fuse, gather_files, lay_out
from codeintel_index.search.weights import WEIGHTS
from codeintel_index.store.chunks import Chunks

SOME = 60


def evidence_of(chance: np.random.Generator) -> Evidence:
    """Candidates of some files, many with equal scores or none."""
    rows = [(at, int(chance.integers(1, 9)), int(chance.integers(1, 30)), 90, at % 2, 5) for at in range(SOME)]
    packed = np.array(rows, np.int64).tobytes()
    chunks = Chunks([(1, packed)], {file: f"lib/{9 - file}.py" for file in range(1, 9)})
    scores = chance.integers(0, 4, (2, SOME)).astype(np.float64) * chance.integers(0, 2)
    return Evidence(Query("some words"), chunks, chance.permutation(SOME), scores[0] * 2, scores[1] / 3)


def one_by_one(evidence: Evidence, worth: list[float]) -> list[tuple[int, float]]:
    """The chunks, best first, and their scores."""
    lexical, dense = evidence.lexical.tolist(), evidence.dense.tolist()
    share = WEIGHTS.dense if max(dense) > 0 else 0.0
    scores = [
        (1 - share) * (one / max(lexical) if max(lexical) else 0.0) + (share * other / max(dense) if share else 0.0)
        for one, other in zip(lexical, dense, strict=True)
    ]
    starts = evidence.chunks.start[evidence.numbers].tolist()
    files: defaultdict[str, list[int]] = defaultdict(list)
    for at, number in enumerate(evidence.numbers):
        files[evidence.chunks.paths[int(evidence.chunks.file[number])]].append(at)
    means = {
        path: sum(((1 + WEIGHTS.head * (starts[at] <= TOP_LINES)) * scores[at]) ** WEIGHTS.gather for at in found)
        ** (1 / WEIGHTS.gather)
        for path, found in files.items()
    }
    ranked = []
    for path, found in files.items():
        first, *others = sorted(found, key=lambda at: (-worth[at], -scores[at], starts[at]))
        best = means[path] / (max(means.values()) or 1.0)
        ranked.append((best, path, first))
        for nth, at in enumerate(others, 1):
            own = min(1.0, scores[at] / scores[first]) if scores[first] > 0 else 0.0
            ranked.append((best * WEIGHTS.variety**nth * own, path, at))
    ranked.sort(key=lambda each: (-each[0], each[1], starts[each[2]]))
    return [(int(evidence.numbers[at]), score) for score, _, at in ranked]


@pytest.mark.parametrize("seed", range(8))
def test_arrays_order_chunks_as_a_loop_over_them_does(seed: int) -> None:
    chance = np.random.default_rng(seed)
    evidence = evidence_of(chance)
    scores = fuse(evidence, WEIGHTS)
    files = gather_files(evidence, scores, WEIGHTS)
    files.worth[:] = chance.integers(0, 2, SOME) * chance.integers(0, 2)
    ranked = lay_out(evidence, files, scores, WEIGHTS)
    wanted = one_by_one(evidence, files.worth.tolist())
    assert ranked.scores.tolist() == pytest.approx([score for _, score in wanted])
    same = [score for _, score in wanted]
    for score in set(same):  # of equal scores, path and line decide, and of equal ones of these nothing
        places = [at for at, each in enumerate(same) if each == score]
        assert {wanted[at][0] for at in places} == {int(ranked.numbers[at]) for at in places}
