"""The identities behind the attention family, in the manner of `identities`: each measures an error on a trace.

Every one holds for any model. Those that need a latent are in CHECKS_LATENT; `for_model` chooses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from tlmviz.analysis.caches.projections import heads_of, value_products
from tlmviz.analysis.caches.weight_absorption import absorbed_errors

from .. import kernels
from ..caches import LatentCache
from ..layers.positions import alibi_slopes
from ..trace import Trace
from .cases import has_latent, is_language_model, reading
from .registry import identity
from .result import OF_LARGEST, ROUNDING, Measured, beside_largest, largest, worst

if TYPE_CHECKING:
    from ..language_model import LanguageModel

READ = 128  # tokens of the text that a check looks at: float64 logits of all heads
STEPS = 48  # tokens read one by one
BASE = 10000.0


@identity(
    "Sharing = repeating",
    "G key/value heads equal H with repeats, from MHA to MQA",
    1e-5,
    when=is_language_model,
    inputs=reading,
)
def sharing_is_repeating(lm: LanguageModel, trace: Trace) -> float:
    """GQA equals attention over repeated keys and values, for every G that divides H (003 section 6.1)."""
    q, k, v = (trace[f"blocks.0.attn.{part}"][:, :, :READ] for part in ("q", "k", "v"))
    heads, errors = q.shape[1], []
    k, v = (part.repeat_interleave(heads // part.shape[1], 1) for part in (k, v))
    for groups in (g for g in range(1, heads + 1) if heads % g == 0):
        repeats = heads // groups
        few_k, few_v = k[:, ::repeats], v[:, ::repeats]  # of every H/G-th head: G of them, [B, G, T, D]
        many_k, many_v = few_k.repeat_interleave(repeats, 1), few_v.repeat_interleave(repeats, 1)
        errors.append(worst(kernels.attention(q, few_k, few_v)[0] - kernels.attention(q, many_k, many_v)[0]))
    return largest(errors)


@identity(
    "G = H is MHA, G = 1 MQA",
    "each head alone gives the ends of the family",
    1e-5,
    when=is_language_model,
    inputs=reading,
)
def ends_are_mha_and_mqa(lm: LanguageModel, trace: Trace) -> float:
    """With G = H, grouped attention is each head on its own; with G = 1, every head reads the same keys (002 section 3.4)."""
    q, k, v = (trace[f"blocks.0.attn.{part}"][:, :, :READ] for part in ("q", "k", "v"))
    heads = q.shape[1]
    k, v = (part.repeat_interleave(heads // part.shape[1], 1) for part in (k, v))
    mha, mqa = kernels.attention(q, k, v)[0], kernels.attention(q, k[:, :1], v[:, :1])[0]
    errors = []
    for h in range(heads):
        alone = [kernels.attention(q[:, h : h + 1], k[:, i : i + 1], v[:, i : i + 1])[0] for i in (h, 0)]
        errors += [worst(mha[:, h : h + 1] - alone[0]), worst(mqa[:, h : h + 1] - alone[1])]
    return largest(errors)


@identity(
    "Own cache = full",
    "token by token with the model's own cache, the logits stay",
    ROUNDING,
    OF_LARGEST,
    when=is_language_model,
    inputs=reading,
)
def own_cache_equals_full(lm: LanguageModel, trace: Trace) -> Measured:
    """Token by token through the model's own kind of cache gives the full pass's logits."""
    ids, cache = torch.tensor([trace.ids[:STEPS]]), lm.new_cache()
    stepped = torch.cat([lm(token, cache) for token in ids.split(1, 1)], 1)[0]
    return Measured(beside_largest(stepped, trace.logits[:STEPS]), f"a {type(cache).__name__}")


@identity(
    "One M, one map",
    "heads with equal W_Q W_K' share logits",
    1e-8,
    "relative max abs",
    when=is_language_model,
    inputs=reading,
)
def collapse(lm: LanguageModel, trace: Trace) -> float:
    """With one W_Q W_K' in all heads, however factored, and no positions, all heads of a layer share logits (003 section 9)."""
    errors = [0.0]
    for layer in range(lm.config.n_layers):
        logits = heads_of(lm, trace, layer).until(READ).refactored().logits()
        errors.append(worst(logits - logits[:1]) / max(1.0, worst(logits)))
    return largest(errors)


