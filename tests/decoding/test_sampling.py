"""Sampling filters against definitions written with sorted lists."""

import math
from collections import Counter
from dataclasses import replace

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from tlmviz.decoding.sampling import (
    Sampling,
    contrast,
    min_p_filter,
    next_token,
    repetition_penalty,
    top_k_filter,
    top_p_filter,
    typical_filter,
)
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


@given(LOGITS, st.floats(0.0, 1.0))
def test_min_p_has_its_threshold(values, share):
    logits = torch.tensor(values, dtype=torch.float64)
    chances = logits.softmax(-1).tolist()
    assume(min(abs(p / max(chances) - share) for p in chances) > 1e-9 or share in (0.0, 1.0))
    found = kept(min_p_filter(logits, share))
    assert found >= {i for i, p in enumerate(chances) if p == max(chances)}
    assert found == {i for i, p in enumerate(chances) if share == 0 or values[i] - max(values) >= math.log(share)}


@given(LOGITS, st.floats(0.01, 1.0))
def test_typical_takes_what_is_closest_to_the_entropy(values, mass):
    logits = torch.tensor(values, dtype=torch.float64)
    chances = logits.softmax(-1).tolist()
    entropy = -sum(p * math.log(p) for p in chances)
    away = [abs(-math.log(p) - entropy) for p in chances]
    order = sorted(range(len(values)), key=lambda i: away[i])
    sums = [sum(chances[i] for i in order[: n + 1]) for n in range(len(order))]
    assume(min(abs(total - mass) for total in sums) > 1e-9)
    count = next((n + 1 for n, total in enumerate(sums) if total >= mass), len(sums))
    found = kept(typical_filter(logits, mass))
    assert len(found) == count
    assert max(away[i] for i in found) <= min((away[i] for i in set(order) - found), default=99) + 1e-9


def test_typical_may_drop_the_likeliest():
    """0.4 says 0.9 nats, the many others 4.4 each; the entropy, 3.0, is nearer to theirs."""
    chances = torch.tensor([0.4, *[0.6 / 50] * 50])
    assert 0 not in kept(typical_filter(chances.log(), 0.5))


def test_repetition_by_hand():
    logits = torch.tensor([2.0, -1.0, 3.0, 0.0])
    assert repetition_penalty(logits, [0, 1, 1], 2.0).tolist() == [1.0, -2.0, 3.0, 0.0]
    assert logits.tolist() == [2.0, -1.0, 3.0, 0.0]
    assert repetition_penalty(logits, [], 2.0) is logits


@given(LOGITS.filter(lambda v: len(v) > 2), st.floats(1.05, 3), st.floats(-5, 5))
def test_repetition_lowers_what_was_written_and_knows_no_zero(values, penalty, shift):
    logits = torch.tensor(values, dtype=torch.float64)
    before, sampling = logits.softmax(-1), Sampling(repetition=penalty)
    after = sampling.filtered(logits, [0]).softmax(-1)
    wanted = before.clone()
    wanted[0] = before[0] ** penalty
    torch.testing.assert_close(after, wanted / wanted.sum())
    assert after[0] < before[0]
    torch.testing.assert_close(sampling.filtered(logits + shift, [0]).softmax(-1), after)


def test_contrast_by_hand():
    candidates, earlier = torch.tensor([[2.0, 0], [0, 3], [1, 1]]), torch.tensor([[1.0, 0], [-1, 0]])
    found = contrast(torch.tensor([0.5, 0.3, 0.2]), candidates, earlier, 0.6)
    wanted = [0.4 * 0.5 - 0.6, 0.4 * 0.3, 0.4 * 0.2 - 0.6 * 0.5**0.5]
    assert found.tolist() == pytest.approx(wanted, abs=1e-6)


SETTINGS = st.builds(
    Sampling,
    st.sampled_from([0.0, 0.3, 1.0, 4.0]),
    st.sampled_from([None, 1, 4]),
    st.floats(0.01, 1),
    st.floats(0, 1),
    st.floats(0.01, 1),
    st.floats(1, 3),
)


@given(LOGITS, SETTINGS, st.integers(0, 99))
def test_something_is_always_left_and_it_is_what_is_drawn(values, sampling, seed):
    logits, written = torch.tensor(values), [0]
    filtered = sampling.filtered(logits, written)
    assert kept(filtered) and not filtered.isnan().any()
    tokens = [sampling.draw(logits, torch.Generator().manual_seed(seed), written) for _ in range(2)]
    assert tokens[0] == tokens[1] and tokens[0] in kept(filtered)


@given(LOGITS, SETTINGS)
def test_the_likeliest_stays_unless_typical_says_otherwise(values, sampling):
    logits = torch.tensor(values)
    filtered = replace(sampling, typical=1.0, repetition=1.0).filtered(logits)
    assert int(logits.argmax()) in kept(filtered) or sampling.temperature == 0 or values.count(max(values)) > 1


def test_the_order_is_the_documented_one():
    logits = torch.tensor([3.0, 2.5, 1.0, 0.0, -1.0, 2.9])
    sampling = Sampling(0.7, 5, 0.95, 0.05, 0.9, 1.3)
    step = repetition_penalty(logits.log_softmax(-1), [0, 2], 1.3)
    step = typical_filter(min_p_filter(top_p_filter(top_k_filter((step - step.max()) / 0.7, 5), 0.95), 0.05), 0.9)
    assert torch.equal(sampling.filtered(logits, [2, 0]), step)


@given(
    LOGITS,
    st.sampled_from([0.0, 0.5, 1.0]),
    st.sampled_from([None, 2]),
    st.sampled_from([0.5, 1.0]),
    st.integers(0, 50),
)
def test_defaults_draw_as_ever(values, temperature, top_k, top_p, seed):
    """What `lm.generate` has always drawn: the new settings at rest change no number."""
    logits, generator = torch.tensor(values), torch.Generator().manual_seed(seed)
    if temperature:
        scaled = (logits - logits.max()) / temperature
        scaled = scaled if top_k is None else top_k_filter(scaled, top_k)
        scaled = top_p_filter(scaled, top_p) if top_p < 1 else scaled
        wanted = int(torch.multinomial(scaled.softmax(-1), 1, generator=generator))
    else:
        wanted = int(logits.argmax())
    assert next_token(logits, temperature, top_k, top_p, torch.Generator().manual_seed(seed)) == wanted


@pytest.mark.parametrize(
    "settings",
    [
        dict(min_p=-0.1),
        dict(min_p=1.1),
        dict(typical=0.0),
        dict(typical=NAN),
        dict(repetition=0.9),
        dict(repetition=NAN),
    ],
)
def test_impossible_filters_are_refused(settings):
    with pytest.raises(BadShape) as error:
        Sampling(**settings)
    assert next(iter(settings)) in sentence(error)
