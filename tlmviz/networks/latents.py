"""A latent array that reads a picture: cross-attention, then self-attention (002 sections 3.5-3.6; Jaegle et al.
2021)."""

from __future__ import annotations

import torch
from einops import rearrange
from jaxtyping import Bool, Float
from torch import Tensor, nn

from .. import kernels
from ..config import LatentsConfig
from ..kernels import AttentionMask
from ..layers.feedforward import MLP
from ..layers.listed import ListOf
from ..layers.norms import LayerNorm
from ..tracing.trace import Tap
from .base import Network


class Reading(nn.Module):
    """Attention with queries from one array, keys and values from another or the same (002 Eq. 9-11)."""

    def __init__(self, config: LatentsConfig):
        super().__init__()
        width = config.d_model
        self.heads = config.n_heads
        self.query, self.kv = nn.Linear(width, width), nn.Linear(width, 2 * width)
        self.proj = nn.Linear(width, width)
        self.dropout = nn.Dropout(config.dropout)
        self.q, self.k, self.v = Tap(), Tap(), Tap()
        self.lse, self.z, self.out = Tap(), Tap(), Tap()

    def forward(
        self, reader: Float[Tensor, "b m c"], source: Float[Tensor, "b s c"], mask: AttentionMask
    ) -> Float[Tensor, "b m c"]:
        """What each row of `reader` takes from the rows of `source` that the mask lets it see."""
        q = self.q(rearrange(self.query(reader), "b m (h d) -> b h m d", h=self.heads))
        k, v = rearrange(self.kv(source), "b s (two h d) -> two b h s d", two=2, h=self.heads)
        z, lse = kernels.attention(q, self.k(k), self.v(v), mask)
        self.lse(lse)  # [B, H, M]
        return self.out(self.dropout(self.proj(rearrange(self.z(z), "b h m d -> b m (h d)"))))


class LatentBlock(nn.Module):
    """z + read(x), then z + mix(z), then z + mlp(z), each of norm(z): the notes' block with a feed-forward layer behind
    it."""

    def __init__(self, config: LatentsConfig):
        super().__init__()
        width = config.d_model
        self.norm_read, self.norm_mix, self.norm_mlp = (LayerNorm(width) for _ in range(3))
        self.read, self.mix = Reading(config), Reading(config)
        self.mlp = MLP(width, config.d_ff, nn.GELU(), True, config.dropout)

    def forward(
        self, z: Float[Tensor, "b m c"], x: Float[Tensor, "b n c"], mask: AttentionMask
    ) -> Float[Tensor, "b m c"]:
        """The latents after they read x and one another; the mask is of the latents."""
        z = z + self.read(self.norm_read(z), x, AttentionMask(causal=False))
        normed = self.norm_mix(z)
        z = z + self.mix(normed, normed, mask)
        return z + self.mlp(self.norm_mlp(z))


class Answer(nn.Module):
    """A learned question for each cell reads the latents; a feed-forward layer and a head make scores of what it found
    (the output queries of Jaegle et al. 2022, Perceiver IO)."""

    def __init__(self, config: LatentsConfig):
        super().__init__()
        width = config.d_model
        self.questions = nn.Parameter(torch.randn(config.cells, width))
        self.norm_read, self.norm_mlp, self.norm_out = (LayerNorm(width) for _ in range(3))
        self.read = Reading(config)
        self.mlp = MLP(width, config.d_ff, nn.GELU(), True, config.dropout)
        self.head = nn.Linear(width, config.classes)

    def forward(self, z: Float[Tensor, "b m c"], mask: AttentionMask) -> Float[Tensor, "b o k"]:
        """Scores of the classes for each cell; the mask is of the latents."""
        asked = self.questions.expand(len(z), -1, -1)
        found = asked + self.read(self.norm_read(asked), z, mask)
        return self.head(self.norm_out(found + self.mlp(self.norm_mlp(found))))


class LatentReader(Network):
    """A picture's pixels as N tokens, each the sum of what its value and its place embed; M latents read them in every
    layer, and what is in each of the picture's cells is read off the latents in the end.

    A pixel's place is its cell and its place within the cell, both embedded, so that a digit is read alike in every
    cell. Only the latents have a residual stream: a layer costs N M + M^2 scores, where self-attention among pixels
    takes N^2.
    """

    def __init__(self, config: LatentsConfig):
        super().__init__()
        self.config = config
        width = config.d_model
        self.value = nn.Linear(1, width)
        self.place = nn.Parameter(torch.randn((config.side // config.grid) ** 2, width) * 0.5)
        self.cell = nn.Parameter(torch.randn(config.cells, width) * 0.5)
        self.norm_in = LayerNorm(width)
        self.latents = nn.Parameter(torch.randn(config.n_latents, width))
        self.blocks = ListOf(LatentBlock(config) for _ in range(config.n_layers))
        self.norm_out = LayerNorm(width)
        self.answer = Answer(config)
        self.x, self.z = Tap(), Tap()
        self.finish()

    def forward(
        self, pictures: Float[Tensor, "b n n"], kept: Bool[Tensor, " m"] | None = None
    ) -> Float[Tensor, "b o k"]:
        """Scores of the classes for each cell, [B, cells, classes], of pictures with pixels in [0, 1].

        Latents that are not `kept` are muted: neither another one nor the answer sees them.
        """
        pixels = self.value(rearrange(pictures.to(self.device), "b y x -> b (y x) 1"))
        x = self.x(self.norm_in(pixels + self.places()))  # [B, N, C]
        z = self.latents.expand(len(x), -1, -1)  # [B, M, C]
        mask = AttentionMask(causal=False) if kept is None else self.among(kept)
        for block in self.blocks:
            z = block(z, x, mask)
        return self.answer(self.z(self.norm_out(z)), mask)

    def places(self) -> Float[Tensor, "n c"]:
        """What the place of each pixel embeds, row by row."""
        grid, side = self.config.grid, self.config.side // self.config.grid
        cells = rearrange(self.cell, "(r c) w -> r 1 c 1 w", r=grid)
        return rearrange(cells + rearrange(self.place, "(y x) w -> 1 y 1 x w", y=side), "r y c x w -> (r y c x) w")

    @staticmethod
    def among(kept: Bool[Tensor, " m"]) -> AttentionMask:
        """The mask under which latents see one another: those that are kept."""
        return AttentionMask(causal=False, visible=lambda rows, cols: kept[cols].expand(len(rows), -1))
