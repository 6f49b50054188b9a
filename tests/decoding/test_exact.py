"""Exact search against every text of tiny vocabularies."""

from math import log

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tlmviz.decoding.beam import BeamOptions, beam_search
from tlmviz.decoding.exact import ExactOptions, exact_search
from tlmviz.decoding.penalties import Penalties
from tlmviz.errors import BadSearch

from ..tiny import sentence
from .exhaustive import END, KINDS, TableStepper, complete, logps, of_length, small, stepper

PLAIN = Penalties(0, 0, 0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("rows", [1, 3, 32])
def test_it_finds_the_most_probable_complete_text(kind, seed, rows):
    network = small(kind, 4, seed)
    everything = complete(network, 5)
    found = exact_search(stepper(network), ExactOptions(max_length=5, rows=rows))
    wanted = max(everything, key=everything.get)
    assert found.tokens == wanted and found.proven
    assert found.logp == found.bound == pytest.approx(everything[wanted], abs=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_it_finds_the_most_probable_beginning(kind):
    network = small(kind, 4)
    everything = complete(network, 3) | of_length(network, 3)
    found = exact_search(stepper(network), ExactOptions(horizon=3))
    wanted = max(everything, key=everything.get)
    assert found.tokens == wanted and found.proven and found.length == 3
    assert found.logp == pytest.approx(everything[wanted], abs=1e-4)


@given(st.integers(0, 10_000), st.integers(2, 5), st.sampled_from([1, 2, 7]))
def test_any_table_of_probabilities(seed, vocabulary, rows):
    """Probabilities by depth and last token: the best complete text by dynamic programming."""
    generator = torch.Generator().manual_seed(seed)
    chances = torch.rand(4, vocabulary, vocabulary, generator=generator, dtype=torch.float64)
    chances = chances / chances.sum(-1, keepdim=True)

    table = {(): chances[0, 0].tolist()}
    for depth in range(1, 4):
        table |= {
            (*text, last): chances[depth, last].tolist()
            for text in list(table)
            if len(text) == depth - 1
            for last in range(1, vocabulary)
        }
    best, alive = 0.0, {0: 1.0}
    for depth in range(4):
        best = max(best, *(p * chances[depth, last, END].item() for last, p in alive.items()))
        alive = {
            token: max(p * chances[depth, last, token].item() for last, p in alive.items())
            for token in range(1, vocabulary)
        }
    found = exact_search(TableStepper(table, [1.0] * vocabulary), ExactOptions(max_length=4, rows=rows))
    assert found.proven and found.logp == pytest.approx(log(best), abs=1e-5)


def test_a_beam_s_search_error_shows():
    """Greedy takes 0.6, then 0.4: 0.24. The best text has 0.36."""
    table = {(): [0.0, 0.6, 0.4], (1,): [0.4, 0.3, 0.3], (2,): [0.9, 0.05, 0.05]}
    beam = beam_search(TableStepper(table, [0.8, 0.1, 0.1]), BeamOptions(width=1, penalties=PLAIN)).hypotheses()[0]
    found = exact_search(TableStepper(table, [0.8, 0.1, 0.1]))
    assert beam.tokens == (1, 0) and found.tokens == (2, 0)
    assert found.logp == pytest.approx(log(0.36)) and beam.parts.logp == pytest.approx(log(0.24))
    assert found.expanded == 3  # the empty text, 1 and 2; what is behind them is below 0.36


@pytest.mark.parametrize("kind", KINDS)
def test_a_known_text_saves_work_and_changes_nothing(kind):
    network = small(kind, 6, 1)
    beam = beam_search(stepper(network), BeamOptions(width=4, penalties=PLAIN, max_length=7)).hypotheses()[0]
    known = (beam.tokens, logps(network, [beam.tokens]).double().sum().item()) if beam.finished else None
    free, helped = (exact_search(stepper(network), ExactOptions(max_length=7, known=text)) for text in (None, known))
    assert free.proven and helped.proven and free.tokens == helped.tokens
    assert helped.expanded <= free.expanded
    assert free.logp >= beam.parts.logp - 1e-4


@pytest.mark.parametrize("limits", [dict(expansions=7), dict(seconds=1e-9)])
def test_a_budget_ends_it_with_what_it_has(limits):
    chances = [0.05, 0.5, 0.45]
    whole = exact_search(TableStepper({}, chances), ExactOptions(max_length=7, expansions=10**6, seconds=60))
    found = exact_search(TableStepper({}, chances), ExactOptions(max_length=7, **limits))
    assert not found.proven and found.expanded <= 7
    assert found.logp <= whole.logp <= found.bound + 1e-4
    assert whole.proven and whole.bound == whole.logp


def test_nothing_within_reach_proves_nothing():
    found = exact_search(TableStepper({}, [0.0, 0.5, 0.5]), ExactOptions(max_length=3))
    assert found.tokens == () and found.logp == -float("inf") and not found.proven


@pytest.mark.parametrize("kind", ["transformer", "general"])
def test_short_texts_can_be_ruled_out(kind):
    """The most probable text of a translation model is often the empty one (Stahlberg and Byrne 2019)."""
    network = small(kind, 4)
    everything = {text: logp for text, logp in complete(network, 5).items() if len(text) >= 3}
    found = exact_search(stepper(network), ExactOptions(max_length=5, min_length=3))
    assert found.tokens == max(everything, key=everything.get) and found.proven


def test_costs():
    found = exact_search(stepper(small("dot", 5)), ExactOptions(max_length=6))
    assert (found.vocabulary, found.length) == (5, 6)
    assert found.all_texts == 5**6 and found.beam_cost(3) == 90 and found.scored == 5 * found.expanded


def test_no_text_is_longer_than_the_model_allows():
    assert exact_search(TableStepper({}, [0.1, 0.9], longest=4)).length == 4
    with pytest.raises(BadSearch) as error:
        exact_search(TableStepper({}, [0.1, 0.9], longest=0))
    sentence(error)


@pytest.mark.parametrize(
    "settings, said",
    [
        (dict(max_length=0), "max_length is 0"),
        (dict(horizon=0), "horizon is 0"),
        (dict(horizon=1.5), "horizon is 1.5"),
        (dict(min_length=9, max_length=8), "min_length is 9"),
        (dict(min_length=4, horizon=3), "min_length is 4"),
        (dict(expansions=0), "expansions is 0"),
        (dict(rows=-1), "rows is -1"),
        (dict(seconds=0), "seconds is 0"),
        (dict(seconds=float("nan")), "seconds is nan"),
    ],
)
def test_bad_options_give_a_sentence(settings, said):
    with pytest.raises(BadSearch) as error:
        ExactOptions(**settings)
    assert said in sentence(error)
