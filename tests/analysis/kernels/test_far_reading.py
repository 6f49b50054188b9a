"""Heads that read far, against a plain search of the whole map."""

import numpy as np
import pytest

from tests import tiny
from tlmviz.analysis.kernels import far_reading as far
from tlmviz.analysis.kernels.long_context import survey


@pytest.fixture(scope="module")
def trace(tokenizer):
    lm = tiny.language_model(tokenizer, context=512)
    return lm.trace("Tom saw a big dog and Anna saw a cat. " * 14)


def test_the_query_is_that_of_the_largest_far_weight(trace):
    picture = trace.pooled(0, 1, 32).numpy()
    query = far.farthest_look(trace, 0, 1, picture)
    whole, bins = trace.attention(0, 1).numpy(), far._far(32, len(trace))
    edge = np.arange(len(trace)) * 32 // len(trace)
    masked = np.where(bins[edge][:, edge], whole, -1)
    assert masked[query].max() == pytest.approx(masked.max(), rel=1e-5)
    assert query - int(masked[query].argmax()) >= far.FAR


def test_far_bins_hold_only_far_cells(trace):
    n, length = 32, len(trace)
    for row, col in np.argwhere(far._far(n, length)):
        assert row * length // n - (-(-(col + 1) * length // n) - 1) >= far.FAR and col > 0


@pytest.mark.parametrize("rows", [None, slice(3, None, 7)])
def test_heads_are_measured_by_the_largest_far_weight_of_each_query(trace, rows):
    at = range(len(trace))[rows or slice(None)]
    for head, value in enumerate(survey(trace, 0, 512, rows=rows).far):
        weights = trace.attention(0, head).numpy()
        assert value == pytest.approx(np.mean([weights[t, 1 : t - 63].max() for t in at if t > 64]), rel=1e-4)


def test_short_texts_have_no_far_tokens(tokenizer):
    trace = tiny.language_model(tokenizer).trace("Tom saw a dog.")
    size = min(32, len(trace))
    assert far.farthest_look(trace, 0, 0, trace.pooled(0, 0, size).numpy()) is None
    assert not survey(trace, 0, 512).far.any()
