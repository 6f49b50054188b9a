"""Why a head looks where it does: one score as a sum over pairs of sources, and what the head then writes."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from tlmviz.errors import BadShape, UnknownName
from tlmviz.protocols import LanguageModelLike
from tlmviz.tracing.trace import Trace

from ..attention.attribution import can_attribute
from ..attention.scores import products_of
from ..streams.unrolled import final_streams, readout_coefficients
from .sources import normed, sources_of

DISTANCE = "distance"
WORDS = 10  # promoted and lowered tokens that are named


@dataclass(frozen=True)
class Written:
    """What a head writes at the query of what it reads at one key: weight times value through W_O, read by the frozen
    final norm and the head of the model, as if nothing came between.

    `shares` [N] splits the first promoted token's part by the sources of the value.
    """

    promoted: list[tuple[str, float]]  # tokens and what it adds to their logits, largest first
    lowered: list[tuple[str, float]]  # smallest first
    shares: Float[Tensor, " n"]
    length: float  # of the vector


@dataclass(frozen=True)
class Explanation:
    """One score taken apart: `scores[i, j]` is what source `names[i]` at the query and `names[j]` at the key give
    together.

    They add up to `score`, which the model's query and key give, scaled, before any soft cap. The last but "distance",
    which is there where distance enters the score, is "biases". `weight` is what softmax makes of the score.
    """

    layer: int
    head: int
    query: int
    key: int
    tokens: list[str]
    names: list[str]
    scores: Float[Tensor, "n n"]
    score: float
    weight: float
    written: Written | None  # None where norms behind sublayers make logits no sum

    @property
    def error(self) -> float:
        """How far the sum is from the score."""
        return abs(float(self.scores.sum()) - self.score)

    def largest(self, count: int = 8) -> list[tuple[str, str, float]]:
        """The pairs of sources that give most, by magnitude: source at the query, source at the key, share."""
        flat = self.scores.flatten()
        chosen = flat.abs().topk(min(count, flat.numel())).indices.tolist()
        n = len(self.names)
        return [(self.names[i // n], self.names[i % n], float(flat[i])) for i in chosen]


def explain(lm: LanguageModelLike, trace: Trace, layer: int, head: int, query: int, key: int) -> Explanation:
    """One weight of one head explained by the sources of its query, key and value.

    Raises UnknownName: a layer, head or position that does not exist; BadShape: a key that the query does not see.
    """
    for what, index, count in (
        ("layer", layer, trace.n_layers),
        ("head", head, trace.n_heads),
        ("query", query, len(trace)),
        ("key", key, len(trace)),
    ):
        if not 0 <= index < count:
            raise UnknownName(f"There is no {what} {index}; choose one from 0 to {count - 1}.")
    weight = float(trace.attention(layer, head, slice(query, query + 1), slice(key, key + 1)))
    if not torch.isfinite(trace.scores(layer, head, "masked")[query, key]):
        raise BadShape(
            f"Query {query} does not see key {key}, so that no score is between them; choose an earlier key."
        )
    sources = sources_of(lm, trace, layer, (query, key))
    group = head * sources.k.shape[1] // sources.q.shape[1]
    q, k, v = sources.q[:, head, 0], sources.k[:, group, 1], sources.v[:, group, 1]  # [N, D], [N, D], [N, E]
    names, scores = _with_distance(trace, layer, head, query - key, sources.names, q, k)
    return Explanation(
        layer,
        head,
        query,
        key,
        trace.tokens,
        names,
        scores.float(),
        _score(trace, layer, head, query, key),
        weight,
        _written(lm, trace, layer, head, query, weight * v),
    )


def _with_distance(
    trace: Trace, layer: int, head: int, distance: int, names: list[str], q: Tensor, k: Tensor
) -> tuple[list[str], Tensor]:
    """Scores of all pairs of sources, and a last row and column for what distance adds, where it does."""
    spec = trace.specs[layer]
    scores = spec.scale * q @ k.T
    slopes, relative = spec.mask.slopes, spec.mask.relative
    if slopes is None and relative is None:
        return names, scores
    scores = torch.nn.functional.pad(scores, (0, 1, 0, 1))
    if slopes is not None:
        scores[-1, -1] = -float(slopes[head]) * abs(distance)
    if relative is not None:  # already scaled
        scores[:-1, -1] = q @ relative[min(abs(distance), len(relative) - 1)].double()
    return [*names, DISTANCE], scores


def _score(trace: Trace, layer: int, head: int, query: int, key: int) -> float:
    """The model's own scaled score of one pair, before a soft cap, with what distance adds."""
    score = float(products_of(trace, layer, head, query, key).double().sum())
    slopes = trace.specs[layer].mask.slopes
    return score if slopes is None else score - float(slopes[head]) * abs(query - key)


@torch.inference_mode()
def _written(
    lm: LanguageModelLike, trace: Trace, layer: int, head: int, query: int, values: Float[Tensor, "n e"]
) -> Written | None:
    """What weighted values of one key write, by source, and which tokens that promotes."""
    if not can_attribute(lm, trace):
        return None
    network = lm.on_cpu.network
    w_o = network.blocks[layer].attn.proj.weight.double().unflatten(1, (trace.n_heads, -1))[:, head]  # [C, E]
    parts = values @ w_o.T * readout_coefficients(trace)[1 + 2 * layer, query].double()  # [N, C]
    rest = final_streams(trace)[query].mean(0).double() - parts.sum(0)
    # The rest of the stream takes part, so that the norm's scale is that of all of it, and what the norm adds goes to
    # it.
    read = normed(torch.cat((parts, rest[None])), network.norm)[:-1]
    added = network.head.weight.double() @ read.sum(0)  # [V]
    promoted, lowered = (
        [(lm.tokenizer.name(i), float(added[i])) for i in added.topk(WORDS, largest=largest).indices.tolist()]
        for largest in (True, False)
    )
    return Written(
        promoted,
        lowered,
        (read @ network.head.weight[int(added.argmax())].double()).float(),
        float(parts.sum(0).norm()),
    )
