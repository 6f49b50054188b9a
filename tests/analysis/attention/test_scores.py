"""The terms of one score add up to it."""

import pytest

from tests import tiny
from tlmviz.analysis.attention.scores import products_of


@pytest.mark.parametrize("positions", ["rope", "relative"])
def test_the_products_add_up_to_the_score(tokenizer, positions):
    model = tiny.language_model(tokenizer, positions=positions, relative_distance=5, n_kv_heads=2)
    trace = model.trace(tiny.TEXT)
    scores = trace.scores(1, 3, "scaled")
    for query, key in ((len(trace) - 1, 0), (6, 2), (6, 1), (4, 4), (1, len(trace) - 1)):
        products = products_of(trace, 1, 3, query, key)
        assert products.shape == (model.config.head_dim,)
        assert products.sum() == pytest.approx(scores[query, key].item(), abs=1e-4)
