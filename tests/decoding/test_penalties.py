"""Penalties against values worked by hand (004 Eq. 32-41, 48-50) and the properties they promise."""

from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tlmviz.decoding.penalties import (
    LENGTHS,
    Penalties,
    coverage_loss,
    coverage_penalty,
    coverage_vectors,
    end_penalty,
    length_penalty,
    token_coverage,
)
from tlmviz.errors import BadSearch

from ..tiny import sentence

SHARES = st.floats(0, 3).map(lambda x: round(x, 3))
ATTENTION = arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(1, 5)), elements=st.floats(0.01, 1)).map(
    lambda a: a / a.sum(1, keepdims=True)
)
STARING = np.array([[1.0, 0, 0], [1, 0, 0], [1, 0, 0]])  # Eq. 40, left: the worst coverage
READING = np.eye(3)  # Eq. 40, right: the best


@pytest.mark.parametrize(
    "count, alpha, kind, wanted",
    [
        (1, 0.6, "gnmt", 1.0),
        (7, 1.0, "gnmt", 2.0),
        (7, 0.5, "gnmt", 2**0.5),
        (19, 2.0, "gnmt", 16.0),
        (9, 0.0, "gnmt", 1.0),
        (1, 0.6, "power", 1.0),
        (8, 1.0, "power", 8.0),
        (9, 0.5, "power", 3.0),
        (4, 0.0, "power", 1.0),
        (0, 1.0, "power", 1.0),
    ],
)
def test_length_penalties_by_hand(count, alpha, kind, wanted):
    assert length_penalty(count, alpha, kind) == pytest.approx(wanted)


def test_the_power_of_one_is_the_geometric_mean():
    """Eq. 33: exp(score) is the geometric mean of the tokens' probabilities."""
    probabilities = (0.5, 0.25, 0.125, 0.5)
    score = Penalties(1.0, 0, 0, "power").score(sum(map(log, probabilities)), 4).total
    assert exp(score) == pytest.approx(np.prod(probabilities) ** 0.25)


def test_coverage_by_hand():
    assert coverage_penalty(READING, 0.7) == 0
    assert coverage_penalty(STARING, 0.5, floor=0.01) == pytest.approx(0.5 * 2 * log(0.01))
    half = np.array([[0.5, 0.5, 0], [0.25, 0.75, 0]])  # sums 0.75, 1.25, 0: below the cap, above it, below the floor
    assert coverage_penalty(half, 2.0, floor=0.1) == pytest.approx(2 * (log(0.75) + log(0.1)))
    assert token_coverage(half.sum(0), 0.1).tolist() == pytest.approx([log(0.75), 0, log(0.1)])


def test_a_floor_of_one_switches_coverage_off():
    assert coverage_penalty(STARING, 5.0, floor=1.0) == 0


def test_the_end_penalty_by_hand():
    assert end_penalty(6, 4, 0.2) == pytest.approx(0.3)


def test_the_whole_score_by_hand():
    """Eq. 34, 36 and 41 together: 7 tokens, lp = 2, sums 0.5 and 1.5 over a source of two."""
    parts = Penalties(1.0, 0.3, 0.2).score(-6.0, 7, np.array([0.5, 1.5]))
    assert (parts.logp, parts.length) == (-6.0, 3.0)
    assert parts.coverage == pytest.approx(0.3 * log(0.5)) and parts.end == pytest.approx(0.7)
    assert parts.total == pytest.approx(-3 + 0.3 * log(0.5) + 0.7)


def test_without_a_source_only_length_counts():
    parts = Penalties(1.0, 0.3, 0.2).score(-6.0, 7)
    assert (parts.coverage, parts.end, parts.total) == (0, 0, -3)


@given(st.floats(-50, 0), st.integers(1, 40), SHARES, SHARES, SHARES, st.sampled_from(LENGTHS), st.integers(1, 8))
def test_parts_have_their_signs_and_sum_to_the_score(logp, count, alpha, beta, gamma, kind, source):
    covered = np.linspace(0, 2, source)
    parts = Penalties(alpha, beta, gamma, kind).score(logp, count, covered)
    assert parts.length >= 0 >= parts.coverage and parts.end >= 0
    lp = ((5 + count) / 6) ** alpha if kind == "gnmt" else count**alpha
    cp = beta * sum(log(min(max(share, 0.01), 1)) for share in covered)
    assert parts.total == pytest.approx(logp / lp + cp + gamma * count / source, abs=1e-9)
    assert parts.total == pytest.approx(parts.logp + parts.length + parts.coverage + parts.end)


@given(st.floats(-50, -0.1), st.integers(2, 40), SHARES, st.sampled_from(LENGTHS))
def test_a_larger_alpha_never_lowers_a_score(logp, count, alpha, kind):
    """The slip of 004 section 6.3.1: log P is negative, so dividing by more raises it."""
    low, high = (Penalties(a, 0, 0, kind).score(logp, count).total for a in (alpha, alpha + 0.1))
    assert high > low


@given(ATTENTION)
def test_coverage_vectors_are_sums_and_means_of_what_came_before(attention):
    sums, means = coverage_vectors(attention), coverage_vectors(attention, average=True)
    for t in range(len(attention)):
        wanted = sum((attention[i] for i in range(t)), np.zeros(attention.shape[1]))
        np.testing.assert_allclose(sums[t], wanted, atol=1e-12)
        np.testing.assert_allclose(means[t], wanted / max(1, t), atol=1e-12)


@given(ATTENTION, st.booleans())
def test_coverage_loss_is_between_nothing_and_one(attention, average):
    loss = coverage_loss(attention, average)
    assert loss[0] == 0 and (loss >= 0).all() and (loss <= 1 + 1e-12).all()
    before = coverage_vectors(attention, average)
    wanted = [sum(min(a, c) for a, c in zip(*rows)) for rows in zip(attention, before)]
    np.testing.assert_allclose(loss, wanted)


def test_coverage_loss_of_staring_and_of_reading():
    assert coverage_loss(STARING).tolist() == [0, 1, 1]  # a step that only looks where others looked
    assert coverage_loss(READING).tolist() == [0, 0, 0]
    twice = np.array([[0.5, 0.5], [1.0, 0.0], [0.0, 1.0]])
    assert coverage_loss(twice).tolist() == [0, 0.5, 0.5]
    assert coverage_loss(twice, average=True).tolist() == [0, 0.5, 0.25]  # Eq. 50: (0.5 + 0) / 2


@pytest.mark.parametrize(
    "settings, said",
    [
        (dict(alpha=-0.1), "alpha is -0.1"),
        (dict(beta=float("nan")), "beta is nan"),
        (dict(gamma=float("inf")), "gamma is inf"),
        (dict(length="google"), "'google'"),
        (dict(floor=0.0), "floor is 0.0"),
        (dict(floor=1.5), "floor is 1.5"),
    ],
)
def test_bad_weights_give_a_sentence(settings, said):
    with pytest.raises(BadSearch) as error:
        Penalties(**settings)
    assert said in sentence(error)
