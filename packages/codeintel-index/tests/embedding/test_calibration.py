"""A score means the same under every model, so the Map answers alone under none that only guesses."""

from collections.abc import Sequence

import numpy as np
import pytest

from codeintel_index.embedding.calibration import NEAR_MISSES, SAME, SURE, calibrate, similarities
from codeintel_index.embedding.models import Vectors, normalized
from codeintel_index.embedding.static import StaticEmbedder


class Warm(StaticEmbedder):
    """The same model seen through another pair of glasses: all its vectors lean to one side, as those of e5 do."""

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        vectors = np.asarray(super().embed_queries(texts))
        return normalized(np.hstack([vectors, np.full((len(texts), 1), 2.0, dtype=np.float32)]))


@pytest.mark.parametrize("model", [StaticEmbedder(), Warm()], ids=["plain", "warm"])
def test_the_shipped_pairs_score_as_the_scale_says(model: StaticEmbedder) -> None:
    scale = calibrate(model)
    same = [scale.score(each) for each in similarities(model, SAME)]
    missed = [scale.score(each) for each in similarities(model, NEAR_MISSES)]
    assert sum(score > SURE for score in missed) <= len(missed) / 10 + 1
    assert sum(score >= SURE for score in same) >= len(same) / 3
    assert np.median(same) > np.median(missed) + 0.1


def test_two_models_that_differ_only_in_warmth_give_the_same_scores() -> None:
    plain, warm = StaticEmbedder(), Warm()
    pairs = (("find the user by name", "look up a user by name"), ("find the user by name", "draw a red line"))
    cold_scores = [calibrate(plain).score(each) for each in similarities(plain, pairs)]
    warm_scores = [calibrate(warm).score(each) for each in similarities(warm, pairs)]
    assert np.allclose(cold_scores, warm_scores, atol=0.02)
    assert cold_scores[0] > 0.5 > 0.2 > cold_scores[1]


def test_the_same_text_scores_one_and_less_than_chance_nothing() -> None:
    scale = calibrate(StaticEmbedder())
    assert (scale.score(1.0), scale.score(scale.sure), scale.score(scale.chance), scale.score(-1)) == (1, SURE, 0, 0)
