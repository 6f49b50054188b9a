"""The collapse lemma on a layer's own weights: when several heads do the work of one, and what between two matrices
ends that.

Part one: heads with one M = W_Q W_K' share their logits, whatever the factors of M, and the layer is a single head with
U = sum over h of W_V W_O. RoPE or a norm between W_Q and W_K', or ALiBi's own slope for each head, ends it. Part two:
heads with one U whose weights are the scores themselves are a single head with the mean M; a softmax between scores and
values ends it.
Source: Decoder-Only Transformers in Einstein Notation, section 9. Part two and the norm go beyond it.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from tlmviz.analysis.caches.projections import Heads, heads_of, value_products
from tlmviz.layers.positions import alibi_slopes
from tlmviz.protocols import LanguageModelLike
from tlmviz.tracing.trace import Trace

STRETCH = 2.0  # of the drawn factors of M: up to twice as long, and down to half


@dataclass(frozen=True)
class Between:
    """What stands between W_Q and W_K', or is added after them; `same`: all heads have the same factors of M too."""

    rope: bool = False
    norm: bool = False
    alibi: bool = False
    same: bool = False


EVERY = tuple(Between(*switches) for switches in itertools.product((False, True), repeat=4))


@dataclass(frozen=True)
class Apart:
    """How far heads are apart: `logits` at most, over pairs of heads and cells that may be seen; `maps` too, as
    probabilities.

    `output` is |all heads - the single head| / |all heads|, in Frobenius norms over the text's tokens.
    """

    logits: float
    maps: float
    output: float


def causal(length: int) -> Float[Tensor, "t t"]:
    """True where no key is later than its query."""
    return torch.ones(length, length).tril().bool()


def weights(logits: Float[Tensor, "*h t t"]) -> Float[Tensor, "*h t t"]:
    """Softmax over the keys that may be seen."""
    return logits.masked_fill(~causal(logits.shape[-1]), -torch.inf).softmax(-1)


def logits_of(heads: Heads, between: Between, base: float, head: int = 0) -> Float[Tensor, "h t t"]:
    """Logits of heads that all have one `head`'s M, with what stands `between`."""
    shared = heads.like(head) if between.same else heads.refactored(stretch=STRETCH, head=head)
    return shared.logits(
        base if between.rope else None, alibi_slopes(len(heads.w_q)) if between.alibi else None, normed=between.norm
    )


def farthest(values: Float[Tensor, "h t t"]) -> float:
    """How far two heads are apart at most, where a key may be seen."""
    return float(((values.amax(0) - values.amin(0)) * causal(values.shape[-1])).max())


def share(whole: Tensor, part: Tensor) -> float:
    """|whole - part| / |whole|."""
    return float((whole - part).norm() / whole.norm().clamp(min=1e-30))


def one_product(
    heads: Heads, values: Float[Tensor, "h e c"], between: Between, base: float, head: int = 0
) -> tuple[Float[Tensor, "h t t"], Apart]:
    """Part one: the maps of heads with one M and values of their own, and how far they are from the lemma's single
    head.

    The single head has the map of the `head` whose M it is, and the sum of all heads' W_V W_O.
    """
    logits = logits_of(heads, between, base, head)
    maps = weights(logits)
    mixed = maps @ heads.x_k  # [H, T, E]
    every = torch.einsum("hte,hec->tc", mixed, values)
    missed = share(every, mixed[head] @ values.sum(0))
    return maps, Apart(farthest(logits), farthest(maps), missed)


def one_value(
    heads: Heads, values: Float[Tensor, "h e c"], softmax: bool, head: int = 0
) -> tuple[Float[Tensor, "h2 t t"], float]:
    """Part two: [H + 2, T, T], weights of heads with an M each and one `head`'s W_V W_O, the mean of them, those of the
    mean M.

    Weights are the scores of the keys that may be seen, or their softmax. Second: |heads - single head| / |heads| of
    the output.
    """
    mean = heads.x_q @ heads.products().mean(0) @ heads.x_k.T * heads.scale
    both = torch.cat((heads.logits(), mean[None]))
    drawn = weights(both) if softmax else both * causal(len(heads.x_q))
    own, single = drawn[:-1], drawn[-1]
    reads = heads.x_k @ values[head]
    missed = share(own.sum(0) @ reads, len(own) * single @ reads)
    return torch.cat((own, own.mean(0, keepdim=True), single[None])), missed


@dataclass(frozen=True)
class Collapsed:
    """A layer on a text's first tokens: maps as trained [H, T, T]; by EVERY: maps [16, H, T, T] and how far apart they
    are.

    `values`: part two without softmax and with it, [2, H + 2, T, T], and what the single head misses each time.
    """

    trained: Float[Tensor, "h t t"]
    trained_apart: float
    maps: Float[Tensor, "n h t t"]
    apart: tuple[Apart, ...]
    values: Float[Tensor, "2 h2 t t"]
    missed: tuple[float, float]


def collapse(lm: LanguageModelLike, trace: Trace, layer: int, stop: int, head: int = 0) -> Collapsed:
    """Both parts of the lemma on one layer's weights, on the text's first `stop` tokens, in float64; one `head`'s are
    shared."""
    heads, values = heads_of(lm, trace, layer).until(stop), value_products(lm, layer)
    length, base = len(heads.x_q), lm.config.positions.rope_base
    own = torch.stack([trace.scores(layer, each)[:length, :length] for each in range(trace.n_heads)]).double()
    found = [one_product(heads, values, between, base, head) for between in EVERY]
    two = [one_value(heads, values, softmax, head) for softmax in (False, True)]
    return Collapsed(
        weights(own),
        farthest(own),
        torch.stack([maps for maps, _ in found]),
        tuple(apart for _, apart in found),
        torch.stack([drawn for drawn, _ in two]),
        (two[0][1], two[1][1]),
    )
