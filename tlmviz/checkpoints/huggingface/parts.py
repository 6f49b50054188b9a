"""Where each of our parameters stands in a checkpoint of Hugging Face: under which names, in which shape, how turned
round.

A table of parts is read in both directions: from their tensors to our parameters, and from ours to theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from torch import Tensor

from tlmviz.config import ModelConfig


@dataclass(frozen=True)
class Change:
    """What happens to a tensor of theirs on its way to us, and to ours on its way back."""

    read: Callable[[Tensor], Tensor]
    write: Callable[[Tensor], Tensor]


TRANSPOSED = Change(lambda x: x.t(), lambda x: x.t())
PLUS_ONE = Change(lambda x: x + 1, lambda x: x - 1)  # Gemma keeps the gain of a norm as its difference from 1


@dataclass(frozen=True)
class Part:
    """A tensor of theirs, without the prefix of its family: its name, its shape, and what it takes to be rows of
    ours."""

    name: str
    shape: tuple[int, ...]
    change: Change | None = None


Parts = dict[str, list[Part]]  # our parameter -> the parts whose rows it is made of, from the top


def stacked(ours: str, columns: int, rows: dict[str, int], biased: Sequence[bool] = ()) -> Parts:
    """A linear map of ours made of theirs, one above the other: `rows` counts the outputs of each."""
    parts = {f"{ours}.weight": [Part(f"{name}.weight", (count, columns)) for name, count in rows.items()]}
    biases = [Part(f"{name}.bias", (count,)) for (name, count), has in zip(rows.items(), biased) if has]
    if biases:
        parts[f"{ours}.bias" if all(biased) else f"{ours}.partial_bias"] = biases
    return parts


def norm(config: ModelConfig, ours: str, theirs: str, size: int | None = None, gain: Change | None = None) -> Parts:
    """A norm over `size` numbers, C unless given."""
    shape = (config.d_model if size is None else size,)
    parts = {f"{ours}.weight": [Part(f"{theirs}.weight", shape, gain)]}
    if config.norm.kind == "layernorm":
        parts[f"{ours}.bias"] = [Part(f"{theirs}.bias", shape)]
    return parts


def embeddings(config: ModelConfig, embedding: str = "embed_tokens", head: str = "lm_head") -> Parts:
    """The embedding, and the head where it is not the same tensor."""
    shape = (config.vocab_size, config.d_model)
    parts = {"token_emb.weight": [Part(f"{embedding}.weight", shape)]}
    if not config.tied:
        parts["head.weight"] = [Part(f"{head}.weight", shape)]
    if config.head_bias:
        parts["head.bias"] = [Part(f"{head}.bias", shape[:1])]
    return parts


def attention(config: ModelConfig, ours: str, theirs: str, out: str = "o_proj") -> Parts:
    """Separate projections of queries, keys and values, fused in ours, and the output's."""
    d, part = config.head_dim, config.attention
    heads, groups = part.n_heads * d, config.n_kv_heads * d
    rows = {f"{theirs}.q_proj": heads, f"{theirs}.k_proj": groups, f"{theirs}.v_proj": groups}
    return {
        **stacked(f"{ours}.qkv", config.d_model, rows, part.biases[:3]),
        **stacked(f"{ours}.proj", heads, {f"{theirs}.{out}": config.d_model}, part.biases[3:]),
    }


def gated(config: ModelConfig, ours: str, theirs: str) -> Parts:
    """A gated feed-forward of three projections, of which ours fuses two."""
    part, c = config.feedforward, config.d_model
    rows = {f"{theirs}.gate_proj": part.hidden, f"{theirs}.up_proj": part.hidden}
    return {
        **stacked(f"{ours}.gate_up", c, rows, (part.bias, part.bias)),
        **stacked(f"{ours}.down", part.hidden, {f"{theirs}.down_proj": c}, (part.bias,)),
    }


def plain(config: ModelConfig, ours: str, up: str, down: str) -> Parts:
    """A feed-forward of two projections."""
    part, c = config.feedforward, config.d_model
    return {
        **stacked(f"{ours}.up", c, {up: part.hidden}, (part.bias,)),
        **stacked(f"{ours}.down", part.hidden, {down: c}, (part.bias,)),
    }
