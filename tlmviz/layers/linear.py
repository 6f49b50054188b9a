"""Linear attention: the softmax's exp(q.k) replaced by a product of features, phi(q).phi(k) (001, "Strategies").

Because the product can be reordered, phi(q) (sum of phi(k) v'), a decoder keeps one m x E matrix and one vector of
m numbers, whatever the length. Not a mask: every earlier key keeps some weight. A model's own window or ALiBi
bias has no place in it and is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from ..errors import BadShape
from .rotations import orthogonalized
from .sparse import strips


@dataclass(frozen=True)
class Elu:
    """phi(x) = elu(x) + 1, with the softmax's scale shared between q and k (Katharopoulos et al. 2020)."""

    name: ClassVar[str] = "Linear (elu + 1)"

    def features(self, q: Float[Tensor, "b h t d"], k: Float[Tensor, "b h t d"], scale: float) -> tuple[Tensor, Tensor]:
        """phi(q) and phi(k), [B, H, T, m] each, all positive."""
        return F.elu(q * scale**0.5) + 1, F.elu(k * scale**0.5) + 1

    def size(self, width: int) -> int:
        """m, the number of features for vectors of D = `width`."""
        return width

    def overhead(self, width: int) -> int:
        """Operations per token and head that make the features."""
        return 2 * width


@dataclass(frozen=True)
class Performer:
    """Positive random features phi(x) = exp(w.x - |x|^2 / 2) / sqrt(m): E[phi(q).phi(k)] = exp(q.k).

    The w are orthogonal in blocks of D, with the lengths of normal vectors (Choromanski et al. 2021, FAVOR+).
    As there, phi is divided by its largest value, which cancels, and 1e-4 is added, which keeps sums from vanishing.
    """

    name: ClassVar[str] = "Performer"
    count: int = 128
    seed: int = 0

    def __post_init__(self) -> None:
        if self.count < 1 or self.seed < 0:
            raise BadShape(
                f"Performer: {self.count} features, seed {self.seed}; give 1 feature or more, seed 0 or more."
            )

    def features(self, q: Float[Tensor, "b h t d"], k: Float[Tensor, "b h t d"], scale: float) -> tuple[Tensor, Tensor]:
        """phi(q) and phi(k), [B, H, T, m] each, all positive."""
        w = self._directions(q.shape[-1]).to(q)  # [m, D]
        log_q, log_k = (x @ w.T - x.square().sum(-1, keepdim=True) / 2 for x in (q * scale**0.5, k * scale**0.5))
        log_q = log_q - log_q.amax(-1, keepdim=True)
        log_k = log_k - log_k.amax((-1, -2), keepdim=True)
        phi_q, phi_k = ((log.exp() + 1e-4) * self.count**-0.5 for log in (log_q, log_k))
        return phi_q, phi_k

    def size(self, width: int) -> int:
        """m, the number of features."""
        return self.count

    def overhead(self, width: int) -> int:
        """Operations per token and head that make the features."""
        return 2 * 2 * width * self.count

    def _directions(self, width: int) -> Tensor:
        generator = torch.Generator().manual_seed(self.seed)
        blocks = -(-self.count // width)
        drawn = torch.randn(blocks, width, width, generator=generator)
        turned = orthogonalized(drawn).flatten(0, 1)[: self.count]
        return turned * torch.randn(self.count, width, generator=generator).norm(dim=-1, keepdim=True)


Linear = Elu | Performer
LINEAR = (Elu, Performer)


def parallel(
    phi_q: Float[Tensor, "b h t m"],
    phi_k: Float[Tensor, "b h t m"],
    v: Float[Tensor, "b h t e"],
    rows: slice = slice(None),
) -> Float[Tensor, "b h r e"]:
    """Causal linear attention of some queries as a masked product, (phi(q) phi(k)') V over its row sums, strip by
    strip."""
    return torch.cat([weights @ v[:, :, : weights.shape[-1]] for _, weights in weight_strips(phi_q, phi_k, rows)], 2)


def weight_strips(phi_q: Tensor, phi_k: Tensor, rows: slice = slice(None)) -> Iterator[tuple[slice, Tensor]]:
    """The map that linear attention never forms: slices of rows, and their weights [B, H, R, last row + 1]."""
    for part, strip in strips(phi_q, rows):
        cols = torch.arange(int(strip[-1]) + 1, device=phi_q.device)
        products = phi_q[:, :, part] @ phi_k[:, :, : len(cols)].transpose(-1, -2)
        products = products.masked_fill(cols > strip[:, None], 0.0)
        yield part, products / products.sum(-1, keepdim=True)


def recurrent(
    phi_q: Float[Tensor, "b h t m"], phi_k: Float[Tensor, "b h t m"], v: Float[Tensor, "b h t e"]
) -> Float[Tensor, "b h t e"]:
    """The same, one token after the other, as a decoder does: state += phi(k) v', sums += phi(k)."""
    state, sums, outs = (v.new_zeros(*v.shape[:2], phi_k.shape[-1], v.shape[-1]), torch.zeros_like(phi_k[:, :, 0]), [])
    for one_q, one_k, one_v in zip(phi_q.unbind(2), phi_k.unbind(2), v.unbind(2)):
        state = state + one_k[..., None] * one_v[..., None, :]  # [B, H, m, E]
        sums = sums + one_k
        outs.append(torch.einsum("bhm,bhme->bhe", one_q, state) / (one_q * sums).sum(-1, keepdim=True))
    return torch.stack(outs, 2)
