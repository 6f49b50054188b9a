"""A trace from arrays that any code computed: what the arrays must be, checked in sentences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor

from .. import kernels
from ..errors import BadShape
from ..kernels import AttentionMask
from ..kernels.mask import check_mask
from ..patches import Patches
from ..recording import Recording
from .trace import AttentionSpec, Trace

Array: TypeAlias = Tensor | np.ndarray
Arrays: TypeAlias = Array | Sequence[Array]  # one array with the layers first, or one per layer

TOLERANCE = 0.02  # of a row's sum, where lse is given: half-precision q and k need about that
ROUNDING = 2.0**-21  # of an lse, in float32: of the score and of the lse itself
SHAPES = {"q": "[H, T, D]", "k": "[G, S, D]", "v": "[G, S, E]", "lse": "[H, T]"}


def from_arrays(
    q: Arrays,
    k: Arrays,
    tokens: Sequence[str],
    *,
    v: Arrays | None = None,
    lse: Arrays | None = None,
    scale: float | Sequence[float] | None = None,
    mask: AttentionMask | Sequence[AttentionMask] | None = None,
    key_tokens: Sequence[str] | None = None,
    ids: Sequence[int] | None = None,
    positions: Sequence[int] | None = None,
    logits: Array | None = None,
    model: str = "",
    made_by: str = "",
    patches: Patches | None = None,
    parts: Mapping[str, Any] | None = None,
) -> Trace:
    """See `Trace.from_arrays`, which is the public name; `parts` are the fields of a mask. Raises BadShape."""
    layers = {"q": per_layer("q", q), "k": per_layer("k", k)}
    for name, given in (("v", v), ("lse", lse)):
        if given is not None:
            layers[name] = per_layer(name, given)
    tokens, key_tokens = list(tokens), None if key_tokens is None else list(key_tokens)
    check_tokens(tokens, key_tokens)
    _check_counts(layers, tokens, key_tokens)
    if patches is not None:
        patches.check(len(tokens))
    specs = _specs(layers, scale, mask, dict(parts or {}), crosses=key_tokens is not None)
    with torch.inference_mode():
        _complete(layers, specs)
    values = {f"blocks.{i}.attn.{name}": tensor[None] for name, many in layers.items() for i, tensor in enumerate(many)}
    if logits is not None:
        values["logits"] = _logits(logits, ids, tokens)
    return Trace(
        numbered(tokens) if ids is None else _whole_numbers("ids", ids, tokens),
        tokens,
        Recording(values=values),
        specs,
        frozenset(values),
        None,
        key_tokens=key_tokens,
        positions=None if positions is None else _whole_numbers("positions", positions, tokens),
        model=model,
        made_by=made_by,
        patches=patches,
    )


def per_layer(name: str, arrays: Arrays) -> list[Tensor]:
    """One tensor per layer, of the axes that SHAPES names. Raises BadShape."""
    given = arrays if isinstance(arrays, Tensor | np.ndarray) else list(arrays)
    rank = SHAPES[name].count(",") + 1
    tensors = [_without_batch(as_tensor(name, part), rank) for part in given]
    if not tensors or any(part.ndim != rank or 0 in part.shape for part in tensors):
        shapes = list(given.shape) if isinstance(given, Tensor | np.ndarray) else [list(t.shape) for t in tensors]
        raise BadShape(
            f"{name} is {shapes}; give {SHAPES[name]} for each layer, as one array with the layers first or as a list, "
            "of one text and with no empty axis."
        )
    return tensors


def as_tensor(name: str, array: Array) -> Tensor:
    """A tensor of floating-point numbers without gradients. Raises BadShape."""
    try:
        tensor = torch.from_numpy(array) if isinstance(array, np.ndarray) else torch.as_tensor(array)
    except (TypeError, ValueError, RuntimeError):
        raise BadShape(f"{name} is a {type(array).__name__}; give a tensor or a NumPy array of numbers.") from None
    if not tensor.is_floating_point():
        raise BadShape(f"{name} holds {str(tensor.dtype).removeprefix('torch.')}; give floating-point numbers.")
    return tensor.detach()


def numbered(tokens: Sequence[str]) -> list[int]:
    """A number for each token, equal where the texts are equal: stands in for ids that nobody knows."""
    first: dict[str, int] = {}
    return [first.setdefault(token, len(first)) for token in tokens]


def check_tokens(tokens: list[str], key_tokens: list[str] | None) -> None:
    """Raises BadShape unless all are texts."""
    for name, part in (("token", tokens), ("key token", key_tokens or [])):
        if any(not isinstance(token, str) for token in part):
            raise BadShape(
                f"Each {name} must be a text; give a list of str, as a tokenizer's convert_ids_to_tokens does."
            )


# --- parts ---------------------------------------------------------------------------------------


def _without_batch(tensor: Tensor, rank: int) -> Tensor:
    """The same without a leading batch dimension of 1, which attention functions are called with."""
    return tensor[0] if tensor.ndim == rank + 1 and len(tensor) == 1 else tensor


def _check_counts(layers: Mapping[str, list[Tensor]], tokens: list[str], key_tokens: list[str] | None) -> None:
    """Raises BadShape unless every layer has the same heads, as many queries as tokens and as many keys as key
    tokens."""
    q, k = layers["q"], layers["k"]
    for name, given in layers.items():
        if len(given) != len(q):
            raise BadShape(f"q has {len(q)} layers and {name} has {len(given)}; give one {name} per layer.")
    keys = tokens if key_tokens is None else key_tokens
    for layer, (queries, states) in enumerate(zip(q, k)):
        kernels.arguments.check_qk(queries[None], states[None])
        if len(queries) != len(q[0]):
            raise BadShape(
                f"Layer 0 has {len(q[0])} heads and layer {layer} has {len(queries)}; every layer needs the same "
                "number."
            )
        if queries.shape[1] != len(tokens):
            raise BadShape(
                f"There are {len(tokens)} tokens and q has {queries.shape[1]} queries; give one token per query."
            )
        if states.shape[1] != len(keys):
            what = f"k has {states.shape[1]} keys and there are {len(keys)}"
            if key_tokens is None:
                raise BadShape(f"{what} tokens; where the keys are of another text, name them with key_tokens=.")
            raise BadShape(f"{what} key tokens; give one key token per key.")
        for name in ("v", "lse"):
            _check_fits(name, layers, layer)
        kernels.check_finite(q=queries, k=states)


def _check_fits(name: str, layers: Mapping[str, list[Tensor]], layer: int) -> None:
    """Raises BadShape unless v has one vector per key, and lse one number per query."""
    if name in layers:
        own, other = layers[name][layer], layers["k" if name == "v" else "q"][layer]
        if own.shape[:2] != other.shape[:2]:
            raise BadShape(
                f"{name} {list(own.shape)} of layer {layer} must be {SHAPES[name]} and begin with "
                f"{list(other.shape[:2])}."
            )


def _specs(
    layers: Mapping[str, list[Tensor]],
    scale: float | Sequence[float] | None,
    mask: AttentionMask | Sequence[AttentionMask] | None,
    parts: dict[str, Any],
    crosses: bool,
) -> list[AttentionSpec]:
    """Scale and mask of every layer. Raises BadShape where there is another number of them, or a mask does not fit."""
    count = len(layers["q"])
    if parts and mask is not None:
        raise BadShape(f"A mask and {', '.join(parts)} are given; put {', '.join(parts)} into the AttentionMask.")
    unknown = set(parts) - set(AttentionMask.__dataclass_fields__)
    if unknown:
        raise TypeError(f"from_arrays() got an unexpected keyword argument {sorted(unknown)[0]!r}")
    default = AttentionMask(**{"causal": not crosses, **parts})
    one = not isinstance(mask, Sequence)
    masks: list[Any] = [default if mask is None else mask] * count if one else list(mask)  # type: ignore[arg-type]
    for each in masks:
        check_mask(each)
    numbers = [scale] * count if scale is None or isinstance(scale, int | float) else list(scale)
    for name, given in (("masks", masks), ("scales", numbers)):
        if len(given) != count:
            raise BadShape(
                f"There are {count} layers and {len(given)} {name}; give one for all layers or one per layer."
            )
    if not all(number is None or math.isfinite(number) for number in numbers):
        raise BadShape(f"The scales are {numbers}; give finite numbers, or leave them out for 1 / sqrt(D).")
    for one, q, k in zip(masks, layers["q"], layers["k"]):
        one.fit(q[None], k[None])
    return [
        AttentionSpec(q.shape[-1] ** -0.5 if number is None else float(number), one)
        for number, one, q in zip(numbers, masks, layers["q"])
    ]


def _complete(layers: dict[str, list[Tensor]], specs: list[AttentionSpec]) -> None:
    """Compute lse where it is missing; where it was given, see that it is that of q and k. Raises BadShape."""
    given = layers.get("lse")
    if given is None:
        layers["lse"] = [
            kernels.attention(q[None], k[None], k[None], spec.mask, scale=spec.scale)[1][0]
            for q, k, spec in zip(layers["q"], layers["k"], specs)
        ]
        return
    for layer, (q, k, lse, spec) in enumerate(zip(layers["q"], layers["k"], given, specs)):
        for row in {0, q.shape[1] // 2, q.shape[1] - 1}:
            scores = kernels.attention_scores(q[None], k[None], spec.mask, rows=slice(row, row + 1), scale=spec.scale)
            own = lse[None, :, row : row + 1]
            shown = own > -torch.inf
            total, own = (scores.logsumexp(-1) - own)[shown].exp(), own[shown]
            # A row that a mask hides by -1e9 has an lse in which as much is rounded as a float32 of that size is.
            slack = TOLERANCE + own.abs() * ROUNDING
            least = 0.0 if spec.mask.sinks is not None else 1 - slack
            if not ((total >= least) & (total <= 1 + slack)).all():
                raise BadShape(
                    f"lse of layer {layer} is not that of q and k: row {row} sums to {total.max().item():.4g} instead "
                    "of 1; give the natural logarithm of the sum over the scaled, masked scores, or leave lse out."
                )


def _logits(logits: Array, ids: Sequence[int] | None, tokens: list[str]) -> Tensor:
    """Logits as a trace keeps them, [1, T, V]. Raises BadShape."""
    tensor = as_tensor("logits", logits)
    if tensor.ndim != 2 or len(tensor) != len(tokens):
        raise BadShape(f"logits {list(tensor.shape)} must be [T, V], a row for each of the {len(tokens)} tokens.")
    if ids is None:
        raise BadShape("logits are given without ids; give ids too, which say which logit belongs to which token.")
    if max(ids) >= tensor.shape[1]:
        raise BadShape(f"ids go up to {max(ids)} and logits have {tensor.shape[1]} entries; ids must lie below.")
    return tensor[None]


def _whole_numbers(name: str, numbers: Sequence[int], tokens: list[str]) -> list[int]:
    """A list of one whole number per token. Raises BadShape."""
    listed = [int(number) for number in numbers]
    if len(listed) != len(tokens):
        raise BadShape(f"There are {len(tokens)} tokens and {len(listed)} {name}; give one per token.")
    return listed
