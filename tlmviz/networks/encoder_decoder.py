"""A Transformer that reads one text and writes another (002 section 7; Vaswani et al. 2017)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from .. import kernels
from ..caches import ContiguousCache
from ..config import EncoderDecoderConfig
from ..layers import Attention, CrossAttention, CrossBlock, ListOf, PreNormBlock, RoPE
from ..tracing.trace import Tap
from .base import Network
from .transformer import FEEDFORWARDS, NORMS, initialise

Memory = list[tuple[Tensor, Tensor]]  # per decoder layer: the source's keys and values, [B, H, S, D] each


@dataclass
class Writing:
    """A decoder on its way: what it reads, and what it keeps of what it wrote."""

    memory: Memory
    cache: ContiguousCache


class EncoderDecoder(Network):
    """Source ids and the target so far in, logits of the next target tokens out.

    Targets begin with the end-of-text token. Pre-norm as in `TransformerLM`; RoPE in both self-attentions.
    """

    def __init__(self, config: EncoderDecoderConfig):
        super().__init__()
        self.config = config
        self.token_emb = nn.Embedding(config.vocab_size, config.d_model)
        self.positions = RoPE(config.head_dim, config.positions.rope_base, config.positions.layout)
        self.drop = nn.Dropout(config.dropout)
        norm, mlp = (partial(NORMS[config.norm.kind], config), partial(FEEDFORWARDS[config.feedforward.kind], config))
        self.encoder = ListOf(
            PreNormBlock(norm(), Attention(config, layer, causal=False), norm(), mlp())
            for layer in range(config.encoder_layers)
        )
        self.encoder_norm = norm()
        self.decoder = ListOf(
            CrossBlock(norm(), Attention(config, layer), norm(), CrossAttention(config), norm(), mlp())
            for layer in range(config.decoder_layers)
        )
        self.decoder_norm = norm()
        self.source, self.memory, self.target, self.normed, self.logits = Tap(), Tap(), Tap(), Tap(), Tap()
        self.apply(initialise)
        nn.init.normal_(self.token_emb.weight, std=config.d_model**-0.5)
        for block in (*self.encoder, *self.decoder):
            for linear in (m for m in block.modules() if isinstance(m, nn.Linear)):
                nn.init.xavier_uniform_(linear.weight)
        self.finish()

    def encode(self, source: Int[Tensor, "b s"]) -> Float[Tensor, "b s c"]:
        """What the decoder attends to: one vector per source token."""
        source = source.to(self.device)
        cos_sin = self.positions.cos_sin(torch.arange(source.shape[1], device=self.device))
        x = self.source(self.drop(self._embed(source)))
        for block in self.encoder:
            x = block(x, self.positions, cos_sin)
        return self.memory(self.encoder_norm(x))

    def keys_values(self, memory: Float[Tensor, "b s c"]) -> Memory:
        """Each decoder layer's keys and values of an encoded source."""
        return [block.cross.keys_values(memory) for block in self.decoder]

    def decode(
        self, target: Int[Tensor, "b t"], memory: Memory, cache: ContiguousCache | None = None
    ) -> Float[Tensor, "b t v"]:
        """Logits after each target token; with a cache, the ids continue what it holds."""
        position_ids = torch.arange(target.shape[1]) if cache is None else cache.position_ids(target.shape[1])
        target, cos_sin = target.to(self.device), self.positions.cos_sin(position_ids.to(self.device))
        x = self.target(self.drop(self._embed(target)))
        for block, kv in zip(self.decoder, memory):
            x = block(x, self.positions, cos_sin, kv, cache)
        normed = self.normed(self.decoder_norm(x))
        return self.logits(nn.functional.linear(normed, self.token_emb.weight))

    def forward(self, source: Int[Tensor, "b s"], target: Int[Tensor, "b t"]) -> Float[Tensor, "b t v"]:
        """Logits after each token of a whole target. All sources of a batch have the same length."""
        return self.decode(target, self.keys_values(self.encode(source)))

    def start(self, source: Int[Tensor, "b s"]) -> Writing:
        """Read the sources; nothing is written yet."""
        # Beams copy the whole cache at every step, and sentences are short: it starts small.
        return Writing(self.keys_values(self.encode(source)), ContiguousCache(self.config.decoder_layers, reserve=16))

    def step(self, ids: Int[Tensor, " b"], writing: Writing) -> Float[Tensor, "b v"]:
        """Logits after one more token in each row, which `writing` then holds."""
        return self.decode(ids[:, None], writing.memory, writing.cache)[:, -1]

    def map_names(self) -> list[str]:
        """Names of the cross-attention maps, layer by layer and head by head."""
        layers, heads = range(self.config.decoder_layers), range(self.config.n_heads)
        return [f"{layer}.{head}" for layer in layers for head in heads]

    def alignment_map(self) -> int | None:
        """Which of `map_names` aligns best; None is their mean."""
        choice = self.config.alignment
        return None if choice is None else choice[0] * self.config.n_heads + choice[1]

    def cross_maps(self, values: dict[str, Tensor], attention: Tensor | None = None) -> Float[Tensor, "t a s"]:
        """Every map between target and source of one pass, from the q, k and lse that its taps kept."""
        return attention_maps(self, values, "decoder", "cross").flatten(0, 1).transpose(0, 1)

    def _embed(self, ids: Tensor) -> Tensor:
        # The embedding is the output matrix too, which starts small; sqrt(C) makes up for it (Vaswani et al., section
        # 3.4).
        return self.token_emb(ids) * self.config.d_model**0.5


def attention_maps(network: Network, values: dict[str, Tensor], stack: str, part: str) -> Float[Tensor, "l h t s"]:
    """Every map of a stack ("encoder", "decoder") and part ("attn", "cross") from the kept q, k and lse of one text."""
    blocks = getattr(network, stack)
    spec = blocks[0].cross.spec() if part == "cross" else blocks[0].attn.spec(network.positions)
    found = []
    for layer in range(len(blocks)):
        q, k, lse = (values[f"{stack}.{layer}.{part}.{name}"] for name in ("q", "k", "lse"))
        found.append(kernels.attention_map(q, k, lse, spec.mask, scale=spec.scale)[0])
    return torch.stack(found)
