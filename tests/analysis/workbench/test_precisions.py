"""Few bits against plain code: what is rounded, and what stays."""

import pytest
import torch

from tests.tiny import TEXT
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


def test_weights_are_rounded_and_left_as_they_were(lm):
    ids = lm.encode(TEXT)
    before = lm.trace_ids(ids).logits
    kept = precisions.weights_rounded(lm, ids, "int4")
    assert (kept.logits - before).abs().max() > 1e-4
    torch.testing.assert_close(lm.trace_ids(ids).logits, before)
