"""The identities behind the attention family, in the manner of `identities`: each measures an error on a trace.

Every one holds for any model. Those that need a latent are in CHECKS_LATENT; `for_model` chooses.
"""

from __future__ import annotations

from collections.abc import Callable

import torch

from tlmviz.analysis.caches.projections import heads_of, value_products
from tlmviz.analysis.caches.weight_absorption import absorbed_errors

from .. import kernels
from ..caches import LatentCache
from ..layers.positions import alibi_slopes
from ..trace import Trace
from .result import Check, worst

READ = 128  # tokens of the text that a check looks at: float64 logits of all heads
STEPS = 48  # tokens read one by one
BASE = 10000.0


def sharing_is_repeating(lm, trace: Trace) -> Check:
    """GQA equals attention over repeated keys and values, for every G that divides H (003 section 6.1)."""
    q, k, v = (trace[f"blocks.0.attn.{part}"][:, :, :READ] for part in ("q", "k", "v"))
    heads, errors = q.shape[1], []
    k, v = (part.repeat_interleave(heads // part.shape[1], 1) for part in (k, v))
    for groups in (g for g in range(1, heads + 1) if heads % g == 0):
        few = [
            part[:, :: heads // groups] for part in (k, v)
        ]  # keys of every H/G-th head: G of them, [B, G, T, D]
        many = [part.repeat_interleave(heads // groups, 1) for part in few]
        errors.append(worst(kernels.attention(q, *few)[0] - kernels.attention(q, *many)[0]))
    return Check(
        "Sharing = repeating", "G key/value heads equal H with repeats, from MHA to MQA", max(errors), 1e-5
    )


def ends_are_mha_and_mqa(lm, trace: Trace) -> Check:
    """With G = H, grouped attention is each head on its own; with G = 1, every head reads the same keys (002 section 3.4)."""
    q, k, v = (trace[f"blocks.0.attn.{part}"][:, :, :READ] for part in ("q", "k", "v"))
    heads = q.shape[1]
    k, v = (part.repeat_interleave(heads // part.shape[1], 1) for part in (k, v))
    mha, mqa = kernels.attention(q, k, v)[0], kernels.attention(q, k[:, :1], v[:, :1])[0]
    errors = []
    for h in range(heads):
        alone = [kernels.attention(q[:, h : h + 1], k[:, i : i + 1], v[:, i : i + 1])[0] for i in (h, 0)]
        errors += [worst(mha[:, h : h + 1] - alone[0]), worst(mqa[:, h : h + 1] - alone[1])]
    return Check("G = H is MHA, G = 1 MQA", "each head alone gives the ends of the family", max(errors), 1e-5)


def own_cache_equals_full(lm, trace: Trace) -> Check:
    """Token by token through the model's own kind of cache gives the full pass's logits."""
    ids, cache = torch.tensor([trace.ids[:STEPS]]), lm.new_cache()
    stepped = torch.cat([lm(token, cache) for token in ids.split(1, 1)], 1)[0]
    error = worst(stepped - trace.logits[:STEPS])
    return Check(
        "Own cache = full", f"token by token with a {type(cache).__name__}, the logits stay", error, 1e-4
    )


def collapse(lm, trace: Trace) -> Check:
    """With one W_Q W_K' in all heads, however factored, and no positions, all heads of a layer share logits (003 section 9)."""
    errors = [0.0]
    for layer in range(lm.config.n_layers):
        logits = heads_of(lm, trace, layer).until(READ).refactored().logits()
        errors.append(worst(logits - logits[:1]) / max(1.0, worst(logits)))
    return Check(
        "One M, one map", "heads with equal W_Q W_K' share logits", max(errors), 1e-8, "relative max abs"
    )


def collapsed_is_single_head(lm, trace: Trace) -> Check:
    """Such a layer equals one head with value projection sum over h of W_V W_O (003 section 9), in its own states."""
    errors = [0.0]
    for layer in range(lm.config.n_layers):
        heads = heads_of(lm, trace, layer).until(READ).as_first()
        weights = (
            heads.logits()
            .masked_fill(torch.ones(len(heads.x_q), len(heads.x_q)).triu(1).bool(), -torch.inf)
            .softmax(-1)
        )
        values = value_products(lm, layer)
        apart = sum(weights[h] @ heads.x_k @ values[h] for h in range(len(values)))
        errors.append(worst(weights[0] @ heads.x_k @ values.sum(0) - apart) / max(1e-30, worst(apart)))
    return Check(
        "Collapsed = one head",
        "the sum of W_V W_O does all heads' work",
        max(errors),
        1e-8,
        "relative max abs",
    )


def alibi_breaks_it(lm, trace: Trace) -> Check:
    """With ALiBi, heads of equal M differ by exactly (m_h - m_g)(t - s) (003 section 9)."""
    heads = heads_of(lm, trace, 0).until(READ).as_first()
    slopes = alibi_slopes(len(heads.w_q)).double()
    logits, where = heads.logits(slopes=slopes), torch.arange(len(heads.x_q))
    wanted = (slopes[0] - slopes)[:, None, None] * (where[:, None] - where).abs()
    error = worst(logits - logits[:1] - wanted) / max(1.0, worst(logits))
    return Check(
        "ALiBi breaks it", "logits of equal M differ by (m_h − m_g)(t − s)", error, 1e-8, "relative max abs"
    )


def rope_agrees_at_home(lm, trace: Trace) -> Check:
    """With RoPE, two factorisations of one M give the same logit where t = s: R_t R_t' = 1."""
    logits, largest = _two_factorisations(lm, trace)
    error = worst((logits[0] - logits[1]).diagonal()) / largest
    return Check(
        "RoPE: equal at t = s",
        "two factorisations of one M agree on the diagonal",
        error,
        1e-5,
        "relative max abs",
    )


def rope_breaks_it(lm, trace: Trace) -> Check:
    """With RoPE, two factorisations of one M differ where t != s: R stands between W_Q and W_K' (003 section 9)."""
    logits, largest = _two_factorisations(lm, trace)
    elsewhere = torch.ones_like(logits[0]).tril(-1).bool()
    equal = ((logits[0] - logits[1]).abs() < 1e-6 * largest)[elsewhere]
    # A single token has no other to look at, and a single dimension no plane to turn in.
    share = equal.double().mean().item() if equal.numel() and lm.config.head_dim > 1 else 0.0
    return Check(
        "RoPE breaks it", "off the diagonal they share no logit", share, 0.01, "share of equal logits"
    )


def absorbed_is_naive(lm, trace: Trace) -> Check:
    """The folded matrices of every layer give its output (000 Eq. 41 and 46). Latent models only."""
    error = max(absorbed_errors(lm, trace))
    return Check(
        "Absorbed = naive", "folded matrices give the layer's output", error, 1e-4, "relative max abs"
    )


def latent_is_the_cache(lm, trace: Trace) -> Check:
    """A latent cache holds R + D_R numbers per token and layer, and nothing per head. Latent models only."""
    config, ids = lm.config, torch.tensor([trace.ids])
    cache = LatentCache(config.n_layers, reserve=len(trace))
    lm(ids, cache)
    wanted = (
        config.n_layers
        * len(trace)
        * (config.attention.latent_dim + config.attention.rope_dim)
        * lm.network.token_emb.weight.itemsize
    )
    return Check(
        "Cache = c_KV and k^R",
        "a layer caches R + D_R numbers per token",
        abs(cache.nbytes - wanted),
        0.0,
        "bytes",
    )


CHECKS_FAMILY: tuple[Callable[..., Check], ...] = (
    sharing_is_repeating,
    ends_are_mha_and_mqa,
    own_cache_equals_full,
    collapse,
    collapsed_is_single_head,
    alibi_breaks_it,
    rope_agrees_at_home,
    rope_breaks_it,
)
CHECKS_LATENT: tuple[Callable[..., Check], ...] = (absorbed_is_naive, latent_is_the_cache)


def for_model(lm) -> tuple[Callable[..., Check], ...]:
    """The checks that this model can be put to."""
    return CHECKS_FAMILY + (CHECKS_LATENT if lm.config.attention.latent_dim is not None else ())


def _two_factorisations(lm, trace: Trace) -> tuple[torch.Tensor, float]:
    """Logits under RoPE of W_Q, W_K and of W_Q A, W_K A in the first layer, [2, T, T], and their largest number."""
    logits = heads_of(lm, trace, 0).until(READ).refactored(count=2).logits(BASE)
    return logits, max(1e-30, worst(logits))
