"""The lightning indexer at work: what it scores, what it chooses, and what sparse attention then loses.

Everything runs over strips of rows, so no map [T, T] of any head is formed. `mass` is a layer's attention
averaged over its heads: the sum over heads, L1-normalised, that the indexer was distilled from.
Source: 000 section 3.5; DeepSeek-V3.2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from tlmviz import kernels
from tlmviz.analysis.attention.interventions import Edits
from tlmviz.checkpoints.indexer import list_indexers, load_indexer
from tlmviz.errors import BadShape, UnknownName
from tlmviz.layers.indexer import Indexer, Indexers, orthogonal
from tlmviz.protocols import LanguageModelLike
from tlmviz.recording import Edit
from tlmviz.tracing.trace import AttentionSpec, Recording, Trace

__all__ = [
    "CHOICES",
    "Precision",
    "choice",
    "index_scores",
    "list_indexers",
    "load_indexer",
    "mass",
    "precision",
    "recall",
    "sparse_attention",
    "sparse_losses",
    "trace_for_indexer",
]
# Who chooses a query's keys: the indexer, the attention itself (no choice of k keys covers more), order, or chance.
CHOICES = ("indexer", "attention", "recent", "random")
STRIP = 128  # queries at once


def trace_for_indexer(lm: LanguageModelLike, ids: list[int]) -> Trace:
    """One pass that keeps what the functions here read, the attention's inputs too."""
    wanted = ("q", "k", "v", "lse", "logits", "normed_attn")
    return lm.trace_ids(ids, keep=lambda name: name.rpartition(".")[2] in wanted)


def index_scores(trace: Trace, indexers: Indexers, layer: int) -> Float[Tensor, "t s"]:
    """Index scores of one layer, [T, S], later keys -inf."""
    return _indexer(indexers, layer, trace)(trace[f"blocks.{layer}.normed_attn"])[0]


def mass(trace: Trace, layer: int, rows: slice = slice(None)) -> Float[Tensor, "r s"]:
    """The layer's attention averaged over its heads, some rows: each sums to 1."""
    q, k, lse = (trace[f"blocks.{layer}.attn.{part}"] for part in ("q", "k", "lse"))
    spec = trace.specs[layer]
    return kernels.attention_map(q, k, lse, spec.mask, rows=rows, scale=spec.scale)[0].mean(0)


def choice(trace: Trace, indexers: Indexers, layer: int, k: int) -> Bool[Tensor, "t s"]:
    """The k keys that the indexer chooses for each query, fewer where fewer are visible. Raises BadShape."""
    check_k(k, len(trace))
    return kernels.top_k(index_scores(trace, indexers, layer)[None], k)[1][0]


def recall(trace: Trace, indexers: Indexers) -> dict[str, Float[Tensor, "l s"]]:
    """Share of the attention mass on the k chosen keys for k = 1 to T (entry k - 1), mean over all queries, [L, T].

    One entry for each of CHOICES; "random" is the expected value. A query with at most k visible keys
    has recall 1, so that every curve ends there.
    """
    length = len(trace)
    visible = torch.arange(1.0, length + 1)
    # k of n keys at random hold k / n of any mass on average: sum over n of min(k / n, 1).
    expected = torch.stack([(k / visible).clamp(max=1).mean() for k in visible])
    curves = {name: torch.zeros(trace.n_layers, length, dtype=torch.float64) for name in CHOICES}
    curves["random"] += expected
    for layer in range(trace.n_layers):
        scores = index_scores(trace, indexers, layer)
        for rows in _strips(length):
            held = mass(trace, layer, rows)
            order = {"indexer": scores[rows], "attention": held, "recent": _recency(rows, length)}
            for name, by in order.items():
                ranked = held.gather(-1, by.sort(dim=-1, descending=True, stable=True).indices)
                curves[name][layer] += ranked.double().cumsum(-1).sum(0) / length
    return curves


