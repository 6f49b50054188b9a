"""Edits of the routing, against what the scores of an unedited pass say should happen."""

import pytest
import torch

from tests import tiny
from tests.tiny import TEXT, sentence
from tlmviz.analysis.attention.interventions import combine
from tlmviz.analysis.experts import edits
from tlmviz.errors import BadConfig, UnknownName


@pytest.fixture(scope="module")
def moe(tokenizer):
    part = dict(count=6, chosen=2, hidden=20, shared=1, score="sigmoid", bias=True)
    return tiny.language_model(tokenizer, experts=part)


def chosen_of(choice, k=2):
    return choice.topk(k, -1).indices.sort(-1).values


def test_a_trace_hands_out_the_routing(moe, lm):
    routing = moe.trace(TEXT).routing(0)
    length = len(moe.encode(TEXT))
    assert routing.scores.shape == (length, 6) and routing.bias.shape == (6,)
    assert routing.chosen.shape == routing.weights.shape == (length, 2)
    assert torch.equal(routing.bias, moe.network.blocks[0].mlp.choice_bias)
    assert torch.equal(routing.chosen.sort(-1).values, chosen_of(routing.scores + routing.bias))
    assert routing.load.sum() == 2 * length
    torch.testing.assert_close(routing.mixing.sum(-1), torch.ones(length))
    for model, layer, words in ((lm, 0, "no experts"), (moe, 2, "layers 0 to 1")):
        with pytest.raises(UnknownName) as error:
            model.trace(TEXT).routing(layer)
        assert words in sentence(error)


def test_dense_layers_have_no_routing(tokenizer):
    trace = tiny.language_model(tokenizer, **tiny.VARIANTS["sparse"]).trace(TEXT)
    assert trace.expert_layers == [1] and not trace.routing(1).bias.any()
    with pytest.raises(UnknownName) as error:
        trace.routing(0)
    assert "layers 1" in sentence(error)


def test_a_muted_expert_is_replaced_by_the_next_best(moe):
    plain = moe.trace(TEXT).routing(0)
    muted = moe.trace(TEXT, edit=edits.mute_experts(moe.config, [(0, 1), (0, 3)])).routing(0)
    left = (plain.scores + plain.bias).index_fill(-1, torch.tensor([1, 3]), -torch.inf)
    assert torch.equal(muted.chosen.sort(-1).values, chosen_of(left))
    assert muted.load[[1, 3]].sum() == 0
    torch.testing.assert_close(muted.weights.sum(-1), torch.ones(len(muted.weights)))


def test_fewer_experts_than_a_token_chooses(moe):
    one = moe.trace(TEXT, edit=edits.mute_experts(moe.config, [(0, e) for e in range(5)])).routing(0)
    assert one.load.tolist() == [0, 0, 0, 0, 0, len(one.chosen)]
    torch.testing.assert_close(one.mixing[:, 5], torch.ones(len(one.chosen)))


def test_all_experts_muted_is_one_sentence(moe):
    with pytest.raises(BadConfig) as error:
        edits.mute_experts(moe.config, [(1, e) for e in range(6)])
    assert "All 6 experts of layer 1" in sentence(error)


def test_a_forced_expert_reads_every_token(moe):
    plain = moe.trace(TEXT).routing(0)
    forced = moe.trace(TEXT, edit=edits.force_experts(moe.config, [(0, 4)])).routing(0)
    assert (forced.chosen == 4).any(-1).all()
    here = forced.scores.gather(-1, forced.chosen)
    torch.testing.assert_close(forced.weights, here / here.sum(-1, keepdim=True))
    assert torch.equal(forced.scores, plain.scores)
    with pytest.raises(BadConfig) as error:
        edits.force_experts(moe.config, [(0, e) for e in range(3)])
    assert "at most 2" in sentence(error)


def test_the_bias_can_be_taken_away(moe):
    plain = moe.trace(TEXT).routing(0)
    without = moe.trace(TEXT, edit=edits.without_bias(moe.config)).routing(0)
    assert torch.equal(without.chosen.sort(-1).values, chosen_of(plain.scores)) and not without.bias.any()
    assert not torch.equal(without.chosen, plain.chosen)


def test_the_bias_can_be_put_into_the_mix(moe):
    plain = moe.trace(TEXT).routing(0)
    mixed = moe.trace(TEXT, edit=edits.bias_in_the_mix(moe.config)).routing(0)
    assert torch.equal(mixed.chosen, plain.chosen)
    biased = (plain.scores + plain.bias).clamp_min(0).gather(-1, plain.chosen)
    torch.testing.assert_close(mixed.weights, biased / biased.sum(-1, keepdim=True))
    assert (mixed.weights - plain.weights).abs().max() > 0.01


def test_capacity_drops_the_last_tokens(moe):
    plain = moe.trace(TEXT)
    dropped = moe.trace(TEXT, edit=edits.limit_capacity(moe.config, 0.5)).routing(0)
    most = edits.capacity(len(plain), 2, 6, 0.5)
    seen = [0] * 6
    for token, pair in enumerate(plain.routing(0).chosen.tolist()):
        for place, expert in enumerate(pair):
            seen[expert] += 1
            assert (dropped.weights[token, place] == 0) == (seen[expert] > most)
    assert int(dropped.load.max()) == most
    wide = moe.trace(TEXT, edit=edits.limit_capacity(moe.config, 6.0))
    torch.testing.assert_close(wide.logits, plain.logits)
    with pytest.raises(BadConfig) as error:
        edits.limit_capacity(moe.config, 0.0)
    assert "capacity factor" in sentence(error)


def test_edits_combine(moe):
    both = combine(
        edits.mute_experts(moe.config, [(0, 0)]),
        edits.force_experts(moe.config, [(0, 1)]),
        edits.bias_in_the_mix(moe.config),
        edits.limit_capacity(moe.config, 1.0),
        edits.without_bias(moe.config),
    )
    routing = moe.trace(TEXT, edit=both).routing(0)
    assert routing.load[0] == 0 and (routing.chosen == 1).any(-1).all() and not routing.bias.any()


@pytest.mark.parametrize("where", [(2, 0), (0, 6), (0, -1)])
def test_unknown_experts_are_named(moe, lm, where):
    for edit in (edits.mute_experts, edits.force_experts):
        with pytest.raises(UnknownName) as error:
            edit(moe.config, [where])
        assert "experts" in sentence(error)
        with pytest.raises(UnknownName) as error:
            edit(lm.config, [(0, 0)])
        assert "has no experts" in sentence(error)
