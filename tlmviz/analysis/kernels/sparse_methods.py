"""Every sparse or linear attention against the model's softmax: what it costs, what it covers, what it does to the
loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from tlmviz import kernels
from tlmviz.errors import BadText
from tlmviz.layers.linear import LINEAR, Linear, parallel, weight_strips
from tlmviz.layers.sparse import SparsePattern, attend, strips
from tlmviz.protocols import LanguageModelLike
from tlmviz.recording import Edit, Recording
from tlmviz.tracing.trace import AttentionSpec, Trace

from .long_context import rows_read

Method = SparsePattern | Linear
SWAPPED = 1_024  # tokens of the text that the swapped model reads


@dataclass(frozen=True)
class Measures:
    """One method on one layer of one text; per head [H], averaged over the queries read."""

    mass: np.ndarray  # shared with the softmax, sum of min(p, p'): for a mask the mass it covers
    error: np.ndarray  # |z' - z| / |z| over all queries read
    seen: float  # keys per query, mean over heads; for linear attention all of its past
    queries: int
    counted: bool = True  # `seen` is of every query of the text; else of the queries read


@dataclass(frozen=True)
class Cost:
    """What a method costs in one head: operations for the whole text, and numbers kept to decode on."""

    flops: float
    cached: int  # numbers
    keys: int | None  # of the cache; None for linear attention, whose state does not grow


def measure(trace: Trace, layer: int, method: Method, rows: slice | None = None) -> Measures:
    """A method in place of one layer's softmax, on the layer's own q, k and v, at the queries `rows`."""
    q, k, v, lse = (trace[f"blocks.{layer}.attn.{part}"] for part in ("q", "k", "v", "lse"))
    spec, rows = trace.specs[layer], rows or _rows(len(trace))
    full, _, past = attend(q, k, v, SparsePattern(), rows, spec.mask, scale=spec.scale)
    if isinstance(method, LINEAR):
        phi_q, phi_k, wide_v = _features(method, q, k, v, spec.scale)
        z, seen = parallel(phi_q, phi_k, wide_v, rows), past
        mass = _shared_mass(q, k, lse, phi_q, phi_k, rows, spec)
    else:
        z, lse_kept, seen = attend(q, k, v, method, rows, spec.mask, scale=spec.scale)
        mass = (lse_kept - lse[:, :, rows]).exp()  # the share of the softmax's denominator that stays
    error = (z - full)[0].norm(dim=(-1, -2)) / full[0].norm(dim=(-1, -2)).clamp_min(1e-30)
    counted = keys_seen(method, len(trace), spec)
    return Measures(
        mass[0].mean(-1).clamp(0, 1).numpy(),
        error.numpy(),
        float(seen.mean()) if counted is None else counted,
        seen.shape[-1],
        counted is not None,
    )


def keys_seen(method: Method, length: int, spec: AttentionSpec) -> float | None:
    """Keys per query, the mean over every query of a text: by formula, within the model's own window.

    None where the text or chance decides. Linear attention reads all of its past.
    """
    at = torch.arange(length)
    reach = at + 1 if spec.mask.window is None else (at + 1).clamp(max=spec.mask.window)
    pattern = SparsePattern() if isinstance(method, LINEAR) else method
    seen = pattern.seen(at, reach)
    return None if seen is None else float(seen.double().mean())


def cost(method: Method, seen: float, length: int, width: int) -> Cost:
    """Operations (a multiplication and an addition are two) and cache of one head with `seen` keys per query, D =
    `width`.

    Softmax: 2D for a score and 2D for its value per cell. Linear: 2mE to add to the state, 2mE to read it, 4m for sums.
    """
    if isinstance(method, LINEAR):
        m = method.size(width)
        return Cost(length * (4 * m * width + 4 * m + method.overhead(width)), m * width + m, None)
    keys = method.cached(length)
    return Cost(length * (4 * width * seen + method.overhead(width)), 2 * width * keys, keys)


def swap(method: Method, specs: Sequence[AttentionSpec]) -> dict[str, Edit]:
    """Edits that put a method in place of the softmax in every layer, for `lm.trace(edit=...)`."""
    edits: dict[str, Edit] = {}
    for layer, spec in enumerate(specs):
        at = f"blocks.{layer}.attn."
        edits |= {at + part: _hold(at + part) for part in ("q", "k", "v")}
        edits[at + "z"] = _replace(at, method, spec)
    return edits


def mean_loss(lm: LanguageModelLike, ids: list[int], method: Method | None = None) -> float:
    """Nats per token over the first ids, at most SWAPPED, with a method in every layer, or the model as it is.

    Nothing is retrained: a model that was trained with the method would do better. Raises BadText for one token.
    """
    ids = ids[:SWAPPED]
    if len(ids) < 2:
        raise BadText("One token has no next one to predict; give two tokens or more.")
    edits = None if method is None else swap(method, lm.on_cpu.network.specs())
    return lm.trace_ids(ids, edits, "logits".__eq__).loss_per_token().mean().item()


def picture(trace: Trace, layer: int, method: Method, size: int = 96) -> np.ndarray:
    """The share of cells each bin's queries see, [H, n, n]; for linear attention the largest weight of each bin."""
    q, k, v = (trace[f"blocks.{layer}.attn.{part}"] for part in ("q", "k", "v"))
    length, rows = len(trace), rows_read(len(trace))
    size = min(size, length)
    where = torch.arange(length)
    bins = where * size // length
    sums = torch.zeros(q.shape[1], size, size)
    if isinstance(method, LINEAR):
        phi_q, phi_k, _ = _features(method, q, k, v, trace.specs[layer].scale)
        for part, weights in weight_strips(phi_q, phi_k, rows):
            index = bins[: weights.shape[-1]].expand_as(weights[0])
            columns = torch.zeros(*weights.shape[1:3], size).scatter_reduce_(-1, index, weights[0], "amax")
            sums.scatter_reduce_(1, bins[part][None, :, None].expand_as(columns), columns, "amax")
        return sums.numpy()
    tile, member = method.on(q, k), torch.nn.functional.one_hot(bins, size).float()  # [T, n]
    for part, strip in strips(q, rows):
        cells = tile(strip, where).float() @ member / member.sum(0)
        sums.index_add_(1, bins[part], cells.expand(q.shape[1], -1, -1))
    return (sums / bins[rows].bincount(minlength=size).clamp(min=1)[:, None]).numpy()