@identity(
    "Collapsed = one head",
    "the sum of W_V W_O does all heads' work",
    1e-8,
    "relative max abs",
    when=is_language_model,
    inputs=reading,
)
def collapsed_is_single_head(lm: LanguageModel, trace: Trace) -> float:
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
        products = (weights[h] @ heads.x_k @ values[h] for h in range(len(values)))
        apart = sum(products, torch.zeros(()))
        errors.append(worst(weights[0] @ heads.x_k @ values.sum(0) - apart) / max(1e-30, worst(apart)))
    return largest(errors)


@identity(
    "ALiBi breaks it",
    "logits of equal M differ by (m_h − m_g)(t − s)",
    1e-8,
    "relative max abs",
    when=is_language_model,
    inputs=reading,
)
def alibi_breaks_it(lm: LanguageModel, trace: Trace) -> float:
    """With ALiBi, heads of equal M differ by exactly (m_h - m_g)(t - s) (003 section 9)."""
    heads = heads_of(lm, trace, 0).until(READ).as_first()
    slopes = alibi_slopes(len(heads.w_q)).double()
    logits, where = heads.logits(slopes=slopes), torch.arange(len(heads.x_q))
    wanted = (slopes[0] - slopes)[:, None, None] * (where[:, None] - where).abs()
    return worst(logits - logits[:1] - wanted) / max(1.0, worst(logits))


@identity(
    "RoPE: equal at t = s",
    "two factorisations of one M agree on the diagonal",
    1e-5,
    "relative max abs",
    when=is_language_model,
    inputs=reading,
)
def rope_agrees_at_home(lm: LanguageModel, trace: Trace) -> float:
    """With RoPE, two factorisations of one M give the same logit where t = s: R_t R_t' = 1."""
    logits, largest = _two_factorisations(lm, trace)
    return worst((logits[0] - logits[1]).diagonal()) / largest


@identity(
    "RoPE breaks it",
    "off the diagonal they share no logit",
    0.01,
    "share of equal logits",
    when=is_language_model,
    inputs=reading,
)
def rope_breaks_it(lm: LanguageModel, trace: Trace) -> float:
    """With RoPE, two factorisations of one M differ where t != s: R stands between W_Q and W_K' (003 section 9)."""
    logits, largest = _two_factorisations(lm, trace)
    elsewhere = torch.ones_like(logits[0]).tril(-1).bool()
    equal = ((logits[0] - logits[1]).abs() < 1e-6 * largest)[elsewhere]
    # A single token has no other to look at, and a single dimension no plane to turn in.
    return equal.double().mean().item() if equal.numel() and lm.config.head_dim > 1 else 0.0


@identity(
    "Absorbed = naive",
    "folded matrices give the layer's output",
    1e-4,
    "relative max abs",
    when=has_latent,
    inputs=reading,
)
def absorbed_is_naive(lm: LanguageModel, trace: Trace) -> float:
    """The folded matrices of every layer give its output (000 Eq. 41 and 46). Latent models only."""
    return max(absorbed_errors(lm, trace))


@identity(
    "Cache = c_KV and k^R",
    "a layer caches R + D_R numbers per token",
    0.0,
    "bytes",
    when=has_latent,
    inputs=reading,
)
def latent_is_the_cache(lm: LanguageModel, trace: Trace) -> float:
    """A latent cache holds R + D_R numbers per token and layer, and nothing per head. Latent models only."""
    config, ids = lm.config, torch.tensor([trace.ids])
    cache = LatentCache(config.n_layers, reserve=len(trace))
    lm(ids, cache)
    wanted = (
        config.n_layers
        * len(trace)
        * ((config.attention.latent_dim or 0) + config.attention.rope_dim)
        * lm.network.token_emb.weight.itemsize
    )
    return abs(cache.nbytes - wanted)


def _two_factorisations(lm: LanguageModel, trace: Trace) -> tuple[torch.Tensor, float]:
    """Logits under RoPE of W_Q, W_K and of W_Q A, W_K A in the first layer, [2, T, T], and their largest number."""
    logits = heads_of(lm, trace, 0).until(READ).refactored(count=2).logits(BASE)
    return logits, max(1e-30, worst(logits))
