"""Sampling filters against definitions written with sorted lists."""

from collections import Counter

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from tlmviz.decoding.sampling import next_token, top_k_filter, top_p_filter
from tlmviz.errors import BadShape

from ..tiny import sentence

NAN = float("nan")
LOGITS = st.lists(st.integers(-40, 40).map(lambda i: i / 8), min_size=1, max_size=12)


def kept(logits):
    return {i for i, value in enumerate(logits.tolist()) if value != -torch.inf}


@given(LOGITS, st.integers(1, 14))
def test_top_k_keeps_the_largest_and_their_ties(values, k):
    filtered = top_k_filter(torch.tensor(values), k)
    least = sorted(values, reverse=True)[min(k, len(values)) - 1]
    assert kept(filtered) == {i for i, value in enumerate(values) if value >= least}
    assert all(filtered[i] == values[i] for i in kept(filtered))


@given(LOGITS, st.floats(0.01, 1.0))
def test_top_p_keeps_the_fewest_that_reach_p(values, p):
    logits = torch.tensor(values, dtype=torch.float64)
    masses = sorted(logits.softmax(-1).tolist(), reverse=True)
    sums = [sum(masses[: n + 1]) for n in range(len(masses))]
    assume(min(abs(total - p) for total in sums) > 1e-9)  # rounding decides exactly on the edge
    fewest = next((n + 1 for n, total in enumerate(sums) if total >= p), len(sums))
    found = kept(top_p_filter(logits, p))
    assert len(found) == fewest
    assert min(values[i] for i in found) >= max((values[i] for i in set(range(len(values))) - found), default=-99)


@pytest.mark.parametrize("p, fewest", [(0.25, 1), (0.5, 2), (0.51, 3), (0.75, 3), (1.0, 4)])
def test_reaching_p_exactly_is_enough(p, fewest):
    assert len(kept(top_p_filter(torch.zeros(4), p))) == fewest  # a quarter each, without rounding


@given(LOGITS, st.floats(0.01, 1.0))
def test_the_likeliest_token_always_stays(values, p):
    logits = torch.tensor(values)
    assert kept(top_p_filter(logits, p)) & {i for i, value in enumerate(values) if value == max(values)}


@given(st.data(), st.integers(0, 1000))
def test_draws_come_from_what_the_filters_keep(data, seed):
    choices = ([0.5, 1.0, 3.0], [None, 1, 3, 99], [0.2, 0.9, 1.0])
    temperature, top_k, top_p = (data.draw(st.sampled_from(values)) for values in choices)
    logits = torch.tensor([3.0, 1.0, 2.0, -1.0, 0.0])
    generator = torch.Generator().manual_seed(seed)
    allowed = logits / temperature
    allowed = top_k_filter(allowed, top_k) if top_k else allowed
    assert next_token(logits, temperature, top_k, top_p, generator) in kept(top_p_filter(allowed, top_p))


def test_frequencies_are_the_softmax():
    logits, generator = torch.tensor([2.0, 1.0, 0.0]), torch.Generator().manual_seed(0)
    counts = Counter(next_token(logits, 2.0, None, 1.0, generator) for _ in range(4000))
    wanted = (logits / 2).softmax(-1)
    assert [counts[i] / 4000 for i in range(3)] == pytest.approx(wanted.tolist(), abs=0.03)


def test_temperature_zero_is_greedy_and_draws_nothing():
    generator = torch.Generator().manual_seed(0)
    state = generator.get_state()
    assert next_token(torch.tensor([1.0, 5.0, 2.0]), 0, 1, 0.1, generator) == 1
    assert torch.equal(generator.get_state(), state)


@pytest.mark.parametrize("temperature", [1e-40, 1e-3, 1e6, float("inf")])
def test_extreme_temperatures_do_not_overflow(temperature):
    token = next_token(torch.tensor([80.0, 90.0, -90.0]), temperature, None, 1.0, torch.Generator().manual_seed(0))
    assert token == 1 or temperature > 1


@pytest.mark.parametrize(
    "temperature, top_k, top_p",
    [(-0.1, 5, 1.0), (NAN, 5, 1.0), (1.0, 0, 1.0), (1.0, 5, 0.0), (1.0, 5, 1.1), (1.0, None, NAN)],
)
def test_impossible_settings_are_refused(temperature, top_k, top_p):
    with pytest.raises(BadShape) as error:
        next_token(torch.zeros(3), temperature, top_k, top_p, torch.Generator())
    sentence(error)


def test_the_logits_are_not_changed():
    logits = torch.tensor([3.0, 1.0, 2.0])
    next_token(logits, 0.5, 2, 0.5, torch.Generator().manual_seed(0))
    assert logits.tolist() == [3, 1, 2]
