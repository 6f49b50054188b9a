"""Position schemes: six interchangeable classes.

Each may act in one of three places: on the embedding (learned, sinusoidal), on queries
and keys (RoPE), or on the scores (ALiBi, relative). The others are the identity.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from .. import kernels
from ..errors import BadText
from .listed import ListOf

CosSin = tuple[Tensor, Tensor] | None


class Positions(nn.Module):
    """The three places, each doing nothing."""

    slopes: Tensor | None  # [H], for the kernels

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("slopes", None, persistent=False)

    def initialise(self) -> None:
        """Set starting values of learned parameters, after the network drew its own."""

    def embed(self, x: Float[Tensor, "*b t c"], position_ids: Int[Tensor, "*r t"]) -> Float[Tensor, "*b t c"]:
        """Add position vectors to the token embeddings."""
        return x

    def cos_sin(self, position_ids: Int[Tensor, "*r t"]) -> CosSin:
        """Cosines and sines [T, P] that `rotate` needs at these positions, made once per pass; None without
        rotation."""
        return None

    def rotate(self, x: Float[Tensor, "*b t d"], cos_sin: CosSin) -> Float[Tensor, "*b t d"]:
        """Rotate queries or keys."""
        return x

    def at(self, layer: int) -> Positions:
        """What one layer uses, where layers differ."""
        return self

    def relative(self, layer: int) -> Float[Tensor, "r d"] | None:
        """One layer's vector per distance, which queries meet beside the key; not yet multiplied by the scale."""
        return None


class NoPositions(Positions):
    """No positions at all: order is seen through the causal mask alone."""


class Moved(Positions):
    """Other positions for tokens that each stand so many places further."""

    def __init__(self, own: Positions, by: int):
        super().__init__()
        self.own, self.by, self.slopes = own, by, own.slopes

    def embed(self, x: Float[Tensor, "*b t c"], position_ids: Int[Tensor, "*r t"]) -> Float[Tensor, "*b t c"]:
        return self.own.embed(x, position_ids + self.by)

    def cos_sin(self, position_ids: Int[Tensor, "*r t"]) -> CosSin:
        return self.own.cos_sin(position_ids + self.by)

    def rotate(self, x: Float[Tensor, "*b t d"], cos_sin: CosSin) -> Float[Tensor, "*b t d"]:
        return self.own.rotate(x, cos_sin)

    def at(self, layer: int) -> Positions:
        return Moved(self.own.at(layer), self.by)

    def relative(self, layer: int) -> Float[Tensor, "r d"] | None:
        return self.own.relative(layer)


class Learned(Positions):
    """One learned vector per position, added to the embedding (000 section 2.1.4)."""

    def __init__(self, context: int, d_model: int):
        super().__init__()
        self.embedding = nn.Embedding(context, d_model)

    @torch.no_grad()
    def initialise(self) -> None:
        # Starting as small sinusoids lets heads find relative offsets early; random vectors must learn each position
        # alone.
        context, d_model = self.embedding.weight.shape
        self.embedding.weight.copy_(0.02 * 2**0.5 * sinusoids(torch.arange(context), d_model))

    def embed(self, x: Float[Tensor, "*b t c"], position_ids: Int[Tensor, "*r t"]) -> Float[Tensor, "*b t c"]:
        context = self.embedding.num_embeddings
        if position_ids.numel() and int(position_ids.max()) >= context:
            raise BadText(
                f"Position {int(position_ids.max())} was asked for, but this model has learned vectors for positions "
                f"0 to {context - 1} only; shorten the text."
            )
        return x + self.embedding(position_ids)


class Sinusoidal(Positions):
    """Fixed sines and cosines of geometric wavelengths, added to sqrt(C) times the embedding (Vaswani et al. 2017).

    The factor (section 3.4 there) keeps tokens, which start small, from drowning in positions of amplitude 1.
    """

    def __init__(self, d_model: int, base: float = 10000.0):
        super().__init__()
        self.d_model, self.base = d_model, base

    def embed(self, x: Float[Tensor, "*b t c"], position_ids: Int[Tensor, "*r t"]) -> Float[Tensor, "*b t c"]:
        return x * self.d_model**0.5 + sinusoids(position_ids, self.d_model, self.base).to(x.dtype)


def sinusoids(position_ids: Int[Tensor, "*b t"], dim: int, base: float = 10000.0) -> Float[Tensor, "*b t c"]:
    """sin and cos of t * base^(-2j/dim) at dimensions 2j and 2j + 1, [T, C]."""
    cos, sin = kernels.angle_table(position_ids, dim + dim % 2, base)
    return torch.stack((sin, cos), -1).flatten(-2)[..., :dim]


class RoPE(Positions):
    """Rotary embedding: queries and keys turn with their position (000 section 3.3).

    `layout` "interleaved" pairs dimensions (2j, 2j + 1), "half" (j, j + D/2).
    """

    def __init__(self, head_dim: int, base: float = 10000.0, layout: str = "interleaved"):
        super().__init__()
        self.head_dim, self.base, self.layout = head_dim, base, layout

    def cos_sin(self, position_ids: Tensor) -> tuple[Tensor, Tensor]:
        return kernels.angle_table(position_ids, self.head_dim, self.base)

    def rotate(self, x: Float[Tensor, "*b t d"], cos_sin: CosSin) -> Float[Tensor, "*b t d"]:
        assert cos_sin is not None  # RoPE's own `cos_sin` made them
        return kernels.rotate(x, *cos_sin, layout=self.layout)


class PerLayer(Positions):
    """Positions of which each layer has its own, such as RoPE of another base under a sliding window.

    `members` are the distinct ones and `of_layer` says which a layer uses. Nothing is added to the embedding.
    """

    def __init__(self, members: Sequence[Positions], of_layer: Sequence[int]):
        super().__init__()
        self.members, self.of_layer = ListOf(members), tuple(of_layer)

    def at(self, layer: int) -> Positions:
        return self.members[self.of_layer[layer]]


class ALiBi(Positions):
    """A penalty of slope * distance on the scores, one slope per head (Press et al. 2022)."""

    def __init__(self, n_heads: int):
        super().__init__()
        self.slopes = alibi_slopes(n_heads)


class Relative(Positions):
    """One learned vector per distance and layer, shared by the heads: q_i . vectors[min(i - j, R - 1)] joins the score.

    Shaw et al. 2018, section 3.2, equation 4, with the keys' vectors alone: the paper gives the values vectors of
    their own too, which brought no gain in its own ablation (table 3). All distances from R - 1 on share the last one.
    """

    def __init__(self, n_layers: int, distances: int, head_dim: int):
        super().__init__()
        self.vectors = nn.Parameter(torch.zeros(n_layers, distances, head_dim))  # [L, R, D]

    def initialise(self) -> None:
        nn.init.normal_(self.vectors, std=0.02)

    def relative(self, layer: int) -> Float[Tensor, "r d"]:
        return self.vectors[layer]


def alibi_slopes(n_heads: int) -> Float[Tensor, " h"]:
    """The paper's slopes: a geometric sequence from 2^(-8/H); for other H, every second of the next power's."""
    power = 1 << (n_heads.bit_length() - 1)  # largest power of two <= H
    slopes = [2 ** (-8 * (i + 1) / power) for i in range(power)]
    slopes += [2 ** (-8 * (i + 1) / (2 * power)) for i in range(0, 2 * power, 2)][: n_heads - power]
    return torch.tensor(slopes)
