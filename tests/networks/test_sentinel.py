"""The pointer-sentinel mixture against its formula, and its twin without the pointer."""

import numpy as np
import pytest
import torch

from tests import tiny
from tests.tiny import sentence
from tlmviz.config import SentinelConfig
from tlmviz.errors import BadConfig
from tlmviz.networks.sentinel import SentinelLSTM, likelihood, stand_ins
from tlmviz.recording import recording

COLUMNS = np.array([[2, 20, 3, 20, 2, 5], [4, 2, 20, 21, 22, 23]])


@pytest.fixture(scope="module", params=[True, False], ids=["pointer", "plain"])
def network(request):
    return tiny.mixture_model(request.param).network


def read(network):
    size = network.config.vocab_size
    columns = torch.from_numpy(np.where(COLUMNS >= 20, COLUMNS - 20 + size, COLUMNS))
    inputs = torch.from_numpy(stand_ins(columns.numpy(), size, network.config.stand_ins))
    return columns, inputs, size


def test_parts_against_float64(network):
    _, inputs, size = read(network)
    with recording(lambda name: name == "h") as record:
        scores = network(inputs)
    h = record.values["h"].double()
    out = h @ network.token_emb.weight[:size].double().T + network.bias.double()
    torch.testing.assert_close(scores.vocabulary.double(), out.log_softmax(-1), atol=1e-5, rtol=0)
    for row in range(2):
        for t in range(6):
            if network.query is None:
                assert scores.gate[row, t] == 0 and (scores.attention[row, t, :-1] == -torch.inf).all()
                continue
            q = (network.query.weight.double() @ h[row, t] + network.query.bias.double()).tanh()
            u = [float(q @ h[row, i]) for i in range(t + 1)] + [float(q @ network.sentinel.double())]
            a = np.exp(u) / np.exp(u).sum()
            found = scores.attention[row, t].exp()
            np.testing.assert_allclose(found[: t + 1], a[:-1], atol=1e-5)
            assert found[-1].item() == pytest.approx(a[-1], abs=1e-5) and not found[t + 1 : -1].any()


def test_likelihood_by_hand(network):
    columns, inputs, size = read(network)
    scores = network(inputs)
    p = likelihood(scores, columns[:, :], columns.roll(-1, 1), size)
    g, attention, vocabulary = scores.gate.exp(), scores.attention.exp(), scores.vocabulary.exp()
    for row in range(2):
        for t in range(5):
            word = int(columns[row, t + 1])
            copied = sum(float(attention[row, t, i]) for i in range(t + 1) if columns[row, i] == word)
            written = float(g[row, t] * vocabulary[row, t, word if word < size else 1])
            if word >= size and copied:  # an unknown word that stands there already can only be copied
                written = 0.0
            assert float(p[row, t]) == pytest.approx(copied + written, abs=1e-6)


def test_gradients_are_numbers_also_where_nothing_can_be_copied(network):
    columns, inputs, size = read(network)
    again = SentinelLSTM(network.config)
    likelihood(again(inputs), columns, columns.flip(1), size).log().sum().backward()
    assert all(torch.isfinite(p.grad).all() for p in again.parameters())


def test_twins_begin_with_the_same_numbers():
    def begun(pointer):
        torch.manual_seed(4)
        return SentinelLSTM(SentinelConfig(name="x", vocab_size=9, d_model=8, pointer=pointer)).state_dict()

    with_pointer, plain = begun(True), begun(False)
    assert with_pointer.keys() - plain.keys() == {"query.weight", "query.bias", "sentinel"}
    assert all(torch.equal(value, with_pointer[name]) for name, value in plain.items())


def test_unknown_words_take_turns():
    assert stand_ins(np.array([0, 5, 9, 10, 11, 12, 13]), 10, 3).tolist() == [0, 5, 9, 10, 11, 12, 10]


@pytest.mark.parametrize(
    "change", [dict(vocab_size=0), dict(stand_ins=0), dict(dropout=1), dict(pointer="yes"), dict(kind="words")]
)
def test_a_configuration_of_no_network(change):
    with pytest.raises(BadConfig) as error:
        SentinelConfig(**{"name": "x", **change})
    sentence(error)
