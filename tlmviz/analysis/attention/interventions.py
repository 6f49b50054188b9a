"""Edits of a forward pass, made of taps: mute heads, replace rows, patch activations, rescale scores.

Each function returns {tap name: edit}; `combine` merges several into one mapping for `lm.trace(edit=...)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import torch
from jaxtyping import Float
from torch import Tensor

from tlmviz.errors import BadShape, UnknownName
from tlmviz.tracing.trace import Edit, Recording, Trace

Edits = dict[str, Edit]


def combine(*edits: Mapping[str, Edit]) -> Edits:
    """All edits in one mapping; those of the same tensor run one after the other."""
    merged: Edits = {}
    for group in edits:
        for name, edit in group.items():
            merged[name] = _chain(merged[name], edit) if name in merged else edit
    return merged


def mute_heads(heads: Iterable[tuple[int, int]], how: str = "zero") -> Edits:
    """Silence (layer, head) pairs: their output becomes zero, or its mean over this text's positions.

    The mean keeps what a head always says and removes what it says about each token; it looks
    at the whole text, later positions included.
    """
    if how not in ("zero", "mean"):
        raise UnknownName(f"Heads can be muted by 'zero' or 'mean', not {how!r}.")
    by_layer: dict[int, list[int]] = {}
    for layer, head in heads:
        by_layer.setdefault(layer, []).append(head)

    def mute(chosen: list[int]) -> Edit:
        def edit(z: Tensor, record: Recording) -> Tensor:  # [B, H, T, D]
            for head in chosen:
                _check_index("head", head, z.shape[1])
            z = z.clone()
            z[:, chosen] = 0.0 if how == "zero" else z[:, chosen].mean(2, keepdim=True)
            return z

        return edit

    return {f"blocks.{layer}.attn.z": mute(chosen) for layer, chosen in by_layer.items()}


def replace_row(layer: int, head: int, row: int, weights: Float[Tensor, " s"]) -> Edits:
    """Make one query attend with the given weights instead of its own. Raises BadShape when they are no
    distribution."""
    weights = torch.as_tensor(weights, dtype=torch.float32).cpu()
    if weights.ndim != 1 or not torch.isfinite(weights).all() or (weights < 0).any() or abs(weights.sum() - 1) > 1e-4:
        raise BadShape("An attention row must be one vector of non-negative weights that sum to 1.")

    def edit(z: Tensor, record: Recording) -> Tensor:  # [B, H, T, D]
        v = record.values[f"blocks.{layer}.attn.v"]
        if weights.numel() != v.shape[2]:
            raise BadShape(f"The row has {weights.numel()} weights, the text has {v.shape[2]} tokens; give one each.")
        _check_index("head", head, z.shape[1])
        _check_index("row", row, z.shape[2])
        z = z.clone()
        z[:, head, row] = weights.to(v) @ v[:, head * v.shape[1] // z.shape[1]]
        record.rows.setdefault((layer, head), {})[row] = weights
        return z

    def hold(v: Tensor, record: Recording) -> Tensor:
        record.values[f"blocks.{layer}.attn.v"] = v  # needed above even if the trace does not keep it
        return v

    return {f"blocks.{layer}.attn.v": hold, f"blocks.{layer}.attn.z": edit}


def patch(name: str, source: Trace, positions: slice = slice(None), heads: slice = slice(None)) -> Edits:
    """Put a tensor from another run in this one's place, at some positions (and heads, for per-head tensors).

    Both runs must agree in every size but T; positions must exist in both.
    """
    value = source[name]

    def edit(here: Tensor, record: Recording) -> Tensor:
        # Tensors of several streams, [B, T, N, C], have as many axes and their positions where others have theirs.
        per_head = (here.ndim == 4 and ".attn." in name) or name.endswith(".lse")
        where = (slice(None), heads, positions) if per_head else (slice(None), positions)
        if here[where].shape != value[where].shape:
            raise BadShape(
                f"{name} is {list(value[where].shape)} in the other run and {list(here[where].shape)} here; "
                "choose positions that both texts have."
            )
        here = here.clone()
        here[where] = value[where].to(here)
        return here

    return {name: edit}


def scale_scores(factor: float, n_layers: int, layer: int | None = None, head: int | None = None) -> Edits:
    """Multiply the scores' 1/sqrt(d) by a factor, everywhere or in one layer or head, by scaling the queries."""

    def edit(q: Tensor, record: Recording) -> Tensor:  # [B, H, T, D]
        if head is None:
            return q * factor
        _check_index("head", head, q.shape[1])
        q = q.clone()
        q[:, head] *= factor
        return q

    return {f"blocks.{i}.attn.q": edit for i in (range(n_layers) if layer is None else (layer,))}


def _chain(first: Edit, second: Edit) -> Edit:
    return lambda value, record: second(first(value, record), record)


def _check_index(what: str, index: int, count: int) -> None:
    if not 0 <= index < count:
        raise UnknownName(f"There is no {what} {index}; here are {what}s 0 to {count - 1}.")
