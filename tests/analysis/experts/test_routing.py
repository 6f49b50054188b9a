"""Measures of the routing, each against a plain computation."""

import numpy as np
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from tests import tiny
from tests.tiny import TEXT
from tlmviz.analysis.experts import edits, routing


@pytest.fixture(scope="module")
def moe(tokenizer):
    part = dict(count=6, chosen=2, hidden=20, shared=1, score="sigmoid", bias=True)
    return tiny.language_model(tokenizer, experts=part)


def test_loads_count_the_choices(moe):
    trace = moe.trace(TEXT)
    found = routing.loads(trace)
    for layer in range(2):
        chosen = trace.routing(layer).chosen.flatten().tolist()
        assert found[layer].tolist() == [chosen.count(e) for e in range(6)]


def test_balance():
    even, one = routing.balance(np.array([5, 5, 5, 5])), routing.balance(np.array([0, 8, 0, 0]))
    assert even == routing.Balance(0.0, 2.0, 0) and one == routing.Balance(3.0, 0.0, 3)
    assert routing.balance(np.array([3, 1])).violation == pytest.approx(0.5)
    assert routing.balance(np.zeros(4)).idle == 4


def test_what_the_bias_changes(moe):
    one = moe.trace(TEXT).routing(0)
    changed = routing.changed_by_bias(one)
    for t in range(len(changed)):
        alone = set(one.scores[t].argsort(descending=True)[:2].tolist())
        assert changed[t] == (alone != set(one.chosen[t].tolist()))
    assert changed.any() and not changed.all()


def test_the_choice_without_the_bias_keeps_to_the_groups(tokenizer):
    lm = tiny.language_model(tokenizer, **tiny.VARIANTS["experts"])
    assert lm.config.experts.groups > lm.config.experts.chosen_groups
    edited = lm.trace(TEXT, edit=edits.without_bias(lm.config)).routing(0)
    found = routing.choice_without_bias(lm.trace(TEXT).routing(0), lm.config.experts)
    assert torch.equal(found.sort(-1).values, edited.chosen.sort(-1).values)


def test_readings_of_the_notes(moe):
    trace = moe.trace(TEXT)
    one, found = trace.routing(0), routing.mixing_readings(trace, 0)
    assert torch.equal(found.without, one.weights)
    edited = moe.trace(TEXT, edit=edits.bias_in_the_mix(moe.config)).routing(0)
    torch.testing.assert_close(found.with_bias, edited.weights)
    logits = torch.special.logit(one.scores.double()) + one.bias
    exact = logits.gather(-1, one.chosen).softmax(-1).float()
    torch.testing.assert_close(found.notes, exact, atol=1e-5, rtol=0)
    assert found.difference > 0.01


def test_drops_are_those_of_the_edit(moe):
    found = routing.dropped(moe.trace(TEXT).routing(0), 0.7)
    edited = moe.trace(TEXT, edit=edits.limit_capacity(moe.config, 0.7)).routing(0)
    assert torch.equal(found, edited.weights == 0) and found.any()


def test_sizes(moe):
    config = moe.config
    size = routing.size(config, 20)
    assert size.total == moe.n_parameters
    assert size.total - size.active == 2 * 4 * 3 * 32 * 20  # layers, experts not chosen, matrices, C, F
    cache, ids = moe.new_cache(), torch.arange(20)[None]
    moe(ids[:, :-1], cache)
    with FlopCounterMode(display=False) as counter, torch.inference_mode():
        moe.network(ids[:, -1:], cache)
    counted = counter.get_total_flops()
    from tlmviz.analysis.caches.cost import step_flops

    attention = step_flops(config, 20).attention  # torch counts nothing for fused attention on CPUs
    assert size.flops in (counted, counted + attention)
    everyone = routing.size(config.with_(experts=dict(chosen=6)), 20)
    assert size.dense_flops == everyone.flops
