"""The recurrent translator against the same written with NumPy loops, for every score."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from tlmviz.config import Seq2SeqConfig
from tlmviz.decoding.penalties import coverage_loss
from tlmviz.networks.seq2seq import Seq2Seq, overlap
from tlmviz.recording import recording

from .. import tiny

KINDS = [kind for kind in tiny.TRANSLATORS if kind != "transformer"]
SOURCE = torch.tensor([[5, 9, 2, 11, 7], [3, 3, 1, 30, 8]])
TARGET = torch.tensor([[0, 4, 6, 12], [0, 7, 7, 2]])


@pytest.fixture(scope="module", params=KINDS)
def network(request):
    return tiny.translation_network(request.param, vocab_size=40)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gru(x, h, weights, suffix):
    """One step (Cho et al. 2014, as PyTorch arranges it): reset, update, new."""
    inputs = weights[f"weight_ih{suffix}"] @ x + weights[f"bias_ih{suffix}"]
    states = weights[f"weight_hh{suffix}"] @ h + weights[f"bias_hh{suffix}"]
    (ir, iz, inew), (hr, hz, hnew) = np.split(inputs, 3), np.split(states, 3)
    update = sigmoid(iz + hz)
    return (1 - update) * np.tanh(inew + sigmoid(ir + hr) * hnew) + update * h


def reference(network, source, target):
    """Logits [T, V] and attention [T, S] of one pair, token by token in float64."""
    w = {name: value.double().numpy() for name, value in network.state_dict().items()}
    config, table = network.config, w["token_emb.weight"]
    half = config.hidden // 2
    encoder = {name.removeprefix("encoder."): value for name, value in w.items() if name.startswith("encoder.")}
    cell = {name.removeprefix("cell."): value for name, value in w.items() if name.startswith("cell.")}
    embedded = [table[i] * config.d_model**0.5 for i in source]
    ahead, back = [], []
    h = np.zeros(half)
    for x in embedded:
        ahead.append(h := gru(x, h, encoder, "_l0"))
    h = np.zeros(half)
    for x in reversed(embedded):
        back.append(h := gru(x, h, encoder, "_l0_reverse"))
    z = np.concatenate((ahead, back[::-1]), 1)
    h = np.tanh(w["bridge.weight"] @ np.concatenate((ahead[-1], back[-1])) + w["bridge.bias"])
    fed, covered, logits, paid = np.zeros(config.d_model), np.zeros(len(z)), [], []
    for token in target:
        h = gru(np.concatenate((table[token] * config.d_model**0.5, fed)), h, cell, "")
        if config.score.kind == "dot":
            scores = z @ h
        elif config.score.kind == "general":
            scores = z @ w["score.w.weight"].T @ h
        else:
            inside = z @ w["score.w2.weight"].T + w["score.w2.bias"] + w["score.w1.weight"] @ h
            inside += np.outer(covered, w["score.w.weight"][:, 0]) if config.score.coverage else 0
            scores = np.tanh(inside) @ w["score.v.weight"][0]
        a = np.exp(scores - scores.max())
        a /= a.sum()
        covered = covered + a
        fed = np.tanh(w["combine.weight"] @ np.concatenate((a @ z, h)) + w["combine.bias"])
        logits.append(table @ fed)
        if config.pointer:  # log p of the mixture, word by word (Eq. 53)
            inputs = np.concatenate((a @ z, h, table[token] * config.d_model**0.5))
            g = sigmoid(w["gate.weight"][0] @ inputs + w["gate.bias"][0])
            p = g * np.exp(logits[-1] - logits[-1].max()) / np.exp(logits[-1] - logits[-1].max()).sum()
            for place, copied in enumerate(source):
                p[copied] += (1 - g) * a[place]
            assert abs(p.sum() - 1) < 1e-12
            logits[-1] = np.log(p)
        paid.append(a)
    return np.array(logits), np.array(paid)


def test_the_pass_is_the_reference(network):
    logits, paid = network(SOURCE, TARGET)
    for row in range(2):
        wanted, attention = reference(network, SOURCE[row].tolist(), TARGET[row].tolist())
        np.testing.assert_allclose(logits[row], wanted, atol=1e-4)
        np.testing.assert_allclose(paid[row], attention, atol=1e-5)
    torch.testing.assert_close(paid.sum(-1), torch.ones(2, 4))


def test_step_by_step_equals_whole(network):
    (logits, paid), state = network(SOURCE, TARGET), network.start(SOURCE)
    for t in range(TARGET.shape[1]):
        found, state = network.step(TARGET[:, t], state)
        torch.testing.assert_close(found, logits[:, t], atol=1e-5, rtol=1e-4)
        torch.testing.assert_close(state.weights, paid[:, t], atol=1e-6, rtol=1e-4)
        torch.testing.assert_close(state.coverage, paid[:, : t + 1].sum(1), atol=1e-6, rtol=1e-4)


def test_rows_are_picked_with_their_sources(network):
    state = network.start(SOURCE)
    _, state = network.step(TARGET[:, 0], state)
    swapped, _ = network.step(TARGET[:, 1].flip(0), state.pick(torch.tensor([1, 0])))
    straight, _ = network.step(TARGET[:, 1], state)
    torch.testing.assert_close(swapped.flip(0), straight)


def test_a_target_token_changes_nothing_before_it(network):
    changed = TARGET.clone()
    changed[:, 2] = 20
    moved = (network(SOURCE, changed)[0] - network(SOURCE, TARGET)[0]).abs().amax(-1)
    assert moved[:, :2].max() == 0 and (moved[:, 2:] > 1e-5).all()


def test_every_source_state_knows_both_sides(network):
    for s in (0, SOURCE.shape[1] - 1):
        changed = SOURCE.clone()
        changed[:, s] = 20
        moved = (network.start(changed).reading.z - network.start(SOURCE).reading.z).abs().amax(-1)
        assert (moved > 1e-7).all()


@pytest.mark.parametrize("kind", KINDS)
def test_gradients_reach_every_parameter(kind):
    settings = tiny.TRANSLATORS[kind]
    torch.manual_seed(0)
    model = Seq2Seq(Seq2SeqConfig.of("t", vocab_size=12, d_model=16, hidden=12, dropout=0.1, **settings))
    logits, paid = model(SOURCE % 12, TARGET % 12)
    (F.cross_entropy(logits.flatten(0, 1), torch.arange(8)) + overlap(paid).mean()).backward()
    assert [name for name, p in model.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0] == []


def test_overlap_is_the_coverage_loss():
    """004 Eq. 49, once in torch for training and once in NumPy for pages."""
    paid = torch.rand(3, 6, 4, generator=torch.Generator().manual_seed(1)).softmax(-1)
    np.testing.assert_allclose(overlap(paid), [coverage_loss(one.numpy()) for one in paid], atol=1e-6)


def test_coverage_is_what_the_score_was_told():
    network = tiny.translation_network("coverage", vocab_size=40)
    with recording() as record:
        _, paid = network(SOURCE, TARGET)
    torch.testing.assert_close(record.values["covered"], paid[:, :-1].sum(1))


def test_taps_have_names(network):
    assert {"z", "h", "a", "context", "covered", "attentional_hidden", "logits", "score.scores"} <= network.tap_names()
