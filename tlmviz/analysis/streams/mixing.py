"""Hyper-connections of one text: the mixing matrices of every sublayer, and their products through depth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Complex, Float
from torch import Tensor

from tlmviz.tracing.trace import MIXED, Trace

PARTS = MIXED


@dataclass(frozen=True)
class Mixing:
    """H_pre, H_post and H_res of every sublayer (attention 0, MLP 0, attention 1, ...: P of them) at T tokens."""

    pre: Float[Tensor, "p t n"]
    post: Float[Tensor, "p t n"]
    res: Float[Tensor, "p t n n"]


def sublayers(layers: int) -> list[str]:
    """What the sublayers are called, in the order of `Mixing`."""
    return [f"{kind} {layer}" for layer in range(layers) for kind in ("attention", "MLP")]


def places(layers: int) -> list[str]:
    """Where each sublayer's connection is in the network: what its taps' names begin with."""
    return [f"blocks.{layer}.join_{part}" for layer in range(layers) for part in ("attn", "mlp")]


def mixing(tensors: Mapping[str, Tensor], layers: int) -> Mixing:
    """The matrices from what the taps of a network with streams gave for one text."""
    return Mixing(*(torch.cat([tensors[f"{place}.{name}"] for place in places(layers)]) for name in PARTS))


def mixing_of(trace: Trace) -> Mixing:
    """The matrices of a traced text. A plain residual is one stream, read, written and carried on whole: all are 1."""
    if f"{places(1)[0]}.res" not in trace.tap_names:
        one = torch.ones(2 * trace.n_layers, len(trace), 1)
        return Mixing(one, one, one[..., None])
    return mixing(
        trace.tensors([f"{place}.{name}" for place in places(trace.n_layers) for name in PARTS]), trace.n_layers
    )


def eigenvalues(res: Float[Tensor, "*b n n"]) -> Complex[np.ndarray, "*b n"]:
    """The eigenvalues of every matrix, computed in float64, largest magnitude first; NaN for matrices with NaN or
    infinity.

    A conjugate pair stays together, positive imaginary part first.
    """
    matrices = res.detach().double().cpu().numpy()
    finite = np.isfinite(matrices).all((-2, -1))
    roots = np.linalg.eigvals(np.where(finite[..., None, None], matrices, 0.0)).astype(np.complex128)
    order = np.lexsort((-np.abs(roots.imag), -roots.real, -np.abs(roots)), axis=-1)  # stable: pairs are not torn apart
    return np.where(finite[..., None], np.take_along_axis(roots, order, -1), np.nan)


def stream(trace: Trace, name: str) -> Float[Tensor, "t c"]:
    """The residual stream at a tap; of several streams their mean, which is what the head reads."""
    value = trace[name][0]
    return value.mean(-2) if value.ndim == 3 else value


def composite(res: Float[Tensor, "p *b n n"]) -> Float[Tensor, "*b n n"]:
    """H_res of the last sublayer times ... times H_res of the first (000 Eq. 99-100): what is left of each stream
    behind all."""
    product = res[0]
    for matrix in res[1:]:
        product = matrix @ product
    return product


def carried(res: Float[Tensor, "p t n n"]) -> float:
    """The largest factor at which H_res carries the embedding, which begins at 1, in any stream of any token, however
    far."""
    res = res.double()
    held, most = res.new_ones(res.shape[1], res.shape[2]), 1.0
    for matrix in res:
        held = (matrix @ held[..., None])[..., 0]
        most = max(most, float(held.max()))
    return most
