"""Few bits against plain code: what is rounded, and what stays."""

import pytest
import torch

from tests import tiny
from tests.tiny import TEXT
from tlmviz.analysis.attention.heads import kl_divergence
from tlmviz.analysis.workbench import precisions


def by_row(x, most=7):
    step = x.abs().amax(-1, keepdim=True) / most
    return (x / step).round() * step


def test_only_the_chosen_heads_are_rounded(lm):
    ids = lm.encode(TEXT)
    plain, kept = lm.trace_ids(ids), precisions.cache_rounded(lm, ids, "int4", [(1, 0)])
    torch.testing.assert_close(kept["blocks.0.attn.k"], plain["blocks.0.attn.k"])
    for part in "kv":
        before, after = plain[f"blocks.1.attn.{part}"], kept[f"blocks.1.attn.{part}"]
        torch.testing.assert_close(after[:, 0], by_row(before[:, 0]), atol=1e-5, rtol=1e-4)
        torch.testing.assert_close(after[:, 1:], before[:, 1:])


def test_costs_are_those_of_one_head_each(lm):
    ids = lm.encode(TEXT)
    plain, found = lm.trace_ids(ids), precisions.cache_costs(lm, ids, "int4")
    assert len(found) == plain.n_layers * plain["blocks.0.attn.k"].shape[1]
    cost = found[-1]
    kept = precisions.cache_rounded(lm, ids, "int4", [(cost.layer, cost.head)])
    p, q = (trace.logits.double().log_softmax(-1) for trace in (plain, kept))
    assert cost.kl == pytest.approx(float((p.exp() * (p - q)).sum(-1).mean()), rel=1e-2, abs=1e-8)
    channels = plain[f"blocks.{cost.layer}.attn.k"][0, cost.head].abs().amax(0)
    assert cost.outlier == pytest.approx(float(channels.max() / channels.median()))


def test_costs_of_a_group_and_what_is_told(tokenizer):
    """Heads side by side from their layer on give what a pass of its own gives each."""
    lm, told = tiny.language_model(tokenizer, n_kv_heads=2), []
    ids = lm.encode(TEXT)
    plain, found = lm.trace_ids(ids), precisions.cache_costs(lm, ids, "int4", told.append)
    assert [(cost.layer, cost.head) for cost in found] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert told == [0.0, pytest.approx(2 / 3)]
    for cost in found:
        kept = precisions.cache_rounded(lm, ids, "int4", [(cost.layer, cost.head)])
        assert cost.kl == pytest.approx(float(kl_divergence(plain.logits, kept.logits).mean()), rel=1e-2, abs=1e-8)


def test_of_latent_attention_the_latent_is_rounded(tokenizer):
    """What the cache holds: one latent and one rotated key per token, each under its scale; heads' keys are made of
    them."""
    lm = tiny.language_model(tokenizer, **tiny.VARIANTS["deepseek"])
    ids = lm.encode(TEXT)
    plain, kept = lm.trace_ids(ids), precisions.cache_rounded(lm, ids, "int4", [(1, 0)])
    before, after = plain["blocks.1.attn.latent"], kept["blocks.1.attn.latent"]
    wanted = torch.cat([by_row(part) for part in before.split((12, 4), -1)], -1)
    torch.testing.assert_close(after, wanted, atol=1e-5, rtol=1e-4)
    keys = lm.network.blocks[1].attn.expand(after)[0]
    torch.testing.assert_close(kept["blocks.1.attn.k"], keys, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(kept["blocks.0.attn.latent"], plain["blocks.0.attn.latent"])
    found = precisions.cache_costs(lm, ids, "int4")
    assert [(cost.layer, cost.head) for cost in found] == [(0, 0), (1, 0)]
    kl = kl_divergence(plain.logits, kept.logits).mean()
    assert found[1].kl == pytest.approx(float(kl), rel=1e-2, abs=1e-8) and found[1].kl > 0
    whole = precisions.cache_rounded(lm, ids, "int4")
    torch.testing.assert_close(
        whole["blocks.0.attn.latent"],
        torch.cat([by_row(part) for part in plain["blocks.0.attn.latent"].split((12, 4), -1)], -1),
        atol=1e-5,
        rtol=1e-4,
    )


def test_weights_are_rounded_and_left_as_they_were(lm):
    ids = lm.encode(TEXT)
    before = lm.trace_ids(ids).logits
    kept = precisions.weights_rounded(lm, ids, "int4")
    assert (kept.logits - before).abs().max() > 1e-4
    torch.testing.assert_close(lm.trace_ids(ids).logits, before)