def sparse_attention(
    lm: LanguageModelLike, k: int, how: str = "indexer", indexers: Indexers | None = None, seed: int = 0
) -> Edits:
    """Edits that let every query of every layer attend to its k chosen keys only, all heads to the same ones.

    `how` is one of CHOICES; "indexer" needs `indexers`. The softmax is taken over the chosen keys. Recorded
    q, k and lse stay those of dense attention. Raises UnknownName, and in the pass BadShape when k exceeds T.
    """
    if how not in CHOICES:
        raise UnknownName(f"Keys can be chosen by {', '.join(CHOICES)}, not by {how!r}.")
    if how == "indexer":
        if indexers is None:
            raise UnknownName(
                "Choosing by the indexer needs one; load it with tlmviz.analysis.kernels.indexer.load_indexer."
            )
        _fits(indexers, lm.config.n_layers, lm.config.d_model)
    check_k(k)
    edits: Edits = {}
    for layer, spec in enumerate(lm.on_cpu.network.specs()):
        indexer = indexers[layer] if how == "indexer" and indexers is not None else None
        edits |= _sparse_layer(layer, spec, indexer, k, how, seed + layer)
    return edits


def sparse_losses(
    lm: LanguageModelLike, ids: list[int], k: int, indexers: Indexers, choices: tuple[str, ...] = CHOICES
) -> dict[str, float]:
    """Mean next-token loss in nats of dense attention ("dense") and of k keys chosen in each way, every layer
    sparse."""
    check_k(k, len(ids))
    if len(ids) < 2:
        raise BadShape("A loss needs at least two tokens; give a longer text.")
    edits = {"dense": None} | {how: sparse_attention(lm, k, how, indexers) for how in choices}
    return {
        name: lm.trace_ids(ids, edit, keep=lambda name: name == "logits").loss_per_token().mean().item()
        for name, edit in edits.items()
    }


@dataclass(frozen=True, eq=False)
class Precision:
    """One layer's q and k before or after a rotation, and what rounding them to few bits does.

    `peak` is the mean over vectors of max |x| / rms(x): 1 for a flat vector, sqrt(D) for all in one place.
    `error` is the relative RMS error of the index scores, `agreement` the share of top-k choices unchanged.
    """

    q: Float[Tensor, " n"]
    k: Float[Tensor, " n"]
    peak_q: float
    peak_k: float
    error: float
    agreement: float


def precision(
    trace: Trace,
    indexers: Indexers,
    layer: int,
    k: int,
    format: str = "fp8_e4m3",
    rotation: str = "hadamard",
    outlier: float = 1.0,
) -> dict[str, Precision]:
    """q and k of one layer's indexer as they are ("before") and multiplied by U ("after"), rounded to a format.

    One scale per vector; errors are against the float32 scores. `outlier` simulates what large models grow: the last
    dimension of k multiplied by it and that of q divided, which changes no score. Raises UnknownName and BadShape.
    """
    check_k(k, len(trace))
    indexer, x = _indexer(indexers, layer, trace), trace[f"blocks.{layer}.normed_attn"]
    exact = indexer(x)
    seen = exact > -torch.inf
    chosen = kernels.top_k(exact, k)[1]
    results = {}
    grown = torch.ones(indexer.head_dim)
    grown[-1] = outlier
    for name, u in (("before", torch.eye(indexer.head_dim)), ("after", orthogonal(rotation, indexer.head_dim))):
        q, keys, w = indexer.vectors(x)
        q, keys = q / grown @ u.T, keys * grown @ u.T
        rough_q, rough_keys = (kernels.quantize(part, format, per="channel").dequantize() for part in (q, keys))
        scores = kernels.index_scores(rough_q, rough_keys, w)
        error = (scores - exact)[seen].double().square().mean() / exact[seen].double().square().mean().clamp(min=1e-60)
        same = (kernels.top_k(scores, k)[1] & chosen).sum() / chosen.sum()
        results[name] = Precision(q.flatten(), keys.flatten(), _peak(q), _peak(keys), error.sqrt().item(), same.item())
    return results


