"""The parts of a logit: against the sum, the shares of whole sublayers, and a head taken out before the frozen norm."""

import pytest
import torch

import tlmviz
from tlmviz.analysis.attention.attribution import attribute_logit, can_attribute, compared
from tlmviz.analysis.attention.heads import logit_shares
from tlmviz.errors import BadShape

TEXT = "Lily had a red ball. One day, Lily lost the red"
MODELS = ["stories-rope", "stories-gpt", "zoo-mla", "zoo-gqa", "zoo-layernorm", "stories-mhc", "zoo-none"]


@pytest.mark.parametrize("name", MODELS)
def test_parts_sum_to_the_logit_and_heads_to_their_sublayer(name):
    lm = tlmviz.load(name)
    trace = lm.trace(TEXT)
    for position, token in ((-1, int(trace.logits[-1].argmax())), (4, 7)):
        parts = attribute_logit(lm, trace, position, token)
        assert parts.total == pytest.approx(parts.logit, abs=2e-4)
        shares = logit_shares(lm, trace, position, token).set_index("part")["share"]
        assert parts.embedding == pytest.approx(shares.iloc[0], abs=1e-4)
        assert parts.mlps.tolist() == pytest.approx(shares.iloc[2 : 1 + 2 * trace.n_layers : 2].tolist(), abs=1e-4)
        if lm.network.blocks[0].attn.proj.bias is None:
            assert parts.heads.sum(1).tolist() == pytest.approx(
                shares.iloc[1 : 2 * trace.n_layers : 2].tolist(), abs=1e-4
            )


def test_a_head_share_is_what_its_slice_says_through_the_frozen_norm():
    lm = tlmviz.load("stories-rope")
    trace = lm.trace(TEXT)
    token = int(trace.logits[-1].argmax())
    z = trace["blocks.5.attn.z"][0, 4, -1].double()
    width = len(z)
    slice_ = lm.network.blocks[5].attn.proj.weight.double()[:, 4 * width : 5 * width]
    stream, norm = trace["blocks.5.resid_post"][0, -1].double(), lm.network.norm
    scale = (stream.square().mean() + norm.eps).sqrt()
    by_hand = ((slice_ @ z) / scale * norm.weight.double()) @ lm.network.head.weight.double()[token]
    assert attribute_logit(lm, trace, -1, token).heads[5, 4].item() == pytest.approx(by_hand.item(), abs=1e-4)


@pytest.mark.parametrize("name", ["stories-rope", "stories-gpt", "zoo-mla", "zoo-gqa", "zoo-layernorm", "zoo-none"])
def test_heads_compared_without_a_pass_stand_to_each_other_as_their_shares(name):
    lm = tlmviz.load(name)
    trace = lm.trace(TEXT)
    token = int(trace.logits[-1].argmax())
    heads = [(layer, head) for layer in range(trace.n_layers) for head in range(trace.n_heads)]
    kept = trace.kept_names
    found = torch.tensor(compared(lm, trace, heads, len(trace) - 1, token))
    assert trace.kept_names == kept
    shares = attribute_logit(lm, trace, -1, token).heads.flatten()
    torch.testing.assert_close(found / found.abs().max(), shares / shares.abs().max(), atol=1e-4, rtol=0)


@pytest.mark.parametrize("name", ["stories-mhc", "zoo-post"])
def test_where_heads_do_not_count_as_they_are_they_are_not_compared(name):
    lm = tlmviz.load(name)
    with pytest.raises(BadShape, match="attribute_logit"):
        compared(lm, lm.trace(TEXT), [(0, 0)], 3, 0)


def test_where_the_stream_is_no_sum_it_is_said():
    lm = tlmviz.load("zoo-post")
    trace = lm.trace(TEXT)
    assert not can_attribute(lm, trace)
    with pytest.raises(BadShape, match="pre-norm"):
        attribute_logit(lm, trace, -1, 0)
