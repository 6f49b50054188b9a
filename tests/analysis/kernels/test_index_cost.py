"""Products counted pair by pair."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tlmviz.analysis.kernels.index_cost import DEEPSEEK, DEEPSEEK_KEYS, Sizes, products
from tlmviz.errors import BadShape

small = st.integers(1, 6)


@given(st.integers(1, 20), st.integers(1, 25), small, small, small, small, small)
def test_products(length, k, heads, key, value, index_heads, index_dim):
    dense = index = chosen = 0
    for query in range(length):
        seen = query + 1
        dense += seen * heads * (key + value)
        index += sum(index_dim + 1 for _ in range(seen) for _ in range(index_heads))
        chosen += min(k, seen) * heads * (key + value)
    found = products(Sizes(heads, key, value, index_heads, index_dim), length, k)
    assert (found.dense, found.index, found.chosen) == (dense, index, chosen)
    assert found.share == pytest.approx((index + chosen) / dense)


def test_deepseek_at_its_whole_context():
    """At 131,072 tokens an indexed layer takes about a tenth; the indexer itself twice as much as the chosen keys."""
    found = products(DEEPSEEK, 131_072, DEEPSEEK_KEYS)
    assert found.share == pytest.approx(0.09, abs=0.005)
    assert found.index / found.chosen == pytest.approx(1.91, abs=0.02)


def test_nothing_is_refused():
    with pytest.raises(BadShape, match="0 tokens"):
        products(DEEPSEEK, 0, 4)
