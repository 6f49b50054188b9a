"""Attention weights that some other code computed, shown like a trace: there is no q and k, so they are kept as
given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from ..errors import BadShape, UnknownName
from ..kernels import REDUCTIONS, AttentionMask
from ..recording import Recording
from .arrays import Array, as_tensor, check_tokens, numbered
from .trace import AttentionSpec, Trace, row_statistics

TOLERANCE = {torch.float16: 1e-2, torch.bfloat16: 3e-2}  # of a row's sum; 1e-3 in other types


def show(
    attentions: Sequence[Array], tokens: Sequence[str], *, key_tokens: Sequence[str] | None = None, model: str = ""
) -> GivenWeights:
    """Weights as BertViz's `head_view` takes them: a list of [1, H, T, S] or [H, T, S] per layer, and the T tokens.

    The result shows itself in a notebook like a trace. The weights are kept as they are given, memory
    [L, H, T, S], as they have no q and k: there are no scores, and `save` has nothing to write. `key_tokens` name the S
    keys of another text (cross attention). What `generate` of transformers returns, a tuple of layers for each step, is
    joined: T tokens are then those that were read, the prompt and all that was written but the last. Rows that do not
    sum to 1 are named in `remarks`, which the picture shows. Raises BadShape where the weights are no weights or do not
    fit the tokens.
    Example: `tlmviz.show(outputs.attentions, tokenizer.convert_ids_to_tokens(ids))`.
    """
    if attentions is None or isinstance(attentions, Mapping | str):
        raise BadShape(
            f"attentions is {'None' if attentions is None else f'a {type(attentions).__name__}'}; give the attentions "
            "of a model's output, a tensor [1, H, T, S] per layer, as output_attentions=True and eager attention "
            "return them."
        )
    layers = [_weights(layer, given) for layer, given in enumerate(_of_steps(attentions, key_tokens is not None))]
    if not layers:
        raise BadShape("attentions is empty; give one tensor [1, H, T, S] per layer.")
    names, keys = list(tokens), None if key_tokens is None else list(key_tokens)
    check_tokens(names, keys)
    shape = (layers[0].shape[0], len(names), len(names if keys is None else keys))
    for layer, weights in enumerate(layers):
        if weights.shape != shape:
            raise BadShape(
                f"attentions of layer {layer} are {list(weights.shape)}; {shape[0]} heads, {shape[1]} tokens and "
                f"{shape[2]} keys make {list(shape)} (keys of another text are named with key_tokens=)."
            )
    return GivenWeights(layers, names, keys, model)


class GivenWeights(Trace):
    """A trace of weights [H, T, S] per layer; see `show`, which makes it. What needs q and k raises UnknownName."""

    weights_only = True

    def __init__(self, layers: list[Tensor], tokens: list[str], key_tokens: list[str] | None, model: str):
        values = {f"blocks.{layer}.attn.weights": weights[None] for layer, weights in enumerate(layers)}
        causal = key_tokens is None and all(not weights.triu(1).any() for weights in layers)
        super().__init__(
            numbered(tokens),
            tokens,
            Recording(values=values),
            [AttentionSpec(1.0, AttentionMask(causal=causal))] * len(layers),
            frozenset(values),
            None,
            key_tokens=key_tokens,
            model=model,
            made_by="tlmviz.show",
        )
        self._layers = layers

    @property
    def n_heads(self) -> int:
        """Number of heads, H."""
        return self._layers[0].shape[0]

    @property
    def remarks(self) -> list[str]:
        """How many rows do not sum to 1, and the first of them; nothing where all do."""
        off, first = 0, None
        for layer, weights in enumerate(self._layers):
            sums = weights.float().sum(-1)
            wrong = ((sums - 1).abs() > TOLERANCE.get(weights.dtype, 1e-3)).nonzero()
            off += len(wrong)
            if first is None and len(wrong):
                head, row = wrong[0].tolist()
                first = f"L{layer}H{head}, row {row} sums to {sums[head, row]:.4g}"
        total = self.n_layers * self.n_heads * len(self)
        return [f"{off:,} of {total:,} rows do not sum to 1, the first: {first}."] if off else []

    def attention(
        self, layer: int, head: int, rows: slice = slice(None), cols: slice = slice(None)
    ) -> Float[Tensor, "t s"]:
        """One head's weights as given, [T, S] or the tile rows x cols."""
        return self._head(layer, head)[rows, cols]

    def attentions(self, layer: int, heads: slice = slice(None), rows: slice = slice(None)) -> Float[Tensor, "h t s"]:
        """The weights of several heads of one layer as given, [H, T, S]."""
        self._head(layer, 0)
        return self._layers[layer][heads, rows].float().cpu()

    def pooled(self, layer: int, head: int, size: int = 64, reduce: str = "max") -> Float[Tensor, "n n"]:
        """A size x size picture of one head's map."""
        return _pool(self._head(layer, head)[None], size, reduce)[0]

    def overview(self, size: int = 64, reduce: str = "max") -> Float[Tensor, "l h n n"]:
        """Every head's pooled picture, [L, H, size, size]."""
        return torch.stack([_pool(weights.float().cpu(), size, reduce) for weights in self._layers])

    def row(self, position: int) -> Float[Tensor, "l h s"]:
        """What every head attends to from one position, [L, H, S]."""
        position = range(len(self))[position]
        return torch.stack([weights[:, position].float().cpu() for weights in self._layers])

    def _head(self, layer: int, head: int) -> Tensor:
        for name, number, count in (("layer", layer, self.n_layers), ("head", head, self.n_heads)):
            if not 0 <= number < count:
                raise UnknownName(f"There is no {name} {number}; this model has {name}s 0 to {count - 1}.")
        return self._layers[layer][head].float().cpu()

    def row_statistics(self) -> dict[str, Tensor]:
        """Of every row: see `Trace.row_statistics`."""
        ids = torch.tensor(self.ids)
        rows = [row_statistics(self.row(i), i, None if self.crosses else ids) for i in range(len(self))]
        found = {name: torch.stack([row[name] for row in rows], -1) for name in rows[0]}
        found["max_logit"] = torch.full_like(found["peak"], torch.nan)  # weights do not tell their logits
        return found


