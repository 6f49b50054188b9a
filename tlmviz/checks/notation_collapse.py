"""The identities behind the collapse lemma: when several heads are one, and what between two matrices ends that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from tlmviz.analysis.caches.projections import heads_of, value_products
from tlmviz.analysis.notation import collapse as lemma

from ..layers.positions import alibi_slopes
from ..tracing.trace import Trace
from .cases import is_language_model, reading
from .registry import identity
from .result import largest, worst

if TYPE_CHECKING:
    from ..facades.language_model import LanguageModel

READ = 128  # tokens of the text that a check looks at: float64 logits of all heads
BASE = 10000.0
EQUAL = 1e-6  # of the largest: logits as near as this are called equal
DIFFER, SAME = (1e-3, 1e-9)  # weights that differ among heads by a thousandth; what is left of that is its square


@identity(
    "One M, one map",
    "heads with equal W_Q W_K' share logits",
    1e-8,
    "relative max abs",
    when=is_language_model,
    inputs=reading,
)
def collapse(lm: LanguageModel, trace: Trace) -> float:
    """With one W_Q W_K' in all heads, however factored, and no positions, all heads of a layer share logits (003
    section 9)."""
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
        heads = heads_of(lm, trace, layer).until(READ).like(0)
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
    heads = heads_of(lm, trace, 0).until(READ).like(0)
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
    logits, _ = _two_factorisations(lm, trace)
    elsewhere = torch.ones_like(logits[0]).tril(-1).bool()
    # Beside the pair itself: a head may have next to no logits for some tokens, and those differ too.
    equal = ((logits[0] - logits[1]).abs() <= 1e-6 * logits.abs().amax(0))[elsewhere]
    # A single token has no other to look at, and a single dimension no plane to turn in.
    return equal.double().mean().item() if equal.numel() and lm.config.head_dim > 1 else 0.0


@identity(
    "Norm breaks it",
    "with queries and keys normed, two factorisations of one M share no logit",
    0.01,
    "share of equal logits",
    when=is_language_model,
    inputs=reading,
)
def norm_breaks_it(lm: LanguageModel, trace: Trace) -> float:
    """With an RMS norm between W_Q and W_K', factors W_Q A and W_K A'^-1 of one M give other logits: A changes
    lengths."""
    heads = heads_of(lm, trace, 0).until(READ).refactored(count=2, stretch=lemma.STRETCH)
    logits = heads.logits(normed=True)
    seen = lemma.causal(len(heads.x_q))
    equal = ((logits[0] - logits[1]).abs() < EQUAL * max(1e-30, worst(logits)))[seen]
    return equal.double().mean().item() if lm.config.head_dim > 1 else 0.0  # one number normed is 1 or -1


@identity(
    "Without softmax, one head",
    "heads with one W_V W_O whose weights are scores are a head with the mean M",
    1e-8,
    "relative",
    when=is_language_model,
    inputs=reading,
)
def linear_heads_are_one(lm: LanguageModel, trace: Trace) -> float:
    """Heads with an M each and one U, without softmax, against a single head with the mean M."""
    return largest(
        [
            lemma.one_value(heads_of(lm, trace, layer).until(READ), value_products(lm, layer), False)[1]
            for layer in range(lm.config.n_layers)
        ]
    )


@identity(
    "Softmax breaks it",
    "the mean of softmaxes is not the softmax of the mean",
    0.01,
    "share of equal weights",
    when=is_language_model,
    inputs=reading,
)
def softmax_breaks_it(lm: LanguageModel, trace: Trace) -> float:
    """With a softmax between scores and values, the mean of the heads' maps is not the map of the mean M.

    Measured where the heads' weights differ: of one head, or of a token that is repeated throughout, there is nothing
    to see.
    """
    drawn, _ = lemma.one_value(heads_of(lm, trace, 0).until(READ), value_products(lm, 0), True)
    own, mean, single = drawn[:-2], drawn[-2], drawn[-1]
    differ = (own - own[:1]).abs().amax(0) > DIFFER
    equal = ((mean - single).abs() < SAME)[differ]
    return equal.double().mean().item() if equal.numel() else 0.0


def _two_factorisations(lm: LanguageModel, trace: Trace) -> tuple[torch.Tensor, float]:
    """Logits under RoPE of W_Q, W_K and of W_Q A, W_K A in the first layer, [2, T, T], and their largest number."""
    logits = heads_of(lm, trace, 0).until(READ).refactored(count=2).logits(BASE)
    return logits, max(1e-30, worst(logits))
