"""A score taken apart, against plain float64 code for one architecture and against the model's own score for all."""

import pytest
import torch

from tests.tiny import TEXT, sentence
from tlmviz.analysis.workbench import explaining
from tlmviz.analysis.workbench.sources import stream_parts
from tlmviz.errors import BadShape, UnknownName


@pytest.fixture(scope="module")
def trace(variant):
    return variant.trace(TEXT)


def test_the_parts_are_the_stream(variant, trace):
    """Everything that was written before a layer is what its attention reads."""
    where = (2, len(trace) - 1)
    for layer in range(2):
        _, parts = stream_parts(variant, trace, layer, where)
        read = trace[f"blocks.{layer}.resid_pre"][0]
        if read.ndim == 3:  # of several streams, what H_pre makes of them
            read = trace[f"blocks.{layer}.join_attn.read"][0]
        torch.testing.assert_close(parts.sum(0).float(), read[list(where)], atol=2e-4, rtol=1e-4)


def test_shares_add_up_to_the_score(variant, trace):
    last = len(trace) - 1
    for layer, head, query, key in ((0, 1, last, last - 1), (1, 0, last, last), (1, 3, last - 2, last - 4)):
        found = explaining.explain(variant, trace, layer, head, query, key)
        assert float(found.scores.sum()) == pytest.approx(found.score, abs=1e-3, rel=1e-4)
        assert found.scores.shape == (len(found.names),) * 2
        stage = trace.scores(layer, head, "scaled")[query, key]
        cap = trace.specs[layer].mask.softcap
        capped = found.score if cap is None else cap * torch.tensor(found.score / cap).tanh()
        assert float(stage) == pytest.approx(float(capped), abs=1e-3, rel=1e-4)
        assert found.weight == pytest.approx(float(trace.attention(layer, head)[query, key]), abs=1e-6)


class TestPlainly:
    """Every number of one explanation written out for rmsnorm, RoPE and plain residuals, in float64."""

    layer, head, query, key = 1, 2, 9, 4

    def parts(self, lm, trace, position):
        network, block = lm.network, lm.network.blocks[0]
        z = trace["blocks.0.attn.z"][0, :, position].double()
        w_o = block.attn.proj.weight.double()
        heads = [w_o[:, 8 * h : 8 * h + 8] @ z[h] for h in range(4)]
        mlp = trace["blocks.0.mlp.out"][0, position].double()
        return torch.stack([network.token_emb.weight[trace.ids[position]].double(), *heads, mlp])

    def turned(self, x, position):
        angles = position * 10000.0 ** (-torch.arange(0, 8, 2).double() / 8)
        even, odd = x[..., ::2], x[..., 1::2]
        pairs = torch.stack((even * angles.cos() - odd * angles.sin(), even * angles.sin() + odd * angles.cos()), -1)
        return pairs.flatten(-2)

    def projected(self, lm, trace, position, rows):
        block, parts = lm.network.blocks[1], self.parts(lm, trace, position)
        scale = (parts.sum(0).square().mean() + block.norm1.eps).sqrt()
        return parts / scale * block.norm1.weight.double() @ block.attn.qkv.weight[rows].double().T

    def test_scores(self, lm):
        trace, h = lm.trace(TEXT), self.head
        q = self.turned(self.projected(lm, trace, self.query, slice(8 * h, 8 * h + 8)), self.query)
        k = self.turned(self.projected(lm, trace, self.key, slice(32 + 8 * h, 40 + 8 * h)), self.key)
        found = lm.explain(TEXT, self.layer, self.head, self.query, self.key)
        assert found.names == ["token", "L0H0", "L0H1", "L0H2", "L0H3", "MLP 0", "biases"]
        torch.testing.assert_close(found.scores[:-1, :-1].double(), q @ k.T * 8**-0.5, atol=1e-4, rtol=1e-4)
        assert (found.scores[-1] == 0).all() and (found.scores[:, -1] == 0).all()

    def test_what_the_head_writes(self, lm):
        trace, h, network = lm.trace(TEXT), self.head, lm.network
        values = self.projected(lm, trace, self.key, slice(64 + 8 * h, 72 + 8 * h))
        found = lm.explain(TEXT, self.layer, self.head, self.query, self.key)
        parts = found.weight * values @ network.blocks[1].attn.proj.weight.double()[:, 8 * h : 8 * h + 8].T
        stream = trace["blocks.1.resid_post"][0, self.query].double()
        scale = (stream.square().mean() + network.norm.eps).sqrt()
        added = network.head.weight.double() @ (parts / scale * network.norm.weight.double()).sum(0)
        best = int(added.argmax())
        assert found.written.promoted[0][0] == lm.tokenizer.name(best)
        assert found.written.promoted[0][1] == pytest.approx(float(added.max()), abs=1e-4)
        assert found.written.lowered[0][1] == pytest.approx(float(added.min()), abs=1e-4)
        assert float(found.written.shares.sum()) == pytest.approx(float(added.max()), abs=1e-4)
        assert found.written.length == pytest.approx(float(parts.sum(0).norm()), rel=1e-4)

    def test_the_largest_pairs(self, lm):
        found = lm.explain(TEXT, 1, 2, 9, 4)
        pairs = found.largest(3)
        assert len(pairs) == 3 and abs(pairs[0][2]) == pytest.approx(float(found.scores.abs().max()))
        at = found.names.index(pairs[0][0]), found.names.index(pairs[0][1])
        assert float(found.scores[at]) == pairs[0][2]


class TestRefusals:
    @pytest.mark.parametrize("place", [(2, 0, 3, 1), (0, 4, 3, 1), (0, 0, 99, 1), (0, 0, 3, -1)])
    def test_places_that_do_not_exist(self, lm, place):
        with pytest.raises(UnknownName) as error:
            lm.explain(TEXT, *place)
        assert "choose one from 0 to" in sentence(error)

    def test_a_key_that_is_hidden(self, lm):
        with pytest.raises(BadShape, match="does not see key 7"):
            lm.explain(TEXT, 0, 0, 3, 7)
