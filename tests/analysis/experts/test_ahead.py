"""Chains of predictions: with caches against whole passes, and what is counted right."""

import pytest
import torch

from tests import tiny
from tlmviz.analysis.experts.ahead import COLUMNS, Chain, accuracy, given_chains, own_chains, race, read_measured
from tlmviz.errors import BadCheckpoint


@pytest.fixture(scope="module", params=[1, 2, 3, 12])
def ids(request):
    return list(range(5, 5 + request.param))


def test_own_chains_are_what_whole_passes_give(ids):
    network = tiny.next_token_model().network
    for place, chain in enumerate(own_chains(network, ids)):
        read = torch.tensor([[*ids[: place + 1], *chain.read[1:]]])
        states = [network.read(read), *network.look_ahead(network.read(read), read)]
        assert len(chain.predicted) == 4 and chain.read == (ids[place], *chain.first[:3])
        for state, p in zip(states, chain.predicted):
            torch.testing.assert_close(network.unembed(state[0, place]).softmax(-1), p, atol=1e-5, rtol=1e-4)


def test_given_chains_read_the_text(ids):
    lm = tiny.next_token_model()
    ahead = lm.ahead_ids(ids)
    for place, chain in enumerate(given_chains(lm.network, ids)):
        assert list(chain.read) == ids[place : place + 4]
        for depth, p in enumerate(chain.predicted):
            assert torch.equal(p, ahead.probabilities[depth][place])


def test_accuracy_counts_what_the_text_still_has():
    def says(*tokens):
        return Chain((0,) * len(tokens), tuple(torch.eye(9)[token] for token in tokens))

    assert accuracy([says(2, 3), says(3, 4), says(5, 6)], [1, 2, 3]) == [(2, 2), (1, 1)]


def test_both_ways_have_a_speed():
    for rounds in race(tiny.next_token_model(), "Lily had", 6, None, 0.0, 3):
        assert len(rounds) == 3 and 0 < rounds[0] <= rounds[1] <= rounds[2]


def test_measures_that_are_missing(tmp_path):
    with pytest.raises(BadCheckpoint, match="train the model anew"):
        read_measured(tmp_path)
    (tmp_path / "ahead.csv").write_text(",".join(COLUMNS) + "\nm,0,1,0.5,,1.2,1.1,1.3,3\n")
    assert read_measured(tmp_path)["accuracy"].tolist() == [0.5]
