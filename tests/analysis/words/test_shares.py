"""What parts add to a mean."""

import pytest
import torch

from tlmviz.analysis.words.ngrams import common
from tlmviz.analysis.words.shares import shares


@pytest.mark.parametrize("count", [1, 2, 40])
def test_shares_sum_to_one_and_follow_the_length(count):
    parts = torch.randn(count, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(count))
    found = shares(parts)
    mean = parts.mean(0)
    assert float(found.sum()) == pytest.approx(1)
    by_hand = [float(part @ mean) / float(mean @ mean) / count for part in parts]
    assert found.tolist() == pytest.approx(by_hand)


def test_parts_that_cancel_have_no_share():
    assert shares(torch.tensor([[1.0, 0.0], [-1.0, 0.0]])).tolist() == [0, 0]


def test_spelling_in_common():
    assert common({"a", "b"}, {"b", "c"}) == 1 / 3 and common(set(), set()) == 0
