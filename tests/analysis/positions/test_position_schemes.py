"""Position schemes side by side against plain recomputation, on random models of each scheme."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests import tiny
from tlmviz.analysis.positions import position_schemes as schemes
from tlmviz.errors import BadText
from tlmviz.layers.positions import alibi_slopes

ALL = list(schemes.ORDER)
LENGTH = 60


@pytest.fixture(scope="module")
def models(tokenizer):
    return {kind: tiny.language_model(tokenizer, positions=kind, relative_distance=8) for kind in ALL}


def ids(count=LENGTH):
    return [(7 * i * i + 3 * i) % 300 for i in range(count)]


def test_the_zoo_has_every_scheme_once_and_nothing_else_differs():
    import tlmviz

    found = schemes.families()
    assert list(found) == ALL and found["rope"] == "zoo-rope"
    configs = [tlmviz.load(name).config for name in found.values()]
    assert len({repr(config.with_(name="", description="", positions="rope")) for config in configs}) == 1


def test_without_models_there_are_no_families(monkeypatch):
    monkeypatch.setattr(schemes, "list_models", lambda task: {})
    assert schemes.families() == {}


@pytest.mark.parametrize(
    "kind, rows, columns, shape",
    [
        ("learned", "dimension", "position", (32, LENGTH)),
        ("sinusoidal", "dimension", "position", (32, LENGTH)),
        ("relative", "dimension", "distance", (8, 8)),
        ("alibi", "head", "distance", (4, LENGTH)),
        ("rope", "plane", "position", (4, LENGTH)),
        ("none", "", "position", (1, LENGTH)),
    ],
)
def test_what_is_added(models, kind, rows, columns, shape):
    one = schemes.added(models[kind], LENGTH, layer=1)
    assert (one.rows, one.columns, one.values.shape) == (rows, columns, shape)
    t = 7
    expected = {
        "learned": lambda: models["learned"].network.positions.embedding.weight[t].numpy(),
        "sinusoidal": lambda: [(math.cos if i % 2 else math.sin)(t * 10000 ** (-(i - i % 2) / 32)) for i in range(32)],
        "relative": lambda: models["relative"].network.positions.vectors[1, t].numpy(),
        "alibi": lambda: [-t * 2.0 ** (-2 * (h + 1)) for h in range(4)],
        "rope": lambda: [math.cos(t * 10000 ** (-2 * j / 8)) for j in range(4)],
        "none": lambda: [0],
    }[kind]()
    np.testing.assert_allclose(one.values[:, t], expected, atol=1e-6)


@pytest.mark.parametrize("kind", ALL)
def test_similarity_of_two_positions(models, kind):
    lm = models[kind]
    trace = lm.trace_ids(ids())
    found, where = schemes.similarity(lm, trace, layer=1, head=2, size=25)
    assert found.shape == (20, 20) and list(where[:3]) == [0, 3, 6]
    m, n = 30, 21
    q = trace["blocks.1.attn.q"][0, 2].double()

    def cosine(a, b):
        return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))

    def factor(distance):  # of relative vectors
        vectors = lm.network.positions.vectors[1].double()
        bias = [float((q @ vectors[min(d, 7)]).mean()) / 8**0.5 for d in range(LENGTH)]
        return math.exp(bias[distance] - max(bias))

    added = schemes.added(lm, LENGTH, 1).values
    expected = {
        "learned": lambda: cosine(added[:, m], added[:, n]),
        "sinusoidal": lambda: cosine(added[:, m], added[:, n]),
        "rope": lambda: np.mean([math.cos((m - n) * 10000 ** (-2 * j / 8)) for j in range(4)]),
        "alibi": lambda: math.exp(-(m - n) * 2.0**-6),
        "relative": lambda: factor(m - n),
        "none": lambda: 1.0,
    }[kind]()
    assert found[m // 3, n // 3] == pytest.approx(expected, abs=1e-5)
    later = found[n // 3, m // 3]  # a key after the query
    assert math.isnan(later) if kind in ("alibi", "relative") else later == pytest.approx(expected, abs=1e-5)
    assert np.nanmax(np.abs(found)) <= 1 + 1e-5


@pytest.mark.parametrize("kind", ALL)
def test_distances_are_those_of_the_exact_maps(models, kind):
    trace = models[kind].trace_ids(ids())
    found = schemes.distances(trace)
    for layer, head in ((0, 1), (1, 3)):
        p = trace.attention(layer, head).double().numpy()
        for d in (0, 1, 8, LENGTH - 1):
            assert found.weight[layer, head, d] == pytest.approx(np.diagonal(p, -d).mean(), abs=1e-6)
        columns, scores = np.zeros((LENGTH * (LENGTH - 1) // 2, LENGTH + 1)), []
        for t in range(LENGTH):
            for s in range(t):  # an intercept for each query, and one slope
                columns[len(scores), [t, LENGTH]] = 1, t - s
                scores.append(math.log(p[t, s]))
        assert found.decay[layer, head] == pytest.approx(-np.linalg.lstsq(columns, scores)[0][-1], abs=1e-4)
        mean = np.mean([sum(p[t, s] * (t - s) for s in range(t + 1)) for t in range(1, LENGTH)])
        assert found.mean[layer, head] == pytest.approx(mean, abs=1e-3)


def test_with_equal_content_alibi_s_decay_is_its_slope(tokenizer):
    lm = tiny.language_model(tokenizer, positions="alibi", n_layers=1)
    found = schemes.distances(lm.trace_ids([5] * 40))
    np.testing.assert_allclose(found.decay[0], alibi_slopes(4), atol=1e-5)


@pytest.mark.parametrize("count", [1, 2])
def test_the_shortest_texts(models, count):
    found = schemes.distances(models["rope"].trace_ids(ids(count)))
    assert found.weight.shape == (2, 4, count) and np.isfinite(found.decay).all()


@given(slope=st.floats(0, 2), length=st.integers(1, 50))
def test_mean_distance_of_a_bias_alone(slope, length):
    total = 0.0
    for t in range(min(1, length - 1), length):
        weights = [math.exp(-slope * d) for d in range(t + 1)]
        total += sum(d * w for d, w in enumerate(weights)) / sum(weights)
    expected = total / max(1, length - 1)
    assert schemes.flat_distance(np.array([slope]), length)[0] == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("kind", ALL)
def test_moving_a_text_changes_nothing_where_distances_alone_count(models, kind):
    moved = schemes.shift_divergence(models[kind], ids(), by=50)
    assert (moved > 1e-3) == (kind in ("learned", "sinusoidal"))
    assert schemes.shift_divergence(models[kind], ids(), by=0) == 0
    assert moved < 1e-6 or moved > 1e-3


def test_learned_vectors_end(models):
    with pytest.raises(BadText) as error:
        schemes.shift_divergence(models["learned"], ids(), by=150)
    assert "learned vectors" in tiny.sentence(error)


def test_a_shift_is_a_change_of_positions(models):
    own = models["rope"].network.positions
    moved = schemes.Shifted(own, 9)
    torch.testing.assert_close(moved.cos_sin(torch.arange(5)), own.cos_sin(torch.arange(9, 14)))
    assert models["alibi"].network.positions.slopes is schemes.Shifted(models["alibi"].network.positions, 9).slopes
