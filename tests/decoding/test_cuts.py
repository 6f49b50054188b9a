"""What sampling cuts off, against the filters written out."""

import pytest
import torch

from tlmviz.decoding.cuts import cut, drawn
from tlmviz.decoding.sampling import Sampling

P = torch.tensor([0.1, 0.4, 0.05, 0.3, 0.15])


def test_each_cut_counts_what_its_filter_leaves():
    cuts = cut(P.log(), Sampling(top_k=4, top_p=0.8, min_p=0.5))
    assert cuts.before.tolist() == pytest.approx(P.tolist())
    assert cuts.top_k == 4  # all but 0.05
    assert cuts.top_p == 3  # 0.4 + 0.3 are 0.737 of what top-k left, which is not yet 0.8
    assert cuts.least == pytest.approx(0.2)
    assert cuts.after.tolist() == pytest.approx([0, 4 / 7, 0, 3 / 7, 0])
    assert cuts.kept == 2 and cuts.mass == pytest.approx(0.7)


def test_without_filters_nothing_is_cut():
    cuts = cut(P.log(), Sampling(temperature=0.5))
    assert (cuts.top_k, cuts.top_p, cuts.least) == (None, None, None)
    assert cuts.after.tolist() == pytest.approx((P**2 / (P**2).sum()).tolist()) and cuts.mass == pytest.approx(1)


def test_at_temperature_zero_one_token_is_left():
    cuts = cut(P.log(), Sampling(temperature=0.0, top_k=3))
    assert cuts.kept == 1 and cuts.after.argmax() == 1


def test_a_seed_draws_the_same_token_behind_the_same_text():
    logits = torch.zeros(1000)
    tokens = [drawn(logits, Sampling(), seed, length) for seed in (0, 1) for length in range(20)]
    assert tokens == [drawn(logits, Sampling(), seed, length) for seed in (0, 1) for length in range(20)]
    assert len(set(tokens)) > 30
    assert all(drawn(P.log(), Sampling(top_k=2), seed, 5) in (1, 3) for seed in range(50))