# --- parts ---------------------------------------------------------------------------------------


def _of_steps(attentions: Sequence[Any], crosses: bool) -> Sequence[Array]:
    """Weights of each layer; those of a generation, which come step by step, joined. Raises BadShape."""
    attentions = list(attentions)
    steps = [step for step in attentions if isinstance(step, list | tuple) and _holds_arrays(step)]
    if not steps:
        return attentions
    if len(steps) < len(attentions) or len({len(step) for step in steps}) > 1:
        raise BadShape(
            "attentions mix layers and steps of a generation; give one tensor per layer, or one tuple of layers per "
            "step."
        )
    every = [[_weights(layer, given) for layer, given in enumerate(step)] for step in steps]
    rows = np.cumsum([step[0].shape[1] for step in every])
    keys = rows if not crosses else [every[0][0].shape[2]] * len(every)
    for number, (step, count) in enumerate(zip(every, keys)):
        if any(weights.shape[2] != count for weights in step):
            raise BadShape(
                f"attentions of step {number} have {step[0].shape[2]} keys, where {count} were read: keys of another "
                "text are named with key_tokens=, and a cache of fixed size or with a window cannot be joined; "
                "generate with cache_implementation='dynamic' and no window, or watch the model with tlmviz.watch."
                if not crosses
                else f"attentions of step {number} have {step[0].shape[2]} keys, and those of step 0 "
                f"{count}; give one text's."
            )
    return [
        torch.cat([F.pad(step[layer], (0, keys[-1] - step[layer].shape[2])) for step in every], 1)
        for layer in range(len(every[0]))
    ]


def _holds_arrays(step: Sequence[Any]) -> bool:
    return bool(step) and all(part is None or isinstance(part, Tensor | np.ndarray) for part in step)


def _weights(layer: int, given: Array | None) -> Tensor:
    """A layer's weights [H, T, S]. Raises BadShape."""
    if given is None:
        raise BadShape(
            f"attentions of layer {layer} are None: a fused kernel returns no weights; "
            "load the model with attn_implementation='eager'."
        )
    weights = as_tensor(f"attentions of layer {layer}", given)
    if weights.ndim == 4 and len(weights) == 1:
        weights = weights[0]
    if weights.ndim != 3 or not weights.numel():
        raise BadShape(
            f"attentions of layer {layer} are {list(weights.shape)}; give [1, H, T, S] of one text, with no empty axis."
        )
    if not (weights >= 0).all() or not torch.isfinite(weights).all():  # a NaN is not >= 0
        raise BadShape(
            f"attentions of layer {layer} hold numbers that are negative or not finite; give weights after the softmax."
        )
    return weights


def _pool(weights: Tensor, size: int, reduce: str) -> Tensor:
    """Pictures [H, n, n] of maps [H, T, S], in the bins of `kernels.pooled_attention_map`, which torch's pooling has
    too."""
    if reduce not in REDUCTIONS:
        raise UnknownName(f"There is no reduction {reduce!r}; choose one of {', '.join(REDUCTIONS)}.")
    if size < 1:
        raise BadShape(f"size is {size}; a pooled map needs at least 1 row.")
    if reduce == "max":
        return F.adaptive_max_pool2d(weights, size)
    mean = F.adaptive_avg_pool2d(weights, size)
    return mean if reduce == "mean" else mean * _cells(weights.shape[1], size)[:, None] * _cells(weights.shape[2], size)


def _cells(length: int, size: int) -> Tensor:
    """How many cells each bin has, [size]."""
    bins = np.arange(size)
    return torch.from_numpy((-(-(bins + 1) * length // size) - bins * length // size).astype(np.float32))
