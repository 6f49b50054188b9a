"""The identities behind the attention family, in the manner of `identities`: each measures an error on a trace.

Every one holds for any model; some apply to those with a latent alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from tlmviz.analysis.caches.weight_absorption import absorbed_errors

from .. import kernels
from ..caches import LatentCache
from ..tracing.trace import Trace
from .cases import has_latent, is_language_model, reading
from .registry import identity
from .result import OF_LARGEST, ROUNDING, Measured, beside_largest, largest, worst

if TYPE_CHECKING:
    from ..facades.language_model import LanguageModel

READ = 128  # tokens of the text that a check looks at: float64 logits of all heads
STEPS = 48  # tokens read one by one


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
    """With G = H, grouped attention is each head on its own; with G = 1, every head reads the same keys (002 section
    3.4)."""
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
    "Cache = c_KV and k^R", "a layer caches R + D_R numbers per token", 0.0, "bytes", when=has_latent, inputs=reading
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
