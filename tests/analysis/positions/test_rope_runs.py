"""Trained weights under another rotation: the wrong layout, the repaired one, none, another base."""

import math

import pytest
import torch

from tests import tiny
from tlmviz import kernels
from tlmviz.analysis.positions import rope_runs
from tlmviz.errors import BadConfig
from tlmviz.kernels.rotary import half_order
from tlmviz.layers.positions import NoPositions


def logits(lm, positions):
    return lm.trace(tiny.TEXT, positions=positions).logits


def test_the_order_lists_even_dimensions_then_odd_ones():
    assert half_order(8).tolist() == [0, 2, 4, 6, 1, 3, 5, 7]


@pytest.mark.parametrize(
    "changes", [{}, dict(n_kv_heads=2), dict(n_kv_heads=1, window=5)], ids=["mha", "gqa", "mqa-window"]
)
def test_reordering_repairs_the_wrong_layout(tokenizer, changes):
    lm = tiny.language_model(tokenizer, **changes)
    runs, right = rope_runs.variants(lm, 100000.0), lm.trace(tiny.TEXT).logits
    assert torch.equal(logits(lm, runs["own"]), right)
    torch.testing.assert_close(logits(lm, runs["permuted"]), right, atol=1e-4, rtol=1e-4)
    for how in ("half", "off", "base"):
        assert (logits(lm, runs[how]) - right).abs().max() > 0.05, how


def test_the_half_layout_equals_weights_with_reordered_rows(lm, tokenizer):
    """Reordering vectors is what reordering the rows of W_Q and W_K does."""
    changed = tiny.language_model(tokenizer)
    rows = torch.arange(3 * 32).unflatten(0, (12, 8))
    rows[:8] = rows[:8][:, half_order(8)]  # queries and keys, not values
    with torch.no_grad():
        for block in changed.network.blocks:
            block.attn.qkv.weight.copy_(block.attn.qkv.weight[rows.flatten()].clone())
    half = rope_runs.variants(changed, 2.0)["half"]
    torch.testing.assert_close(logits(changed, half), lm.trace(tiny.TEXT).logits, atol=1e-4, rtol=1e-4)


def test_half_split_turns_as_the_kernel_does():
    x, positions = (torch.randn(1, 2, 6, 8, generator=torch.Generator().manual_seed(0)), rope_runs.HalfSplit(8, 50.0))
    where = torch.arange(6)
    assert torch.equal(positions.rotate(x, positions.cos_sin(where)), kernels.rope(x, where, 50.0, layout="half"))


def test_variants_of_a_model_without_rope_are_refused(tokenizer):
    with pytest.raises(BadConfig) as error:
        rope_runs.variants(tiny.language_model(tokenizer, positions="none"), 2.0)
    assert "no positions" in tiny.sentence(error)


@pytest.mark.parametrize("changes", [{}, dict(window=5)], ids=["full", "window"])
def test_continuations_are_the_most_probable_tokens(tokenizer, changes):
    lm = tiny.language_model(tokenizer, **changes)
    for positions in (None, rope_runs.HalfSplit(8), NoPositions()):
        ids = lm.encode(tiny.TEXT)
        new = rope_runs.continue_greedily(lm, ids, positions, 6)
        assert new
        for token in new:
            assert token == int(lm(torch.tensor([ids]), positions=positions)[0, -1].argmax())
            ids = [*ids, token]


def test_continuations_stop_at_the_context(lm):
    ids = [5] * (lm.config.context - 2)
    assert len(rope_runs.continue_greedily(lm, ids, None, 6)) <= 2
    assert rope_runs.continue_greedily(lm, [5] * lm.config.context, None, 6) == []


@pytest.mark.quality
def test_the_wrong_layout_hurts_the_bundled_model(stories):
    text = (
        "Once upon a time there was a little girl named Lily. Lily had a red ball. One day, Lily lost the red ball. "
        * 3
    )
    runs = rope_runs.variants(stories, 100000.0)
    losses = {how: stories.trace(text, positions=run).loss_per_token().mean().item() for how, run in runs.items()}
    assert losses["permuted"] == pytest.approx(losses["own"], abs=1e-4)
    assert losses["half"] > losses["own"] + 0.1 and losses["off"] > losses["own"] + 0.1


def test_one_plane_alone_turns_more_slowly():
    found = rope_runs.OneSlower(8, 10000.0, 2, 4.0)
    assert found.frequencies(99).tolist() == pytest.approx([1, 0.1, 0.01 / 4, 0.001])
    cos, _ = found.cos_sin(torch.tensor([400]))
    assert cos[0, 2] == pytest.approx(math.cos(1), abs=1e-6)
