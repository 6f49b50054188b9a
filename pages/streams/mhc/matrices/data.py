"""What the view Matrices shows: the matrices of a text, what stands out among them, distances, eigenvalues."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from jaxtyping import Complex, Float, UInt8
from torch import Tensor

from pages.streams.mhc.data import Data
from pages.streams.mhc.state import DISTANCES
from tlmviz.analysis.streams.mixing import eigenvalues
from tlmviz.kernels import sinkhorn_errors
from tlmviz.ui.cached import cached


@dataclass(frozen=True)
class Matrices(Data):
    """H_pre, H_post and H_res of every sublayer at every token, one of them in detail."""

    @property
    def matrix(self) -> Tensor:
        """The H_res looked at [N, N]."""
        return self.mixing.res[self.sublayer, self.token].double()

    @cached_property
    def off(self) -> Tensor:
        """The size of every entry beside a diagonal [P, T, N, N]; 0 on it."""
        res = self.mixing.res
        return res.masked_fill(torch.eye(res.shape[-1], dtype=torch.bool), 0.0).abs()

    @cached_property
    def spread(self) -> Tensor:
        """The largest standard deviation of an entry over tokens, of every sublayer [P]."""
        return self.mixing.res.std(1, correction=0).amax((-2, -1))

    @cached_property
    def errors(self) -> tuple[float, float]:
        """How far a row sum is from 1 at most, and a column sum."""
        rows, columns = sinkhorn_errors(self.mixing.res)
        return float(rows.max()), float(columns.max())

    @cached(16)
    def distances(model: str, text: str) -> dict[str, np.ndarray]:
        """The Frobenius distances of every H_res [P, T], from each of DISTANCES."""
        res = Data.mixing(model, text).res
        identity = torch.eye(res.shape[-1])
        origins = (identity, torch.full_like(identity, 1 / len(identity)), res.mean(1, keepdim=True))
        return {name: torch.linalg.matrix_norm(res - origin).numpy() for name, origin in zip(DISTANCES, origins)}

    @cached(16)
    def roots(model: str, text: str) -> tuple[np.ndarray, np.ndarray]:
        """The eigenvalues of every H_res, as they are sent."""
        return pack_roots(eigenvalues(Data.mixing(model, text).res))

    @property
    def full(self) -> float:
        """The distance between mixing nothing and mixing all: √(N − 1)."""
        return float(np.sqrt(self.connection.streams - 1))


def pack_roots(roots: Complex[np.ndarray, "*b n"]) -> tuple[Float[np.ndarray, "*b n"], UInt8[np.ndarray, "*b n"]]:
    """The eigenvalues of real matrices in as many real numbers, and which of these belong to conjugate pairs (1, else
    0).

    A pair is its real part and the size of its imaginary part: `roots` in the order of `eigenvalues`.
    """
    return np.where(roots.imag < 0, -roots.imag, roots.real), (roots.imag != 0).astype(np.uint8)