def check_k(k: int, length: int | None = None) -> None:
    """Raise BadShape unless 1 <= k, and k <= length where that is known."""
    if type(k) is not int or k < 1 or (length is not None and k > length):
        most = "the number of tokens" if length is None else f"{length}, the number of tokens"
        raise BadShape(f"k is {k}; a query attends to 1 up to {most}.")


def _sparse_layer(layer: int, spec: AttentionSpec, indexer: Indexer | None, k: int, how: str, seed: int) -> Edits:
    """Hold what the selection reads, and replace the heads' outputs."""
    names = [f"blocks.{layer}.attn.{part}" for part in ("q", "k", "v")]
    if indexer is not None:
        names.append(f"blocks.{layer}.normed_attn")

    def hold(name: str) -> Edit:
        def edit(value: Tensor, record: Recording) -> Tensor:
            record.values[name] = value  # needed below even if the trace does not keep it
            return value

        return edit

    def attend(z: Tensor, record: Recording) -> Tensor:  # [B, H, T, D]
        q, keys, v, *x = (record.values[name].cpu() for name in names)
        for name in names:
            if not record.keep(name):
                del record.values[name]
        length = q.shape[2]
        check_k(k, length)
        v = v.repeat_interleave(q.shape[1] // v.shape[1], 1)
        index = None if indexer is None else indexer(x[0])
        generator = torch.Generator().manual_seed(seed)
        strips = []
        for rows in _strips(length):
            logits = kernels.attention_scores(q, keys, spec.mask, rows=rows, scale=spec.scale)  # [B, H, R, S]
            if index is not None:
                by = index[:, rows]
            elif how == "attention":
                by = logits.softmax(-1).mean(1)
            elif how == "recent":
                by = _recency(rows, length).expand(len(q), -1, -1)
            else:
                by = torch.rand(len(q), logits.shape[2], length, generator=generator)
            # A mask or window hides the same keys from all heads; what is hidden is never chosen.
            chosen = kernels.top_k(by.masked_fill(logits[:, 0] == -torch.inf, -torch.inf), k)[1]
            strips.append(logits.masked_fill(~chosen[:, None], -torch.inf).softmax(-1) @ v)
        return torch.cat(strips, 2).to(z.device)

    return {name: hold(name) for name in names} | {f"blocks.{layer}.attn.z": attend}


def _indexer(indexers: Indexers, layer: int, trace: Trace) -> Indexer:
    _fits(indexers, trace.n_layers, trace[f"blocks.{trace.n_layers - 1}.normed_attn"].shape[2])
    if not 0 <= layer < len(indexers):
        raise UnknownName(f"There is no layer {layer}; this indexer has layers 0 to {len(indexers) - 1}.")
    return indexers[layer]


def _fits(indexers: Indexers, n_layers: int, d_model: int) -> None:
    config = indexers.config
    if (config.n_layers, config.d_model) != (n_layers, d_model):
        raise BadShape(
            f"{config.name} scores {config.n_layers} layers of width {config.d_model}, the model has {n_layers} of "
            f"width {d_model}; it was made for {config.teacher}."
        )


def _recency(rows: slice, length: int) -> Float[Tensor, "r s"]:
    """Scores that prefer the last keys a query sees; later ones are -inf."""
    where = torch.arange(float(length))
    return where.masked_fill(where > where[rows, None], -torch.inf)


def _peak(x: Tensor) -> float:
    rms = x.square().mean(-1).sqrt().clamp(min=1e-30)
    return (x.abs().amax(-1) / rms).mean().item()


def _strips(length: int) -> Iterator[slice]:
    return (slice(start, min(start + STRIP, length)) for start in range(0, length, STRIP))
