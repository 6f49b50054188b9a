"""An encoder-only Transformer: every token reads every other one (002 section 7.1; Devlin et al. 2018)."""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from ..config import EncoderConfig
from ..layers import Attention, ListOf, PreNormBlock, RoPE
from ..layers.positions import Positions
from ..tracing.trace import AttentionSpec, Tap
from .base import Network
from .transformer import FEEDFORWARDS, NORMS, initialise


class TransformerEncoder(Network):
    """[CLS] a [SEP], or [CLS] a [SEP] b [SEP], to a vector per token: `unembed` says which token stands at a place,
    `misplaced` whether two neighbouring words are exchanged, and `of_one_story` whether a and b are of one story.

    Besides its own vector each token has that of its part, the first or the second, as in BERT; positions are RoPE's.
    """

    def __init__(self, config: EncoderConfig):
        super().__init__()
        self.config = config
        self.token_emb = nn.Embedding(config.vocab_size, config.d_model)
        self.part_emb = nn.Embedding(2, config.d_model)
        self.positions = RoPE(config.head_dim, config.positions.rope_base, config.positions.layout)
        self.drop = nn.Dropout(config.dropout)

        def norm() -> nn.Module:
            return NORMS[config.norm.kind](config)

        self.blocks = ListOf(
            PreNormBlock(
                norm(), Attention(config, layer, causal=False), norm(), FEEDFORWARDS[config.feedforward.kind](config)
            )
            for layer in range(config.n_layers)
        )
        self.norm = norm()
        self.exchanged, self.story = nn.Linear(config.d_model, 1), nn.Linear(2 * config.d_model, 1)
        self.embed, self.normed, self.logits = Tap(), Tap(), Tap()
        self.apply(initialise)
        for block in self.blocks:
            for weight in (block.attn.proj.weight, *block.mlp.writers()):
                nn.init.normal_(weight, std=0.02 / (2 * config.n_layers) ** 0.5)
        self.finish()

    def read(self, ids: Int[Tensor, "b t"], positions: Positions | None = None) -> Float[Tensor, "b t c"]:
        """A normalised vector per token, from which all else is read; `positions` stand in for the network's own."""
        ids, positions = ids.to(self.device), positions or self.positions
        x = self.embed(self.drop(self.token_emb(ids) + self.part_emb(self.parts(ids))))  # [B, T, C]
        cos_sin = positions.cos_sin(torch.arange(ids.shape[1], device=ids.device))
        for block in self.blocks:
            x = block(x, positions, cos_sin)
        return self.normed(self.norm(x))

    def forward(self, ids: Int[Tensor, "b t"], positions: Positions | None = None) -> Float[Tensor, "b t v"]:
        """At every place, logits of the token that stands there."""
        return self.logits(self.unembed(self.read(ids, positions)))

    def unembed(self, normed: Float[Tensor, "*b c"]) -> Float[Tensor, "*b v"]:
        """Logits of tokens from their vectors; the embedding is the output matrix too."""
        return nn.functional.linear(normed, self.token_emb.weight)

    def misplaced(self, normed: Float[Tensor, "*b c"]) -> Float[Tensor, "*b"]:
        """The logit of each token that it belongs to two exchanged words; that of [CLS]: that the text has such
        words."""
        return self.exchanged(normed)[..., 0]

    def of_one_story(self, ids: Int[Tensor, "b t"], normed: Float[Tensor, "b t c"]) -> Float[Tensor, " b"]:
        """From the mean vectors u and v of the two texts, the logit that they are of one story (as in
        Sentence-BERT)."""
        return self.story(self.compared(ids, normed))[:, 0]

    def compared(self, ids: Int[Tensor, "b t"], normed: Float[Tensor, "b t c"]) -> Float[Tensor, "b f"]:
        """u v and |u - v|, for u and v the means of the texts' vectors, special tokens included."""
        second = self.parts(ids.to(normed.device))[..., None].to(normed.dtype)
        u, v = ((normed * part).sum(1) / part.sum(1) for part in (1 - second, second))
        return torch.cat((u * v, (u - v).abs()), -1)

    def parts(self, ids: Int[Tensor, "b t"]) -> Int[Tensor, "b t"]:
        """0 up to the first [SEP], itself included, then 1."""
        ends = (ids == self.config.sep).long()
        return (ends.cumsum(1) - ends).clamp_max(1)

    def specs(self) -> list[AttentionSpec]:
        """Each layer's mask and scale."""
        return [block.attn.spec(self.positions) for block in self.blocks]
