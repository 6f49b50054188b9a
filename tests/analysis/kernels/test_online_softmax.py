"""Every algorithm on one row against float64, on ordinary, extreme and fully hidden logits."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests import tiny
from tlmviz.analysis.kernels.online_softmax import exact, naive, one_pass, parse_logits, walk_all
from tlmviz.errors import BadShape

LOGITS = st.one_of(st.floats(-30, 30, width=32), st.just(-np.inf), st.sampled_from([np.float32(1e4), np.float32(-1e4)]))
ROWS = st.lists(LOGITS, min_size=1, max_size=20).map(lambda row: np.array(row, np.float32))
ONLINE = (1, 2, 3, 4)  # all but naive


def reference(x, v):
    """softmax(x) V by torch in float64; zeros where everything is hidden."""
    weights = torch.from_numpy(x).double().softmax(0).nan_to_num(0.0)
    return weights.numpy(), (weights @ torch.from_numpy(v).double()).numpy()


@given(ROWS, st.integers(1, 5))
def test_safe_and_online_algorithms_equal_float64(x, width):
    v = np.linspace(-2, 3, len(x) * width, dtype=np.float32).reshape(len(x), width)
    weights, output = reference(x, v)
    walks = walk_all(x, v)
    assert np.allclose(exact(x), weights, atol=1e-15)
    for number in ONLINE:
        walk = walks[number]
        last = walk.out if walk.out.ndim == 1 else walk.out[-1]
        assert walk.out.dtype == walk.l_i.dtype == np.float32 and walk.finite
        assert np.allclose(last, weights if walk.out.ndim == 1 else output, atol=3e-6)
        assert walk.error == pytest.approx(np.abs(last - (weights if walk.out.ndim == 1 else output)).max(), abs=1e-12)


@given(arrays(np.float32, st.integers(1, 30), elements=st.floats(-20, 20, width=32)))
def test_naive_agrees_where_it_does_not_overflow(x):
    assert np.allclose(naive(x).out, exact(x), atol=1e-6)


@pytest.mark.parametrize("values", [[1e4, 0], [89, 1], [-1e4, -1e4], [-np.inf, -np.inf]])
def test_naive_breaks_where_the_online_ones_hold(values):
    first, *others = walk_all(np.array(values, np.float32), np.ones((2, 3), np.float32))
    assert not first.finite and np.isnan(first.error)
    assert all(walk.finite and walk.error < 1e-6 for walk in others)


@given(ROWS)
def test_running_states_are_those_of_the_first_logits(x):
    """After i steps, m_i and l_i are the maximum and normaliser of x[:i], and o is its whole attention (000 Eq. 77 and
    85)."""
    v = np.cos(np.arange(len(x) * 2, dtype=np.float32)).reshape(len(x), 2)
    fused = walk_all(x, v)[4]
    for i in range(1, len(x) + 1):
        part = x[:i].astype(np.float64)
        top = part.max()
        assert fused.m_i[i - 1] == top
        assert fused.l_i[i - 1] == pytest.approx(np.exp(part - top).sum() if top > -np.inf else 0, rel=1e-5)
        assert np.allclose(fused.out[i - 1], reference(x[:i], v[:i])[1], atol=3e-6)


def test_the_notes_factor_is_the_inverse_of_the_right_one():
    """000 Eq. 87 prints exp(m_i) / exp(m_{i-1}); with it the output is wrong as soon as the maximum grows."""
    x, v = np.array([0.0, 2.0], np.float32), np.eye(2, dtype=np.float32)
    d = np.array([1, np.exp(-2) + 1])
    printed = v[0] * (d[0] / d[1]) * np.exp(2 - 0) + 1 / d[1] * v[1]
    right = one_pass(x, v).out[-1]
    assert np.allclose(right, exact(x), atol=1e-6) and not np.allclose(printed, right, atol=0.1)


def test_factors_say_by_how_much_old_sums_shrink():
    walk = walk_all(np.array([1, 3, 2, -np.inf], np.float32), np.ones((4, 1), np.float32))[2]
    assert np.allclose(walk.alpha, [0, np.exp(-2), 1, 1])


@pytest.mark.parametrize("number, visits", [(0, 6), (1, 9), (2, 6), (3, 6), (4, 3)])
def test_progress_counts_visits_pass_by_pass(number, visits):
    walk = walk_all(np.arange(3, dtype=np.float32), np.ones((3, 2), np.float32))[number]
    assert walk.visits == visits
    parts = {"l_i", "out"} | ({"m_i"} if walk.m_i is not None else set())
    before = dict.fromkeys(parts, 0)
    for visit in range(1, visits + 1):
        current, at, known = walk.progress(visit)
        assert at == (visit - 1) % 3 and current is walk.passes[(visit - 1) // 3]
        assert all(known[part] - before[part] == (part in current.fills) for part in parts)
        before = known
    assert {known[part] for part in parts} == {3}
    assert walk.progress(100) == walk.progress(visits)


def test_inputs_are_not_changed():
    x, v = np.arange(4, dtype=np.float32), np.ones((4, 2), np.float32)
    walk_all(x, v)
    assert (x == np.arange(4)).all() and (v == 1).all()


@pytest.mark.parametrize("x, v", [((0,), (0, 2)), ((3,), (2, 2)), ((2, 2), (2, 2))])
def test_what_does_not_fit_is_named(x, v):
    with pytest.raises(BadShape) as error:
        walk_all(np.zeros(x), np.zeros(v))
    assert "[N, D]" in tiny.sentence(error)


@pytest.mark.parametrize("text", ["1, 2e1 -inf", "[1; 20; −∞]", "1\n20\n -Infinity ", "1,20,-INF,"])
def test_logits_are_read_in_many_spellings(text):
    assert parse_logits(text, 3).tolist() == [1, 20, -np.inf]


@pytest.mark.parametrize(
    "text, said",
    [
        ("", "no numbers"),
        (" , ", "no numbers"),
        ("1, two", "Logit 2, “two”"),
        ("nan", "no answer"),
        ("3 inf", "Logit 2"),
        ("1e39", "at most"),
        ("-1e39", "float32"),
        ("1 2 3 4", "4 logits and this row has 3"),
        ("<b>" * 40, "not a number"),
    ],
)
def test_logits_that_cannot_be_read_are_one_sentence(text, said):
    with pytest.raises(BadShape) as error:
        parse_logits(text, 3)
    assert said in tiny.sentence(error)


@given(st.text(max_size=60))
def test_any_text_is_logits_or_a_sentence(text):
    try:
        values = parse_logits(text, 8)
    except BadShape as error:
        assert len(str(error)) < 300
    else:
        assert 1 <= len(values) <= 8 and not np.isnan(values).any() and (values < np.inf).all()
