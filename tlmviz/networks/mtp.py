"""What predicts more than the next token: modules in a chain (DeepSeek-V3, section 2.2), heads side by side (003,
6.4)."""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from ..caches import ContiguousCache, KVCache
from ..config import ModelConfig, MTPConfig, ParallelMTPConfig
from ..layers import BLOCKS, Attention, ListOf, Positions
from ..layers.positions import CosSin
from ..tracing.trace import name_taps
from .transformer import FEEDFORWARDS, NORMS, TransformerLM, initialise


class AheadModule(nn.Module):
    """One module: h'_i = W [norm(h_i); norm(e_(i+k))], then a block and a norm.

    h_i is what the module before it made at position i (the first reads the model), e_(i+k) the embedding of the token
    k places further, which that one predicted.
    """

    def __init__(self, config: ModelConfig):
        super().__init__()
        norm = NORMS[config.norm.kind]
        self.norm_hidden, self.norm_token = norm(config), norm(config)
        self.join = nn.Linear(2 * config.d_model, config.d_model, bias=False)
        self.block = BLOCKS[config.norm.placement](
            lambda: norm(config), Attention(config, 0), FEEDFORWARDS[config.feedforward.kind](config), ()
        )
        self.norm = norm(config)

    def forward(
        self,
        hidden: Float[Tensor, "b t c"],
        token: Float[Tensor, "b t c"],
        positions: Positions,
        cos_sin: CosSin,
        cache: KVCache | None = None,
    ) -> Float[Tensor, "b t c"]:
        """What the module makes of what was made before it and of the tokens that were predicted."""
        joined = self.join(torch.cat((self.norm_hidden(hidden), self.norm_token(token)), -1))
        return self.norm(self.block(joined, positions, cos_sin, cache))


class MTPNetwork(TransformerLM):
    """A causal language model whose modules `ahead` share its embedding and its head.

    As a language model it is what it would be without them: `forward` and `read` run none. The modules' weights are
    drawn after the model's, which therefore begins with the same numbers as its twin without modules.
    """

    config: MTPConfig

    def __init__(self, config: MTPConfig):
        super().__init__(config)
        self.ahead = ListOf(AheadModule(config) for _ in range(config.depth))
        self.ahead.apply(initialise)
        for module in self.ahead:
            for weight in (module.block.attn.proj.weight, *module.block.mlp.writers()):
                nn.init.normal_(weight, std=0.02 / (2 * config.n_layers) ** 0.5)
        name_taps(self)  # the modules' taps are no part of a pass of the model: `tap_names` stays without them

    def step(
        self,
        depth: int,
        hidden: Float[Tensor, "b t c"],
        ids: Int[Tensor, "b t"],
        cache: ContiguousCache | None = None,
        angles: CosSin = None,
    ) -> Float[Tensor, "b t c"]:
        """Module `depth` (from 1): hidden states of the module before it and, for each, the token `depth` places
        further.

        With that module's own cache, of one layer, they continue what it holds. `unembed` makes logits of the result.
        `angles`, what RoPE needs at positions 0 and on, spare making them anew.
        """
        start, count = 0 if cache is None else cache.length, ids.shape[1]
        own = self.positions.at(0)
        if angles is None:
            cos_sin = own.cos_sin(torch.arange(start, start + count, device=self.device))
        else:
            cos_sin = (angles[0][start : start + count], angles[1][start : start + count])
        token = self.drop(self.token_emb(ids.to(self.device)) * self.config.embedding_scale)
        return self.ahead[depth - 1](hidden, token, own, cos_sin, cache)

    def look_ahead(self, hidden: Float[Tensor, "b t c"], ids: Int[Tensor, "b t"]) -> list[Float[Tensor, "b _ c"]]:
        """Of the model's own states [B, T, C] for ids [B, T], those of every module in turn: T - k positions of the
        k-th.

        Position i of the k-th has read tokens up to i + k, and `unembed` makes of it a prediction of token i + k + 1.
        """
        states: list[Tensor] = []
        for depth in range(1, min(len(self.ahead), ids.shape[1] - 1) + 1):
            hidden = self.step(depth, hidden[:, : ids.shape[1] - depth], ids[:, depth:])
            states.append(hidden)
        return states

    def logits_ahead(self, hidden: Float[Tensor, "b t c"], ids: Int[Tensor, "b t"]) -> list[Float[Tensor, "b _ v"]]:
        """Logits of the model [B, T, V] and of every module, T - k positions of the k-th, from the model's own
        states."""
        return [self.unembed(state) for state in (hidden, *self.look_ahead(hidden, ids))]


class ParallelMTPNetwork(TransformerLM):
    """A causal language model with further output matrices `ahead`, each of which reads its final state as its own
    does.

    O_t^(j) = H_t W_(O_j) (003 section 6.4; Gloeckle et al. 2024): none knows what the others say. As a language model
    it is what it would be without them, and it begins with the same numbers as its twin.
    """

    config: ParallelMTPConfig

    def __init__(self, config: ParallelMTPConfig):
        super().__init__(config)
        heads = (nn.Linear(config.d_model, config.vocab_size, bias=False) for _ in range(config.depth))
        self.ahead = ListOf(heads)
        self.ahead.apply(initialise)
        name_taps(self)

    def logits_ahead(self, hidden: Float[Tensor, "b t c"], ids: Int[Tensor, "b t"]) -> list[Float[Tensor, "b _ v"]]:
        """Logits of the model [B, T, V] and of every head: T - k positions of the k-th, as a chain of modules has."""
        count = ids.shape[1]
        further = [head(hidden[:, : count - k]) for k, head in enumerate(self.ahead, start=1) if k < count]
        return [self.unembed(hidden), *further]


LooksAhead = MTPNetwork | ParallelMTPNetwork