def _rows(length: int) -> slice:
    return rows_read(length, limit=1024, few=256)


# --- parts ---------------------------------------------------------------------------------------


def _features(method: Linear, q: Tensor, k: Tensor, v: Tensor, scale: float) -> tuple[Tensor, Tensor, Tensor]:
    """phi(q), phi(k) and v, each with one row per query head."""
    k, v = (part.repeat_interleave(q.shape[1] // part.shape[1], 1) for part in (k, v))
    return *method.features(q, k, scale), v


def _shared_mass(
    q: Tensor, k: Tensor, lse: Tensor, phi_q: Tensor, phi_k: Tensor, rows: slice, spec: AttentionSpec
) -> Tensor:
    """Sum over keys of the smaller of the two weights, [1, H, R]: 1 minus the total variation distance."""
    parts = []
    for part, weights in weight_strips(phi_q, phi_k, rows):
        p = kernels.attention_map(q, k, lse, spec.mask, rows=part, cols=slice(0, weights.shape[-1]), scale=spec.scale)
        parts.append(torch.minimum(p, weights).sum(-1))
    return torch.cat(parts, -1)


def _hold(name: str) -> Edit:
    def hold(value: Tensor, record: Recording) -> Tensor:
        record.values[name] = value  # the edit of z needs it, whether or not the trace keeps it
        return value

    return hold


def _replace(at: str, method: Method, spec: AttentionSpec) -> Edit:
    def replace(z: Tensor, record: Recording) -> Tensor:  # [B, H, T, D]
        q, k, v = (record.values[at + part].cpu() for part in ("q", "k", "v"))
        if isinstance(method, LINEAR):
            return parallel(*_features(method, q, k, v, spec.scale)).to(z.device)
        return attend(q, k, v, method, mask=spec.mask, scale=spec.scale)[0].to(z.device)

    return replace
