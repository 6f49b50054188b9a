"""The collapse lemma against loops over heads, queries and keys, written as plainly as possible."""

import numpy as np
import pytest
import torch

from tests import tiny
from tlmviz.analysis.caches.projections import heads_of, value_products
from tlmviz.analysis.notation import collapse
from tlmviz.analysis.notation.collapse import EVERY, Between
from tlmviz.layers.positions import alibi_slopes


def turn(vector, position, base):
    """RoPE of one vector by complex numbers, neighbours as pairs."""
    d = len(vector) // 2 * 2
    pairs = vector[0:d:2] + 1j * vector[1:d:2]
    pairs = pairs * np.exp(1j * position * base ** (-np.arange(0, d, 2) / d))
    turned = vector.copy()
    turned[0:d:2], turned[1:d:2] = pairs.real, pairs.imag
    return turned


def plainly(heads, between, base, head=0):
    """Logits by loops, from the factors themselves."""
    shared = heads.like(head) if between.same else heads.refactored(stretch=collapse.STRETCH, head=head)
    slopes = alibi_slopes(len(heads.w_q)).tolist()
    n, count = len(heads.x_q), len(heads.w_q)
    logits = np.zeros((count, n, n))
    for h in range(count):
        q, k = (shared.x_q @ shared.w_q[h]).numpy(), (shared.x_k @ shared.w_k[h]).numpy()
        if between.norm:
            q, k = (x / np.sqrt((x**2).mean(1, keepdims=True)) for x in (q, k))
        for t in range(n):
            for s in range(n):
                a, b = (turn(q[t], t, base), turn(k[s], s, base)) if between.rope else (q[t], k[s])
                logits[h, t, s] = a @ b * heads.scale - between.alibi * slopes[h] * abs(t - s)
    return logits


@pytest.fixture(params=["rope", "latent", "alibi-window", "notes"])
def layer(request, tokenizer):
    lm = tiny.language_model(tokenizer, **tiny.VARIANTS[request.param])
    trace = lm.trace(tiny.TEXT)
    return lm, trace, heads_of(lm, trace, 1).until(7), value_products(lm, 1)


def test_every_combination_is_counted_in_the_order_of_its_switches():
    assert [(b.rope, b.norm, b.alibi, b.same) for b in EVERY] == [
        tuple(bool(i >> place & 1) for place in (3, 2, 1, 0)) for i in range(16)
    ]


def farthest(values):
    """How far the two heads are apart that are farthest from each other, cell by cell."""
    return max(np.abs(one - other).max() for one in values for other in values)


@pytest.mark.parametrize("head", [0, 1])
@pytest.mark.parametrize(
    "between", EVERY, ids=lambda b: "".join(name[0] for name, on in vars(b).items() if on) or "none"
)
def test_logits_maps_and_output_are_those_of_loops(layer, between, head):
    lm, _, heads, values = layer
    base = lm.config.positions.rope_base
    logits = plainly(heads, between, base, head)
    np.testing.assert_allclose(collapse.logits_of(heads, between, base, head).numpy(), logits, atol=1e-6)
    maps, apart = collapse.one_product(heads, values, between, base, head)
    seen = np.tril(np.ones(logits.shape[1:], bool))
    powers = np.where(seen, np.exp(logits - logits.max()), 0)
    plain = powers / powers.sum(-1, keepdims=True)
    np.testing.assert_allclose(maps.numpy(), plain, atol=1e-6)
    x = heads.x_k.numpy()
    every = sum(plain[h] @ x @ values[h].numpy() for h in range(len(plain)))
    single = plain[head] @ x @ values.sum(0).numpy()
    assert apart.output == pytest.approx(np.linalg.norm(every - single) / np.linalg.norm(every), abs=1e-6)
    assert apart.logits == pytest.approx(farthest(logits * seen), abs=1e-6)
    assert apart.maps == pytest.approx(farthest(plain), abs=1e-6)


def test_nothing_between_is_one_head_and_each_switch_ends_it(layer):
    lm, _, heads, values = layer
    found = {b: collapse.one_product(heads, values, b, lm.config.positions.rope_base)[1] for b in EVERY}
    for between, apart in found.items():
        kept = not between.alibi and (between.same or not (between.rope or between.norm))
        assert (apart.output < 1e-9) == (apart.logits < 1e-9) == kept, between


@pytest.mark.parametrize("head", [0, 1])
def test_one_value_without_softmax_is_the_mean_m_and_with_it_is_not(layer, head):
    _, _, heads, values = layer
    plain, exact = collapse.one_value(heads, values, False, head)
    mean = (heads.w_q @ heads.w_k.transpose(1, 2)).mean(0)
    expected = torch.tril(heads.x_q @ mean @ heads.x_k.T * heads.scale)
    torch.testing.assert_close(plain[-1], expected, atol=1e-9, rtol=1e-7)
    torch.testing.assert_close(plain[-2], plain[-1], atol=1e-9, rtol=1e-7)
    assert exact < 1e-9
    soft, missed = collapse.one_value(heads, values, True, head)
    torch.testing.assert_close(soft.sum(-1), torch.ones_like(soft.sum(-1)))
    torch.testing.assert_close(soft[:-2].mean(0), soft[-2])
    reads = heads.x_k @ values[head]
    every = sum(each @ reads for each in soft[:-2])
    assert missed == pytest.approx(float((every - len(values) * soft[-1] @ reads).norm() / every.norm()))
    assert missed > 1e-6


@pytest.mark.parametrize("head", [0, 1])
def test_factors_differ_and_their_product_does_not(layer, head):
    _, _, heads, _ = layer
    other = heads.refactored(stretch=collapse.STRETCH, head=head)
    torch.testing.assert_close(other.products(), heads.like(head).products(), atol=1e-9, rtol=1e-7)
    assert torch.equal(other.w_q[head], heads.w_q[head]) and torch.equal(other.w_k[head], heads.w_k[head])
    rest = [each for each in range(len(other.w_q)) if each != head]
    assert (other.w_q[rest] - other.w_q[head]).abs().amax(dim=(1, 2)).min() > 1e-3
    lengths = other.w_q[rest].norm(dim=(1, 2)) / other.w_q[head].norm()
    assert ((lengths - 1).abs() > 1e-4).all()  # more than a turn


def test_a_layer_as_trained_is_the_models_own(layer):
    lm, trace, _, _ = layer
    found = collapse.collapse(lm, trace, 1, 7)
    for head in range(trace.n_heads):
        scores = trace.scores(1, head)[:7, :7].double()
        torch.testing.assert_close(found.trained[head], collapse.weights(scores), atol=1e-9, rtol=0)
    assert found.maps.shape == (16, trace.n_heads, 7, 7) and found.values.shape == (2, trace.n_heads + 2, 7, 7)
    assert found.apart[EVERY.index(Between())].output < 1e-9 and found.trained_apart > 0
