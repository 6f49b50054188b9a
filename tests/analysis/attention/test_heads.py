"""Head scores, the logit lens and logit shares."""

from types import SimpleNamespace

import pytest
import torch
from torch.nn import functional as F

from tests import tiny
from tests.tiny import TEXT
from tlmviz.analysis.attention.heads import head_scores, kl_divergence, logit_lens, logit_shares, score_gradient


class TestHeadScores:
    @staticmethod
    def built(ids):
        """A trace with one head that looks at the token before, one that inducts, one that spreads evenly."""
        size = len(ids)
        previous, induction, even = (torch.zeros(size, size), torch.zeros(size, size), torch.ones(size, size).tril())
        for t in range(size):
            previous[t, max(0, t - 1)] = 1.0
            earlier = [s for s in range(1, t + 1) if ids[s - 1] == ids[t]]
            induction[t, earlier[-1] if earlier else 0] = 1.0
        maps = [previous, induction, even / even.sum(-1, keepdim=True)]
        return SimpleNamespace(n_layers=1, n_heads=3, attention=lambda layer, head: maps[head])

    def test_a_hand_made_model(self):
        lm = SimpleNamespace(
            config=SimpleNamespace(vocab_size=50),
            tokenizer=SimpleNamespace(lead=[0], special={0: ""}, vocab_size=50),
            trace_ids=self.built,
        )
        scores = head_scores(lm, length=10, repeats=3)
        assert scores[["layer", "head"]].values.tolist() == [[0, 0], [0, 1], [0, 2]]
        assert scores["previous"].tolist()[:1] == [1.0] and scores["induction"].tolist()[:2] == [0.0, 1.0]
        # Evenly spread, row t (from 0) gives 1 / (t + 1) to each of its tokens.
        assert scores["previous"][2] == pytest.approx(sum(1 / (t + 1) for t in range(1, 21)) / 20)
        assert scores["induction"][2] == pytest.approx(sum(1 / (t + 1) for t in range(11, 21)) / 10)

    def test_texts_are_random_halves_said_twice(self, lm):
        seen = []
        spy = SimpleNamespace(
            config=lm.config, tokenizer=lm.tokenizer, trace_ids=lambda ids: seen.append(ids) or lm.trace_ids(ids)
        )
        first = head_scores(spy, length=12, repeats=2, seed=4)
        for ids in seen:
            assert ids[0] == lm.tokenizer.end_of_text and ids[1:13] == ids[13:] and len(set(ids)) == 13
        assert seen[0] != seen[1]
        assert first.equals(head_scores(lm, length=12, repeats=2, seed=4))
        assert not first.equals(head_scores(lm, length=12, repeats=2, seed=5))

    def test_every_head_of_every_variant_has_a_score(self, variant):
        scores = head_scores(variant, length=16, repeats=1)
        assert len(scores) == 8 and scores[["previous", "induction"]].apply(lambda c: c.between(0, 1)).all().all()


class TestLogitLens:
    def test_the_last_layer_gives_the_logits(self, variant):
        trace = variant.trace(TEXT)
        lens = torch.stack(list(logit_lens(variant, trace)))
        assert lens.shape == (3, len(trace), variant.config.vocab_size)
        torch.testing.assert_close(lens[-1], trace.logits, atol=1e-5, rtol=0)

    def test_the_first_reads_the_embedding(self, variant):
        trace = variant.trace(TEXT)
        network = variant.network
        wanted = network.unembed(network.norm(trace["embed"]))[0]
        torch.testing.assert_close(next(logit_lens(variant, trace)), wanted, atol=1e-5, rtol=0)


class TestLogitShares:
    @pytest.mark.parametrize("norm", ["rmsnorm", "layernorm"])
    @pytest.mark.parametrize("tied", [True, False])
    def test_sum_to_the_logit(self, tokenizer, norm, tied):
        lm = tiny.language_model(tokenizer, norm=norm, tied=tied, bias=True)
        trace = lm.trace(TEXT)
        for position, token in ((0, 3), (5, 17), (-1, 250)):
            shares = logit_shares(lm, trace, position, token)
            assert shares["share"].sum() == pytest.approx(trace.logits[position, token].item(), abs=1e-4)

    def test_sum_to_the_logit_of_every_variant(self, variant):
        """Also where logits are bounded, the head has a bias, or a norm stands after each sublayer."""
        trace = variant.trace(TEXT)
        shares = logit_shares(variant, trace, 7, 33)["share"]
        if variant.config.norm.placement != "post":
            assert shares.sum() == pytest.approx(trace.logits[7, 33].item(), abs=1e-3)

    @pytest.mark.parametrize("name", ["hyper", "manifold"])
    def test_sum_to_the_logit_of_several_streams(self, tokenizer, name):
        lm = tiny.language_model(tokenizer, **tiny.VARIANTS[name])
        trace = lm.trace(TEXT)
        shares = logit_shares(lm, trace, 7, 33)
        assert shares["share"].sum() == pytest.approx(trace.logits[7, 33].item(), abs=1e-3)

    def test_parts_are_named_in_order(self, lm):
        parts = logit_shares(lm, lm.trace(TEXT), -1, 5)["part"].tolist()
        assert parts == ["embedding", "attention 0", "MLP 0", "attention 1", "MLP 1"]

    def test_a_silent_part_has_no_share(self, lm):
        trace = lm.trace(TEXT, edit={"blocks.1.mlp.out": lambda x, r: x * 0})
        shares = logit_shares(lm, trace, -1, 5).set_index("part")["share"]
        assert shares["MLP 1"] == 0 and shares["attention 1"] != 0
        assert shares.sum() == pytest.approx(trace.logits[-1, 5].item(), abs=1e-4)

    def test_post_norm_has_none(self, tokenizer):
        lm = tiny.language_model(tokenizer, **tiny.VARIANTS["post-sinusoidal"])
        frame = logit_shares(lm, lm.trace(TEXT), -1, 5)
        assert frame.empty and list(frame.columns) == ["part", "share"]


class TestKL:
    def test_is_zero_for_equal_and_positive_otherwise(self):
        before, after = torch.randn(2, 9, 20, generator=torch.Generator().manual_seed(0))
        assert (kl_divergence(before, before + 5.0) < 1e-6).all()  # a constant changes no distribution
        assert (kl_divergence(before, after) > 0).all()

    def test_equals_the_definition(self):
        p, q = torch.tensor([0.5, 0.25, 0.25]), torch.tensor([0.25, 0.25, 0.5])
        wanted = 0.5 * torch.log(torch.tensor(2.0)) + 0.25 * torch.log(torch.tensor(0.5))
        assert kl_divergence(p.log()[None], q.log()[None]).item() == pytest.approx(wanted.item(), abs=1e-6)


@pytest.mark.parametrize("target", [0, 3, 6])
def test_score_gradient_is_autograds(target):
    scores = torch.randn(5, 7, dtype=torch.float64, requires_grad=True)
    F.cross_entropy(scores, torch.full((5,), target), reduction="sum").backward()
    p = scores.detach().softmax(-1)
    copy = p.clone()
    torch.testing.assert_close(score_gradient(p, target), scores.grad)
    assert torch.equal(p, copy)
