"""A layer's own matrices give its own scores; and what RoPE between two of them does."""

import numpy as np
import pytest
import torch

from tests import tiny
from tlmviz.analysis.caches import projections
from tlmviz.analysis.caches.projections import Heads, heads_of
from tlmviz.analysis.positions.rope_planes import has_planes


def drawn(size=6, rows=5):
    generator = torch.Generator().manual_seed(0)
    x, w_q, w_k = (
        torch.randn(n, 7, size_, generator=generator, dtype=torch.float64)
        for n, size_ in ((rows, 1), (3, size), (3, size))
    )
    return Heads(x[..., 0], x[..., 0], w_q, w_k, size**-0.5)


def rotation(size: int, position: float, base: float) -> np.ndarray:
    """R_t for row vectors: x R_t, neighbouring dimensions in one plane."""
    result = np.zeros((size, size))
    for plane in range(size // 2):
        angle = position * base ** (-2 * plane / size)
        cut = slice(2 * plane, 2 * plane + 2)
        result[cut, cut] = [[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]
    return result


def test_a_model_s_matrices_give_its_scores(variant):
    """Every kind of model: with what it adds for positions left out, or put back."""
    trace, config = variant.trace(tiny.TEXT), variant.config
    heads = heads_of(variant, trace, 1)
    if config.attention.latent_dim:
        q, k = (trace[f"blocks.1.attn.{part}"][0, :, :, : config.head_dim].double() for part in "qk")
        torch.testing.assert_close(heads.logits(), q @ k.transpose(1, 2) * heads.scale, atol=1e-4, rtol=1e-4)
        return
    if config.positions.kind == "relative":
        q, k = (trace[f"blocks.1.attn.{part}"][0].double() for part in "qk")
        torch.testing.assert_close(heads.logits(), q @ k.transpose(1, 2) * heads.scale, atol=1e-4, rtol=1e-4)
        return
    if config.positions.kind == "rope" and (not has_planes(config) or config.attention.qk_norm != "none"):
        fused = trace["blocks.1.attn.fused"][0].unflatten(-1, (-1, config.head_dim)).transpose(0, 1).double()
        q, k, _ = fused.split((config.n_heads, config.n_kv_heads, config.n_kv_heads))
        k = k.repeat_interleave(config.n_heads // config.n_kv_heads, 0)
        torch.testing.assert_close(heads.logits(), q @ k.transpose(1, 2) * heads.scale, atol=1e-4, rtol=1e-4)
        return
    slopes = variant.network.positions.slopes if config.positions.kind == "alibi" else None
    base = config.positions.rope_base if config.positions.kind == "rope" else None
    found = heads.logits(base, slopes)
    for head in range(config.n_heads):
        wanted = trace.scores(1, head, "masked").double()
        seen = torch.isfinite(wanted)
        torch.testing.assert_close(found[head][seen], wanted[seen], atol=1e-4, rtol=1e-4)


def test_queries_made_from_a_latent_give_their_scores(tokenizer):
    """With c_Q, M stands between two latents: c_Q and c_KV."""
    lm = tiny.language_model(tokenizer, latent_dim=12, rope_dim=4, query_latent_dim=10)
    trace = lm.trace(tiny.TEXT)
    heads = heads_of(lm, trace, 1)
    q, k = (trace[f"blocks.1.attn.{part}"][0, ..., :8].double() for part in "qk")
    torch.testing.assert_close(heads.logits(), q @ k.transpose(1, 2) * heads.scale, atol=1e-4, rtol=1e-4)
    assert heads.products().shape == (4, 10, 12)


def test_values_through_w_o_are_the_output(variant):
    trace = variant.trace(tiny.TEXT)
    heads, values = heads_of(variant, trace, 0), projections.value_products(variant, 0)
    out = sum(trace.attention(0, head).double() @ heads.x_k @ values[head] for head in range(4))
    bias = variant.network.blocks[0].attn.proj.bias
    out = out if bias is None else out + bias
    torch.testing.assert_close(out.float(), trace["blocks.0.attn.out"][0], atol=1e-4, rtol=1e-4)


def test_logits_with_rope_are_the_plain_product():
    heads = drawn()
    found = heads.logits(base=50.0).numpy()
    for h in range(3):
        q, k = (heads.x_q @ w[h] for w in (heads.w_q, heads.w_k))
        for t in range(5):
            for s in range(5):
                wanted = q[t].numpy() @ rotation(6, t, 50.0) @ rotation(6, s, 50.0).T @ k[s].numpy() * heads.scale
                assert found[h, t, s] == pytest.approx(wanted, abs=1e-6)


def test_one_m_is_one_map_however_factored_until_positions_come():
    heads = drawn()
    for same in (heads.like(0), heads.refactored()):
        logits = same.logits()
        torch.testing.assert_close(same.products(), heads.products()[:1].expand(3, -1, -1))
        assert (logits - logits[:1]).abs().max() < 1e-9
    turned = heads.refactored().logits(base=50.0)
    off = ~torch.eye(5, dtype=torch.bool)
    assert (turned - turned[:1])[1:, off].abs().min() > 1e-6 and (turned - turned[:1])[:, ~off].abs().max() < 1e-5
    assert (heads.like(0).logits(base=50.0).std(0) < 1e-9).all()


def test_two_dimensions_commute_so_a_mirror_is_drawn():
    """In one plane a turn would commute with RoPE's, and the last claim would be wrong."""
    turned = drawn(size=2).refactored().logits(base=50.0)
    off = ~torch.eye(5, dtype=torch.bool)
    assert (turned - turned[:1])[1:, off].abs().max() > 1e-3


def test_turned_products_stand_between_the_states():
    """x_t W_Q R_t R_s' W_K' x_s for a matrix that knows t - s only (000 Eq. 60 and 61)."""
    heads = drawn()
    found = projections.turned_products(heads, 1, [0, 1, 3], 50.0).numpy()
    for matrix, distance in zip(found, [0, 1, 3]):
        w_q, w_k = heads.w_q[1].numpy(), heads.w_k[1].numpy()
        wanted = w_q @ rotation(6, 9 + distance, 50.0) @ rotation(6, 9, 50.0).T @ w_k.T
        np.testing.assert_allclose(matrix, wanted, atol=1e-5)


def test_turning_is_the_distance_between_those_products():
    heads = drawn()
    moved, missed = projections.turning(heads, 1, 12, 50.0)
    every = projections.turned_products(heads, 1, list(range(12)), 50.0)
    whole = every[0].norm()
    torch.testing.assert_close(moved, (every - every[0]).flatten(1).norm(dim=1) / whole, atol=1e-6, rtol=1e-5)
    best = every.mean(0)
    assert missed == pytest.approx(((every - best).square().sum((1, 2)).mean().sqrt() / whole).item(), rel=1e-5)
    assert moved[0] < 1e-6 and missed > 0.1
    for change in (-0.1, 0.1):  # no other matrix misses less
        other = (every - best * (1 + change)).square().sum((1, 2)).mean().sqrt() / whole
        assert other > missed


def test_a_single_token_and_a_single_distance():
    moved, missed = projections.turning(drawn(rows=1), 0, 1, 10_000.0)
    assert moved.tolist() == pytest.approx([0]) and missed == pytest.approx(0, abs=1e-9)
