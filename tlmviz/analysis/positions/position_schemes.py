"""Position schemes side by side: what each adds, which positions it holds alike, how far its trained heads look.

Letters: T positions, L layers, H heads, C d_model, D head dimension, P = D/2 planes, R relative distances.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from tlmviz import kernels
from tlmviz.checkpoints.registry import language_config, list_models
from tlmviz.config import ModelConfig
from tlmviz.layers.positions import CosSin, Learned, Positions, sinusoids
from tlmviz.protocols import LanguageModelLike
from tlmviz.tracing.trace import Trace

ORDER = ("learned", "sinusoidal", "relative", "alibi", "rope", "none")


def families() -> dict[str, str]:
    """The largest set of bundled models that differ in nothing but their positions: scheme -> model, in ORDER."""
    groups: dict[ModelConfig, dict[str, str]] = {}
    for name in list_models("language"):
        config = language_config(name)
        rest = config.with_(name="", description="", positions="rope")
        groups.setdefault(rest, {}).setdefault(config.positions.kind, name)
    largest = max(groups.values(), key=len, default={})
    return {scheme: largest[scheme] for scheme in ORDER if scheme in largest}


# --- what is added -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Added:
    """What a scheme adds or turns, [N, T]: N `rows` (dimensions, planes or heads) by T `columns` (positions or
    distances)."""

    values: np.ndarray
    what: str
    rows: str
    columns: str


def added(lm: LanguageModelLike, length: int, layer: int) -> Added:
    """What the model's scheme brings to the first `length` positions or distances; of relative vectors, one layer's."""
    return _ADDED[lm.config.positions.kind](lm, length, layer)


def _vectors(lm: LanguageModelLike, length: int, layer: int) -> Added:
    return Added(position_vectors(lm, length).T.numpy(), "added to the embedding", "dimension", "position")


def _cosines(lm: LanguageModelLike, length: int, layer: int) -> Added:
    cos, _ = lm.on_cpu.network.positions.cos_sin(torch.arange(length))
    return Added(cos.T.numpy(), "cos of the angle of q and k", "plane", "position")


def _penalties(lm: LanguageModelLike, length: int, layer: int) -> Added:
    bias = -lm.on_cpu.network.positions.slopes[:, None] * torch.arange(length)
    return Added(bias.numpy(), "bias on the score", "head", "distance")


def _relative(lm: LanguageModelLike, length: int, layer: int) -> Added:
    vectors = lm.on_cpu.network.positions.relative(layer)[:length]
    return Added(vectors.T.numpy(), f"what q meets, layer {layer}", "dimension", "distance")


def _nothing(lm: LanguageModelLike, length: int, layer: int) -> Added:
    return Added(np.zeros((1, length), np.float32), "nothing", "", "position")


_ADDED: dict[str, Callable[..., Added]] = {
    "learned": _vectors,
    "sinusoidal": _vectors,
    "relative": _relative,
    "alibi": _penalties,
    "rope": _cosines,
    "none": _nothing,
}


def position_vectors(lm: LanguageModelLike, length: int) -> Float[Tensor, "t c"]:
    """The vectors that a learned or sinusoidal scheme adds to the embedding, at most as many as there are."""
    positions = lm.on_cpu.network.positions
    if isinstance(positions, Learned):
        return positions.embedding.weight[:length]
    return sinusoids(torch.arange(length), lm.config.d_model)


# --- which positions are alike ------------------------------------------------------------------------


def similarity(
    lm: LanguageModelLike, trace: Trace, layer: int, head: int, size: int = 128
) -> tuple[Float[np.ndarray, "n n"], np.ndarray]:
    """How alike positions m and n are to the scheme alone, [n, n], at evenly spaced positions [n] of a trace.

    Vectors: their cosine. RoPE: the cosine between one vector turned to m and to n, if all planes are equally long.
    ALiBi and relative: the factor on the weight of a key at n <= m, the largest being 1, NaN after m; relative vectors
    meet the mean query of the head. None: 1.
    """
    length, kind = len(trace), lm.config.positions.kind
    if kind == "learned":
        length = min(length, lm.config.context)
    where = torch.arange(0, length, -(-length // size))
    distance = where[:, None] - where
    if kind in ("learned", "sinusoidal"):
        vectors = torch.nn.functional.normalize(position_vectors(lm, length)[where], dim=-1)
        found = vectors @ vectors.T
    elif kind == "rope":
        # Mean of cos over the planes.
        by_distance = lm.on_cpu.network.positions.cos_sin(torch.arange(length))[0].mean(-1)
        found = by_distance[distance.abs()]
    elif kind == "none":
        found = torch.ones(len(where), len(where))
    else:
        mask = trace.specs[layer].mask
        if kind == "alibi":
            assert mask.slopes is not None
            bias = -mask.slopes[head] * torch.arange(length)
        else:
            assert mask.relative is not None
            mean = trace[f"blocks.{layer}.attn.q"][0, head].mean(0)
            bias = (mask.relative @ mean)[torch.arange(length).clamp(max=len(mask.relative) - 1)]
        factor = (bias - bias.max()).exp()
        found = factor[distance.clamp(min=0)].masked_fill(distance < 0, torch.nan)
    return found.float().numpy(), where.numpy()


# --- how far trained heads look ------------------------------------------------------------------------


@dataclass(frozen=True)
class Distances:
    """Where every head of a model looks on one text."""

    weight: np.ndarray  # [L, H, T], mean attention probability of the key 0, 1, 2, ... tokens back
    mean: np.ndarray  # [L, H], mean tokens back
    decay: np.ndarray  # [L, H], nats per token by which a query's scores fall with distance


def distances(trace: Trace) -> Distances:
    """Attention by distance, averaged over all queries that have so many tokens behind them.

    The decay is the slope of least-squares lines through the scores of all tokens before a query, one intercept per
    query (softmax takes it out) and one slope per head. With equal content, ALiBi's is the slope it was given.
    """
    length, weights, decays = len(trace), [], []
    where = torch.arange(length)
    distance = (where[:, None] - where).double()
    back = torch.where(distance > 0, distance - (where[:, None] + 1) / 2, 0)  # from the mean of 1, 2, ..., t
    for layer, spec in enumerate(trace.specs):
        q, k, lse = (trace[f"blocks.{layer}.attn.{part}"] for part in ("q", "k", "lse"))
        scores = kernels.attention_scores(q, k, spec.mask, scale=spec.scale)[0]  # [H, T, T]
        weights.append(mean_by_distance((scores - lse[0][..., None]).exp()).numpy())
        slope = (scores.masked_fill(distance < 0, 0) * back).sum((1, 2)) / back.square().sum().clamp(min=1e-30)
        decays.append(-slope.numpy())
    mean = trace.statistics()["distance"].reshape(len(weights), -1)
    return Distances(np.stack(weights), mean, np.stack(decays).astype(np.float32))


def mean_by_distance(values: Float[Tensor, "h t t"]) -> Float[Tensor, "h t"]:
    """The mean of each diagonal on and below the main one: over the pairs 0, 1, 2, ... tokens apart."""
    length = values.shape[-1]
    where = torch.arange(length)
    distance = where[:, None] - where
    seen = distance >= 0
    sums = values.new_zeros(len(values), length).index_add_(1, distance[seen], values[:, seen])
    return sums / torch.arange(length, 0, -1)


def flat_distance(slopes: Float[np.ndarray, " h"], length: int) -> Float[np.ndarray, " h"]:
    """Mean tokens back, over the queries of a text from the second on, if ALiBi's bias alone decided; slope 0: no
    bias."""
    back = np.arange(length)
    weights = np.exp(-np.asarray(slopes, np.float64)[:, None] * back)
    means = np.cumsum(weights * back, 1) / np.cumsum(weights, 1)  # of the query at position t, over distances 0 to t
    return means[:, min(1, length - 1) :].mean(1)


# --- moved as a whole ---------------------------------------------------------------------------------


class Shifted(Positions):
    """A model's own positions for a text that begins at position `by` instead of 0."""

    def __init__(self, own: Positions, by: int):
        super().__init__()
        self.own, self.by, self.slopes = own, by, own.slopes

    def embed(self, x: Tensor, position_ids: Tensor) -> Tensor:
        return self.own.embed(x, position_ids + self.by)

    def cos_sin(self, position_ids: Tensor) -> CosSin:
        return self.own.cos_sin(position_ids + self.by)

    def rotate(self, x: Tensor, cos_sin: CosSin) -> Tensor:
        return self.own.rotate(x, cos_sin)

    def relative(self, layer: int) -> Tensor | None:
        return self.own.relative(layer)


@torch.inference_mode()
def shift_divergence(lm: LanguageModelLike, ids: list[int], by: int = 64) -> float:
    """KL(at 0 || at `by`) of the next-token distributions in nats, averaged over a text read once from each place.

    0 where only distances count. Raises BadText where learned positions end.
    """
    x = torch.tensor([ids])
    home, away = (
        lm(x, positions=Shifted(lm.network.positions, start))[0].double().log_softmax(-1) for start in (0, by)
    )
    return (home.exp() * (home - away)).sum(-1).mean().item()
