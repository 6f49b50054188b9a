"""Cross-attention between text and picture, both ways round (000 section 2.2, Eq. 32-33)."""

from __future__ import annotations

import torch
from einops import rearrange
from jaxtyping import Float, Int
from torch import Tensor, nn

from ..config import ScenesConfig
from ..layers import MLP, Attention, CrossAttention, CrossBlock, GatedMLP, ListOf, NoPositions, PreNormBlock, RoPE
from ..layers.positions import CosSin
from ..tracing.trace import Tap
from .base import Network
from .encoder_decoder import Memory
from .transformer import FEEDFORWARDS, NORMS, initialise


class _Scenes(Network):
    """What both networks begin with: patches and words embedded, and the blocks in which one attends to the other."""

    def __init__(self, config: ScenesConfig, causal: bool):
        super().__init__()
        self.config = config
        self.patch_emb = nn.Linear(config.patch**2, config.d_model)
        self.place_emb = nn.Embedding(config.patches, config.d_model)
        self.token_emb = nn.Embedding(config.vocab_size, config.d_model)
        self.unordered = NoPositions()  # patches: their places are embedded
        self.ordered = RoPE(config.head_dim, config.positions.rope_base, config.positions.layout)
        self.image = ListOf(self._block(config, layer) for layer in range(config.image_layers))
        self.text = ListOf(self._block(config, layer) for layer in range(config.text_layers))
        self.cross = ListOf(
            CrossBlock(
                self._norm(),
                Attention(config, layer, causal),
                self._norm(),
                CrossAttention(config),
                self._norm(),
                self._mlp(),
            )
            for layer in range(config.cross_layers)
        )
        self.memory_norm, self.out_norm = self._norm(), self._norm()
        self.memory, self.normed, self.logits = Tap(), Tap(), Tap()

    def _norm(self) -> nn.Module:
        return NORMS[self.config.norm.kind](self.config)

    def _mlp(self) -> MLP | GatedMLP:
        return FEEDFORWARDS[self.config.feedforward.kind](self.config)

    def _block(self, config: ScenesConfig, layer: int) -> PreNormBlock:
        return PreNormBlock(self._norm(), Attention(config, layer, causal=False), self._norm(), self._mlp())

    def _start(self) -> None:
        """Starting weights, and the taps' names."""
        self.apply(initialise)
        for linear in (m for m in self.modules() if isinstance(m, nn.Linear)):
            nn.init.xavier_uniform_(linear.weight)
        for embedding in (self.token_emb, self.place_emb):
            nn.init.normal_(embedding.weight, std=0.5)
        self.finish()

    def look(self, pictures: Float[Tensor, "b w w"]) -> Float[Tensor, "b p c"]:
        """A vector for each patch, row by row, after the patches attended to one another. Pixels are 0 (paper) to 16
        (ink)."""
        size = self.config.patch
        cut = rearrange(pictures.to(self.device) / 16, "b (r i) (c j) -> b (r c) (i j)", i=size, j=size)
        x = self.patch_emb(cut) + self.place_emb.weight
        cos_sin = self.unordered.cos_sin(torch.arange(x.shape[1], device=self.device))
        for block in self.image:
            x = block(x, self.unordered, cos_sin)
        return x

    def names(self, seen: Float[Tensor, "b p c"]) -> Float[Tensor, "b p v"]:
        """A logit of each word for each patch: in training alone, where a patch learns to name the digit that it is
        part of."""
        return nn.functional.linear(self.out_norm(seen), self.token_emb.weight) * self.config.d_model**-0.5

    def turns(self, words: Int[Tensor, "b t"]) -> CosSin:
        """RoPE's angles for the places of a text."""
        return self.ordered.cos_sin(torch.arange(words.shape[1], device=self.device))

    def keys_values(self, memory: Float[Tensor, "b s c"]) -> Memory:
        """Each cross-attention's keys and values of what is attended to."""
        return [block.cross.keys_values(memory) for block in self.cross]


class SceneReader(_Scenes):
    """The text asks the picture: words are queries, patches are keys and values (Eq. 33). Logits of the next word.

    The text is question, end, answer, end: the word after each is predicted from what stands before it and from the
    picture.
    """

    def __init__(self, config: ScenesConfig):
        super().__init__(config, causal=True)
        self._start()

    def read(self, pictures: Float[Tensor, "b w w"]) -> Memory:
        """Keys and values of pictures."""
        return self.remember(self.look(pictures))

    def remember(self, seen: Float[Tensor, "b p c"]) -> Memory:
        """Keys and values of what `look` gave."""
        return self.keys_values(self.memory(self.memory_norm(seen)))

    def write(self, words: Int[Tensor, "b t"], memory: Memory) -> Float[Tensor, "b t v"]:
        """Logits of the word after each."""
        words = words.to(self.device)
        x, cos_sin = self.token_emb(words), self.turns(words)
        for block, kv in zip(self.cross, memory):
            x = block(x, self.ordered, cos_sin, kv)
        normed = self.normed(self.out_norm(x))
        return self.logits(nn.functional.linear(normed, self.token_emb.weight) * self.config.d_model**-0.5)

    def forward(self, pictures: Float[Tensor, "b w w"], words: Int[Tensor, "b t"]) -> Float[Tensor, "b t v"]:
        """Logits of the word after each, a text for each picture."""
        return self.write(words, self.read(pictures))


class SceneMarker(_Scenes):
    """The picture asks the text: patches are queries, words are keys and values (Eq. 32). A logit for each patch.

    A patch says whether it is part of what the question's answer speaks of.
    """

    def __init__(self, config: ScenesConfig):
        super().__init__(config, causal=False)
        self.mark = nn.Linear(config.d_model, 1)
        self._start()

    def read(self, words: Int[Tensor, "b t"]) -> Memory:
        """Keys and values of texts of one length."""
        words = words.to(self.device)
        x, cos_sin = self.token_emb(words), self.turns(words)
        for block in self.text:
            x = block(x, self.ordered, cos_sin)
        return self.keys_values(self.memory(self.memory_norm(x)))

    def ask(self, seen: Float[Tensor, "b p c"], memory: Memory) -> Float[Tensor, "b p"]:
        """A logit for each patch of what `look` gave."""
        cos_sin = self.unordered.cos_sin(torch.arange(seen.shape[1], device=self.device))
        x = seen
        for block, kv in zip(self.cross, memory):
            x = block(x, self.unordered, cos_sin, kv)
        return self.logits(self.mark(self.normed(self.out_norm(x)))[..., 0])

    def forward(self, pictures: Float[Tensor, "b w w"], words: Int[Tensor, "b t"]) -> Float[Tensor, "b p"]:
        """A logit for each patch, a text for each picture, all of one length."""
        return self.ask(self.look(pictures), self.read(words))
