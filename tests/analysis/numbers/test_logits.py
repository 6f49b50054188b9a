"""Variances of scores, spreads of logits and directions of embeddings, against plain computations."""

from itertools import combinations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import entropy

import tlmviz
from tests import tiny
from tlmviz.analysis.numbers import logits
from tlmviz.errors import BadText


@pytest.fixture(scope="module")
def lm():
    return tlmviz.load("zoo-rope")


@pytest.fixture(scope="module")
def trace(lm):
    return lm.trace(tiny.TEXT)


@given(seed=st.integers(0, 1000), size=st.integers(1, 6), length=st.integers(3, 12))
@settings(max_examples=25, deadline=None)
def test_the_curve_is_the_mean_over_all_choices_of_dimensions(seed, size, length):
    rng = np.random.default_rng(seed)
    q, k = rng.standard_normal((2, length, size))
    found = logits.growth(torch.tensor(q), torch.tensor(k))
    products = np.array([q[t] * k[s] for t in range(length) for s in range(t + 1)])
    for d in range(1, size + 1):
        every = [products[:, list(chosen)].sum(1).var(ddof=1) for chosen in combinations(range(size), d)]
        assert found.by_dimensions()[d - 1] == pytest.approx(np.mean(every))
    assert found.pairs == length * (length + 1) // 2
    assert found.variance == pytest.approx(products.sum(1).var(ddof=1))


def test_independent_products_grow_with_their_number_and_equal_ones_with_its_square():
    rng = torch.Generator().manual_seed(0)
    q, k = torch.randn(2, 400, 16, generator=rng)
    assert logits.growth(q, k).pull == pytest.approx(1, abs=0.05)
    alike = torch.randn(60, 1, generator=rng).expand(-1, 16)
    assert logits.growth(alike, alike).pull == pytest.approx(16)


def test_pairs_are_causal_and_bounded():
    queries, keys = logits.causal_pairs(1000)
    assert len(queries) == logits.MOST_PAIRS and bool((keys <= queries).all())
    assert int(queries.max()) == 999 and int(queries.min()) == 0
    with pytest.raises(BadText, match="2 tokens, too few"):
        logits.causal_pairs(2)


def test_trained_heads_pull_together_and_untrained_ones_do_not(lm, trace):
    raw = logits.untrained(lm)
    trained = [head.pull for layer in logits.all_growths(trace) for head in layer]
    before = [head.pull for layer in logits.all_growths(raw.trace(tiny.TEXT)) for head in layer]
    assert len(trained) == len(before) == 32
    assert np.median(before) == pytest.approx(1, abs=0.1)
    assert np.median(trained) > 1.4


def test_untrained_models_are_the_same_each_time_and_leave_the_random_state_alone(lm):
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    one, other = logits.untrained(lm), logits.untrained(lm)
    assert torch.equal(torch.rand(1), expected)
    assert torch.equal(one.network.token_emb.weight, other.network.token_emb.weight)
    assert not torch.equal(one.network.token_emb.weight, lm.network.token_emb.weight)


def test_softness_by_scipy(trace):
    scores = trace.scores(1, 2, "dot")
    d = 16
    for row in logits.softness(scores, (1, d**0.5, d)):
        weights = [
            np.exp(line - line.max()) / np.exp(line - line.max()).sum()
            for line in (scores[t, : t + 1].double().numpy() / row.divisor for t in range(1, len(scores)))
        ]
        assert row.entropy == pytest.approx(np.mean([entropy(w, base=2) for w in weights]))
        assert row.largest == pytest.approx(np.mean([w.max() for w in weights]))
        assert row.slope == pytest.approx(np.mean([(w * (1 - w)).sum() for w in weights]))
    own = logits.softness(scores, (d**0.5,))[0]
    weights = trace.attention(1, 2).double()[1:]
    assert own.largest == pytest.approx(float(weights.amax(-1).mean()), rel=1e-4)  # what the model itself does


def test_the_spread_of_logits(lm, trace):
    found = logits.spread(lm, trace)
    every = trace.logits.double()
    np.testing.assert_allclose(found.measured, every.std(-1), rtol=1e-4)
    x = trace["normed"].double().reshape(len(trace), -1)
    np.testing.assert_allclose(found.rms, np.sqrt((x.numpy() ** 2).mean(1)))
    assert found.width == 128 and found.sigma == pytest.approx(float(lm.network.head.weight.std()), rel=1e-5)
    raw = logits.untrained(lm)
    before = logits.spread(raw, raw.trace(tiny.TEXT))
    assert before.measured.mean() == pytest.approx(before.predicted.mean(), rel=0.05)
    assert found.measured.mean() > 1.3 * found.predicted.mean()


def test_the_loss_by_divisor(trace):
    found = logits.loss_by_divisor(trace, [1.0, 3.0])
    assert found[0] == pytest.approx(float(trace.loss_per_token().mean() / np.log(2)), rel=1e-5)
    tempered = torch.nn.functional.cross_entropy(trace.logits[:-1] / 3, torch.tensor(trace.ids[1:]))
    assert found[1] == pytest.approx(float(tempered / np.log(2)), rel=1e-5)


def test_one_token_predicts_nothing(lm):
    with pytest.raises(BadText, match="predicts|predict"):
        logits.loss_by_divisor(lm.trace_ids([3]), [1.0])


def test_isotropy_by_numpy():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((60, 5)) + np.array([2.0, 0, 0, 0, 0])
    found = logits.isotropy(torch.tensor(rows))
    _, values, axes = np.linalg.svd(rows, full_matrices=False)
    np.testing.assert_allclose(found.shares, values**2 / (values**2).sum())
    np.testing.assert_allclose(np.abs(found.points), np.abs(rows @ axes[:2].T), atol=1e-9)
    units = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    upper = (units @ units.T)[np.triu_indices(60, 1)]
    np.testing.assert_allclose(np.sort(found.cosines), np.sort(upper))
    z = np.exp(rows @ np.vstack([axes, -axes]).T).sum(0)
    assert found.partition == pytest.approx(z.min() / z.max())
    centred = logits.isotropy(torch.tensor(rows), centred=True)
    assert abs(centred.mean_cosine) < 0.1 < found.mean_cosine
    assert centred.shares.sum() == pytest.approx(1) and centred.axes_for(1.0) == 5 and found.axes_for(0.1) == 1


def test_a_large_vocabulary_is_sampled():
    rows = torch.randn(9000, 4, generator=torch.Generator().manual_seed(0))
    found = logits.isotropy(rows)
    assert len(found.points) == logits.MOST_ROWS and len(found.cosines) == logits.MOST_PAIRS
    assert int(logits.sampled(9000)[-1]) == 8999


def test_coordinates(trace):
    x = trace["normed"].double().reshape(len(trace), -1).numpy()
    np.testing.assert_allclose(logits.coordinates(trace), np.sqrt((x**2).mean(0)))
